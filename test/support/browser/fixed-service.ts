/**
 * The built dashboard behind fixed answers: each request gets the example that the OpenAPI document has for it, unless a test said
 * otherwise. For what a real service shows too rarely or too slowly: many rows, errors, roles.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import express, { type Request, type Response } from 'express';
import { routeEntries, type OperationId } from '../../../api/contract/routes.ts';
import type { RouteSpec } from '../../../api/contract/route.ts';
import { readBuiltFiles } from '../../../api/web/built-files.ts';
import { serveDashboard } from '../../../api/web/serve-dashboard.ts';
import { builtDashboard } from './built-dashboard.ts';

interface FixedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; text is sent as HTML, as a proxy does. */
  readonly body: unknown;
  /** The request arrives, and the connection breaks within the answer. */
  readonly lost?: boolean;
}
interface Asked {
  readonly body: unknown;
  readonly query: unknown;
  readonly headers: IncomingHttpHeaders;
}
type Answerer = (asked: Asked) => FixedAnswer | Promise<FixedAnswer>;

const routes = routeEntries.map(([id, spec]: readonly [OperationId, RouteSpec]) => ({
  id,
  spec,
  pattern: new RegExp(`^${spec.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

export class FixedService {
  readonly #answers = new Map<OperationId, Answerer>();
  readonly #server: Server;
  readonly url: string;
  /** The time of the service; by default that of the machine. */
  time: string | undefined;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(): Promise<FixedService> {
    const app = express().disable('etag');
    serveDashboard(app, readBuiltFiles(builtDashboard()));
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

  /** A request is answered with the example again. */
  forget(id: OperationId): void {
    this.#answers.delete(id);
  }

  /** What the document has for a request: its first answer with an example. */
  exampleOf(id: OperationId): FixedAnswer {
    const found = routes.find((one) => one.id === id);
    const example = found && exampleIn(found.spec);
    if (example === undefined) throw new Error(`${id} has no example`);
    return example;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    (this.#server as Server & { closeAllConnections: () => void }).closeAllConnections();
    await closed;
  }

  async #answer(request: Request, response: Response): Promise<void> {
    const { time } = this;
    if (time !== undefined) response.set('Date', new Date(time).toUTCString());
    const found = routes.find(
      ({ spec, pattern }) => spec.method === request.method && pattern.test(request.path),
    );
    const given = found && this.#answers.get(found.id);
    const example = found && exampleIn(found.spec);
    if (given !== undefined) {
      const { status = 200, headers = {}, body, lost } = await given(request);
      response.status(status).set(headers);
      if (lost === true) loseAnswer(response);
      else if (typeof body === 'string') response.type('html').send(body);
      else response.json(body);
    } else if (example === undefined) response.status(404).end();
    else response.status(example.status).json(example.body);
  }
}

function exampleIn(
  spec: RouteSpec,
): { readonly status: number; readonly body: unknown } | undefined {
  const found = Object.entries(spec.responses).find(([, one]) => one.example);
  return found && { status: Number(found[0]), body: found[1]?.example };
}

/** With nothing of an answer, Chromium would send the request again by itself. */
function loseAnswer(response: Response): void {
  response.set('Content-Length', '1000');
  response.write('{', () => response.destroy());
}
