/**
 * HTTP interface for operating a replica: `/livez`, `/startedz`, `/readyz`, `/status` (domain/engine-status.ts), `/metrics`,
 * `POST /checkpoint`, which answers when everything executed before is in the data file, and, from the replica's own machine
 * or pod only, `POST /export`, which answers with a data file, `GET /log` and others for the archiver
 * (archive-routes.ts), which answers `GET /archive/moment`. Our engine serves it; for an engine without one, the agent does.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { metricsContentType } from '../../base/metrics/metrics.ts';
import type { EngineStatus } from '../../domain/engine-status.ts';
import { answerArchiver, answerMoment, type ArchiverSide } from './archive-routes.ts';

interface StatusSource {
  /** The status, or the reason why there is none now, which is answered with 503. */
  status(): EngineStatus | { readonly problem: string };
  /** Whether the preparation for serving is over: the data file is loaded. */
  hasStarted(): boolean;
  /** Why this replica takes no part in serving clients; `undefined` when it does. */
  unready(): string | undefined;
  /** Prometheus' text format, version 0.0.4. */
  metrics(): Promise<string>;
  /** Takes a checkpoint and returns its op; absent if the engine has no checkpoints of its own to take. */
  checkpoint?(): Promise<{ readonly op: number }>;
  /** Writes a portable data file of this replica, piece by piece; absent if the engine has no export. */
  exportTo?(write: (bytes: Uint8Array) => Promise<void>): Promise<void>;
  /** For the archiver beside the engine; absent if nothing is archived. */
  readonly archiver?: ArchiverSide | undefined;
}

export class StatusServer {
  readonly #server: Server;

  constructor(source: StatusSource) {
    this.#server = createServer({ requestTimeout: 5_000 }, (request, response) => {
      if (request.method === 'POST' && request.url === '/export' && source.exportTo !== undefined) {
        void sendExport(source, request, response);
        return;
      }
      if (request.method === 'POST' && request.url === '/checkpoint' && source.checkpoint) {
        void answerCheckpoint(response, source.checkpoint());
        return;
      }
      if (source.archiver !== undefined && isOfArchiver(request)) {
        if (isLocal(request)) void answerArchiver(source.archiver, request, response);
        else answer(response, 403, 'text/plain', 'the log is for the same machine or pod only\n');
        return;
      }
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        answer(response, 405, 'text/plain', 'only GET\n');
        return;
      }
      if (source.archiver !== undefined && request.url?.startsWith('/archive/moment?') === true) {
        void answerMoment(source.archiver, request, response);
        return;
      }
      switch (request.url ?? '') {
        case '/livez':
          answer(response, 200, 'text/plain', 'ok\n');
          return;
        case '/startedz':
          answerReadiness(
            response,
            source.hasStarted() ? undefined : 'the data file is being loaded',
          );
          return;
        case '/readyz':
          answerReadiness(response, source.unready());
          return;
        case '/status':
          answerStatus(response, source.status());
          return;
        case '/metrics':
          void answerMetrics(response, source);
          return;
        default:
          answer(
            response,
            404,
            'text/plain',
            'there are /livez, /startedz, /readyz, /status, /metrics\n',
          );
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

function answerReadiness(response: ServerResponse, unready: string | undefined): void {
  if (unready === undefined) answer(response, 200, 'text/plain', 'ok\n');
  else answer(response, 503, 'text/plain', `${unready}\n`);
}

async function answerMetrics(
  response: ServerResponse,
  source: Pick<StatusSource, 'metrics'>,
): Promise<void> {
  try {
    answer(response, 200, metricsContentType, await source.metrics());
  } catch (error) {
    answer(response, 500, 'text/plain', `${String(error)}\n`);
  }
}

async function answerCheckpoint(
  response: ServerResponse,
  checkpoint: Promise<{ readonly op: number }>,
): Promise<void> {
  try {
    answer(response, 200, 'application/json', `${JSON.stringify(await checkpoint)}\n`);
  } catch (error) {
    answer(response, 503, 'text/plain', `${String(error)}\n`);
  }
}

function answerStatus(response: ServerResponse, status: ReturnType<StatusSource['status']>): void {
  const code = 'problem' in status ? 503 : 200;
  answer(response, code, 'application/json', `${JSON.stringify(status)}\n`);
}

async function sendExport(
  source: Pick<StatusSource, 'exportTo'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!isLocal(request)) {
    answer(
      response,
      403,
      'text/plain',
      'an export is available only from the same machine or pod\n',
    );
    return;
  }
  // A receiver that goes away ends the export, which frees the parts of the data file that it pinned.
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    response.writeHead(200, { 'content-type': 'application/octet-stream' });
    await source.exportTo?.(async (bytes) => {
      // The bytes may be memory that is used again: they are copied before the next piece is made.
      if (!response.write(bytes.slice())) await once(response, 'drain', { signal: gone.signal });
      gone.signal.throwIfAborted();
    });
    response.end();
  } catch (error) {
    // The length is not known beforehand: a broken connection tells the receiver that the file is incomplete.
    response.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

const isOfArchiver = ({ url = '' }: IncomingMessage): boolean =>
  ['/archived', '/log', '/question', '/answer'].includes(url.split('?', 1)[0] ?? '');

const isLocal = ({ socket }: IncomingMessage): boolean =>
  /^(::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '');

function answer(response: ServerResponse, code: number, type: string, body: string): void {
  response.writeHead(code, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
}
