import { join } from 'node:path';
import { ensureBuilt } from './binaries.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import type { Pki } from './pki.ts';
import type { Processes } from './processes.ts';

interface SchedulerOptions {
  readonly folder: string;
  readonly processes: Processes;
  readonly pki: Pki;
  /** URL of the API server. */
  readonly server: string;
  readonly host: string;
  /** Default: the scheduler's own, 10259. */
  readonly port?: number;
  /** Maximum requests a second to the API server. Default: the scheduler's own, 50. */
  readonly requestsPerSecond?: number | undefined;
}

export async function startScheduler(options: SchedulerOptions): Promise<void> {
  const { folder, processes, pki, server, host, port, requestsPerSecond } = options;
  const programs = await ensureBuilt('node');
  const client = await pki.sign('kube-scheduler', { user: 'system:kube-scheduler' });
  const kubeconfig = join(folder, 'kube-scheduler.kubeconfig');
  writeKubeconfig(kubeconfig, { server, caFile: pki.ca.cert, client });
  processes.start('kube-scheduler', {
    command: programs['kube-scheduler'] ?? '',
    args: [
      `--kubeconfig=${kubeconfig}`,
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
      `--bind-address=${host}`,
      `--cert-dir=${join(folder, 'scheduler')}`,
      '--leader-elect=false',
      ...(port === undefined ? [] : [`--secure-port=${port}`]),
      ...(requestsPerSecond === undefined
        ? []
        : [`--kube-api-qps=${requestsPerSecond}`, `--kube-api-burst=${2 * requestsPerSecond}`]),
    ],
  });
}
