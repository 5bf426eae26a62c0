/**
 * Collects the replicas' own figures every 15 seconds and writes them into the store. Each worker collects the databases of its
 * shards. A round has a deadline; replicas that were silent in the last round have places of their own, so that they delay no
 * others. Figures that could not be collected or written are a gap.
 */
import type { Logger } from 'pino';
import { startDeadline } from '../../base/deadline.ts';
import { RepeatingTask } from '../../base/repeating-task.ts';
import { systemTimers, type Timers } from '../../base/timers.ts';
import { fetchStatus, fetchText } from '../../domain/fetch-status.ts';
import { podName, ports } from '../../domain/names.ts';
import { parseEngineStatus } from '../../domain/parse-engine-status.ts';
import { replicaSource } from '../model/metric-figures.ts';
import {
  listMonitored,
  writeSamples,
  type MetricSample,
  type MonitoredDatabase,
} from '../store/metric-samples.ts';
import { writeMarks, type ReplicaMark } from '../store/metric-marks.ts';
import { claimShards, releaseShards } from '../store/metric-shards.ts';
import type { Store } from '../store/store.ts';
import type { CollectorMetrics } from './collector-metrics.ts';
import { leaderOf, marksOf } from './marks.ts';
import { readExposition } from './exposition.ts';
import { readStandings, type Standings } from './database-standings.ts';
import { podKey, type PodFigureReader, type PodFigures } from './pod-figures.ts';
import {
  answerOf,
  readingsOf,
  silentReplica,
  withPodFigures,
  withStanding,
  type ReplicaAnswer,
} from './replica-reading.ts';
import { ticksOfStore, type SampleTicks } from './sample-ticks.ts';

interface CollectorOptions {
  readonly store: Store;
  /** Identity of the process. */
  readonly identity: string;
  readonly logger: Logger;
  readonly metrics: CollectorMetrics;
  /** Absent: what engines do not tell of their pods is a gap. */
  readonly pods?: {
    readonly figures: Pick<PodFigureReader, 'read'>;
    /** Name of a database's StatefulSet; `undefined` while there is none. */
    readonly workloadOf: (namespace: string, name: string) => string | undefined;
  };
  readonly timers?: Timers;
  /** Returns the URL, without a path, of the status of the replica at an address. */
  readonly statusUrl?: (address: string) => string;
}

/** Maximum number of concurrent requests to replicas that answered in the last round, and to those that did not. */
const atOnceMax = 32;
const silentAtOnceMax = 16;
const timeoutMs = 3_000;
/** Maximum length of a round. */
const roundMaxMs = 12_000;
const metricsSizeMax = 256 * 1024;
/** Maximum number of marks held while the store does not take them. */
const marksHeldMax = 10_000;

interface Target {
  readonly database: MonitoredDatabase;
  readonly index: number;
  readonly url: string;
}

const statusUrlOf = (address: string): string =>
  `http://${address.replace(/:\d+$/, '')}:${ports.status}`;

const keyOf = ({ database, index }: Target): string => `${database.id}/${index}`;

