/**
 * Figures of the HTTP requests that this process serves: counted in memory and written every 15 seconds, as one sample for each
 * database that had any. Slow and failed requests are kept one by one, a bounded number of each database in 15 seconds.
 */
import type { Logger } from 'pino';
import { RepeatingTask } from '../../base/repeating-task.ts';
import { systemTimers, type Timers } from '../../base/timers.ts';
import { latencyBounds } from '../../domain/latency-bounds.ts';
import type { FinishedOperation } from '../gateway/handlers.ts';
import {
  figureOperations,
  gatewaySource,
  latencyPlaceOf,
  latencyPlaces,
} from '../model/metric-figures.ts';
import { sampleMs, writeSamples, type MetricSample } from '../store/metric-samples.ts';
import { writeRequests, type RemarkableRequest } from '../store/remarkable-requests.ts';
import type { Store } from '../store/store.ts';
import { ticksOfStore, type SampleTicks } from './sample-ticks.ts';

interface RecorderOptions {
  readonly store: Store;
  readonly identity: string;
  readonly logger: Logger;
  readonly timers?: Timers;
}

/** Maximum number of databases counted at a time; others are left out of this interval. */
const databasesMax = 10_000;
const slowMs = 500;
/** Maximum number of a database's requests kept in an interval, of the failed and of the slow ones. */
const keptMax = 25;

interface Counts {
  readonly answered: number[];
  readonly failed: number[];
  readonly latencies: number[];
  events: number;
  waitedMs: number;
  readonly remarkable: { readonly failed: Kept; readonly slow: Kept };
}

interface Kept {
  readonly rows: RemarkableRequest[];
  seen: number;
}

const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);

const newCounts = (): Counts => ({
  answered: zeros(figureOperations.length),
  failed: zeros(figureOperations.length),
  latencies: zeros(latencyPlaces),
  events: 0,
  waitedMs: 0,
  remarkable: { failed: { rows: [], seen: 0 }, slow: { rows: [], seen: 0 } },
});

const add = (counts: number[], place: number): void => {
  counts[place] = (counts[place] ?? 0) + 1;
};

export class GatewayRecorder {
  readonly #options: RecorderOptions;
  readonly #timers: Timers;
  readonly #ticks: SampleTicks;
  readonly #task: RepeatingTask;
  #counts = new Map<string, Counts>();
  #sinceMs: number;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#sinceMs = this.#timers.nowMs();
    this.#ticks = ticksOfStore(options, this.#timers);
    this.#task = new RepeatingTask({
      everyMs: 0,
      timers: this.#timers,
      run: (signal) => this.#next(signal),
      onFailure: (error) =>
        options.logger.warn({ err: error }, 'figures of requests were not written; there is a gap'),
    });
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  record(request: FinishedOperation): void {
    const { databaseId, operation, code, events, durationMs } = request;
    const counts = this.#countsOf(databaseId);
    if (counts === undefined) return;
    add(code === null ? counts.answered : counts.failed, figureOperations.indexOf(operation));
    if (code === null) counts.events += events;
    const bucket = latencyBounds.findIndex((bound) => durationMs / 1_000 <= bound);
    add(
      counts.latencies,
      latencyPlaceOf(operation) + (bucket === -1 ? latencyBounds.length : bucket),
    );
    const { failed, slow } = counts.remarkable;
    if (code !== null) this.#keep(failed, request);
    else if (durationMs >= slowMs) this.#keep(slow, request);
  }

  /** Counts the time that a call waited to be sent. */
  waited(databaseId: string, waitedMs: number): void {
    const counts = this.#countsOf(databaseId);
    if (counts !== undefined) counts.waitedMs += waitedMs;
  }

  #countsOf(databaseId: string): Counts | undefined {
    const known = this.#counts.get(databaseId);
    if (known !== undefined || this.#counts.size >= databasesMax) return known;
    const counts = newCounts();
    this.#counts.set(databaseId, counts);
    return counts;
  }

  /** Keeps a request; if there are too many, each has the same chance to be kept. */
  #keep(kept: Kept, request: FinishedOperation): void {
    kept.seen += 1;
    const place =
      kept.rows.length < keptMax ? kept.rows.length : Math.floor(Math.random() * kept.seen);
    if (place >= keptMax) return;
    kept.rows[place] = { ...request, at: new Date(this.#timers.wallMs()), standsFor: 1 };
  }

  async #next(signal: AbortSignal): Promise<void> {
    const at = await this.#ticks.next(signal);
    if (at !== undefined) await this.write(at);
  }

  /** Writes the counts since the last call, and starts again from zero. Rejects if the store does not answer. */
  async write(at: Date): Promise<void> {
    const { store, identity } = this.#options;
    const counts = this.#counts;
    const nowMs = this.#timers.nowMs();
    // A sample stands for 15 seconds: one of less must not tell more than happened.
    const seconds = Math.max(sampleMs, nowMs - this.#sinceMs) / 1_000;
    this.#counts = new Map();
    this.#sinceMs = nowMs;
    const source = gatewaySource(identity);
    const samples = [...counts].map(([databaseId, of]): MetricSample => {
      const perSecond = (count: number) => count / seconds;
      return {
        databaseId,
        source,
        // The waits of all calls by the time are the number that waited on average.
        readings: [of.events, ...of.answered, ...of.failed, of.waitedMs / 1_000].map(perSecond),
        latencies: of.latencies.map((count) => (count === 0 ? null : perSecond(count))),
      };
    });
    await writeSamples(store.read, at, samples);
    await writeRequests(store.read, [...counts.values()].flatMap(keptOf));
  }
}

const keptOf = ({ remarkable }: Counts): readonly RemarkableRequest[] =>
  Object.values(remarkable).flatMap(({ rows, seen }) => {
    const standsFor = Math.max(1, Math.round(seen / Math.max(1, rows.length)));
    return rows.map((row) => ({ ...row, standsFor }));
  });
