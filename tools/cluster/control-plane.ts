/**
 * A control plane alone (etcd, kube-apiserver, optionally kube-controller-manager and kube-scheduler) for integration tests. It
 * uses free ports of the loopback, many may run at once, it needs no root, and `stop()` removes it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApiServer } from './api-server.ts';
import { freePorts } from './free-ports.ts';
import { endStrays, Processes } from './processes.ts';
import { startScheduler } from './scheduler.ts';

export interface ControlPlane {
  /** Path of a kubeconfig with an administrator's certificate. */
  readonly kubeconfig: string;
  readonly url: string;
  /** The running processes: for measurements, and for anything that must end together with them. */
  readonly processes: Processes;
  stop(): Promise<void>;
}

interface ControlPlaneParts {
  readonly controllerManager?: boolean;
  readonly scheduler?: boolean;
  /** Requests a second of each controller and of the scheduler; raised where a test would otherwise measure their own limits. */
  readonly requestsPerSecond?: number;
  /** Controllers of the controller manager that do not run: those whose work nothing here can use. */
  readonly withoutControllers?: readonly string[];
}

export async function startControlPlane(options: ControlPlaneParts = {}): Promise<ControlPlane> {
  const folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-control-plane-'));
  const processes = new Processes(folder);
  const stop = async () => {
    const names = ['kube-scheduler', 'kube-controller-manager', 'kube-apiserver', 'etcd'];
    for (const name of names) {
      await processes.stop(name, 2_000);
    }
    await endStrays(folder);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const [apiPort, etcdPort, etcdPeerPort, controllerManagerPort, schedulerPort] =
      await freePorts(5);
    const host = '127.0.0.1';
    const url = `https://${host}:${apiPort}`;
    const kubeconfig = join(folder, 'kubeconfig');
    const pki = await startApiServer({
      folder,
      kubeconfig,
      processes,
      controllerManager: options.controllerManager ?? false,
      controllerRequestsPerSecond: options.requestsPerSecond,
      withoutControllers: options.withoutControllers,
      addresses: {
        host,
        etcdHost: host,
        apiPort: apiPort ?? 0,
        etcdPort: etcdPort ?? 0,
        etcdPeerPort: etcdPeerPort ?? 0,
        controllerManagerPort: controllerManagerPort ?? 0,
        // Large enough for the Services of a thousand databases.
        serviceCidr: '10.96.0.0/16',
        serviceIp: '10.96.0.1',
      },
    });
    if (options.scheduler === true) {
      await startScheduler({
        folder,
        processes,
        pki,
        server: url,
        host,
        port: schedulerPort ?? 0,
        requestsPerSecond: options.requestsPerSecond,
      });
    }
    return { kubeconfig, url, processes, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
