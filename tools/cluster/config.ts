import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

export const Provider = {
  auto: 'auto',
  native: 'native',
  docker: 'docker',
  kubeconfig: 'kubeconfig',
} as const;
export type Provider = (typeof Provider)[keyof typeof Provider];

export interface ClusterConfig {
  readonly provider: Provider;
  /** Worker nodes, 1 to 3. */
  readonly nodes: number;
  /** Folder of this cluster's state. Two folders are two clusters, which may run at the same time. */
  readonly stateFolder: string;
  /** Six hex digits that identify this cluster's interfaces, namespaces and cgroups on the machine. */
  readonly id: string;
  readonly kubeconfig: string;
}

/** A mistake of the caller, or a machine that cannot run the cluster. Shown as one sentence, without a stack. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError';
}

export const checkout = resolve(import.meta.dirname, '../..');

/** Cache of built programs and images, shared by all checkouts. */
export const cacheFolder = join(
  process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
  'ledgerhouse',
);

export function readConfig(
  options: { provider?: string | undefined; nodes?: string | undefined } = {},
): ClusterConfig {
  const provider = options.provider ?? process.env['LEDGERHOUSE_CLUSTER'] ?? Provider.auto;
  if (!isProvider(provider)) {
    throw new ClusterError(
      `LEDGERHOUSE_CLUSTER is "${provider}"; it must be one of ${Object.values(Provider).join(', ')}`,
    );
  }
  const nodes = Number(options.nodes ?? process.env['NODES'] ?? '1');
  if (!Number.isInteger(nodes) || nodes < 1 || nodes > 3) {
    throw new ClusterError(`NODES is "${options.nodes ?? process.env['NODES']}"; it is 1, 2 or 3`);
  }
  const folder = process.env['LEDGERHOUSE_STATE_DIR'] ?? join(checkout, '.ledgerhouse');
  mkdirSync(folder, { recursive: true });
  const stateFolder = realpathSync(folder);
  const id = createHash('sha256').update(stateFolder).digest('hex').slice(0, 6);
  return { provider, nodes, stateFolder, id, kubeconfig: join(stateFolder, 'kubeconfig') };
}

function isProvider(name: string): name is Provider {
  return Object.values(Provider).some((provider) => provider === name);
}
