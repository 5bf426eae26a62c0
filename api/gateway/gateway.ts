/** The ledgers of all databases, each over one session that all requests of this process share. */
import type { Logger } from 'pino';
import type { MetricRegistry } from '../../base/metrics/metrics.ts';
import { systemTimers, type Timers } from '../../base/timers.ts';
import type { LedgerRequest } from '../ledger/decode.ts';
import type { GatewayReply } from './call.ts';
import type { Target } from './connection.ts';
import { GatewayFailure } from './failures.ts';
import { unknownHealth, type GatewayHealth } from '../model/gateway-health.ts';
import { Lane } from './lane.ts';
import { gatewayMetrics, type GatewayMetrics } from './metrics.ts';

export interface GatewayOptions {
  readonly logger: Logger;
  readonly registry: MetricRegistry;
  readonly timers?: Timers;
  readonly idleMs?: number;
  readonly queueMax?: number;
}

export interface SubmitOptions {
  /** From `deadlineRange`; what is outside is brought to its nearer end. */
  readonly deadlineMs?: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
  readonly requestId?: string;
}

export const deadlineRange = { minMs: 1_000, defaultMs: 10_000, maxMs: 30_000 } as const;
const idleMs = 10 * 60_000;
const queueMax = 1_000;

export class Gateway {
  readonly #options: GatewayOptions;
  readonly metrics: GatewayMetrics;
  readonly #lanes = new Map<string, Lane>();
  #closed = false;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.metrics = gatewayMetrics(options.registry, this);
  }

  /** Open ones, of all databases. */
  get sessions(): number {
    return this.#sum((lane) => lane.sessions);
  }

  /** Calls that wait to be sent. */
  get waiting(): number {
    return this.#sum((lane) => lane.waiting);
  }

  /** The ledger's rows for a decoded request. Rejects with a GatewayFailure. */
  submit(
    target: Target,
    request: LedgerRequest,
    { deadlineMs = deadlineRange.defaultMs, signal, requestId }: SubmitOptions = {},
  ): Promise<GatewayReply> {
    if (this.#closed) {
      return Promise.reject(
        new GatewayFailure('ledger_unavailable', 'not_executed', 'The gateway is closing.'),
      );
    }
    const { minMs, maxMs } = deadlineRange;
    return this.#lane(target).submit(target, request, {
      deadlineMs: Math.min(Math.max(deadlineMs, minMs), maxMs),
      signal,
      requestId,
    });
  }

  /** What traffic told of it. */
  health(databaseId: string): GatewayHealth {
    return this.#lanes.get(databaseId)?.health() ?? unknownHealth;
  }

  /** An answer of this database turned out to be none: its connection is made anew. */
  distrust(databaseId: string): void {
    this.#lanes.get(databaseId)?.distrust();
  }

  /** The database is no more. What waits is refused. */
  forget(databaseId: string): void {
    this.#lanes.get(databaseId)?.close();
    this.#lanes.delete(databaseId);
  }

  close(): void {
    this.#closed = true;
    for (const databaseId of this.#lanes.keys()) this.forget(databaseId);
  }

  #lane(target: Target): Lane {
    const { logger, timers = systemTimers } = this.#options;
    let lane = this.#lanes.get(target.databaseId);
    if (lane === undefined) {
      lane = new Lane(target, {
        timers,
        logger,
        metrics: this.metrics,
        idleMs: this.#options.idleMs ?? idleMs,
        queueMax: this.#options.queueMax ?? queueMax,
      });
      this.#lanes.set(target.databaseId, lane);
    }
    return lane;
  }

  #sum(of: (lane: Lane) => number): number {
    return [...this.#lanes.values()].reduce((all, lane) => all + of(lane), 0);
  }
}
