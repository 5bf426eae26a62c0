/** Installs both charts as a person would, with the images that were built here. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { ensureProgram } from '../cluster/binaries.ts';
import { checkout, type ClusterConfig } from '../cluster/config.ts';
import { run } from '../cluster/run.ts';
import type { Images } from './images.ts';
import type { Kubectl } from './kubectl.ts';
import { systemNamespace } from './namespace.ts';
import type { Log } from './steps.ts';
import { runToItsEnd } from './to-its-end.ts';

const apiService = 'ledgerhouse-api';
/** Port of the API on each node's address. */
export const nodePort = 30_080;

export async function installCharts(
  config: ClusterConfig,
  {
    kubectl,
    images,
    webUrl,
    log,
  }: {
    readonly kubectl: Kubectl;
    readonly images: Images;
    /** Public URL of the service, at which browsers reach it. */
    readonly webUrl: string;
    readonly log: Log;
  },
): Promise<void> {
  const helm = await ensureProgram('helm');
  const file = join(config.stateFolder, 'values.yaml');
  writeFileSync(file, stringify(valuesOf(images, webUrl)));
  log(await forgetInterrupted(kubectl));
  for (const [name, values] of [
    ['ledgerhouse-crds', []],
    ['ledgerhouse', ['--values', file]],
  ] as const) {
    const place = ['--namespace', systemNamespace, '--create-namespace'];
    const chart = join(checkout, 'charts', name);
    const reach = ['--kubeconfig', config.kubeconfig];
    const args = ['upgrade', '--install', name, chart, ...place, ...values, ...reach];
    const wait = ['--wait', '--timeout', `${patience}m`];
    try {
      // Run to the end: a Service whose creation is cut off blocks its node port for ten minutes, until Kubernetes repairs that.
      if (name === 'ledgerhouse' && !(await kubectl.has('service', apiService)))
        log(await runToItsEnd(helm, args, { timeoutMs: 5 * 60_000 }));
      log(await run(helm, [...args, ...wait], { timeoutMs: (patience + 1) * 60_000 }));
    } catch (error) {
      log(await kubectl.overview());
      throw error;
    }
  }
}

/** Minutes within which all pods of a chart must be ready. */
const patience = 5;

/**
 * Removes the record of a revision that a killed Helm left behind: Helm would take it for another running Helm and refuse to
 * work. The revision's objects still belong to the release, and the next revision continues with them.
 */
function forgetInterrupted(kubectl: Kubectl): Promise<string> {
  const pending = 'owner=helm,status in (pending-install,pending-upgrade,pending-rollback)';
  return kubectl.say('delete', 'secrets', '-n', systemNamespace, '-l', pending);
}

/** All nodes are this one machine: replicas may share a node, and few processors must suffice for many pods. */
const regions = [1, 2].map((number) => ({
  id: `local-${number}`,
  name: `Local ${number}`,
  spread: 'Preferred',
  cpuRequestPercent: 20,
}));

/**
 * Example prices, to show estimated prices. The currency is XTS, which ISO 4217 reserves for tests, so that nobody takes them for
 * an offer.
 */
export const examplePrices = {
  currency: 'XTS',
  sizes: ['lh-5', 'lh-10', 'lh-20', 'lh-40', 'lh-80', 'lh-160'].map((size) => ({
    size,
    monthly: String(2 * Number(size.slice(3))),
    memberMonthly: '2.5',
  })),
  storage: [
    { tier: 'network-ssd', monthlyPerGb: '0.1' },
    { tier: 'local-nvme', monthlyPerGb: '0.2' },
  ],
};

function valuesOf(images: Images, publicUrl: string): object {
  const named = Object.entries(images).map(([name, reference]) => {
    const [repository, tag] = reference.split(':');
    return [name, { repository, tag }];
  });
  return {
    images: Object.fromEntries(named),
    api: { enabled: true, publicUrl, service: { type: 'NodePort', port: 80, nodePort } },
    // One is enough here: what it would do waits while it is replaced.
    worker: { replicas: 1 },
    s3: { enabled: true },
    catalog: { providers: [{ id: 'local', name: 'This cluster', regions }], prices: examplePrices },
  };
}
