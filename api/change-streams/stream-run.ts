/**
 * One run over the change events of a stream: read a page, send it, and move the position once the sink has confirmed it. At most one
 * page is read ahead, so a slow sink only lags. While there is nothing new and no other stream waits for a place, the run stays and looks
 * again.
 */
import { sleep, systemTimers } from '../../base/timers.ts';
import type { ChangeEventSource } from '../change-events/source.ts';
import { firstTimestamp, type ChangeEventsPage } from '../ledger/change-events.ts';
import type { ChangeStream, FailingPart } from '../model/change-stream.ts';
import { Refusal } from '../model/refusal.ts';
import type { LeasedStream, Progress } from '../store/change-stream-work.ts';
import { PageAhead, type PlacesAhead, type ReadyPage } from './page-ahead.ts';
import type { Delivery, OpenSink, PreparedPage } from './sinks/sink.ts';

/** Time between two looks at a ledger that has nothing new. */
export const idleMs = 1_000;
/** A run begins nothing after this time, so that streams take turns, and processes too. */
const runMaxMs = { crowded: 5_000, alone: 30_000 };
/** Events of the first page after a failure: what a sink in trouble gets, and may get again, is little. */
const probeMax = 100;
/** The store was asked so lately that the lease need not be asked for before the next request. */
export const freshMs = 1_000;

export interface RunParts {
  readonly source: Pick<ChangeEventSource, 'page' | 'encode'>;
  readonly sink: OpenSink;
  /** Whether all places of this process are taken. */
  readonly crowded: () => boolean;
  /** Places for pages that are read ahead. */
  readonly ahead: PlacesAhead;
  /** Asks the store whether the lease lasts, and the stream is to go on and is the one that this run knows. */
  readonly mayGoOn: (version: number) => Promise<boolean>;
  /** When the store was asked for the lease, by the monotonic clock. */
  readonly leaseAskedAtMs: number;
  /** Records progress. Returns `undefined` if the lease is another worker's. */
  readonly record: (progress: Progress) => Promise<ChangeStream | undefined>;
  /** Time until the organization may send on; 0: at once. */
  readonly pauseMs: () => number;
  readonly onAttempt: (outcome: Delivery['outcome'], events: number, bytes: number) => void;
  /** Nothing begins any more. */
  readonly stopping: AbortSignal;
  /** Requests under way are cut off. */
  readonly abandoning: AbortSignal;
}

export interface RunFailure {
  readonly part: FailingPart;
  readonly error: { readonly code: string; readonly message: string };
  /** Failures in a row, with this one. */
  readonly failures: number;
  readonly retryAfterMs: number | undefined;
  /** The sink says that it is gone. */
  readonly gone: boolean;
  /** Bytes of the request that was sent; 0: none was. */
  readonly bytes: number;
  readonly pendingFrom: bigint | null;
}

export type RunResult =
  | { readonly kind: 'ended'; readonly waitMs: number }
  | { readonly kind: 'failed'; readonly failure: RunFailure };

export const runStream = (leased: LeasedStream, parts: RunParts): Promise<RunResult> =>
  new StreamRun(leased, parts).run();

class StreamRun {
  readonly #parts: RunParts;
  readonly #ahead: PageAhead;
  readonly #beganAtMs = systemTimers.nowMs();
  /** When the store was asked that last said that the lease lasts. */
  #heardAtMs: number;
  #position: bigint;
  #failures: number;
  #version: number;
  /** The record says that something is wrong or waits, which may be over. */
  #isMarked: boolean;

  constructor({ stream }: LeasedStream, parts: RunParts) {
    this.#parts = parts;
    this.#heardAtMs = parts.leaseAskedAtMs;
    this.#ahead = new PageAhead(parts.ahead);
    const { position, failures, version, pendingFrom } = stream;
    this.#position = position;
    this.#failures = failures;
    this.#version = version;
    this.#isMarked = failures > 0 || pendingFrom !== null;
  }

  async run(): Promise<RunResult> {
    try {
      return await this.#run();
    } finally {
      this.#ahead.drop();
    }
  }

