/**
 * Stands in for an ingress controller: it reads Ingress objects and their TLS Secrets from the cluster, terminates TLS on an address
 * of the loopback, and passes requests to the Service that the object names, through the API server.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from 'node:https';
import { assert } from '../../../base/assert.ts';
import { freePorts } from '../../../tools/cluster/free-ports.ts';
import { reverseProxy } from '../reverse-proxy.ts';
import { eventually } from '../shell.ts';
import type { TestCluster } from './cluster.ts';

interface IngressObject {
  readonly spec: {
    readonly ingressClassName?: string;
    readonly tls?: readonly { readonly hosts?: readonly string[]; readonly secretName: string }[];
    readonly rules: readonly {
      readonly host: string;
      readonly http: {
        readonly paths: readonly {
          readonly path: string;
          readonly pathType: string;
          readonly backend: {
            readonly service: {
              readonly name: string;
              readonly port: { readonly name?: string; readonly number?: number };
            };
          };
        }[];
      };
    }[];
  };
}

interface IngressPlace {
  readonly namespace: string;
  readonly className: string;
  readonly host: string;
  /** Address of the loopback on whose port 443 it listens. */
  readonly address: string;
}

export class Ingress {
  readonly #server: Server;
  readonly #forward: ChildProcess;

  private constructor(server: Server, forward: ChildProcess) {
    this.#server = server;
    this.#forward = forward;
  }

  static async start(cluster: TestCluster, place: IngressPlace): Promise<Ingress> {
    const { namespace, className, host, address } = place;
    const read = async <T>(...args: readonly string[]) =>
      JSON.parse(await cluster.kubectl('-n', namespace, 'get', '-o', 'json', ...args)) as T;
    const { items } = await read<{ items: IngressObject[] }>('ingress');
    const found = items.find(({ spec }) => spec.ingressClassName === className);
    const rule = found?.spec.rules.find((one) => one.host === host);
    const [path] = rule?.http.paths ?? [];
    const tls = found?.spec.tls?.find(({ hosts }) => hosts?.includes(host));
    assert(path !== undefined && tls !== undefined, `an Ingress of ${className} serves ${host}`);
    assert(path.path === '/' && path.pathType === 'Prefix', 'all paths go to one Service');
    const { data } = await read<{ data: Record<string, string> }>('secret', tls.secretName);
    const pem = (name: string) => Buffer.from(data[name] ?? '', 'base64');
    const { name, port } = path.backend.service;
    const [local = 0] = await freePorts(1);
    const target = `${local}:${port.name ?? String(port.number)}`;
    const forward = spawn(
      await cluster.kubectlPath(),
      [
        '--kubeconfig',
        cluster.kubeconfig,
        '-n',
        namespace,
        'port-forward',
        `service/${name}`,
        target,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let said = '';
    forward.stdout.on('data', (piece: Buffer) => (said += piece.toString()));
    await eventually(
      'the Service is reached',
      async () => said.includes('Forwarding') || undefined,
    );
    const server = reverseProxy({ cert: pem('tls.crt'), key: pem('tls.key') }, () => local);
    server.listen(443, address);
    await once(server, 'listening');
    return new Ingress(server, forward);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    const ended = once(this.#forward, 'exit');
    this.#forward.kill('SIGTERM');
    await ended;
  }
}
