/**
 * All reads, or all writes, that go to one database: a bounded queue, one connection, and the deadline of each call. The
 * connection is opened when there is something to send, and closed after a long idle time. A failure affects only its own lane.
 */
import type { Logger } from 'pino';
import { backoffMs } from '../../base/backoff.ts';
import type { Timers } from '../../base/timers.ts';
import { ClientEvictedError, WrongReplyError } from '../../engine/client/errors.ts';
import { eventMax, shapeOf } from '../../engine/wire/operations.ts';
import { batchSizeLimitProduction } from '../../engine/wire/limits.ts';
import type { StatusFetch } from '../../domain/fetch-status.ts';
import type { Address } from '../../engine/client/client.ts';
import type { WireRequest } from '../ledger/decode.ts';
import { takeMessage, type Call, type CallCourse, type GatewayReply } from './call.ts';
import { BadReply, Connection, isSameTarget, type Answer, type Target } from './connection.ts';
import { FullLedger, type Full } from './full-ledger.ts';
import { isOfRelease, isOfSession } from './evictions.ts';
import { GatewayFailure, sameIds, type GatewayFailureCode } from './failures.ts';
import { healthByTraffic, type GatewayHealth } from '../model/gateway-health.ts';
import { outcomeOf, type GatewayMetrics } from './metrics.ts';
import { Whereabouts } from './whereabouts.ts';

interface LaneOptions {
  readonly timers: Timers;
  readonly logger: Logger;
  readonly metrics: GatewayMetrics;
  /** Idle time after which the connection is closed. */
  readonly idleMs: number;
  /** Maximum number of calls that wait to be sent. */
  readonly queueMax: number;
  /** Set for a lane for writes only. */
  readonly status?: StatusOptions;
}

/** How to ask the engines' status. */
interface StatusOptions {
  readonly fetch: StatusFetch;
  readonly url: (address: Address) => string;
}

interface CallOptions {
  readonly timeoutMs: number;
  /** Aborts when the caller has gone. A call that was not sent by then is never sent. */
  readonly signal: AbortSignal | undefined;
  readonly requestId: string | undefined;
  /** Size of the request's body, which is held together with the call. */
  readonly bodyBytes: number;
  readonly onEnd?: (course: CallCourse) => void;
}

/** A thousand requests of a full batch each would take a gigabyte; this is room for about sixty of them. */
const queueBytesMax = 64 * 1024 * 1024;
/** Delays before a connection is reopened, so that one that fails at once is not reopened at once. */
const reopen = { baseMs: 50, maxMs: 2_000 };
export class Lane {
  readonly #options: LaneOptions;
  #target: Target;
  readonly #queue: Call[] = [];
  #connection: Connection | undefined;
  /** Connections to a former target that still wait for an answer. */
  readonly #retired = new Set<Connection>();
  #failures = 0;
  #cancelReopen: (() => void) | undefined;
  #cancelIdle: (() => void) | undefined;
  #latencyMs: number | null = null;
  #lastError: string | null = null;
  #heardAtMs: number | null = null;
  /** Set if the last failure was a reply that violates the protocol: its description. */
  #garbage: string | undefined;
  #closed = false;
  readonly #full: FullLedger | undefined;
  readonly #whereabouts: Whereabouts;

  constructor(target: Target, options: LaneOptions) {
    this.#target = target;
    this.#options = options;
    const { status, timers } = options;
    this.#whereabouts = new Whereabouts(this, timers);
    this.#full =
      status &&
      new FullLedger({
        timers,
        fetchStatus: status.fetch,
        urls: () => this.#target.addresses.map(status.url),
        onFull: (found) => this.#refuseWhileFull(found),
      });
  }

