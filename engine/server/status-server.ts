/** HTTP for those who look after a replica: `/livez`, `/readyz`, `/status` (domain/engine-status.ts), `/metrics`. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { EngineStatus } from '../../domain/engine-status.ts';

export interface StatusSource {
  status(): EngineStatus;
  /** Whether this replica takes part in serving clients. */
  ready(): boolean;
  /** Prometheus' text format, version 0.0.4. */
  metrics(): string;
}

export class StatusServer {
  readonly #server: Server;

  constructor(source: StatusSource) {
    this.#server = createServer({ requestTimeout: 5_000 }, (request, response) => {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        answer(response, 405, 'text/plain', 'only GET\n');
        return;
      }
      switch (request.url) {
        case '/livez':
          answer(response, 200, 'text/plain', 'ok\n');
          return;
        case '/readyz':
          if (source.ready()) answer(response, 200, 'text/plain', 'ok\n');
          else answer(response, 503, 'text/plain', 'not serving\n');
          return;
        case '/status':
          answer(response, 200, 'application/json', `${JSON.stringify(source.status())}\n`);
          return;
        case '/metrics':
          answer(response, 200, 'text/plain; version=0.0.4', source.metrics());
          return;
        default:
          answer(response, 404, 'text/plain', 'there are /livez, /readyz, /status, /metrics\n');
      }
    });
  }

  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port }, () => {
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

function answer(response: ServerResponse, code: number, type: string, body: string): void {
  response.writeHead(code, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
}
