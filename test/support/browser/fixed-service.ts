/**
 * The built dashboard behind fixed answers: each request gets the example that the OpenAPI document has for it, unless a test said
 * otherwise. For what a real service shows too rarely or too slowly: many rows, errors, roles.
 */
import type { AddressInfo, Server } from 'node:net';
import express, { type Request, type Response } from 'express';
import { routeEntries, type OperationId } from '../../../api/contract/routes.ts';
import type { RouteSpec } from '../../../api/contract/route.ts';
import { readBuiltFiles } from '../../../api/web/built-files.ts';
import { serveDashboard } from '../../../api/web/serve-dashboard.ts';

interface FixedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}
type Answerer = (asked: { readonly body: unknown; readonly query: unknown }) => FixedAnswer;

const routes = routeEntries.map(([id, spec]: readonly [OperationId, RouteSpec]) => ({
  id,
  spec,
  pattern: new RegExp(`^${spec.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

export class FixedService {
  readonly #answers = new Map<OperationId, Answerer>();
  readonly #server: Server;
  readonly url: string;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** `folder`: of the built dashboard. */
  static async start(folder: string): Promise<FixedService> {
    const app = express().disable('etag');
    serveDashboard(app, readBuiltFiles(folder));
    const server = await new Promise<Server>((resolve) => {
      const started = app.listen(0, '127.0.0.1', () => resolve(started));
    });
    const service = new FixedService(server);
    app.get('/favicon.ico', (_request, response) => void response.status(204).end());
    app.use(express.json({ limit: '2mb' }));
    app.use((request, response) => service.#answer(request, response));
    return service;
  }

  /** What a request is answered from now on. */
  when(id: OperationId, answerer: Answerer): void {
    this.#answers.set(id, answerer);
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    (this.#server as Server & { closeAllConnections: () => void }).closeAllConnections();
    await closed;
  }

  #answer(request: Request, response: Response): void {
    const found = routes.find(
      ({ spec, pattern }) => spec.method === request.method && pattern.test(request.path),
    );
    const given = found && this.#answers.get(found.id);
    const example = Object.entries(found?.spec.responses ?? {}).find(([, one]) => one.example);
    if (given !== undefined) {
      const {
        status = 200,
        headers = {},
        body,
      } = given({
        body: request.body,
        query: request.query,
      });
      response.status(status).set(headers).json(body);
    } else if (example === undefined) response.status(404).end();
    else response.status(Number(example[0])).json(example[1]?.example);
  }
}
