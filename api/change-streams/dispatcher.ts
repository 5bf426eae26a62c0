/**
 * Change streams of all databases: leases those that are due and works on them. Several workers share them, and one stream has one
 * worker at a time. A worker that dies loses nothing: what the sink had not confirmed, or what was not recorded, is sent again.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { LeasedWork } from '../../base/leased-work.ts';
import { systemTimers } from '../../base/timers.ts';
import { ChangeEventSource, type SourceServices } from '../change-events/source.ts';
import { systemAuthor } from '../model/actor.ts';
import type { ChangeStream } from '../model/change-stream.ts';
import {
  markFailing,
  mayGoOn,
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
import { ByteBudget } from './byte-budget.ts';
import type { ChangeStreamMetrics } from './change-stream-metrics.ts';
import { PlacesAhead } from './page-ahead.ts';
import { runStream, type RunFailure, type RunResult } from './stream-run.ts';
import { openSink, type SinkServices } from './sinks/open-sink.ts';
import { tellStream, tellTrouble } from './stream-events.ts';
import { ourFault, secretUnreadable, unexpected } from './our-fault.ts';
import { retryInMs, verdictOn } from './trouble.ts';

interface ChangeStreamsOptions {
  readonly store: Store;
  readonly sealer: Sealer;
  /** Source of the events. */
  readonly ledgers: SourceServices;
  readonly sinks: SinkServices & { close(): Promise<void> };
  /** Identity of the process. */
  readonly identity: string;
  readonly logger: Logger;
  readonly metrics: (busy: () => number) => ChangeStreamMetrics;
}

/** Streams at a time. Each holds one page and its text: about 0.5 MiB for a webhook, and 3 MiB for a broker; 192 MiB at most. */
const runsMax = 64;
/** Pages that are read ahead with their text, each of 3 MiB at most: so many streams at once keep every processor busy without them. */
const aheadMax = 16;
const leaseMs = 15_000;
/** Bytes of requests of an organization in a second, in this process: a ledger of years that is sent at once leaves room for others. */
const bytesPerSecond = 16 * 1024 * 1024;
/** Pause of a stream after a run that failed by our own fault. */
const runFailedMs = 60_000;
/** Pause of a stream after a run that the store broke off. */
const storeAwayMs = 1_000;
const author = systemAuthor('change-streams');

/** A stream of this process, and when the store was asked for it: what it has said may be another moment later. */
interface TakenStream extends LeasedStream {
  readonly leaseAskedAtMs: number;
}

export class ChangeStreams {
  readonly #options: ChangeStreamsOptions;
  readonly #work: LeasedWork<TakenStream>;
  readonly #metrics: ChangeStreamMetrics;
  readonly #ahead = new PlacesAhead(aheadMax);
  readonly #budget = new ByteBudget(bytesPerSecond, () => systemTimers.nowMs());

  constructor(options: ChangeStreamsOptions) {
    this.#options = options;
    this.#work = this.#leasedWork();
    this.#metrics = options.metrics(() => this.#work.size);
  }

  start(): void {
    this.#work.start();
  }

  /** Ends all runs. Another worker sends interrupted requests again. */
  async stop(): Promise<void> {
    await this.#work.stop();
    await this.#options.sinks.close();
  }

  #leasedWork(): LeasedWork<TakenStream> {
    const { store, identity, logger } = this.#options;
    const owner = `${identity}/${randomUUID()}`;
    return new LeasedWork({
      runsMax,
      leaseMs,
      take: async (limit, troubled) => {
        const leaseAskedAtMs = systemTimers.nowMs();
        const taken = await takeStreams(store.read, { owner, leaseMs, limit, troubled });
        return taken.map((leased) => ({ ...leased, leaseAskedAtMs }));
      },
      onTakeFailure: (error, failures) =>
        logger.warn({ err: error, failures }, 'change streams could not be taken'),
      run: (leased) => this.#run(leased),
      onFailure: (error, { stream }) =>
        logger.warn({ err: error, streamId: stream.id }, 'a change stream could not be given back'),
      renew: (leased) => renewStreamLeases(store.read, leased, leaseMs),
      onRenewFailure: (error) =>
        logger.warn({ err: error }, 'leases of change streams were not renewed'),
      measure: async () => this.#metrics.figures(await streamFigures(store.read)),
      onMeasureFailure: (error) =>
        logger.warn({ err: error }, 'change streams could not be measured'),
    });
  }

  async #run(leased: TakenStream): Promise<void> {
    const { store } = this.#options;
    const result = await this.#resultOf(leased);
    if (result.kind === 'ended') await releaseStream(store.read, leased, result.waitMs);
    else await this.#fail(leased, result.failure);
  }

  /** A run that fails by our own fault ends in a pause of its stream, and disturbs no other. */
  async #resultOf(leased: TakenStream): Promise<RunResult> {
    const { store, sealer, sinks, ledgers, logger } = this.#options;
    const { id, organizationId, databaseId } = leased.stream;
    const { stopping, abandoning } = this.#work;
    const failed = (error: unknown, reason: RunFailure['error']) => {
      logger.warn({ err: error, streamId: id }, 'a change stream could not be worked on');
      return ourFault(leased.stream, reason, runFailedMs);
    };
    let secrets: readonly string[];
    try {
      secrets = leased.sealedSecrets.map((one) => sealer.open(id, one));
    } catch (error) {
      return failed(error, secretUnreadable);
    }
    const sink = openSink(sinks, leased.stream, secrets);
    try {
      return await runStream(leased, {
        sink,
        source: new ChangeEventSource(ledgers, {
          organizationId,
          databaseId,
          requestId: id,
          signal: stopping,
        }),
        crowded: () => this.#work.full,
        ahead: this.#ahead,
        pauseMs: () => this.#budget.pauseMs(organizationId),
        mayGoOn: (version) => mayGoOn(store.read, leased, version),
        leaseAskedAtMs: leased.leaseAskedAtMs,
        record: this.#recorder(leased),
        onAttempt: (outcome, events, bytes) => {
          this.#budget.sent(organizationId, bytes);
          this.#metrics.attempted(outcome, events, bytes);
        },
        stopping,
        abandoning,
      });
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) return failed(error, unexpected);
      logger.warn({ err: error, streamId: id }, 'the store broke work on a change stream off');
      return { kind: 'ended', waitMs: storeAwayMs };
    } finally {
      sink.close();
    }
  }

  /** Notifies people of the end of trouble, if they were notified of its beginning: the first confirmed events, or a successful read. */
  #recorder(leased: LeasedStream): (progress: Progress) => Promise<ChangeStream | undefined> {
    const { store } = this.#options;
    const { failing } = leased.stream;
    let told = leased.toldFailing;
    return async (progress) => {
      const recovered =
        told && (progress.count > 0 || failing === 'LEDGER' || failing === 'SERVICE');
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
    { part, error, gone, failures, retryAfterMs, bytes, pendingFrom }: RunFailure,
  ): Promise<void> {
    const { store, logger } = this.#options;
    if (part === 'LEDGER') this.#metrics.ledgerFailed();
    const waitMs = retryInMs(failures, retryAfterMs, Math.random);
    const stopped = await store.change(author, async (change) => {
      const failure = { part, error, retryInMs: waitMs, bytes, pendingFrom };
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
