/**
 * Continuous archiving: follows the engine beside it, and sends its log to the bucket, segment by segment. The key of the next
 * segment follows from the last op of the one before, and no key is ever written twice: so of two archivers only one can go
 * on with a chain, and the other takes up what it finds.
 */
import type { Logger } from 'pino';
import { cutText } from '../../base/cut-text.ts';
import { backoffMs } from '../../base/backoff.ts';
import { sleep, type Timers } from '../../base/timers.ts';
import type { ArchiveReport, ArchiveState } from '../../domain/archive-status.ts';
import { openArchive } from '../archive/archive.ts';
import { sha256 } from '../archive/chunk.ts';
import { ArchiveError, type ArchiveErrorCode } from '../archive/errors.ts';
import { segmentKey } from '../archive/keys.ts';
import { FIRST_LINE, writeChainNote } from '../archive/log-chains.ts';
import { decodeSegment, decodeSegmentHead } from '../archive/log-segment.ts';
import type { ObjectStore, RangedStore } from '../archive/object-store.ts';
import type { FeedAnswer } from '../feed/archive-feed.ts';
import { answerQuestions } from './answer-questions.ts';
import {
  confirmEnd,
  endOf,
  findEnd,
  findFirstOp,
  findLaterEnd,
  leftFrom,
  placeAfterEnd,
} from './archive-end.ts';
import { BEGINNING, Collector, placeAt, type CollectorPlace } from './collector.ts';
import type { Feed } from './feed-client.ts';
import type { LogSource } from './log-source.ts';
import { OwnReading } from './own-reading.ts';
import type { ArchiveEnd, Spool, SpooledSegment } from './spool.ts';

interface ArchiverOptions {
  readonly store: ObjectStore & RangedStore;
  readonly spool: Spool;
  readonly feed: Feed;
  /** Where the archiver may read the log: it is then not sent by the engine. */
  readonly source?: LogSource | undefined;
  /** Whether the store encrypts. */
  readonly encrypted: boolean;
  readonly databaseId: string;
  readonly clusterId: bigint;
  /** Time within which an operation is to be in the bucket. */
  readonly rpoMs: number;
  /** Bytes that may wait for the store. */
  readonly spoolBytesMax: number;
  readonly timers: Timers;
  readonly random: () => number;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** Time that the engine may wait before it answers that nothing is new. */
const WAIT_MS = 20_000;
/** Time between two looks at the engine's log while a segment fills slowly. */
const LOOK_MS = 1_000;
const REPORT_MS = 15_000;
/** Time between two reports of what was sent: at full speed there are tens of segments a second, and the engine reads each report. */
const TELL_MS = 250;
/** Time after which the log's beginning, which the sweep deletes, is looked for again: while something is written, and while not. */
const BEGINNING_MS = 3_600_000;
const IDLE_BEGINNING_MS = 24 * BEGINNING_MS;
const ENGINE_RETRY = { baseMs: 100, maxMs: 2_000 };
const RETRY = { baseMs: 200, maxMs: 30_000 };
/** Time before the next try where only a person can help. */
const REFUSED_MS = 10_000;
/** Segments that may wait before archiving counts as behind. */
const WAITING_MAX = 2;

const stateOf: Partial<Record<ArchiveErrorCode, ArchiveState>> = {
  store_unreachable: 'StoreUnreachable',
  store_refused: 'StoreRefused',
  bucket_missing: 'StoreRefused',
  store_full: 'StoreFull',
  store_overwrites: 'StoreOverwrites',
  lock_missing: 'StoreRefused',
  key_missing: 'KeyMissing',
  archive_foreign: 'ArchiveForeign',
};

/** The database and the archive have different histories. */
const foreign = (what: string): ArchiveError =>
  new ArchiveError(
    'archive_foreign',
    `${what} The database seems to have returned to an older state, or two of one name write here. Nothing is overwritten; what is archived can be restored.`,
  );

export class Archiver {
  readonly #options: ArchiverOptions;
  readonly #failures: Partial<Record<ArchiveState, number>> = {};
  #collector: Collector | undefined;
  readonly #reading: OwnReading;
  /** Aborts the question to the engine that waits for news after a place from which this archiver no longer goes on. */
  #moved = new AbortController();
  #end: ArchiveEnd | undefined;
  /** Segments in the spool that an earlier process left: they are verified before they are sent. */
  #inherited = 0;
  #fault: { readonly state: ArchiveState; readonly message: string } | undefined;
  #putSeconds: number | undefined;
  readonly #sent = { segments: 0, bytes: 0, ms: 0 };
  /** When the log's beginning was last looked for. */
  #beginningSeenMs: number;
  /** Questions that the engine did not answer, since the last answer. */
  #unanswered = 0;
  /** Whether another replica's archiver may have written since this one last knew the end. */
  #isStale = false;
  /** A report that is under way. */
  #telling: Promise<void> | undefined;
  #toldAtMs = -Infinity;
  /** Resolves waits of the sender when there is something to send. */
  #wake: () => void = () => undefined;

