/**
 * A control plane by itself (etcd, kube-apiserver, optionally kube-controller-manager) for integration tests: on free
 * ports of the loopback, many at once, no root, gone with `stop()`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApiServer } from './api-server.ts';
import { endStrays, Processes } from './processes.ts';

export interface ControlPlane {
  /** Path of a kubeconfig with an administrator's certificate. */
  readonly kubeconfig: string;
  readonly url: string;
  stop(): Promise<void>;
}

export async function startControlPlane(
  options: { controllerManager?: boolean } = {},
): Promise<ControlPlane> {
  const folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-control-plane-'));
  const processes = new Processes(folder);
  const stop = async () => {
    for (const name of ['kube-controller-manager', 'kube-apiserver', 'etcd']) {
      await processes.stop(name, 2_000);
    }
    await endStrays(folder);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const [apiPort, etcdPort, etcdPeerPort, controllerManagerPort] = await freePorts(4);
    const kubeconfig = join(folder, 'kubeconfig');
    await startApiServer({
      folder,
      kubeconfig,
      processes,
      controllerManager: options.controllerManager ?? false,
      addresses: {
        host: '127.0.0.1',
        etcdHost: '127.0.0.1',
        apiPort: apiPort ?? 0,
        etcdPort: etcdPort ?? 0,
        etcdPeerPort: etcdPeerPort ?? 0,
        controllerManagerPort: controllerManagerPort ?? 0,
        // Wide enough for the Services of a thousand databases.
        serviceCidr: '10.96.0.0/16',
        serviceIp: '10.96.0.1',
      },
    });
    return { kubeconfig, url: `https://127.0.0.1:${apiPort}`, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Ports that are free now: all are held at once while they are chosen, so that none is given twice. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(0, '127.0.0.1', resolve);
      });
      return server;
    }),
  );
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
