import type { Log } from './steps.ts';
import { runTool } from './tool.ts';

const imageNames = ['operator', 'api', 'engine', 'etcd', 'postgres', 's3'] as const;
export type Images = Readonly<Record<(typeof imageNames)[number], string>>;

/** Builds or finds all images, loads them into the cluster, and returns their references. */
export async function loadImages(log: Log): Promise<Images> {
  const said = await runTool(['tools/images/main.ts', 'load', ...imageNames], log);
  const references = said.split('\n').filter((line) => /^ledgerhouse\/[a-z0-9-]+:/.test(line));
  return Object.fromEntries(
    imageNames.map((name) => {
      const found = references.find((reference) => reference.startsWith(`ledgerhouse/${name}:`));
      if (found === undefined) throw new Error(`the image ${name} was not built`);
      return [name, found];
    }),
  ) as unknown as Images;
}
