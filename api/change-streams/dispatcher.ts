/**
 * Change streams of all databases: leases those that are due and works on them. Several workers share them, and one stream has one
 * worker at a time. A worker that dies loses nothing: what the sink had not confirmed, or what was not recorded, is sent again.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { backoffMs } from '../../base/backoff.ts';
import { LeasedRuns } from '../../base/leased-runs.ts';
import { sleep, systemTimers } from '../../base/timers.ts';
import { ChangeEventSource, type SourceServices } from '../change-events/source.ts';
import { systemAuthor } from '../model/actor.ts';
import type { ChangeStream } from '../model/change-stream.ts';
import {
  markFailing,
  recordFailure,
  recordProgress,
  releaseStream,
  renewStreamLeases,
  streamFigures,
  takeStreams,
  type LeasedStream,
  type Progress,
} from '../store/change-stream-work.ts';
import type { Sealer } from '../store/sealing.ts';
import { StoreUnavailable } from '../store/store-errors.ts';
import type { Store } from '../store/store.ts';
import type { WebhookSender } from '../webhooks/sender.ts';
import type { ChangeStreamMetrics } from './change-stream-metrics.ts';
import { runStream, type RunFailure, type RunResult } from './stream-run.ts';
import { tellStream, tellTrouble } from './stream-events.ts';
import { retryInMs, verdictOn } from './trouble.ts';

interface ChangeStreamsOptions {
  readonly store: Store;
  readonly sealer: Sealer;
  /** Where events are read. */
  readonly ledgers: SourceServices;
  readonly sender: WebhookSender;
  /** Identity of the process. */
  readonly identity: string;
  readonly logger: Logger;
  readonly metrics: (busy: () => number) => ChangeStreamMetrics;
}

/** Streams at a time. Each holds one page and its text in two forms, about 0.5 MiB: 32 MiB in all. */
const runsMax = 64;
const leaseMs = 15_000;
/** Interval between looks for what is due. */
const pollMs = 1_000;
const figuresMs = 5_000;
/** Pause of a stream after a run that failed by our own fault. */
const runFailedMs = 60_000;
/** Pause of a stream after a run that the store broke off. */
const storeAwayMs = 1_000;
const trouble = { baseMs: 250, maxMs: 10_000 };
/** Time to finish requests when the process stops. What is cut off is sent again by another worker. */
const stopMaxMs = 10_000;
const author = systemAuthor('change-streams');

export class ChangeStreams {
  readonly #options: ChangeStreamsOptions;
  readonly #runs: LeasedRuns<LeasedStream>;
  readonly #metrics: ChangeStreamMetrics;
  readonly #stopping = new AbortController();
  readonly #abandoning = new AbortController();
  #measuredAtMs = -Infinity;
  #wake = new AbortController();
  #work: Promise<unknown> | undefined;

  constructor(options: ChangeStreamsOptions) {
    this.#options = options;
    this.#runs = this.#leasedRuns();
    this.#metrics = options.metrics(() => this.#runs.size);
  }

  start(): void {
    this.#work ??= Promise.all([this.#dispatch(), this.#runs.keepLeases(this.#stopping.signal)]);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake.abort();
    const cancel = systemTimers.after(stopMaxMs, () => this.#abandoning.abort());
    await this.#work;
    cancel();
    await this.#options.sender.close();
  }

  #leasedRuns(): LeasedRuns<LeasedStream> {
    const { store, identity, logger } = this.#options;
    const owner = `${identity}/${randomUUID()}`;
    return new LeasedRuns({
      runsMax,
      leaseMs,
      take: (limit, troubled) => takeStreams(store.read, { owner, leaseMs, limit, troubled }),
      run: (leased) => this.#run(leased),
      onFailure: (error, { stream }) =>
        logger.warn({ err: error, streamId: stream.id }, 'a change stream could not be given back'),
      renew: (leased) => renewStreamLeases(store.read, leased, leaseMs),
      onRenewFailure: (error) =>
        logger.warn({ err: error }, 'leases of change streams were not renewed'),
      onFree: () => this.#wake.abort(),
    });
  }

