/** Both charts, as a person installs them, with the images that were built here. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { ensureProgram } from '../cluster/binaries.ts';
import { checkout, type ClusterConfig } from '../cluster/config.ts';
import { run } from '../cluster/run.ts';
import type { Images } from './images.ts';
import type { Log } from './steps.ts';

export const systemNamespace = 'ledgerhouse-system';
/** Where the API is on each node's address. */
export const nodePort = 30_080;

export async function installCharts(
  config: ClusterConfig,
  {
    images,
    baseUrl,
    log,
  }: { readonly images: Images; readonly baseUrl: string; readonly log: Log },
): Promise<void> {
  const helm = await ensureProgram('helm');
  const file = join(config.stateFolder, 'values.yaml');
  writeFileSync(file, stringify(valuesOf(images, baseUrl)));
  for (const [name, values] of [
    ['ledgerhouse-crds', []],
    ['ledgerhouse', ['--values', file]],
  ] as const) {
    const place = ['--namespace', systemNamespace, '--create-namespace'];
    const how = ['--wait', '--timeout', '5m', '--kubeconfig', config.kubeconfig];
    const chart = join(checkout, 'charts', name);
    const args = ['upgrade', '--install', name, chart, ...place, ...values, ...how];
    log(await run(helm, args, { timeoutMs: 6 * 60_000 }));
  }
}

function valuesOf(images: Images, publicUrl: string): object {
  const named = Object.entries(images).map(([name, reference]) => {
    const [repository, tag] = reference.split(':');
    return [name, { repository, tag }];
  });
  return {
    images: Object.fromEntries(named),
    api: { enabled: true, publicUrl, service: { type: 'NodePort', port: 80, nodePort } },
    s3: { enabled: true },
  };
}
