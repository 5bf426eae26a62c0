/**
 * Follows the log of one container for as long as needed: through restarts of the container, new pods of the same name, and
 * connections that end. Each time it continues from the place in the store.
 */
import type { Logger } from 'pino';
import { backoffMs } from '../../base/backoff.ts';
import type { PodLogOptions, PodLogs } from '../../base/kube/kube-source.ts';
import { ApiError } from '../../base/kube/kube.ts';
import { sleep, type Timers } from '../../base/timers.ts';
import type { LogBatch, LogSource } from '../store/log-writes.ts';
import type { Allowance } from './allowance.ts';
import type { LoggingContainer } from './containers.ts';
import { KeptLog } from './kept-log.ts';
import type { LogMetrics } from './log-metrics.ts';
import { RawLines } from './raw-lines.ts';
import type { Turn, Turns } from './turns.ts';

export interface FollowServices {
  readonly logs: PodLogs;
  /** Returns the place of a source. */
  readonly open: (source: LogSource) => Promise<string>;
  /** Resolves with false if another worker has moved the place meanwhile: then nothing was written. */
  readonly append: (batch: LogBatch) => Promise<boolean>;
  readonly turns: Turns;
  readonly timers: Timers;
  readonly logger: Logger;
  readonly metrics: LogMetrics;
}

/** Waits between looks: short after lines, long if there are none, because the container has ended or there is no pod. */
const again = { baseMs: 500, maxMs: 120_000 };
/** A pod that does not exist yet, or has not begun, mostly comes soon, and may fail and start again at once. */
const comingSoon = { baseMs: 500, maxMs: 5_000 };
/** After this time it is not expected soon: the database may be suspended. */
const absentLongMs = 600_000;
/**
 * Kubernetes restarts a container that has ended at once, then after 10 s, then after longer and longer waits, and has the logs
 * of the last two. So no log is missed if looks are at most this far apart.
 */
const noneLostMs = 10_000;
/** Number of lines that are read from a log of which nothing is kept. */
const firstLines = 1_000;
/** Interval of checking the turn while no lines come. */
const lookMs = 1_000;
/** Maximum bytes a second read from one log. */
const readPerSecond = 4 * 1024 * 1024;

/** The way in which reading a log ended: the container has ended, the turn was over, or there was nothing to read. */
type End = 'ended' | 'turn' | 'absent';

export async function followContainer(
  services: FollowServices,
  container: LoggingContainer,
  allowance: Allowance,
  signal: AbortSignal,
): Promise<void> {
  const { timers, turns } = services;
  let isWhole = false;
  let lookedMs = -Infinity;
  let presentMs = -Infinity;
  for (let idle = 0; !signal.aborted;) {
    const turn = await turns.take(signal);
    if (turn === undefined) return;
    const begunMs = timers.nowMs();
    const isSoon = begunMs - lookedMs <= noneLostMs;
    const visit = new Visit(services, container, { allowance, isWhole, isSoon, turn, signal });
    let end: End | undefined;
    try {
      end = await visit.read();
    } catch (error) {
      tellFailure(services, container, signal, error);
    } finally {
      turn.end();
    }
    lookedMs = timers.nowMs();
    if (end === 'ended') isWhole ||= visit.hasResumed;
    else if (end !== 'absent') isWhole = false;
    if (end !== 'absent') presentMs = lookedMs;
    // A container that was silent for a turn, or for long before it ended, has run: its next run is expected soon.
    const hasRun = end === 'turn' || (end === 'ended' && lookedMs - begunMs >= noneLostMs);
    idle = visit.lines > 0 || hasRun ? 1 : idle + 1;
    const isComing = end === 'absent' && lookedMs - presentMs < absentLongMs;
    const wait = backoffMs(idle, isComing ? comingSoon : again, Math.random);
    if (end !== 'turn') await sleep(timers, wait, signal);
  }
}

function tellFailure(
  { logger, metrics }: FollowServices,
  { databaseId, pod, container }: LoggingContainer,
  signal: AbortSignal,
  error: unknown,
): void {
  if (signal.aborted) return;
  metrics.failures.inc();
  const isForbidden = error instanceof ApiError && error.status === 403;
  const level = isForbidden || !(error instanceof ApiError) ? 'warn' : 'debug';
  logger[level]({ err: error, databaseId, pod, container }, 'a log could not be read');
}

