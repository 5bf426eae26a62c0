/**
 * Requests for a WebSocket pass through the same application as all others, which checks them and answers refusals. A route
 * that accepts the request takes its WebSocket here.
 */
import { ServerResponse, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Express } from 'express';
import { WebSocketServer, type WebSocket } from 'ws';
import { tunnelFrameMax, tunnelProtocol } from '../client/tunnel.ts';
import { ClientGone } from './client-gone.ts';

/**
 * Maximum number of pieces of one message. A piece costs a few hundred bytes of memory however small it is, and 64 KiB in segments of
 * the smallest usual size are 130 pieces.
 */
const pieces = { maxFragments: 16, maxBufferedChunks: 1_024 } as const;

const waiting = new WeakMap<IncomingMessage, () => Promise<WebSocket>>();

/** Whether the request asks for a WebSocket. Other upgrades, such as `h2c`, are ignored, as RFC 9110 (7.8) allows. */
export const asksForSocket = (request: IncomingMessage): boolean =>
  request.method === 'GET' && request.headers.upgrade?.toLowerCase() === 'websocket';

/** Accepts the requested WebSocket; `undefined` if the request does not ask for one. */
export const socketOf = (request: IncomingMessage): (() => Promise<WebSocket>) | undefined =>
  waiting.get(request);

export function serveUpgrades(server: Server, app: Express): void {
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: tunnelFrameMax,
    ...pieces,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(tunnelProtocol) ? tunnelProtocol : false),
  });
  server.on('upgrade', (request, duplex, head) => {
    const socket = duplex as Socket;
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    // Ends both halves: a client that never ends its own would keep the socket, which no time limit of the server covers.
    const end = () => socket.destroySoon();
    response.once('finish', end);
    const ignore = () => {};
    socket.on('error', ignore);
    waiting.set(request, () => {
      response.off('finish', end);
      response.detachSocket(socket);
      response.statusCode = 101;
      response.emit('close');
      return new Promise((resolve, reject) => {
        socket.once('close', () => reject(new ClientGone()));
        sockets.handleUpgrade(request, socket, head, (accepted) => resolve(accepted));
      });
    });
    app(request, response);
  });
}
