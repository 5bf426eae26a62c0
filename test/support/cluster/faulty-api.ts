/**
 * An HTTP proxy on the loopback before a real API server, that answers wrongly on request. It holds the administrator's
 * certificate; its clients need none.
 */
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, request as secureRequest, type RequestOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';

/** The fault for one request. */
export type Fault =
  /** The request is not passed on; the proxy answers with this status. */
  | { readonly kind: 'status'; readonly code: number; readonly retryAfterSeconds?: number }
  /** The request is passed on after a delay. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** The request is passed on and executed, but the connection is reset before the answer. */
  | { readonly kind: 'lose-answer' }
  /** The first answer that the same list was ever given, again. Passed on when there was none. */
  | { readonly kind: 'stale-list' }
  /** The watch's connection is reset after so many bytes, mostly in the middle of an event. */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  /** From then on nothing more comes over the watch, and nobody says so: a half-open connection. */
  | { readonly kind: 'freeze'; readonly afterBytes: number }
  /** After so many bytes the watch's next event is a 410, and the end. */
  | { readonly kind: 'gone'; readonly afterBytes: number };

export interface FaultyRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly isWatch: boolean;
  readonly isWrite: boolean;
  /** A list's first page. */
  readonly isList: boolean;
}

export interface FaultyApi {
  /** Configuration of a client that goes through the proxy. */
  readonly kubeConfig: KubeConfig;
  /** Number of connections that were ever made to the proxy. */
  readonly connections: number;
  /** How often each fault was done. */
  readonly done: ReadonlyMap<Fault['kind'], number>;
  /** Sets the function that chooses the fault of each request. */
  inject(choose: (request: FaultyRequest) => Fault | undefined): void;
  /** Resets every watch that is open now. */
  cutWatches(): void;
  /** Lets every watch that is open now go silent. */
  freezeWatches(): void;
  stop(): Promise<void>;
}

interface OpenWatch {
  cut(): void;
  freeze(): void;
}

