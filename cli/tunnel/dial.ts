/** Opens the WebSocket of one tunnel, directly or through the proxy that the environment names. */
import { Agent as HttpAgent, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { WebSocket } from 'ws';
import { tunnelFrameMax, tunnelProtocol } from '../../api/client/tunnel.ts';
import { Answer } from '../http/answer.ts';
import { classifyConnectionFailure } from '../http/connection-failure.ts';
import { failureOf } from '../http/problem.ts';
import { headersOf } from '../http/request.ts';
import type { CliFailure } from '../failure.ts';
import type { Settings } from '../settings.ts';

interface Dial {
  readonly settings: Settings;
  readonly databaseId: string;
  readonly replica: number;
  readonly version: string;
  /** The environment's variables for proxies. */
  readonly proxies: ProxyEnvironment;
}

type ProxyEnvironment = Readonly<Record<string, string>>;

/** Result of an attempt that opened no tunnel. */
export interface DialFailure {
  readonly failure: CliFailure;
  readonly retryable: boolean;
}

const handshakeMs = 15_000;
const problemMax = 64 * 1024;

/** Resolves when the tunnel is open, or with the reason why it is not. */
export function dial(options: Dial): Promise<WebSocket | DialFailure> {
  const { settings, databaseId, replica, version, proxies } = options;
  const url = new URL(
    `${settings.baseUrl}/api/v1/databases/${encodeURIComponent(databaseId)}/tunnel?replica=${replica}`,
  );
  const isSecure = url.protocol === 'https:';
  url.protocol = isSecure ? 'wss:' : 'ws:';
  const request = { method: 'GET', path: '', repeatable: true, writes: false } as const;
  const agentOptions = { keepAlive: false, proxyEnv: { ...proxies } };
  const agent = isSecure ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
  const socket = new WebSocket(url, [tunnelProtocol], {
    headers: headersOf(request, settings, version),
    agent,
    handshakeTimeout: handshakeMs,
    maxPayload: tunnelFrameMax,
    perMessageDeflate: false,
    followRedirects: false,
  });
  return new Promise((resolve) => {
    const failed = (error: unknown) => {
      const { failure, retryable } = classifyConnectionFailure(error, url.host);
      resolve({ failure, retryable });
    };
    socket.once('open', () => {
      socket.off('error', failed);
      resolve(socket);
    });
    socket.once('error', failed);
    socket.once('unexpected-response', (_request, response) => {
      void refusalIn(response).then(resolve, failed);
    });
  });
}

async function refusalIn(response: IncomingMessage): Promise<DialFailure> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response) {
    pieces.push(piece as Buffer);
    size += (piece as Buffer).length;
    if (size > problemMax) break;
  }
  response.destroy();
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers)) {
    headers.set(name, String(value));
  }
  const status = response.statusCode ?? 0;
  const failure = failureOf(new Answer(status, headers, Buffer.concat(pieces)));
  const retryable = failure.fields.problem?.['retryable'] === true || status >= 500;
  return { failure, retryable };
}
