/**
 * A real API server, and what stands for the kubelet behind it: it has pods whose containers log what a test says, and serves their
 * logs as a kubelet does, with what is left of the container before.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { createKube, type KubeHttp } from '../../../base/kube/kube-http.ts';
import type { KubeObject, Resource } from '../../../base/kube/kube.ts';
import { resources } from '../../../domain/kinds.ts';
import { startControlPlane, type ControlPlane } from '../../../tools/cluster/control-plane.ts';

const namespaces: Resource = {
  apiVersion: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
};
const accounts: Resource = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
};
const by = { fieldManager: 'test' };

/** A container that ran: its lines, each with its time. */
interface Run {
  lines: string[];
  ended: boolean;
}

export class LogKubelet {
  readonly #plane: ControlPlane;
  readonly #server: Server;
  readonly #folder: string;
  /** Runs of each container, the newest last. */
  readonly #runs = new Map<string, Run[]>();
  readonly #followers = new Set<() => void>();
  readonly kube: KubeHttp;
  /** Logs that were asked for, as `POD/CONTAINER?query`. */
  readonly asked: string[] = [];
  #lastNs = 0n;

  private constructor(plane: ControlPlane, server: Server, folder: string) {
    this.#plane = plane;
    this.#server = server;
    this.#folder = folder;
    const config = new KubeConfig();
    config.loadFromFile(plane.kubeconfig);
    this.kube = createKube(config, { requestsPerSecond: 1_000, requestsBurst: 1_000 });
    server.on('request', (request, response) => this.#serve(request, response));
  }

  static async start(namespace: string): Promise<LogKubelet> {
    const folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-kubelet-'));
    const path = (name: string) => join(folder, name);
    const how = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=node';
    const files = ['-keyout', path('key'), '-out', path('crt')];
    execFileSync('openssl', ['req', '-x509', ...how.split(' '), ...files], { stdio: 'ignore' });
    const server = createServer({
      key: readFileSync(path('key')),
      cert: readFileSync(path('crt')),
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const kubelet = new LogKubelet(await startControlPlane(), server, folder);
    await kubelet.#makeNode(namespace);
    return kubelet;
  }

  async stop(): Promise<void> {
    await this.kube.close();
    await this.#plane.stop();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Makes a pod; its containers run, and have logged nothing. */
  async makePod(
    namespace: string,
    name: string,
    containers: readonly string[],
    labels: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace, name, labels },
      spec: {
        nodeName: 'node-1',
        containers: containers.map((container) => ({ name: container, image: 'none' })),
      },
    };
    await this.kube.create<KubeObject>(resources.pod, pod, by);
    for (const container of containers) this.startContainer(name, container);
  }

  /** A new container takes the place of the one that ran. */
  startContainer(pod: string, container: string): void {
    const key = `${pod}/${container}`;
    const runs = this.#runs.get(key) ?? [];
    this.#runs.set(key, runs);
    const last = runs.at(-1);
    if (last !== undefined) last.ended = true;
    // Kubernetes keeps the log of the one before only.
    runs.splice(0, runs.length - 1);
    runs.push({ lines: [], ended: false });
    this.#tell();
  }

  log(pod: string, container: string, ...texts: readonly string[]): void {
    const run = this.#runs.get(`${pod}/${container}`)?.at(-1);
    if (run === undefined) throw new Error(`${pod} has no container ${container}`);
    run.lines.push(...texts.map((text) => `${this.#time()} ${text}`));
    this.#tell();
  }

  /** Ends all connections that follow a log. */
  cut(): void {
    this.#server.closeAllConnections();
  }

  #tell(): void {
    for (const follower of this.#followers) follower();
  }

  /** The time now; later than any before. */
  #time(): string {
    const nowNs = BigInt(Date.now()) * 1_000_000n;
    this.#lastNs = nowNs > this.#lastNs ? nowNs : this.#lastNs + 1n;
    const second = new Date(Number(this.#lastNs / 1_000_000n)).toISOString().slice(0, 19);
    return `${second}.${(this.#lastNs % 1_000_000_000n).toString().padStart(9, '0')}Z`;
  }

  async #makeNode(namespace: string): Promise<void> {
    await this.kube.create<KubeObject>(
      namespaces,
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      by,
    );
    await this.kube.create<KubeObject>(
      accounts,
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name: 'default' } },
      by,
    );
    await this.kube.create<KubeObject>(
      resources.node,
      { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' } },
      by,
    );
    const { port } = this.#server.address() as AddressInfo;
    const status = {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
    };
    await this.kube.mergePatch(
      { resource: resources.node, name: 'node-1' },
      { status },
      { ...by, subresource: 'status' },
    );
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? '', 'https://node-1');
    const [, , , pod, container] = pathname.split('/');
    this.asked.push(`${pod}/${container}?${searchParams.toString()}`);
    const runs = this.#runs.get(`${pod}/${container}`) ?? [];
    const run = searchParams.has('previous') ? runs.at(-2) : runs.at(-1);
    if (run === undefined) {
      response.writeHead(400).end('previous terminated container not found');
      return;
    }
    const since = Date.parse(searchParams.get('sinceTime') ?? '1970-01-01T00:00:00Z');
    const tail = Number(searchParams.get('tailLines') ?? Infinity);
    let next = Math.max(0, run.lines.length - tail);
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.flushHeaders();
    const send = () => {
      for (; next < run.lines.length; next += 1) {
        const line = run.lines[next] ?? '';
        if (Date.parse(line.slice(0, line.indexOf(' '))) >= since) response.write(`${line}\n`);
      }
      if (!searchParams.has('follow') || run.ended) response.end();
    };
    this.#followers.add(send);
    response.on('close', () => this.#followers.delete(send));
    send();
  }
}