export async function startFaultyApi(kubeconfig: string): Promise<FaultyApi> {
  const real = new KubeConfig();
  real.loadFromFile(kubeconfig);
  const server = real.getCurrentCluster()?.server ?? '';
  const credentials: RequestOptions = {};
  await real.applyToHTTPSOptions(credentials);
  const { ca, cert, key } = credentials;
  const agent = new Agent({ ca, cert, key, keepAlive: true });
  const done = new Map<Fault['kind'], number>();
  const watches = new Set<OpenWatch>();
  const firstLists = new Map<string, Buffer>();
  let choose: (request: FaultyRequest) => Fault | undefined = () => undefined;

  const proxy = createServer((incoming, outgoing) => {
    const described = describe(incoming);
    const fault = choose(described);
    const count = () => {
      if (fault !== undefined) done.set(fault.kind, (done.get(fault.kind) ?? 0) + 1);
    };
    const context: Context = {
      server,
      agent,
      incoming,
      outgoing,
      described,
      watches,
      firstLists,
      count,
    };
    const failed = () => outgoing.destroy();
    serve(context, fault).catch(failed);
  });
  let connections = 0;
  proxy.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromOptions({
    clusters: [{ name: 'faulty', server: `http://127.0.0.1:${port}`, skipTLSVerify: true }],
    users: [{ name: 'anyone' }],
    contexts: [{ name: 'faulty', cluster: 'faulty', user: 'anyone' }],
    currentContext: 'faulty',
  });
  return {
    kubeConfig,
    get connections() {
      return connections;
    },
    done,
    inject: (next) => {
      choose = next;
    },
    cutWatches: () => watches.forEach((watch) => watch.cut()),
    freezeWatches: () => watches.forEach((watch) => watch.freeze()),
    stop: async () => {
      agent.destroy();
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

interface Context {
  readonly server: string;
  readonly agent: Agent;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly described: FaultyRequest;
  readonly watches: Set<OpenWatch>;
  readonly firstLists: Map<string, Buffer>;
  readonly count: () => void;
}

function describe(incoming: IncomingMessage): FaultyRequest {
  const { pathname: path, searchParams: query } = new URL(incoming.url ?? '/', 'http://proxy');
  const method = incoming.method ?? 'GET';
  const isWatch = query.get('watch') === 'true';
  const isList = method === 'GET' && query.has('limit') && !query.has('continue');
  return { method, path, query, isWatch, isWrite: method !== 'GET', isList };
}

async function serve(context: Context, fault: Fault | undefined): Promise<void> {
  const { incoming, outgoing, described, firstLists, count } = context;
  if (fault?.kind === 'status') {
    count();
    incoming.resume();
    outgoing.writeHead(fault.code, {
      'Content-Type': 'application/json',
      ...(fault.retryAfterSeconds === undefined
        ? {}
        : { 'Retry-After': `${fault.retryAfterSeconds}` }),
    });
    outgoing.end(JSON.stringify(statusOf(fault.code)));
    return;
  }
  if (fault?.kind === 'delay') {
    count();
    await new Promise((resolve) => setTimeout(resolve, fault.ms));
  }
  const url = incoming.url ?? '';
  const stale = fault?.kind === 'stale-list' ? firstLists.get(url) : undefined;
  if (stale !== undefined) {
    count();
    outgoing.writeHead(200, { 'Content-Type': 'application/json' });
    outgoing.end(stale);
    return;
  }
  const answer = await pass(context);
  if (fault?.kind === 'lose-answer') {
    count();
    for await (const _ of answer) continue;
    outgoing.destroy();
    return;
  }
  outgoing.writeHead(answer.statusCode ?? 502, headersOf(answer));
  outgoing.flushHeaders();
  if (described.isWatch) {
    passWatch(context, answer, fault);
    return;
  }
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer);
  const body = Buffer.concat(parts);
  const whole = described.isList && answer.statusCode === 200 && !body.includes('"continue":"');
  if (whole && !firstLists.has(url)) firstLists.set(url, body);
  outgoing.end(body);
}

function pass({ server, agent, incoming, outgoing }: Context): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { host: _, connection: __, 'accept-encoding': ___, ...headers } = incoming.headers;
    const send = server.startsWith('https:') ? secureRequest : request;
    const onward = send(
      `${server}${incoming.url}`,
      { method: incoming.method, headers, agent },
      resolve,
    );
    onward.on('error', reject);
    // A client that closed its connection to the proxy no longer waits for the server.
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
}

function passWatch(
  { outgoing, watches, count }: Context,
  answer: IncomingMessage,
  fault: Fault | undefined,
): void {
  /** Nothing more is passed on. */
  let over = false;
  const watch: OpenWatch = {
    cut: () => {
      over = true;
      outgoing.socket?.resetAndDestroy();
    },
    freeze: () => {
      over = true;
    },
  };
  watches.add(watch);
  outgoing.on('close', () => watches.delete(watch));
  const limit = fault !== undefined && 'afterBytes' in fault ? fault.afterBytes : Infinity;
  let passed = 0;
  answer.on('data', (bytes: Buffer) => {
    if (over) return;
    const allowed = bytes.subarray(0, limit - passed);
    passed += bytes.length;
    if (fault === undefined || allowed.length === bytes.length) {
      outgoing.write(bytes);
      return;
    }
    over = true;
    count();
    if (fault.kind === 'gone') {
      // Only whole events come before it.
      outgoing.write(bytes.subarray(0, bytes.lastIndexOf('\n') + 1));
      outgoing.end(`${JSON.stringify({ type: 'ERROR', object: statusOf(410) })}\n`);
      return;
    }
    if (allowed.length > 0) outgoing.write(allowed);
    if (fault.kind === 'cut') setImmediate(() => watch.cut());
  });
  answer.on('end', () => {
    if (!over) outgoing.end();
  });
  answer.on('error', () => {
    if (!over) outgoing.destroy();
  });
}

function headersOf(answer: IncomingMessage): Record<string, string | string[]> {
  const {
    connection: _,
    'transfer-encoding': __,
    'content-length': ___,
    ...headers
  } = answer.headers;
  return Object.fromEntries(
    Object.entries(headers).filter(([, value]) => value !== undefined),
  ) as Record<string, string | string[]>;
}

const reasons: Readonly<Record<number, string>> = {
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
};

const statusOf = (code: number) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: `injected ${code}`,
  reason: reasons[code] ?? 'Unknown',
  code,
});