  constructor(options: ArchiverOptions) {
    this.#options = options;
    this.#reading = new OwnReading(options.source, options.logger);
    this.#beginningSeenMs = options.timers.nowMs();
  }

  /**
   * Archives until the signal aborts, then seals and sends what it has, within `lastMs`. Rejects if the spool's disk fails: a
   * new process goes on where the spool or the store ends.
   */
  async run(signal: AbortSignal, lastMs = 20_000): Promise<void> {
    const { spool, timers } = this.#options;
    await this.#begin(signal);
    const [stop, broken] = [new AbortController(), new AbortController()];
    const sends = this.#send(stop.signal).catch((error: unknown) => broken.abort(error));
    const reports = this.#reportRegularly(stop.signal);
    const { store, feed } = this.#options;
    const answers = answerQuestions({ store, feed, timers, end: () => this.#end }, stop.signal);
    try {
      await this.#collect(AbortSignal.any([signal, broken.signal]));
      broken.signal.throwIfAborted();
      if (this.#collector !== undefined) await this.#seal();
      const endMs = timers.nowMs() + lastMs;
      while (spool.count > 0 && timers.nowMs() < endMs && this.#fault === undefined)
        await sleep(timers, 50, broken.signal);
      broken.signal.throwIfAborted();
    } finally {
      stop.abort();
      this.#wake();
      await Promise.all([reports, sends, answers]);
      await this.#telling;
      await this.#reading.close();
    }
  }

  get report(): ArchiveReport {
    const { spool } = this.#options;
    const end = this.#end;
    const isBehind = spool.count > WAITING_MAX;
    const state = this.#fault?.state ?? (isBehind ? 'CatchingUp' : 'Archiving');
    return {
      state,
      ...(this.#fault === undefined ? {} : { message: cutText(this.#fault.message, 1_000) }),
      ...(end === undefined
        ? {}
        : {
            archivedOp: end.lastOp,
            archivedTimestamp: end.lastTimestamp,
            chainFirstOp: end.chainFirstOp,
            earlierRuns: end.earlier,
          }),
      gaps: end?.gaps ?? 0,
      spoolBytes: spool.bytes,
      ...(this.#putSeconds === undefined ? {} : { putSeconds: this.#putSeconds }),
      sent: {
        segments: this.#sent.segments,
        bytes: this.#sent.bytes,
        seconds: Math.round(this.#sent.ms) / 1_000,
      },
      rpoSeconds: this.#options.rpoMs / 1_000,
      failures: this.#failures,
      encrypted: this.#options.encrypted,
      residentBytes: process.memoryUsage.rss(),
      ...this.#reading.report,
    };
  }

  /** Opens the archive and finds its end, however long the store is away. */
  async #begin(signal: AbortSignal): Promise<void> {
    const { store, spool, databaseId, clusterId } = this.#options;
    await this.#untilDone(signal, async () => {
      await openArchive(store, databaseId, clusterId);
      await this.#findEnd();
      this.#inherited = spool.count;
    });
    await this.#tell();
  }

  /** Takes up the archive where it ends: in the spool, or else in the store. */
  async #findEnd(): Promise<void> {
    const { store, spool, databaseId } = this.#options;
    const known = await spool.readEnd();
    const isOurs = known?.databaseId === databaseId && known.line === FIRST_LINE;
    const isEnd = isOurs && (spool.count > 0 || (await confirmEnd(store, known)));
    this.#end = isEnd ? known : await findEnd(store, databaseId);
    const last = await spool.last();
    if (last !== undefined) {
      const place = await placeAfter(last.object, databaseId).catch(() => undefined);
      if (place !== undefined) {
        this.#goOnFrom(place);
        return;
      }
      await spool.clear();
      this.#end = await findEnd(store, databaseId);
    }
    this.#goOnFrom(placeOf(this.#end));
  }

  #goOnFrom(place: CollectorPlace): void {
    const { databaseId, rpoMs, timers } = this.#options;
    const nowMs = () => timers.nowMs();
    this.#moved.abort();
    this.#moved = new AbortController();
    this.#collector = new Collector({ databaseId, rpoMs, nowMs }, place);
  }

  async #collect(signal: AbortSignal): Promise<void> {
    const { spool, spoolBytesMax, timers } = this.#options;
    while (!signal.aborted) {
      const collector = this.#collector;
      if (collector === undefined || spool.bytes > spoolBytesMax) {
        await sleep(timers, LOOK_MS, signal);
        continue;
      }
      const due = collector.dueInMs;
      if (due !== undefined)
        await sleep(timers, Math.min(due, collector.lookInMs, LOOK_MS), signal);
      if (this.#collector !== collector) continue;
      const answer = await this.#ask(collector, due === undefined ? WAIT_MS : 0, signal);
      // Another archiver's segment may have been taken up meanwhile.
      if (answer !== undefined && this.#collector === collector)
        await this.#heard(collector, answer, signal);
      if (collector.dueInMs === 0) await this.#seal();
    }
  }

  /** Resolves with `undefined`, after a pause, while the engine does not answer. */
  async #ask(
    collector: Collector,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<FeedAnswer | undefined> {
    const { feed, timers, logger } = this.#options;
    const moved = this.#moved.signal;
    try {
      const either = AbortSignal.any([signal, moved]);
      const answer = await feed.read(collector.place, waitMs, either, this.#reading.form);
      this.#unanswered = 0;
      return answer;
    } catch (error) {
      if (signal.aborted || moved.aborted) return undefined;
      this.#unanswered += 1;
      if (this.#unanswered === 1) logger.warn({ error }, 'the engine does not answer');
      await sleep(timers, backoffMs(this.#unanswered, ENGINE_RETRY, Math.random), signal);
      return undefined;
    }
  }

  async #heard(collector: Collector, answer: FeedAnswer, signal: AbortSignal): Promise<void> {
    const { timers, logger } = this.#options;
    switch (answer.kind) {
      case 'part':
      case 'places':
        if (this.#isStale) await this.#refresh(signal);
        if (this.#collector !== collector) return;
        if (this.#fault?.state === 'ArchiveForeign') this.#fault = undefined;
        if (answer.kind === 'places') await this.#reading.take(collector, answer);
        else {
          collector.take(answer);
          this.#reading.sent();
        }
        return;
      case 'nothing':
        collector.heardNothing();
        if (!answer.leads) this.#isStale = true;
        return;
      case 'gone':
        await this.#seal();
        await this.#refresh(signal);
        if (this.#collector !== collector || signal.aborted) return;
        logger.warn({ after: collector.place.op, oldestOp: answer.oldestOp }, 'a gap in the log');
        collector.skipTo(answer.oldestOp);
        return;
      case 'foreign': {
        const { op } = collector.place;
        const what = `The archive has operation ${op}, and the database, which is at ${answer.committedOp}, has another one or has not come as far.`;
        this.#failed(foreign(what));
        await this.#tell();
        await sleep(timers, LOOK_MS, signal);
      }
    }
  }

  /** Finds the archive's end again, once everything of this archiver is sent, and goes on from there if it has moved. */
  async #refresh(signal: AbortSignal): Promise<void> {
    const { spool, store, databaseId, timers } = this.#options;
    while (spool.count > 0 && !signal.aborted) await sleep(timers, 100, signal);
    let end = this.#end;
    const isDone = await this.#untilDone(signal, async () => {
      end =
        this.#end === undefined
          ? await findEnd(store, databaseId)
          : await findLaterEnd(store, this.#end);
    });
    if (!isDone) return;
    this.#isStale = false;
    if (end === undefined || end.lastOp === this.#end?.lastOp) return;
    this.#end = end;
    await spool.writeEnd(end);
    this.#goOnFrom(placeOf(end));
    await this.#tell();
  }

  async #seal(): Promise<void> {
    const { spool } = this.#options;
    const collector = this.#collector;
    const sealed = await collector?.seal();
    const isGivenUp = () => this.#collector !== collector;
    if (sealed === undefined || isGivenUp()) return;
    await spool.add(sealed);
    // What another archiver wrote was taken up meanwhile, and nothing of this chain may follow it.
    if (isGivenUp()) await spool.clear();
    this.#wake();
  }

  async #send(signal: AbortSignal): Promise<void> {
    const { spool } = this.#options;
    while (!signal.aborted) {
      const next = await spool.first();
      if (next === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
          if (spool.count > 0 || signal.aborted) resolve();
        });
        continue;
      }
      await this.#untilDone(signal, () => this.#sendOne(next));
      this.#tellSoon(signal);
      await this.#findBeginning(BEGINNING_MS);
    }
  }

  /** Leaves out of the report what was deleted from the log's beginning. One request; it may fail, and is made again later. */
  async #findBeginning(afterMs: number): Promise<void> {
    const { store, timers } = this.#options;
    const end = this.#end;
    if (end === undefined || timers.nowMs() - this.#beginningSeenMs < afterMs) return;
    this.#beginningSeenMs = timers.nowMs();
    const firstOp = await findFirstOp(store, end).catch(() => undefined);
    // The other task may have moved the end meanwhile.
    if (firstOp !== undefined && this.#end !== undefined) this.#end = leftFrom(this.#end, firstOp);
  }

  async #sendOne(next: SpooledSegment): Promise<void> {
    const { store, spool, databaseId, timers } = this.#options;
    const { firstOp, begins, object } = next;
    const key = segmentKey(databaseId, FIRST_LINE, firstOp);
    if (this.#inherited > 0) {
      const isWhole = await decodeSegment(key, object, databaseId).then(
        () => true,
        () => false,
      );
      // A crash of the machine cut it. The engine's log is read again from the archive's end on.
      if (!isWhole) return this.#startOver();
    }
    if (begins !== undefined) {
      const begunAt = new Date(this.#options.timers.wallMs()).toISOString();
      await writeChainNote(store, {
        databaseId,
        line: FIRST_LINE,
        firstOp,
        follows: begins,
        begunAt,
      });
    }
    const startedMs = timers.nowMs();
    if ((await store.create(key, object)) === 'exists') {
      const found = await store.read(key);
      if (!Buffer.from(found).equals(object)) return this.#takeUp(key, next, found);
    }
    this.#noteSent(object, timers.nowMs() - startedMs);
    const head = decodeSegmentHead(key, object, databaseId);
    this.#end = endOf(head, object, placeAfterEnd(this.#end, next));
    await spool.writeEnd(this.#end);
    await spool.removeFirst();
    this.#inherited = Math.max(0, this.#inherited - 1);
  }

  #noteSent(object: Uint8Array, ms: number): void {
    this.#putSeconds = Math.round(ms) / 1_000;
    this.#sent.segments += 1;
    this.#sent.bytes += object.length;
    this.#sent.ms += ms;
  }

  /** Takes up another archiver's segment in the place of ours, if it continues the same history. */
  async #takeUp(key: string, next: SpooledSegment, found: Uint8Array): Promise<void> {
    const { databaseId, spool, logger } = this.#options;
    const [ours, theirs] = [
      await decodeSegment(key, next.object, databaseId),
      await decodeSegment(key, found, databaseId),
    ];
    if (ours.previous !== theirs.previous)
      throw foreign(`${key} does not continue what this archiver wrote before.`);
    logger.info({ key, lastOp: theirs.lastOp }, "another archiver's segment is taken up");
    this.#end = endOf(theirs, found, placeAfterEnd(this.#end, next));
    // Nothing is sealed until the spool is clear: neither what follows ours, nor what would be cleared with it.
    this.#collector = undefined;
    await spool.clear();
    this.#inherited = 0;
    // It may have written more than this segment.
    this.#isStale = true;
    await spool.writeEnd(this.#end);
    this.#goOnFrom(placeOf(this.#end));
  }

  async #startOver(): Promise<void> {
    const { spool, store, databaseId } = this.#options;
    // Nothing is sealed until the end is known.
    this.#collector = undefined;
    await spool.clear();
    this.#end = await findEnd(store, databaseId);
    // Only now: while the store does not answer, the cut segment is verified at each try, and never sent.
    this.#inherited = 0;
    this.#goOnFrom(placeOf(this.#end));
  }

  /** Repeats work on the store until it succeeds; returns false if the signal aborted before. */
  async #untilDone(signal: AbortSignal, work: () => Promise<void>): Promise<boolean> {
    const { timers, random } = this.#options;
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        await work();
        this.#fault = undefined;
        return true;
      } catch (error) {
        if (!(error instanceof ArchiveError)) throw error;
        this.#failed(error);
        await this.#tell();
        const passes = error.code === 'store_unreachable';
        await sleep(timers, passes ? backoffMs(failures, RETRY, random) : REFUSED_MS, signal);
      }
    }
    return false;
  }

  #failed(error: ArchiveError): void {
    const state = stateOf[error.code] ?? 'ArchiveDamaged';
    const { message } = error;
    if (this.#fault?.message !== message)
      this.#options.logger.error({ code: error.code, message }, 'archiving is held up');
    this.#fault = { state, message };
    this.#failures[state] = (this.#failures[state] ?? 0) + 1;
  }

  async #reportRegularly(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(this.#options.timers, REPORT_MS, signal);
      await this.#findBeginning(IDLE_BEGINNING_MS);
      await this.#tell();
    }
  }

  /** Reports to the engine, or soon. */
  #tellSoon(signal: AbortSignal): void {
    const { timers } = this.#options;
    const inMs = Math.max(0, this.#toldAtMs + TELL_MS - timers.nowMs());
    this.#telling ??= sleep(timers, inMs, signal).then(async () => {
      this.#telling = undefined;
      await this.#tell();
    });
  }

  /** Reports to the engine. If the engine is away, the report is soon repeated. */
  async #tell(): Promise<void> {
    this.#toldAtMs = this.#options.timers.nowMs();
    await this.#options.feed.report(this.report).catch(() => undefined);
  }
}

const placeOf = (end: ArchiveEnd | undefined): CollectorPlace =>
  end === undefined ? BEGINNING : placeAt(end);

async function placeAfter(object: Uint8Array, databaseId: string): Promise<CollectorPlace> {
  const { lastOp, lastChecksum } = await decodeSegment('the spool', object, databaseId);
  return { op: lastOp, checksum: lastChecksum, previous: sha256(object).toString('hex') };
}
