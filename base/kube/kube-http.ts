/**
 * `Kube` over HTTP. Each call has a deadline that covers waiting for its turn, all tries and the body. Only repeatable
 * requests are retried, and no write that the fence forbids is sent.
 */
import { assert } from '../assert.ts';
import { failureOfAnswer, failureOfTransport, isAbsence } from './api-failure.ts';
import { apiPath, type PathParts } from './api-path.ts';
import { backoffMs } from '../backoff.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { startDeadline } from '../deadline.ts';
import {
  ApiError,
  type ApplyOptions,
  type DeleteOptions,
  type Kube,
  type KubeObject,
  type ListOptions,
  type Reference,
  type Resource,
} from './kube.ts';
import type {
  KubeSource,
  Page,
  PodLogOptions,
  PodLogs,
  WatchEvent,
  WatchOptions,
} from './kube-source.ts';
import { LostLeadership } from './lost-leadership.ts';
import { sleep, systemTimers, type Timers } from '../timers.ts';
import { TokenBucket } from './token-bucket.ts';
import { currentTrace } from '../tracing/tracer.ts';
import { createTransport, type Transport, type TransportResponse } from './transport.ts';
import { WatchLines } from './watch-lines.ts';

/** Verbs of RBAC. */
type Verb = 'get' | 'list' | 'watch' | 'create' | 'patch' | 'delete';

/** One request on the wire: a call that is tried three times makes three records. */
export interface RequestRecord {
  readonly verb: Verb;
  readonly resource: Resource;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  /** HTTP status; 0 without an answer. */
  readonly code: number;
  readonly durationMs: number;
}

export interface KubeHttpOptions {
  /** Timeout of a call. Default 10,000. */
  readonly callTimeoutMs?: number;
  /** Timeout of one page of a list. Default 60,000. */
  readonly listTimeoutMs?: number;
  /** Objects in one page of a list. Default 500. */
  readonly pageSize?: number;
  /** Rate limit. Default 50, with a burst of 100. */
  readonly requestsPerSecond?: number;
  readonly requestsBurst?: number;
  /** Maximum number of tries after the first. Default 3. */
  readonly retriesMax?: number;
  /** The fence: called right before each write is sent. Default: always true. */
  readonly mayWrite?: () => boolean;
  readonly onRequest?: (record: RequestRecord) => void;
  readonly userAgent?: string;
  readonly transport?: Transport;
  readonly timers?: Timers;
  readonly random?: () => number;
}

export interface KubeHttp extends Kube, KubeSource, PodLogs {
  /** Returns a client of the same API whose calls end with the signal. */
  withSignal(signal: AbortSignal): KubeHttp;
  close(): Promise<void>;
}

export function createKube(access: ClusterAccess, options: KubeHttpOptions = {}): KubeHttp {
  const timers = options.timers ?? systemTimers;
  const requestsPerSecond = options.requestsPerSecond ?? 50;
  const burst = options.requestsBurst ?? 100;
  assert(requestsPerSecond > 0 && burst >= 1, 'the request rate must let requests through');
  return new KubeOverHttp(
    {
      callTimeoutMs: options.callTimeoutMs ?? 10_000,
      listTimeoutMs: options.listTimeoutMs ?? 60_000,
      pageSize: options.pageSize ?? 500,
      retriesMax: options.retriesMax ?? 3,
      mayWrite: options.mayWrite ?? (() => true),
      onRequest: options.onRequest ?? (() => {}),
      userAgent: options.userAgent ?? 'ledgerhouse-operator',
      transport: options.transport ?? createTransport(access, timers),
      random: options.random ?? Math.random,
      timers,
      clock: { read: undefined },
      bucket: new TokenBucket({ perSecond: requestsPerSecond, burst, nowMs: timers.nowMs() }),
    },
    undefined,
  );
}

type Shared = Required<Omit<KubeHttpOptions, 'requestsPerSecond' | 'requestsBurst'>> & {
  readonly bucket: TokenBucket;
  /** The API server's clock when last read, and our clock at that moment. */
  readonly clock: { read: { readonly serverMs: number; readonly atMs: number } | undefined };
};

