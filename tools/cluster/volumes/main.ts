/** `node tools/cluster/volumes/main.ts SETTINGS.json`: the storage of a native cluster, one process for all its nodes. */
import { readFileSync } from 'node:fs';
import { KubeConfig } from '@kubernetes/client-node';
import { Backing } from './backing.ts';
import { serveNode } from './driver.ts';
import { Provisioner } from './provisioner.ts';

export interface VolumesSettings {
  readonly kubeconfig: string;
  /** Folder of the network volumes' images. */
  readonly images: string;
  readonly nodes: readonly {
    readonly name: string;
    readonly folder: string;
    readonly kubeletFolder: string;
    readonly runFolder: string;
  }[];
}

const settings = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as VolumesSettings;
const log = (message: string) => console.log(`${new Date().toISOString()} ${message}`);
const backing = new Backing(settings.images, (name) => {
  const node = settings.nodes.find((candidate) => candidate.name === name);
  if (node === undefined) throw new Error(`no node ${name}`);
  return node.folder;
});
for (const node of settings.nodes) await serveNode(node, backing);

const kubeconfig = new KubeConfig();
kubeconfig.loadFromFile(settings.kubeconfig);
const provisioner = new Provisioner(kubeconfig, backing, log);
log(`serving ${settings.nodes.map((node) => node.name).join(', ')}`);
for (;;) {
  try {
    await provisioner.look();
  } catch (error) {
    log(`look failed: ${String(error)}`);
  }
  await new Promise((resolve) => setTimeout(resolve, 500));
}
