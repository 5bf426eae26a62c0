import type { ClusterProvider } from '../provider.ts';
import { step } from '../progress.ts';
import { planOf, upNative } from './cluster.ts';
import { downNative, haltNative } from './down.ts';
import { importImage, listImages } from './node.ts';

export const native: ClusterProvider = {
  up: upNative,
  down: downNative,
  halt: haltNative,
  async loadImage(config, reference, archive) {
    const plan = await planOf(config);
    for (const node of plan.nodes) {
      if ((await listImages(node)).includes(`docker.io/${reference}`)) continue;
      await importImage(node, archive);
      step(`loaded ${reference} into ${node.name}`);
    }
  },
};
