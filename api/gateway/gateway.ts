/**
 * Access to the ledgers of all databases. All requests of this process to one database share two sessions, one for reads and one
 * for writes: a session has one request under way at a time, and an unanswered write must not delay reads.
 */
import type { Logger } from 'pino';
import type { MetricRegistry } from '../../base/metrics/metrics.ts';
import { systemTimers, type Timers } from '../../base/timers.ts';
import { currentTrace } from '../../base/tracing/tracer.ts';
import { fetchStatus, type StatusFetch } from '../../domain/fetch-status.ts';
import type { Address } from '../../engine/client/client.ts';
import type { WireRequest } from '../ledger/decode.ts';
import type { GatewayReply } from './call.ts';
import type { Target } from './connection.ts';
import { GatewayFailure } from './failures.ts';
import { newerHealth, unknownHealth, type GatewayHealth } from '../model/gateway-health.ts';
import { Lane } from './lane.ts';
import { statusUrlOf } from './status-url.ts';
import { traceCall } from './traced-call.ts';
import { gatewayMetrics, type GatewayMetrics } from './metrics.ts';
import { Turns } from './turns.ts';

export interface GatewayOptions {
  readonly logger: Logger;
  readonly registry: MetricRegistry;
  readonly timers?: Timers;
  readonly idleMs?: number;
  readonly queueMax?: number;
  readonly fetchStatus?: StatusFetch;
  /** URL of the status of the engine at an address; by default the status port of the same host. */
  readonly statusUrl?: (address: Address) => string;
  /** Called after each call with the time that it waited to be sent. */
  readonly onWaited?: (databaseId: string, waitedMs: number) => void;
}

interface SubmitOptions {
  /** Limited to `deadlineRange`: a value outside becomes the nearer end. */
  readonly timeoutMs?: number;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
  readonly requestId?: string;
  readonly bodyBytes?: number;
}

export const deadlineRange = { minMs: 1_000, defaultMs: 10_000, maxMs: 30_000 } as const;
const idleMs = 10 * 60_000;
const queueMax = 1_000;

const kinds = ['read', 'write'] as const;
type Lanes = Readonly<Record<(typeof kinds)[number], Lane>>;
interface Used {
  readonly lanes: Lanes;
  readonly atMs: number;
}

export class Gateway {
  readonly #options: GatewayOptions;
  readonly #timers: Timers;
  readonly #idleMs: number;
  readonly metrics: GatewayMetrics;
  /** Shares this process's time among organizations. */
  readonly turns = new Turns();
  /** By database, the one that was used last at the end. */
  readonly #lanes = new Map<string, Used>();
  #closed = false;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#idleMs = options.idleMs ?? idleMs;
    this.metrics = gatewayMetrics(options.registry, this);
  }

  /** Number of databases whose traffic is remembered. */
  get databases(): number {
    return this.#lanes.size;
  }

  /** Number of open sessions of all databases. */
  get sessions(): number {
    return this.#sum((lane) => lane.sessions);
  }

  /** Number of calls that wait to be sent. */
  get waiting(): number {
    return this.#sum((lane) => lane.waiting);
  }

  /** Returns the ledger's rows for a decoded request. Rejects with a GatewayFailure. */
  submit(
    target: Target,
    request: WireRequest,
    { timeoutMs = deadlineRange.defaultMs, signal, requestId, bodyBytes = 0 }: SubmitOptions = {},
  ): Promise<GatewayReply> {
    if (this.#closed) {
      return Promise.reject(
        new GatewayFailure('ledger_unavailable', 'not_executed', 'The gateway is closing.'),
      );
    }
    const { minMs, maxMs } = deadlineRange;
    const lanes = this.#lanesOf(target);
    for (const kind of kinds) lanes[kind].follow(target);
    const trace = currentTrace();
    return lanes[request.operation.kind].submit(target, request, {
      timeoutMs: Math.min(Math.max(timeoutMs, minMs), maxMs),
      signal,
      requestId,
      bodyBytes,
      onEnd: (course) => {
        const { queuedAtMs, sentAtMs = course.endedAtMs } = course;
        this.#options.onWaited?.(target.databaseId, sentAtMs - queuedAtMs);
        if (trace?.recorded === true) traceCall(trace, target.databaseId, request, course);
      },
    });
  }

  /** The database's health, as known from its traffic. */
  health(databaseId: string): GatewayHealth {
    const lanes = this.#lanes.get(databaseId)?.lanes;
    return lanes === undefined
      ? unknownHealth
      : newerHealth(lanes.read.health(), lanes.write.health());
  }

  /** Reports that an answer of this database was invalid. Its connections are replaced. */
  distrust(databaseId: string): void {
    for (const lane of this.#eachLane(databaseId)) lane.distrust();
  }

  /** Forgets a database that no longer exists. Waiting calls are refused. */
  forget(databaseId: string): void {
    for (const lane of this.#eachLane(databaseId)) lane.close();
    this.#lanes.delete(databaseId);
  }

  close(): void {
    this.#closed = true;
    for (const databaseId of this.#lanes.keys()) this.forget(databaseId);
  }

  #lanesOf(target: Target): Lanes {
    const { databaseId } = target;
    const known = this.#lanes.get(databaseId)?.lanes;
    if (known === undefined) this.#forgetUnused();
    const lanes = known ?? this.#newLanes(target);
    this.#lanes.delete(databaseId);
    this.#lanes.set(databaseId, { lanes, atMs: this.#timers.nowMs() });
    return lanes;
  }

  /** Forgets databases that nobody asks any more: most of them are deleted, which only the process hears that deleted them. */
  #forgetUnused(): void {
    const sinceMs = this.#timers.nowMs() - this.#idleMs;
    for (const [databaseId, { lanes, atMs }] of this.#lanes) {
      if (atMs >= sinceMs) return;
      const isUsed = kinds.some((kind) => lanes[kind].sessions > 0 || lanes[kind].waiting > 0);
      if (!isUsed) this.forget(databaseId);
    }
  }

  #newLanes(target: Target): Lanes {
    const options = this.#options;
    const shared = {
      timers: this.#timers,
      logger: options.logger,
      metrics: this.metrics,
      idleMs: this.#idleMs,
      queueMax: options.queueMax ?? queueMax,
    };
    const status = {
      fetch: options.fetchStatus ?? fetchStatus,
      url: options.statusUrl ?? statusUrlOf,
    };
    return { read: new Lane(target, shared), write: new Lane(target, { ...shared, status }) };
  }

  #eachLane(databaseId: string): readonly Lane[] {
    const lanes = this.#lanes.get(databaseId)?.lanes;
    return lanes === undefined ? [] : kinds.map((kind) => lanes[kind]);
  }

  #sum(of: (lane: Lane) => number): number {
    return [...this.#lanes.values()]
      .flatMap(({ lanes }) => kinds.map((kind) => of(lanes[kind])))
      .reduce((all, one) => all + one, 0);
  }
}