  get sessions(): number {
    return this.#retired.size + (this.#connection === undefined ? 0 : 1);
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** Where the database was when it was last told. */
  get target(): Target {
    return this.#target;
  }

  /** Whether calls have no answer yet. */
  get busy(): boolean {
    return this.#queue.length > 0 || this.#retired.size > 0 || this.#connection?.idle === false;
  }

  /** Whether calls have no answer yet, and no connection on which it could come. */
  get cutOff(): boolean {
    if (!this.busy) return false;
    const isAway = (connection: Connection | undefined) => connection?.ready !== true;
    const isAsked = this.#queue.length > 0 || this.#connection?.idle === false;
    return (isAsked && isAway(this.#connection)) || [...this.#retired].some(isAway);
  }

  health(): GatewayHealth {
    const connection = this.#connection;
    const facts = connection && {
      ready: connection.ready,
      wasReady: connection.wasReady,
      ageMs: this.#options.timers.nowMs() - connection.openedAtMs,
      silentMs: connection.silentMs,
    };
    return healthByTraffic(facts, {
      latencyMs: this.#latencyMs,
      lastError: this.#lastError,
      heardAtMs: this.#heardAtMs,
      nowMs: this.#options.timers.wallMs(),
    });
  }

  /** Records a new fact about the connection, with the current time. */
  #heard(lastError: string | null): void {
    this.#lastError = lastError;
    this.#heardAtMs = this.#options.timers.wallMs();
  }

  /** Rejects only with a GatewayFailure. */
  submit(target: Target, request: WireRequest, options: CallOptions): Promise<GatewayReply> {
    this.follow(target);
    const { promise, resolve, reject } = Promise.withResolvers<GatewayReply>();
    const call: Call = {
      request,
      requestId: options.requestId,
      queuedAtMs: this.#options.timers.nowMs(),
      bytes: request.events.length + options.bodyBytes,
      resolve,
      reject,
      settled: false,
      retried: false,
      sent: undefined,
      onEnd: options.onEnd,
    };
    const full = this.#full?.refusal();
    if (this.#closed) this.#refuse(call, 'ledger_unavailable', 'The gateway is closing.');
    else if (options.signal?.aborted === true)
      this.#refuse(call, 'abandoned', 'The caller has gone.');
    else if (full !== undefined) this.#refuse(call, full.code, full.detail);
    else if (this.#isFull(call)) {
      const detail = `${this.#queue.length} requests to this database already wait. Send fewer at a time.`;
      this.#refuse(call, 'ledger_unavailable', detail);
    } else this.#enqueue(call, options, promise);
    return promise;
  }

  /** Replaces the connection, because the codec found that an answer was invalid. */
  distrust(): void {
    this.#retire();
    this.#heard('the reply does not answer the request');
    this.#pump();
  }

  close(): void {
    this.#closed = true;
    this.#cancelIdle?.();
    this.#cancelReopen?.();
    this.#full?.forget();
    this.#whereabouts.end();
    for (const connection of [this.#connection, ...this.#retired]) {
      for (const call of connection?.close() ?? []) this.#refuseSent(call, 'the gateway closed');
    }
    this.#connection = undefined;
    this.#retired.clear();
    for (const call of this.#queue.splice(0)) {
      this.#refuse(call, 'ledger_unavailable', 'The gateway is closing.');
    }
  }

  #isFull(next: Call): boolean {
    if (this.#queue.length >= this.#options.queueMax) return true;
    return this.#queue.reduce((sum, { bytes }) => sum + bytes, next.bytes) > queueBytesMax;
  }

  #enqueue(call: Call, { timeoutMs, signal }: CallOptions, answer: Promise<GatewayReply>): void {
    const cancel = this.#options.timers.after(timeoutMs, () => this.#expire(call, timeoutMs));
    const gone = () => this.#abandon(call);
    signal?.addEventListener('abort', gone);
    const release = () => {
      cancel();
      signal?.removeEventListener('abort', gone);
    };
    answer.then(release, release);
    this.#queue.push(call);
    this.#pump();
    this.#whereabouts.watch();
  }

  /** Sends the next message if possible, and opens a connection if there is none. */
  #pump(): void {
    this.#cancelIdle?.();
    this.#cancelIdle = undefined;
    if (this.#closed) return;
    if (this.#queue.length === 0) {
      if (this.#connection?.idle === true) this.#awaitIdleness();
      return;
    }
    const connection = (this.#connection ??= this.#open());
    if (connection?.ready !== true || !connection.idle) return;
    this.#refuseTooLarge(connection.batchSizeLimit);
    if (this.#queue.length === 0) return;
    const calls = takeMessage(this.#queue, connection.batchSizeLimit);
    const sent = { atMs: this.#options.timers.nowMs(), together: calls.length };
    for (const call of calls) call.sent = sent;
    connection.send(calls);
    this.#full?.sent();
    this.#options.metrics.messages.inc();
  }

  #open(): Connection | undefined {
    if (this.#cancelReopen !== undefined) return undefined;
    const connection: Connection = new Connection(this.#target, this.#options.timers, {
      onReady: (ready) => {
        if (!ready || connection !== this.#connection) return;
        this.#heard(null);
        this.#pump();
      },
      onLinkFailure: ({ reason, detail }) => {
        if (connection !== this.#connection) return;
        this.#heard(detail);
        const isOfNetwork = reason === 'connection_failed' || reason === 'connection_closed';
        this.#garbage = isOfNetwork ? undefined : detail;
      },
      onAnswer: (calls, answer) => this.#answer(connection, calls, answer),
      onWithdrawn: (calls) => this.#withdrawn(connection, calls),
      onEnd: (error, calls) => this.#end(connection, error, calls),
    });
    return connection;
  }

  /**
   * Switches to a new address of the database. A message under way gets its answer from the old one, or from the new one when the
   * old one is gone; the rest goes to the new one. A caller who was told the former address, and has taken its time since, is served
   * at the new one. `anyway`: also to a target that is older.
   */
  follow(target: Target, anyway = false): void {
    const known = this.#target;
    if (target.version < known.version && !anyway) return;
    this.#target = target;
    if (isSameTarget(target, known)) return;
    this.#garbage = undefined;
    this.#lastError = null;
    this.#full?.forget();
    this.#retire();
    for (const connection of this.#retired) connection.follow(target);
    this.#pump();
  }

  /** Stops using the connection. The message under way may still get its answer; later ones use another connection. */
  #retire(): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    this.#connection = undefined;
    if (!connection.idle) this.#retired.add(connection);
    connection.retire();
  }

  /** Refuses all waiting writes while the ledger is full. */
  #refuseWhileFull({ status }: Full): void {
    this.#connection?.withdraw(status.replicaCount > 1);
    const refusal = this.#full?.refusal();
    if (refusal !== undefined) this.#refuseAll(refusal.code, refusal.detail);
  }

  #withdrawn(connection: Connection, calls: readonly Call[]): void {
    this.#retired.delete(connection);
    const { code, detail } = this.#full?.refusal() ?? {
      code: 'ledger_full',
      detail: 'The database has no room for new records.',
    };
    for (const call of calls) this.#refuse(call, code, detail);
    if (connection === this.#connection) this.#heard(null);
    this.#pump();
  }

  #answer(
    connection: Connection,
    calls: readonly Call[],
    { rows, tookMs, timestamp }: Answer,
  ): void {
    this.#retired.delete(connection);
    if (connection === this.#connection) {
      this.#full?.ended();
      this.#failures = 0;
      this.#latencyMs = tookMs;
      this.#heard(null);
      this.#garbage = undefined;
    }
    // Sends the next message before these answers are processed.
    this.#pump();
    calls.forEach((call, index) => {
      const own = rows[index];
      if (call.settled || own === undefined) this.#late(call, tookMs);
      else {
        this.#count(call, 'answered');
        call.settled = true;
        call.resolve({ rows: own, ledgerMs: tookMs, timestamp });
      }
    });
  }

  #end(connection: Connection, error: Error, calls: readonly Call[]): void {
    this.#options.logger.warn(
      { databaseId: this.#target.databaseId, error, calls: calls.length },
      'connection to the ledger ended',
    );
    const isCurrent = connection === this.#connection;
    if (isCurrent) {
      this.#connection = undefined;
      this.#full?.ended();
      this.#failures += 1;
      const isHarmless = error instanceof ClientEvictedError && isOfSession(error.reason);
      this.#heard(isHarmless ? null : error.message);
    } else this.#retired.delete(connection);
    const waiting = calls.filter((call) => !call.settled);
    if (error instanceof ClientEvictedError) this.#evicted(error, waiting, isCurrent);
    else if (error instanceof BadReply || error instanceof WrongReplyError) {
      for (const call of waiting) this.#refuseBadReply(call, error.message);
      // Without a session none of these calls was sent, and the next session would start the same way.
      if (isCurrent && !connection.wasReady) {
        this.#refuseAll('gateway_bad_reply', badReply(error.message));
      }
    } else for (const call of waiting) this.#refuseSent(call, error.message);
    this.#reopenLater();
  }

  #evicted(
    { reason, message, notExecuted }: ClientEvictedError,
    calls: readonly Call[],
    isCurrent: boolean,
  ): void {
    const { metrics, logger } = this.#options;
    metrics.evictions.inc();
    // A write that may have been executed is not sent again in a new session: its chains would be reported as failed because they
    // already exist.
    const isSafe = (call: Call) => notExecuted || call.request.operation.kind === 'read';
    const again = calls.filter((call) => !call.retried && isOfSession(reason) && isSafe(call));
    for (const call of again) {
      call.retried = true;
      call.sent = undefined;
    }
    for (const call of calls.filter((call) => !again.includes(call))) {
      if (notExecuted) this.#refuse(call, 'ledger_unavailable', `Not executed: ${message}.`);
      else this.#refuseSent(call, message);
    }
    this.#queue.unshift(...again);
    if (!isCurrent || !isOfRelease(reason)) return;
    metrics.releaseRefusals.inc();
    const { databaseId } = this.#target;
    logger.error({ databaseId, reason }, 'release refused by the ledger');
    const detail = `The ledger refuses this service's release of the protocol (${message}).`;
    this.#refuseAll('ledger_unavailable', detail);
  }

  #reopenLater(): void {
    if (this.#closed) return;
    // Opens the first new session at once: an eviction is no failure of the engine.
    if (this.#failures <= 1) {
      this.#pump();
      return;
    }
    const delay = backoffMs(this.#failures - 1, reopen, Math.random);
    this.#cancelReopen ??= this.#options.timers.after(delay, () => {
      this.#cancelReopen = undefined;
      this.#pump();
    });
  }

  #awaitIdleness(): void {
    this.#cancelIdle = this.#options.timers.after(this.#options.idleMs, () => {
      this.#connection?.close();
      this.#connection = undefined;
    });
  }

