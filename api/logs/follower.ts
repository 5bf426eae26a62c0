/**
 * Keeps the logs of the databases whose shards this worker has (api/store/metric-shards.ts). It regularly looks for the
 * containers; each is followed separately, so that none waits for another.
 */
import type { Logger } from 'pino';
import { RepeatingTask } from '../../base/repeating-task.ts';
import type { Kube } from '../../base/kube/kube.ts';
import type { PodLogs } from '../../base/kube/kube-source.ts';
import { systemTimers, type Timers } from '../../base/timers.ts';
import { resources, type Pod } from '../../domain/kinds.ts';
import { labels, managedBy } from '../../domain/names.ts';
import { listLogged, type LoggedDatabase } from '../store/logged-databases.ts';
import { heldShards } from '../store/metric-shards.ts';
import {
  openLogSources,
  writeLogLines,
  type LogBatch,
  type LogSource,
} from '../store/log-writes.ts';
import type { Store } from '../store/store.ts';
import { StoreUnavailable } from '../store/store-errors.ts';
import { Allowance } from './allowance.ts';
import { jobContainers, keyOf, replicaContainers, type LoggingContainer } from './containers.ts';
import { Gathered } from './gathered.ts';
import { followContainer, type FollowServices } from './follow-container.ts';
import type { LogMetrics } from './log-metrics.ts';
import { Turns, type LogTurns } from './turns.ts';

interface LogFollowerOptions {
  readonly store: Pick<Store, 'read'>;
  /** A separate client: reading logs does not delay other requests. */
  readonly kube: Pick<Kube, 'list'> & PodLogs;
  /** Name of a database's StatefulSet; `undefined` while there is none. */
  readonly workloadOf: (namespace: string, name: string) => string | undefined;
  /** Identity of the process. */
  readonly identity: string;
  readonly logger: Logger;
  readonly metrics: LogMetrics;
  readonly timers?: Timers;
  readonly turns?: LogTurns;
}

const lookMs = 10_000;
const turnsDefault: LogTurns = { connections: 400, leastMs: 5_000, greatestMs: 240_000 };
const jobPods = `${labels.managedBy}=${managedBy},${labels.role}=job`;

/**
 * Maximum number of lines in one transaction, and the time for which they are gathered: a reader waits for its write, and so
 * reads no faster.
 */
const linesAtOnce = 5_000;
const writeGatherMs = 500;
const opensAtOnce = 500;
const openGatherMs = 50;

/** At most two connections to the store at a time, however many logs there are. */
function storeWork(
  store: Pick<Store, 'read'>,
  timers: Timers,
): Pick<FollowServices, 'open' | 'append'> {
  const opens = new Gathered<LogSource, string>({
    gatherMs: openGatherMs,
    weightMax: opensAtOnce,
    weightOf: () => 1,
    run: (sources) => openLogSources(store.read, sources),
    timers,
  });
  const writes = new Gathered<LogBatch, boolean | Error>({
    gatherMs: writeGatherMs,
    weightMax: linesAtOnce,
    weightOf: ({ lines }) => lines.length,
    run: (batches) => writeAll(store, batches),
    timers,
  });
  return {
    open: (source) => opens.add(source),
    append: async (batch) => {
      const result = await writes.add(batch);
      if (result instanceof Error) throw result;
      return result;
    },
  };
}

/** Whether each batch was written, or why not: what the store refuses of one log stops no other. */
async function writeAll(
  store: Pick<Store, 'read'>,
  batches: readonly LogBatch[],
): Promise<readonly (boolean | Error)[]> {
  try {
    const written = await writeLogLines(store.read, batches);
    return batches.map((batch) => written.has(batch));
  } catch (error) {
    if (batches.length === 1 || error instanceof StoreUnavailable) throw error;
    const results: (boolean | Error)[] = [];
    for (const batch of batches) {
      const one = writeAll(store, [batch]).then(([isWritten = false]) => isWritten);
      results.push(await one.catch((refusal: unknown) => refusal as Error));
    }
    return results;
  }
}

interface Followed {
  readonly stop: () => void;
  readonly ended: Promise<void>;
}

export class LogFollower {
  readonly #options: LogFollowerOptions;
  readonly #timers: Timers;
  readonly #services: FollowServices;
  readonly #task: RepeatingTask;
  readonly #followed = new Map<string, Followed>();
  readonly #allowances = new Map<string, Allowance>();
  #jobs: readonly LoggingContainer[] = [];

  constructor(options: LogFollowerOptions) {
    const { store, kube, logger, metrics, timers = systemTimers, turns = turnsDefault } = options;
    this.#options = options;
    this.#timers = timers;
    this.#services = {
      logs: kube,
      ...storeWork(store, timers),
      turns: new Turns(turns, timers),
      timers,
      logger,
      metrics,
    };
    this.#task = new RepeatingTask({
      everyMs: lookMs,
      timers,
      run: () => this.look(),
      onFailure: (error) => logger.warn({ err: error }, 'which logs are to be kept is not known'),
    });
  }

  start(): void {
    this.#task.start();
  }

  /** Resolves when nothing more is written. */
  async stop(): Promise<void> {
    await this.#task.stop();
    await this.#keepOnly(new Map());
  }

  /** Follows the containers that exist now, and no others. */
  async look(): Promise<void> {
    const { store, identity, workloadOf, metrics } = this.#options;
    const databases = await listLogged(store.read, await heldShards(store.read, identity));
    await this.#lookForJobs(databases);
    const replicas = databases.flatMap((database) => {
      const workload = workloadOf(database.namespace, database.name);
      return workload === undefined ? [] : replicaContainers(database, workload);
    });
    const wanted = new Map([...replicas, ...this.#jobs].map((one) => [keyOf(one), one]));
    await this.#keepOnly(wanted);
    const ids = new Set(databases.map(({ id }) => id));
    for (const id of this.#allowances.keys()) if (!ids.has(id)) this.#allowances.delete(id);
    for (const [key, container] of wanted) {
      if (!this.#followed.has(key)) this.#followed.set(key, this.#follow(container));
    }
    metrics.containers.set(this.#followed.size);
  }

  /** Without an answer, the Jobs of the last look are used. */
  async #lookForJobs(databases: readonly LoggedDatabase[]): Promise<void> {
    const { kube, logger } = this.#options;
    if (databases.length === 0) {
      this.#jobs = [];
      return;
    }
    try {
      const pods = await kube.list<Pod>(resources.pod, { labelSelector: jobPods });
      this.#jobs = jobContainers(pods, databases);
    } catch (error) {
      logger.warn({ err: error }, 'the pods of Jobs are not known');
    }
  }

  async #keepOnly(wanted: ReadonlyMap<string, LoggingContainer>): Promise<void> {
    const surplus = [...this.#followed].filter(([key]) => !wanted.has(key));
    for (const [, { stop }] of surplus) stop();
    await Promise.all(surplus.map(([, { ended }]) => ended));
    for (const [key] of surplus) this.#followed.delete(key);
  }

  #follow(container: LoggingContainer): Followed {
    const { databaseId } = container;
    const allowance = this.#allowances.get(databaseId) ?? new Allowance(this.#timers.nowMs());
    this.#allowances.set(databaseId, allowance);
    const stopping = new AbortController();
    return {
      stop: () => stopping.abort(),
      ended: followContainer(this.#services, container, allowance, stopping.signal),
    };
  }
}