  async #dispatch(): Promise<void> {
    let failures = 0;
    while (!this.#stopping.signal.aborted) {
      this.#wake = new AbortController();
      try {
        await this.#runs.begin();
        await this.#measure();
        failures = 0;
      } catch (error) {
        failures += 1;
        this.#options.logger.warn({ err: error, failures }, 'change streams could not be taken');
        await sleep(systemTimers, backoffMs(failures, trouble, Math.random), this.#stopping.signal);
      }
      await sleep(systemTimers, pollMs, this.#wake.signal);
    }
    await this.#runs.ended();
  }

  async #measure(): Promise<void> {
    const nowMs = systemTimers.nowMs();
    if (nowMs - this.#measuredAtMs < figuresMs) return;
    this.#metrics.figures(await streamFigures(this.#options.store.read));
    this.#measuredAtMs = nowMs;
  }

  async #run(leased: LeasedStream): Promise<void> {
    const { store } = this.#options;
    const result = await this.#resultOf(leased);
    if (result.kind === 'ended') await releaseStream(store.read, leased, result.waitMs);
    else await this.#fail(leased, result.failure);
  }

  /** A run that fails by our own fault ends in a pause of its stream, and disturbs no other. */
  async #resultOf(leased: LeasedStream): Promise<RunResult> {
    const { store, sealer, sender, ledgers, logger } = this.#options;
    const { id, organizationId, databaseId } = leased.stream;
    const stopping = this.#stopping.signal;
    try {
      return await runStream(leased, {
        store,
        sender,
        source: new ChangeEventSource(ledgers, {
          organizationId,
          databaseId,
          requestId: id,
          signal: stopping,
        }),
        secrets: leased.sealedSecrets.map((one) => sealer.open(id, one)),
        crowded: () => this.#runs.full,
        record: this.#recorder(leased),
        onAttempt: ({ outcome }, events) => this.#metrics.attempted(outcome, events),
        stopping,
        abandoning: this.#abandoning.signal,
      });
    } catch (error) {
      logger.warn({ err: error, streamId: id }, 'a change stream could not be worked on');
      const waitMs = error instanceof StoreUnavailable ? storeAwayMs : runFailedMs;
      return { kind: 'ended', waitMs };
    }
  }

  /** People who were told of trouble are told of its end: the first events that are confirmed, or a ledger that answers again. */
  #recorder(leased: LeasedStream): (progress: Progress) => Promise<ChangeStream | undefined> {
    const { store } = this.#options;
    let told = leased.toldFailing;
    return async (progress) => {
      const recovered = told && (progress.count > 0 || leased.failing === 'LEDGER');
      if (!recovered) return recordProgress(store.read, leased, progress);
      const after = await store.change(author, async (change) => {
        const stream = await recordProgress(change.db, leased, { ...progress, recovered });
        if (stream !== undefined) await tellStream(change, 'change_stream.recovered', stream);
        return stream;
      });
      told = false;
      return after;
    };
  }

  async #fail(
    leased: LeasedStream,
    { part, error, gone, failures, retryAfterMs, pendingFrom }: RunFailure,
  ): Promise<void> {
    const { store, logger } = this.#options;
    if (part === 'LEDGER') this.#metrics.ledgerFailed();
    const waitMs = retryInMs(failures, retryAfterMs, Math.random);
    const stopped = await store.change(author, async (change) => {
      const failure = { part, error, retryInMs: waitMs, pendingFrom };
      const recorded = await recordFailure(change, leased, failure);
      if (recorded === undefined) await releaseStream(change.db, leased, 0);
      if (recorded?.stream.state !== 'RETRYING') return undefined;
      const { failingSeconds } = recorded;
      const verdict = verdictOn({ part, gone, failingSeconds, told: leased.toldFailing });
      if (!verdict.tell) return undefined;
      const stream = await markFailing(change, leased.stream.id, verdict.stop);
      const isStopped = verdict.stop !== undefined;
      await tellTrouble(
        change,
        isStopped ? 'change_stream.failed' : 'change_stream.stalled',
        stream,
        error,
      );
      return verdict.stop;
    });
    if (stopped === undefined) return;
    logger.info({ streamId: leased.stream.id, reason: stopped }, 'a change stream stopped');
  }
}