interface VisitOptions {
  readonly allowance: Allowance;
  readonly isWhole: boolean;
  /** Whether the last look was so recent that no run of the container can have been missed since. */
  readonly isSoon: boolean;
  readonly turn: Turn;
  readonly signal: AbortSignal;
}

/** One turn of reading a log. */
class Visit {
  readonly #services: FollowServices;
  readonly #container: LoggingContainer;
  readonly #options: VisitOptions;
  /** Number of new lines read. */
  lines = 0;
  /** Whether reading continued from the log's place. */
  hasResumed = false;

  constructor(services: FollowServices, container: LoggingContainer, options: VisitOptions) {
    this.#services = services;
    this.#container = container;
    this.#options = options;
  }

  async read(): Promise<End> {
    const { open, timers } = this.#services;
    const { databaseId, pod, container, restarts } = this.#container;
    const { allowance, isWhole, isSoon } = this.#options;
    const opened = await open({ databaseId, pod, container });
    const nowMs = () => timers.nowMs();
    const kept = new KeptLog({
      container: this.#container,
      opened,
      isWhole: isWhole && (isSoon || !restarts),
      allowance,
      nowMs,
    });
    if (restarts && opened !== '') {
      const end = await this.#readOne(kept, { previous: true });
      if (end === 'turn') return end;
      // The first container of its pod: no earlier one can have been missed.
      if (end === 'absent') kept.isWhole = isWhole;
    }
    const tailLines = opened === '' ? firstLines : undefined;
    return this.#readOne(kept, { follow: true, tailLines });
  }

  async #readOne(
    kept: KeptLog,
    which: Pick<PodLogOptions, 'follow' | 'previous' | 'tailLines'>,
  ): Promise<End> {
    const { namespace, pod, container } = this.#container;
    const connection = new AbortController();
    const signal = AbortSignal.any([this.#options.signal, connection.signal]);
    const pieces = this.#services.logs.podLog(
      { namespace, name: pod },
      { container, since: kept.since, signal, ...which },
    );
    try {
      return await this.#readPieces(kept, pieces);
    } catch (error) {
      // 400: the container waits, or there was none before. 404: there is no pod.
      if (error instanceof ApiError && (error.status === 400 || error.status === 404)) {
        return 'absent';
      }
      throw error;
    } finally {
      connection.abort();
      // Its error was handled already, or is the abort.
      await pieces.return(undefined).catch(() => {});
    }
  }

  async #readPieces(kept: KeptLog, pieces: AsyncGenerator<Uint8Array>): Promise<End> {
    const { timers } = this.#services;
    const { turn, signal } = this.#options;
    const raw = new RawLines();
    for (;;) {
      const next = pieces.next();
      // It rejects when the connection is given up, and nobody may wait for it then.
      next.catch(() => {});
      let result = await within(timers, lookMs, next);
      while (result === undefined) {
        if (turn.isOver() || signal.aborted) {
          await this.#write(kept.tell());
          return 'turn';
        }
        await this.#write(kept.tell());
        result = await within(timers, lookMs, next);
      }
      if (result.done === true) break;
      await this.#take(kept, raw, result.value);
      if (turn.isOver() || signal.aborted) return 'turn';
    }
    await this.#write(kept.tell());
    return 'ended';
  }

  async #take(kept: KeptLog, raw: RawLines, bytes: Uint8Array): Promise<void> {
    const { timers } = this.#services;
    const lines = raw.push(bytes);
    const piece = kept.take(lines);
    this.hasResumed ||= kept.hasResumed;
    this.lines += piece?.lines.length ?? 0;
    await this.#write(piece);
    // Lines that are left out are not written, so nothing else would slow the reading down.
    if (piece === undefined && lines.length > 0) {
      await sleep(timers, (1_000 * bytes.length) / readPerSecond, this.#options.signal);
    }
  }

  async #write(batch: LogBatch | undefined): Promise<void> {
    if (batch === undefined) return;
    const { append, metrics } = this.#services;
    if (!(await append(batch))) throw new Error('another worker keeps this log now');
    metrics.lines.inc(batch.lines.length);
  }
}

/** The promise's result, or `undefined` if it takes longer. */
async function within<T>(timers: Timers, ms: number, promise: Promise<T>): Promise<T | undefined> {
  let cancel = () => {};
  const late = new Promise<undefined>((resolve) => {
    cancel = timers.after(ms, () => resolve(undefined));
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    cancel();
  }
}
