/** The listening socket: limits against slow clients, and a shutdown that interrupts no request. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import { sleep, systemTimers } from '../../base/timers.ts';
import { newTypeId } from '../../domain/type-id.ts';
import { capConnections, type ConnectionCaps } from './connection-caps.ts';
import { asksForSocket, serveUpgrades } from './upgrades.ts';
import { problemContentType, problemResponse } from './problem-response.ts';

interface ApiServer {
  readonly port: number;
  /** Accepts no new requests and waits for running ones. Returns false if `waitMs` was not enough and the rest was cut off. */
  stop(waitMs: number): Promise<boolean>;
}

export interface ServerOptions {
  readonly host: string;
  readonly port: number;
  readonly docsUrl: string;
  readonly caps?: ConnectionCaps;
}

export async function startServer(
  app: Express,
  { host, port, docsUrl, caps }: ServerOptions,
): Promise<ApiServer> {
  const server = createServer(
    {
      headersTimeout: 10_000,
      // Enough for eight megabytes over a slow line.
      requestTimeout: 60_000,
      // Longer than the 60 s after which load balancers close a connection: otherwise they send into a closing connection.
      keepAliveTimeout: 75_000,
      maxHeaderSize: 16 * 1024,
      requireHostHeader: true,
      shouldUpgradeCallback: asksForSocket,
    },
    app,
  );
  server.maxConnections = 10_000;
  if (caps !== undefined) capConnections(server, caps);
  answerBadRequests(server, docsUrl);
  serveUpgrades(server, app);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop: async (waitMs) => {
      const over = new AbortController();
      const closed = new Promise<boolean>((resolve) => {
        server.close(() => {
          resolve(true);
          over.abort();
        });
      });
      // A connection becomes idle when its last answer has left, which can happen at any time from now on.
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      const inTime = await Promise.race([
        closed,
        sleep(systemTimers, waitMs, over.signal).then(() => false),
      ]);
      clearInterval(sweep);
      server.closeAllConnections();
      return inTime;
    },
  };
}

/** Malformed HTTP requests also get a problem document. */
function answerBadRequests(server: Server, docsUrl: string): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const requestId = newTypeId('req');
    const tooLarge = error.code === 'HPE_HEADER_OVERFLOW';
    const detail = tooLarge
      ? 'The headers are larger than 16 KiB.'
      : 'The request is not valid HTTP/1.1, or it did not arrive in time.';
    const { body } = problemResponse(
      { code: 'invalid_parameter', occasion: { detail } },
      { docsUrl, path: '', requestId },
    );
    socket.end(
      `HTTP/1.1 400 Bad Request\r\nConnection: close\r\nX-Request-Id: ${requestId}\r\nContent-Type: ${problemContentType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  });
}
