/**
 * Connection to the API server: credentials from a kubeconfig or the pod's service account, reread now and then since tokens
 * and certificates are rotated, and one pool of connections for as long as the certificates stay the same.
 *
 * The pool is ours because client-node makes one for each request, with a TLS handshake each. HTTP/1.1 only: with HTTP/2 all
 * watches would share one connection, and a half-open one would stop them all, and every write.
 */
import type { RequestOptions } from 'node:https';
import { Agent, fetch, ProxyAgent, type Dispatcher } from 'undici';
import { assert } from '../assert.ts';
import { systemTimers, type Timers } from '../timers.ts';
import type { ClusterAccess } from './cluster-access.ts';

export interface TransportRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
}

export interface TransportResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
  text(): Promise<string>;
}

export interface Transport {
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Ends all connections, including watches. */
  close(): Promise<void>;
}

/** Maximum age of credentials. Service account tokens live an hour and are replaced long before; reading files is cheap. */
const credentialsAgeMaxMs = 10_000;

interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly dispatcher: Dispatcher;
  readonly readAtMs: number;
}

export function createTransport(access: ClusterAccess, timers: Timers = systemTimers): Transport {
  const cluster = access.getCurrentCluster();
  assert(cluster !== null, 'the kubeconfig names no current cluster');
  const server = cluster.server.replace(/\/$/, '');
  let pool: { readonly fingerprint: string; readonly dispatcher: Dispatcher } | undefined;
  let held: Credentials | undefined;
  let reading: Promise<Credentials> | undefined;

  const readCredentials = async (): Promise<Credentials> => {
    const options: RequestOptions = {};
    await access.applyToHTTPSOptions(options);
    const fingerprint = fingerprintOf(options);
    if (pool?.fingerprint !== fingerprint) {
      // Requests in flight finish on the old pool.
      void pool?.dispatcher.close();
      pool = { fingerprint, dispatcher: createPool(access, options) };
    }
    const headers = { ...(options.headers as Record<string, string> | undefined) };
    if (typeof options.auth === 'string') {
      headers['Authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`;
    }
    return { headers, dispatcher: pool.dispatcher, readAtMs: timers.nowMs() };
  };

  const credentials = async (): Promise<Credentials> => {
    if (held !== undefined && timers.nowMs() - held.readAtMs < credentialsAgeMaxMs) return held;
    // One request reads, the others wait for it. A failure is not kept: the next request reads again.
    reading ??= readCredentials().finally(() => {
      reading = undefined;
    });
    held = await reading;
    return held;
  };

  return {
    send: async ({ method, path, headers, body, signal }) => {
      const { headers: own, dispatcher } = await abortable(credentials(), signal);
      const response = await fetch(`${server}${path}`, {
        method,
        headers: { ...own, ...headers },
        body: body ?? null,
        signal,
        dispatcher,
        redirect: 'error',
      });
      return response;
    },
    close: async () => {
      await pool?.dispatcher.destroy();
    },
  };
}

/** Adds a signal to a promise: a kubeconfig's credential plugins know none, and go on after an abort. */
function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

const material = [
  'ca',
  'cert',
  'key',
  'pfx',
  'passphrase',
  'rejectUnauthorized',
  'servername',
] as const;

const fingerprintOf = (options: RequestOptions): string =>
  JSON.stringify(material.map((name) => options[name]));

/** Type without `undefined`: client-node's types allow it where undici's do not, but it sets none. */
type Connect = NonNullable<Agent.Options['connect']>;
type RequestTls = NonNullable<ProxyAgent.Options['requestTls']>;

function createPool(access: ClusterAccess, options: RequestOptions): Dispatcher {
  const tls = Object.fromEntries(
    material.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]),
  );
  const how = access.createDispatcherOptions(access.getCurrentCluster(), tls);
  if (how.type === 'socks') {
    throw new Error('a SOCKS proxy in the kubeconfig is not supported; use an HTTP proxy-url');
  }
  // A watch's body may be long silent: its own watchdog ends it, and calls have deadlines.
  const common = { allowH2: false, bodyTimeout: 0, headersTimeout: 0, keepAliveTimeout: 30_000 };
  if (how.type === 'agent') return new Agent({ ...common, connect: how.connect as Connect });
  if (how.type === 'none') return new Agent(common);
  return new ProxyAgent({ ...common, uri: how.uri, requestTls: how.requestTls as RequestTls });
}