  async #run(): Promise<RunResult> {
    while (!this.#isOver()) {
      const pauseMs = this.#parts.pauseMs();
      if (pauseMs > 0) {
        if (this.#parts.crowded()) return { kind: 'ended', waitMs: pauseMs };
        await sleep(systemTimers, pauseMs, this.#parts.stopping);
        // A page that was read before may have waited here while somebody paused the stream, imported, and resumed it.
        this.#heardAtMs = -Infinity;
        continue;
      }
      const read = await this.#read();
      if ('kind' in read) return read;
      const { page, prepared } = read;
      if (prepared !== undefined) {
        const end = await this.#deliver(page, prepared);
        if (end !== undefined) return end;
        continue;
      }
      if (this.#isMarked && !(await this.#progress(page, 0, null))) return ended;
      if (this.#parts.crowded()) return ended;
      await sleep(systemTimers, idleMs, this.#parts.stopping);
    }
    return atOnce;
  }

  #isOver(): boolean {
    const { stopping, crowded } = this.#parts;
    const mostMs = crowded() ? runMaxMs.crowded : runMaxMs.alone;
    return stopping.aborted || systemTimers.nowMs() - this.#beganAtMs > mostMs;
  }

  get #pageMax(): number {
    const { pageMax } = this.#parts.sink;
    return this.#failures > 0 ? Math.min(pageMax, probeMax) : pageMax;
  }

  async #read(): Promise<ReadyPage | RunResult> {
    try {
      return (await this.#ahead.take()) ?? (await this.#ready(this.#position, this.#pageMax));
    } catch (error) {
      // The read was cut off by our own end.
      if (this.#parts.stopping.aborted) return atOnce;
      if (!(error instanceof Refusal)) throw error;
      if (away.has(error.code)) return ended;
      const { code, occasion } = error;
      return this.#failed('LEDGER', { code, message: occasion.detail });
    }
  }

  /** Reads a page, and writes it when it is the organization's turn. */
  async #ready(after: bigint, limit: number): Promise<ReadyPage> {
    const { source, sink } = this.#parts;
    const page = await source.page(after, limit);
    const isEmpty = page.count === 0;
    return {
      page,
      prepared: isEmpty ? undefined : await source.encode(() => sink.prepare(page, after)),
    };
  }

  /** Sends a page, and begins with the one after it. Returns how the run ends, if it does. */
  async #deliver(
    page: ChangeEventsPage,
    { bytes, send }: PreparedPage,
  ): Promise<RunResult | undefined> {
    const { sink, abandoning, onAttempt } = this.#parts;
    // Reading and writing waited for their turns, so the lease is asked for afterwards.
    if (!(await this.#isHeld())) return ended;
    const sending = send(abandoning);
    if (page.hasMore) this.#ahead.begin(() => this.#ready(page.last, sink.pageMax));
    const { outcome, error, gone = false, retryAfterMs } = await sending;
    if (outcome === 'SUCCESS') {
      onAttempt(outcome, page.count, bytes);
      const pendingFrom = page.hasMore ? page.last : null;
      return (await this.#progress(page, bytes, pendingFrom)) ? undefined : ended;
    }
    // Cut off by our own end: nobody knows whether it arrived, so it is sent again.
    if (abandoning.aborted) return atOnce;
    onAttempt(outcome, page.count, bytes);
    return this.#failed(
      'SINK',
      { code: outcome, message: error ?? outcome },
      { gone, retryAfterMs, bytes, pendingFrom: firstTimestamp(page) },
    );
  }

  /** A process that was frozen, or waited for new events, asks before it sends. */
  async #isHeld(): Promise<boolean> {
    if (systemTimers.nowMs() - this.#heardAtMs < freshMs) return true;
    const askedAtMs = systemTimers.nowMs();
    if (!(await this.#parts.mayGoOn(this.#version))) return false;
    this.#heardAtMs = askedAtMs;
    return true;
  }

  /** Returns whether the run may go on. */
  async #progress(
    { count, last }: ChangeEventsPage,
    bytes: number,
    pendingFrom: bigint | null,
  ): Promise<boolean> {
    const askedAtMs = systemTimers.nowMs();
    const from = this.#position;
    const after = await this.#parts.record({ from, to: last, count, bytes, pendingFrom });
    if (after?.state !== 'RUNNING' || after.suspended) return false;
    // Somebody changed it, who may have paused it, imported transfers, and resumed it: what was read before lacks them.
    if (after.version !== this.#version) this.#ahead.drop();
    this.#version = after.version;
    this.#position = last;
    this.#failures = 0;
    this.#heardAtMs = askedAtMs;
    this.#isMarked = pendingFrom !== null;
    return true;
  }

  #failed(
    part: FailingPart,
    error: RunFailure['error'],
    more: Partial<Pick<RunFailure, 'retryAfterMs' | 'gone' | 'bytes' | 'pendingFrom'>> = {},
  ): RunResult {
    const { retryAfterMs, gone = false, bytes = 0, pendingFrom = null } = more;
    const failures = this.#failures + 1;
    return {
      kind: 'failed',
      failure: { part, error, failures, retryAfterMs, gone, bytes, pendingFrom },
    };
  }
}

/** The database was stopped or deleted meanwhile: the stream is due when it serves again. */
const away: ReadonlySet<string> = new Set([
  'database_not_ready',
  'database_not_found',
  'billing_required',
]);
const ended: RunResult = { kind: 'ended', waitMs: idleMs };
const atOnce: RunResult = { kind: 'ended', waitMs: 0 };