interface Call extends PathParts {
  readonly verb: Verb;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly resource: Resource;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly contentType?: string;
  readonly body?: object;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

const pods: Resource = { apiVersion: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
const writes: ReadonlySet<Verb> = new Set(['create', 'patch', 'delete']);
const retryBackoff = { baseMs: 100, maxMs: 5_000 };

class KubeOverHttp implements KubeHttp {
  readonly #shared: Shared;
  readonly #signal: AbortSignal | undefined;

  constructor(shared: Shared, signal: AbortSignal | undefined) {
    this.#shared = shared;
    this.#signal = signal;
  }

  withSignal(signal: AbortSignal): KubeHttp {
    return new KubeOverHttp(this.#shared, signal);
  }

  close(): Promise<void> {
    return this.#shared.transport.close();
  }

  async read<T extends KubeObject>({
    resource,
    namespace,
    name,
  }: Reference): Promise<T | undefined> {
    try {
      return await this.#call<T>({ verb: 'get', method: 'GET', resource, namespace, name });
    } catch (error) {
      if (isAbsence(error)) return undefined;
      throw error;
    }
  }

  async list<T extends KubeObject>(
    resource: Resource,
    options: ListOptions = {},
  ): Promise<readonly T[]> {
    // An expired continue token is answered with 410: the list begins again, since its pages must be of one moment.
    for (let begun = 1; ; begun += 1) {
      try {
        return await this.#allPages<T>(resource, options);
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 410 && begun < 3)) throw error;
      }
    }
  }

  async #allPages<T extends KubeObject>(
    resource: Resource,
    options: ListOptions,
  ): Promise<readonly T[]> {
    const items: T[] = [];
    let continueToken: string | undefined;
    let pages = 0;
    do {
      pages += 1;
      const page: Page<T> = await this.listPage(resource, { ...options, continueToken });
      items.push(...page.items);
      continueToken = page.continueToken;
    } while (continueToken !== undefined && pages < (options.pagesMax ?? Infinity));
    return items;
  }

  async listPage<T extends KubeObject>(
    resource: Resource,
    options: ListOptions & {
      readonly continueToken?: string | undefined;
      readonly pageSize?: number;
      readonly signal?: AbortSignal;
    },
  ): Promise<Page<T>> {
    const { apiVersion, kind } = resource;
    const answer = await this.#call<{
      readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
      readonly items: readonly T[] | null;
    }>({
      verb: 'list',
      method: 'GET',
      resource,
      namespace: options.namespace,
      query: {
        limit: String(options.pageSize ?? this.#shared.pageSize),
        labelSelector: options.labelSelector,
        fieldSelector: options.fieldSelector,
        continue: options.continueToken,
      },
      timeoutMs: this.#shared.listTimeoutMs,
      signal: options.signal,
    });
    return {
      // The API server leaves kind and version out of a list's items.
      items: (answer.items ?? []).map((item) => ({ ...item, apiVersion, kind })),
      resourceVersion: answer.metadata.resourceVersion,
      continueToken: answer.metadata.continue === '' ? undefined : answer.metadata.continue,
    };
  }