  /** Refuses calls that are too large for the cluster: it would refuse the whole message and end the session. */
  #refuseTooLarge(batchSizeLimit: number): void {
    if (batchSizeLimit >= batchSizeLimitProduction) return;
    for (const call of this.#queue.splice(0)) {
      const { operation, count } = call.request;
      const shape = shapeOf(operation.code);
      const most = shape?.batchable === true ? eventMax(shape, batchSizeLimit) : count;
      if (count <= most) {
        this.#queue.push(call);
        continue;
      }
      const detail = `This database takes at most ${most} events in one request; the body holds ${count}.`;
      this.#refuse(call, 'batch_too_large', detail, most);
    }
  }

  #expire(call: Call, timeoutMs: number): void {
    const wasWaiting = this.#unqueue(call);
    const within = `within ${Math.round(timeoutMs / 100) / 10} s`;
    if (this.#garbage !== undefined) {
      if (wasWaiting) this.#refuse(call, 'gateway_bad_reply', badReply(this.#garbage));
      else this.#refuseBadReply(call, this.#garbage);
    } else if (wasWaiting) {
      const why = this.#lastError === null ? '' : ` (${this.#lastError})`;
      const detail = `The ledger could not be reached ${within}${why}; nothing was executed.`;
      this.#refuse(call, 'ledger_unavailable', detail);
    } else {
      const detail = `No answer ${within}. ${sameIds}`;
      this.#settle(call, new GatewayFailure('ledger_timeout', 'unknown', detail));
    }
    this.#pump();
  }

  #abandon(call: Call): void {
    if (call.settled) return;
    const outcome = this.#unqueue(call) ? 'not_executed' : 'unknown';
    this.#settle(call, new GatewayFailure('abandoned', outcome, 'The caller has gone.'));
    this.#pump();
  }

  #unqueue(call: Call): boolean {
    const index = this.#queue.indexOf(call);
    if (index !== -1) this.#queue.splice(index, 1);
    return index !== -1;
  }

  #late({ request, requestId, queuedAtMs }: Call, tookMs: number): void {
    const { metrics, logger, timers } = this.#options;
    metrics.lateAnswers.inc();
    logger.warn(
      {
        databaseId: this.#target.databaseId,
        requestId,
        operation: request.operation.name,
        ledgerMs: tookMs,
        sinceMs: timers.nowMs() - queuedAtMs,
      },
      'the ledger answered after the caller had gone',
    );
  }

  #refuseAll(code: GatewayFailureCode, detail: string): void {
    for (const call of this.#queue.splice(0)) this.#refuse(call, code, detail);
  }

  /** Refuses a call that was not executed at all. */
  #refuse(call: Call, code: GatewayFailureCode, detail: string, eventsMax?: number): void {
    this.#settle(call, new GatewayFailure(code, 'not_executed', detail, eventsMax));
  }

  /** Refuses a call that was sent and whose outcome is unknown. */
  #refuseSent(call: Call, why: string): void {
    const detail = `The connection to the ledger ended before the answer came (${why}). ${sameIds}`;
    this.#settle(call, new GatewayFailure('ledger_timeout', 'unknown', detail));
  }

  #refuseBadReply(call: Call, why: string): void {
    const detail = `${badReply(why)} ${sameIds}`;
    this.#settle(call, new GatewayFailure('gateway_bad_reply', 'unknown', detail));
  }

  #settle(call: Call, failure: GatewayFailure): void {
    if (call.settled) return;
    call.settled = true;
    this.#count(call, failure.code);
    call.reject(failure);
  }

  #count({ request, queuedAtMs, sent, onEnd }: Call, result: CallCourse['result']): void {
    const { metrics, timers } = this.#options;
    const operation = request.operation.name;
    metrics.calls.inc({ operation, result });
    const endedAtMs = timers.nowMs();
    const seconds = (endedAtMs - queuedAtMs) / 1_000;
    metrics.seconds.observe({ operation, outcome: outcomeOf(result) }, seconds);
    const together = sent?.together ?? 0;
    onEnd?.({ queuedAtMs, sentAtMs: sent?.atMs, endedAtMs, result, together });
  }
}

const badReply = (why: string): string => `The ledger's answer was not valid: ${why}.`;