export class Collector {
  readonly #options: CollectorOptions;
  readonly #timers: Timers;
  readonly #ticks: SampleTicks;
  readonly #task: RepeatingTask;
  /** Last answers, by target. */
  #answers = new Map<string, ReplicaAnswer>();
  /** Last answers by database, also of targets that have been silent since, and the last leader. */
  readonly #seen = new Map<string, Map<number, ReplicaAnswer>>();
  readonly #leaders = new Map<string, number>();
  /** Marks that are not written yet: they were seen once, and no later round sees them again. */
  #marks: readonly ReplicaMark[] = [];
  /** Targets that did not answer their last request; the one that was asked longest ago first. */
  readonly #silent = new Set<string>();
  /** Targets that the last round had no time for: they come first in the next one. */
  #unasked: ReadonlySet<string> = new Set();

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#ticks = ticksOfStore(options, this.#timers);
    this.#task = new RepeatingTask({
      everyMs: 0,
      timers: this.#timers,
      run: (signal) => this.#nextRound(signal),
      onFailure: (error) =>
        options.logger.warn({ err: error }, 'figures were not collected; there is a gap'),
    });
  }

  start(): void {
    this.#task.start();
  }

  /** Ends the current round and gives the shards back. */
  async stop(): Promise<void> {
    await this.#task.stop();
    const { store, identity, logger } = this.#options;
    try {
      await releaseShards(store.read, identity);
    } catch (error) {
      logger.warn({ err: error }, 'the shards of figures were not given back');
    }
  }

  async #nextRound(signal: AbortSignal): Promise<void> {
    const at = await this.#ticks.next(signal);
    if (at !== undefined) await this.collect(at, signal);
  }

  /** One round. Rejects if the store does not answer. */
  async collect(at: Date, stopping: AbortSignal): Promise<void> {
    const { store, identity, metrics } = this.#options;
    const begunMs = this.#timers.nowMs();
    const shards = await claimShards(store.read, identity);
    const targets = this.#targetsOf(await listMonitored(store.read, shards));
    this.#forgetOthers(targets);
    const round = startDeadline(this.#timers, roundMaxMs, stopping);
    const [answers, pods, standings] = await Promise.all([
      this.#askAll(targets, round.signal),
      this.#readPods(targets, round.signal),
      readStandings(store.read, [...new Set(targets.map(({ database }) => database.id))]),
    ]).finally(() => round.clear());
    if (stopping.aborted) return;
    const samples = this.#samplesOf(answers, pods, standings);
    metrics.replicas.set(targets.length);
    metrics.shards.set(shards.length);
    metrics.unasked.inc(targets.length - answers.size);
    this.#marks = [...this.#marks, ...this.#marksOf(at, answers)].slice(-marksHeldMax);
    await writeSamples(store.read, at, samples);
    await writeMarks(store.read, this.#marks);
    this.#marks = [];
    metrics.seconds.set((this.#timers.nowMs() - begunMs) / 1_000);
  }

  #targetsOf(databases: readonly MonitoredDatabase[]): readonly Target[] {
    const { statusUrl = statusUrlOf } = this.#options;
    return databases.flatMap((database) =>
      database.addresses.map((address, index) => ({ database, index, url: statusUrl(address) })),
    );
  }

  #forgetOthers(targets: readonly Target[]): void {
    const keys = new Set(targets.map(keyOf));
    for (const key of this.#answers.keys()) if (!keys.has(key)) this.#answers.delete(key);
    const databases = new Set(targets.map(({ database }) => database.id));
    for (const id of this.#seen.keys()) if (!databases.has(id)) this.#seen.delete(id);
    for (const id of this.#leaders.keys()) if (!databases.has(id)) this.#leaders.delete(id);
    for (const key of this.#silent) if (!keys.has(key)) this.#silent.delete(key);
  }

  /** Asks until the signal aborts. Returns the answers of the asked targets; `undefined` stands for silence. */
  async #askAll(
    targets: readonly Target[],
    signal: AbortSignal,
  ): Promise<Map<Target, ReplicaAnswer | undefined>> {
    const answers = new Map<Target, ReplicaAnswer | undefined>();
    const byKey = new Map(targets.map((target) => [keyOf(target), target]));
    const silent = [...this.#silent].flatMap((key) => byKey.get(key) ?? []).values();
    const speaking = targets.filter((target) => !this.#silent.has(keyOf(target)));
    const others = [
      ...speaking.filter((target) => this.#unasked.has(keyOf(target))),
      ...speaking.filter((target) => !this.#unasked.has(keyOf(target))),
    ].values();
    const asker = async (from: IterableIterator<Target>) => {
      for (const target of from) {
        if (signal.aborted) return;
        const answer = await this.#ask(target, signal);
        // Aborted meanwhile: whether it would have answered is unknown.
        if (signal.aborted && answer === undefined) return;
        answers.set(target, answer);
        this.#silent.delete(keyOf(target));
        if (answer === undefined) this.#silent.add(keyOf(target));
      }
    };
    await Promise.all([
      ...Array.from({ length: atOnceMax }, () => asker(others)),
      ...Array.from({ length: silentAtOnceMax }, () => asker(silent)),
    ]);
    this.#unasked = new Set(targets.filter((target) => !answers.has(target)).map(keyOf));
    return answers;
  }

  async #ask(
    { database, index, url }: Target,
    round: AbortSignal,
  ): Promise<ReplicaAnswer | undefined> {
    const { metrics, logger } = this.#options;
    const deadline = startDeadline(this.#timers, timeoutMs, round);
    try {
      const [said, text] = await Promise.all([
        fetchStatus(`${url}/status`, deadline.signal),
        fetchText(`${url}/metrics`, deadline.signal, metricsSizeMax),
      ]);
      const status = parseEngineStatus(said);
      if ('problem' in status) throw new Error(status.problem);
      if (status.clusterId !== database.clusterId || status.replicaIndex !== index) {
        throw new Error('another replica answers at this address');
      }
      metrics.asked.inc({ result: 'answered' });
      return answerOf(this.#timers.nowMs(), status, readExposition(text));
    } catch (error) {
      if (!round.aborted) {
        metrics.asked.inc({ result: 'failed' });
        logger.debug({ err: error, databaseId: database.id, index }, 'a replica did not answer');
      }
      return undefined;
    } finally {
      deadline.clear();
    }
  }

  async #readPods(
    targets: readonly Target[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, PodFigures> | undefined> {
    const { pods } = this.#options;
    const workloads = targets.flatMap(({ database: { engine, namespace, name }, index }) =>
      engine === 'TigerBeetle' && index === 0 ? (pods?.workloadOf(namespace, name) ?? []) : [],
    );
    return pods?.figures.read(workloads, signal);
  }

  #samplesOf(
    answers: ReadonlyMap<Target, ReplicaAnswer | undefined>,
    pods: ReadonlyMap<string, PodFigures> | undefined,
    standings: Standings,
  ): readonly MetricSample[] {
    const furthest = new Map<string, number>();
    for (const [{ database }, answer] of answers) {
      const op = Math.max(furthest.get(database.id) ?? 0, answer?.status.commit ?? 0);
      furthest.set(database.id, op);
    }
    const samples = [...answers].map(([target, answer]): MetricSample => {
      const { database, index } = target;
      const before = this.#answers.get(keyOf(target));
      const { readings, ...rest } =
        answer === undefined
          ? { readings: silentReplica, latencies: null, failures: null }
          : readingsOf(answer, before, furthest.get(database.id) ?? 0);
      const pod = pods?.get(this.#podOf(target));
      const ofPod = pod === undefined ? readings : withPodFigures(readings, pod);
      return {
        databaseId: database.id,
        source: replicaSource(index),
        readings: index === 0 ? withStanding(ofPod, standings(database.id)) : ofPod,
        ...rest,
      };
    });
    for (const [target, answer] of answers) {
      if (answer === undefined) this.#answers.delete(keyOf(target));
      else this.#answers.set(keyOf(target), answer);
    }
    return samples;
  }

  #podOf({ database, index }: Target): string {
    const { namespace, name } = database;
    const workload = this.#options.pods?.workloadOf(namespace, name);
    return workload === undefined ? '' : podKey(namespace, podName(workload, index));
  }

  #marksOf(
    at: Date,
    answers: ReadonlyMap<Target, ReplicaAnswer | undefined>,
  ): readonly ReplicaMark[] {
    const byDatabase = new Map<string, Map<number, ReplicaAnswer>>();
    for (const [{ database, index }, answer] of answers) {
      if (answer === undefined) continue;
      const own = byDatabase.get(database.id) ?? new Map<number, ReplicaAnswer>();
      byDatabase.set(database.id, own.set(index, answer));
    }
    return [...byDatabase].flatMap(([id, now]) => {
      const before = this.#seen.get(id) ?? new Map<number, ReplicaAnswer>();
      const marks = marksOf(id, at, now, before, this.#leaders.get(id));
      this.#seen.set(id, new Map([...before, ...now]));
      const leader = leaderOf(now);
      if (leader !== undefined) this.#leaders.set(id, leader);
      return marks;
    });
  }
}