  create<T extends KubeObject>(
    resource: Resource,
    object: T,
    { fieldManager }: { readonly fieldManager: string },
  ): Promise<T> {
    const namespace = object.metadata.namespace;
    return this.#call<T>({
      verb: 'create',
      method: 'POST',
      resource,
      namespace,
      query: { fieldManager },
      contentType: 'application/json',
      body: object,
    });
  }

  apply<T extends KubeObject>(resource: Resource, object: T, options: ApplyOptions): Promise<T> {
    const { name, namespace } = object.metadata;
    assert(name !== undefined, 'an applied object has a name');
    return this.#call<T>({
      verb: 'patch',
      method: 'PATCH',
      resource,
      namespace,
      name,
      subresource: options.subresource,
      query: {
        fieldManager: options.fieldManager,
        force: options.force === true ? 'true' : undefined,
      },
      contentType: 'application/apply-patch+yaml',
      body: object,
    });
  }

  mergePatch<T extends KubeObject>(
    { resource, namespace, name }: Reference,
    patch: object,
    options: { readonly fieldManager: string; readonly subresource?: 'status' | undefined },
  ): Promise<T> {
    return this.#call<T>({
      verb: 'patch',
      method: 'PATCH',
      resource,
      namespace,
      name,
      subresource: options.subresource,
      query: { fieldManager: options.fieldManager },
      contentType: 'application/merge-patch+json',
      body: patch,
    });
  }

  async delete({ resource, namespace, name }: Reference, options: DeleteOptions): Promise<void> {
    const { uid, resourceVersion, propagationPolicy, gracePeriodSeconds } = options;
    assert(uid !== '', 'a delete names the very object');
    try {
      await this.#call({
        verb: 'delete',
        method: 'DELETE',
        resource,
        namespace,
        name,
        contentType: 'application/json',
        body: {
          apiVersion: 'v1',
          kind: 'DeleteOptions',
          preconditions: { uid, resourceVersion },
          propagationPolicy,
          gracePeriodSeconds,
        },
      });
    } catch (error) {
      if (!isAbsence(error)) throw error;
    }
  }

  serverTimeMs(): number | undefined {
    const { clock, timers } = this.#shared;
    return clock.read && clock.read.serverMs + timers.nowMs() - clock.read.atMs;
  }

  /** Reads the server's clock from Date. Proxies keep the server's header; a proxy's own answer is an error. */
  #readClock({ status, headers }: TransportResponse): void {
    const serverMs = Date.parse(headers.get('date') ?? '');
    if (status >= 500 || Number.isNaN(serverMs)) return;
    // Date has whole seconds: while it agrees with what is known, that is nearer to the truth and does not jump back.
    const knownMs = this.serverTimeMs();
    if (knownMs !== undefined && knownMs >= serverMs && knownMs < serverMs + 1_000) return;
    this.#shared.clock.read = { serverMs, atMs: this.#shared.timers.nowMs() };
  }

  async *watch(resource: Resource, options: WatchOptions): AsyncGenerator<readonly WatchEvent[]> {
    const call: Call = {
      verb: 'watch',
      method: 'GET',
      resource,
      namespace: options.namespace,
      query: {
        watch: 'true',
        allowWatchBookmarks: 'true',
        labelSelector: options.labelSelector,
        resourceVersion: options.resourceVersion,
        timeoutSeconds: String(options.timeoutSeconds),
      },
      signal: options.signal,
    };
    const lines = new WatchLines();
    yield* this.#stream(call, {
      take: (bytes) => lines.push(bytes),
      end: () => {
        if (lines.torn) throw new Error('the stream ended in the middle of an event');
      },
    });
  }

  podLog(pod: Omit<Reference, 'resource'>, options: PodLogOptions): AsyncGenerator<Uint8Array> {
    const { container, follow, previous, since, tailLines, signal } = options;
    const call: Call = {
      verb: 'get',
      method: 'GET',
      resource: pods,
      namespace: pod.namespace,
      name: pod.name,
      subresource: 'log',
      query: {
        container,
        timestamps: 'true',
        follow: follow === true ? 'true' : undefined,
        previous: previous === true ? 'true' : undefined,
        // Whole seconds: the kubelet takes no finer ones.
        sinceTime: since && `${since.toISOString().slice(0, 19)}Z`,
        tailLines: tailLines === undefined ? undefined : String(tailLines),
      },
      signal,
    };
    return this.#stream(call, { take: (bytes) => bytes, end: () => {} });
  }

  /**
   * Yields once the answer has begun, and then for each piece of it. The deadline covers the answer's head; the reader decides how
   * long the body may be silent.
   */
  async *#stream<T>(
    call: Call,
    { take, end }: { readonly take: (bytes: Uint8Array) => T; readonly end: () => void },
  ): AsyncGenerator<T> {
    const { timers, callTimeoutMs } = this.#shared;
    const deadline = startDeadline(timers, callTimeoutMs, call.signal, this.#signal);
    try {
      await this.#turn(call, deadline.signal, callTimeoutMs);
      const response = await this.#send(call, deadline.signal, (head) => Promise.resolve(head));
      deadline.disarm();
      yield take(new Uint8Array(0));
      for await (const bytes of response.body ?? []) yield take(bytes);
      end();
    } catch (error) {
      throw error instanceof ApiError
        ? error
        : failureOfTransport(nameOf(call), error, deadline.signal);
    } finally {
      // Also ends the connection when the reader stops early.
      deadline.clear();
    }
  }

  async #call<T>(call: Call): Promise<T> {
    const { timers, random, retriesMax } = this.#shared;
    const timeoutMs = call.timeoutMs ?? this.#shared.callTimeoutMs;
    const endsAtMs = timers.nowMs() + timeoutMs;
    const deadline = startDeadline(timers, timeoutMs, call.signal, this.#signal);
    try {
      for (let failures = 1; ; failures += 1) {
        await this.#turn(call, deadline.signal, endsAtMs - timers.nowMs());
        try {
          return await this.#send(
            call,
            deadline.signal,
            async (response) => JSON.parse(await response.text()) as T,
          );
        } catch (error) {
          if (!(error instanceof ApiError) || failures > retriesMax) throw error;
          if (deadline.signal.aborted || !mayRepeat(call.verb, error)) throw error;
          const waitMs = error.retryAfterMs ?? backoffMs(failures, retryBackoff, random);
          // The server may ask to wait beyond this call's deadline. Then the caller gets the error.
          if (timers.nowMs() + waitMs >= endsAtMs) throw error;
          await sleep(timers, waitMs, deadline.signal);
        }
      }
    } finally {
      deadline.clear();
    }
  }

  /** Waits for this request's turn under the rate limit, then asks the fence. */
  async #turn(call: Call, signal: AbortSignal, waitMaxMs: number): Promise<void> {
    const { bucket, timers, mayWrite } = this.#shared;
    const waitMs = bucket.reserve(timers.nowMs(), waitMaxMs);
    if (waitMs === undefined) {
      throw new ApiError(`${nameOf(call)}: Timeout: too many requests wait in this process`, {
        status: 0,
        reason: 'Timeout',
      });
    }
    if (waitMs > 0) await sleep(timers, waitMs, signal);
    if (signal.aborted) throw failureOfTransport(nameOf(call), signal.reason, signal);
    if (writes.has(call.verb) && !mayWrite()) throw new LostLeadership();
  }

  /** Sends one request. Throws `ApiError` for any answer that is not a success. */
  async #send<T>(
    call: Call,
    signal: AbortSignal,
    take: (response: TransportResponse) => Promise<T>,
  ): Promise<T> {
    const { timers, transport, userAgent, onRequest } = this.#shared;
    const { verb, resource, namespace, subresource, body, contentType } = call;
    const startedAtMs = timers.nowMs();
    let code = 0;
    try {
      const response = await transport.send({
        method: call.method,
        path: `${apiPath(resource, call)}${queryOf(call.query)}`,
        headers: {
          Accept: 'application/json',
          'User-Agent': userAgent,
          ...currentTrace()?.headers(),
          ...(contentType === undefined ? {} : { 'Content-Type': contentType }),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
        signal,
      });
      code = response.status;
      this.#readClock(response);
      if (code >= 200 && code < 300) return await take(response);
      const retryAfter = response.headers.get('retry-after');
      const text = await response.text();
      throw failureOfAnswer(nameOf(call), { status: code, retryAfter, body: text });
    } catch (error) {
      throw error instanceof ApiError ? error : failureOfTransport(nameOf(call), error, signal);
    } finally {
      const durationMs = timers.nowMs() - startedAtMs;
      onRequest({ verb, resource, subresource, namespace, code, durationMs });
    }
  }
}

/** Whether to retry. A 429 had no effect. After other failures the request may have had one: it must be repeatable. */
function mayRepeat(verb: Verb, error: ApiError): boolean {
  if (error.status === 429) return true;
  const passing = error.status === 0 || error.status >= 502 || error.retryAfterMs !== undefined;
  return verb !== 'create' && passing;
}

function queryOf(query: Call['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, value);
  }
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
}

function nameOf({ verb, resource, namespace, name, subresource }: Call): string {
  const parts = [namespace, name, subresource].filter((part) => part !== undefined);
  return [verb, resource.plural, parts.join('/')].filter((part) => part !== '').join(' ');
}
