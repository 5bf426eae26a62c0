/**
 * `/livez`: the event loop turns and no work is stuck; a failure causes a restart, so nothing outside this process counts.
 * `/readyz`: the caches are filled, whether it leads or stands by. `/metrics`: Prometheus metrics. A check returns its
 * problems, or none.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { metricsContentType } from './metrics/metrics.ts';

interface HealthServerOptions {
  readonly host: string;
  /** Port to listen on; 0: any free one. */
  readonly port: number;
  readonly live: () => readonly string[];
  readonly ready: () => readonly string[];
  readonly metrics: () => Promise<string>;
}

interface HealthServer {
  readonly port: number;
  stop(): Promise<void>;
}

interface HealthAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

const text = 'text/plain; charset=utf-8';

export async function answerHealth(
  method: string,
  path: string,
  { live, ready, metrics }: Pick<HealthServerOptions, 'live' | 'ready' | 'metrics'>,
): Promise<HealthAnswer> {
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead) return { status: 405, contentType: text, body: 'only GET\n' };
  if (path === '/livez') return checked(live());
  if (path === '/readyz') return checked(ready());
  if (path === '/metrics') {
    return {
      status: 200,
      contentType: metricsContentType,
      body: await metrics(),
    };
  }
  return { status: 404, contentType: text, body: 'there are /livez, /readyz and /metrics\n' };
}

const checked = (wrong: readonly string[]): HealthAnswer =>
  wrong.length === 0
    ? { status: 200, contentType: text, body: 'ok\n' }
    : { status: 503, contentType: text, body: `${wrong.join('\n')}\n` };

export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    const isHead = request.method === 'HEAD';
    answerHealth(request.method ?? 'GET', path, options).then(
      ({ status, contentType, body }) => {
        response.writeHead(status, { 'Content-Type': contentType });
        response.end(isHead ? undefined : body);
      },
      (error: unknown) => {
        response.writeHead(500, { 'Content-Type': text });
        response.end(isHead ? undefined : `${String(error)}\n`);
      },
    );
  });
  server.headersTimeout = 5_000;
  server.requestTimeout = 5_000;
  server.maxConnections = 64;
  await listen(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, { host, port }: HealthServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
}
