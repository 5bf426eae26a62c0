/**
 * Asks the engines of each running database about once a minute how much of their limits they use. Only if the meaning of the
 * answer changes, a reconcile of that database writes to the API server.
 */
import type { Logger } from 'pino';
import type { Condition, DatabaseObject } from '../../domain/custom-resources.ts';
import { uidOf } from '../../domain/names.ts';
import { RepeatingTask } from '../../base/repeating-task.ts';
import { systemTimers, type Timers } from '../../base/timers.ts';
import type { Pod } from '../../domain/kinds.ts';
import { archiveOf, isArchivingNews } from '../ledgerdatabase/archiving.ts';
import { isWindowNews } from '../ledgerdatabase/recovery.ts';
import { isReady, replicaPods } from '../ledgerdatabase/replica-pods.ts';
import type { StatusFetch } from '../../domain/fetch-status.ts';
import { pollEngines } from '../ledgerdatabase/polls.ts';
import { growsAt } from '../ledgerdatabase/steps/autogrow.ts';
import { integrityOf } from './integrity.ts';
import { capacityOf, storageUse, type Capacity } from './capacity.ts';

interface CapacityWatchOptions {
  readonly databases: () => readonly DatabaseObject[];
  readonly podsOf: (database: DatabaseObject) => readonly Pod[];
  readonly fetchStatus: StatusFetch;
  /** Called when the meaning has changed: the database must be reconciled. */
  readonly onChange: (database: DatabaseObject) => void;
  /** The clock that dates conditions, in milliseconds since the UNIX epoch. */
  readonly nowMs: () => number;
  readonly logger: Logger;
  /** Interval between two rounds. Default 60,000. */
  readonly periodMs?: number;
  readonly timers?: Timers;
}

/** Maximum number of databases asked at a time: each answers within 2 s, or does not. */
const askedAtOnce = 20;

export class CapacityWatch {
  readonly #options: CapacityWatchOptions;
  readonly #timers: Timers;
  readonly #task: RepeatingTask;
  readonly #known = new Map<string, Capacity>();

  constructor(options: CapacityWatchOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#task = new RepeatingTask({
      everyMs: options.periodMs ?? 60_000,
      timers: this.#timers,
      run: (signal) => this.#askAll(signal),
      onFailure: (error) =>
        options.logger.error({ err: error }, 'the capacity of engines could not be read'),
    });
  }

  /** Capacity that this process last heard of. */
  of(uid: string): Capacity | undefined {
    return this.#known.get(uid);
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  async #askAll(signal: AbortSignal): Promise<void> {
    const databases = this.#options.databases();
    const living = new Set(databases.map(uidOf));
    for (const uid of this.#known.keys()) if (!living.has(uid)) this.#known.delete(uid);
    const queue = databases.filter(({ status }) => status?.bootstrapped === true);
    const ask = async () => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
        if (signal.aborted) return;
        await this.#ask(next);
      }
    };
    await Promise.all(Array.from({ length: askedAtOnce }, ask));
  }

  async #ask(database: DatabaseObject): Promise<void> {
    const { podsOf, fetchStatus, onChange, nowMs } = this.#options;
    const workload = database.status?.workload ?? '';
    const pods = replicaPods(podsOf(database)).filter(isReady);
    if (pods.length === 0) return;
    const polls = await pollEngines(workload, pods, fetchStatus);
    const capacity = capacityOf(workload, polls);
    if (capacity === undefined) return;
    const storage = storageUse(polls, nowMs());
    const archive = archiveOf(polls);
    const before = this.#known.get(uidOf(database));
    const toldOf = (what: string) => database.status?.conditions?.find(({ type }) => type === what);
    const integrity = integrityOf(workload, polls, {
      before: before?.integrity,
      told: toldOf('DataIntact'),
    });
    this.#known.set(uidOf(database), { ...capacity, storage, integrity, archive });
    const isNews =
      differs(toldOf('CapacityLeft'), capacity) ||
      (integrity !== undefined && differs(toldOf('DataIntact'), integrity)) ||
      isArchivingNews(toldOf('ContinuousArchiving'), before?.archive, archive) ||
      isWindowNews(database.status?.recovery, archive);
    const mayGrow = database.spec.storage?.autogrow !== undefined;
    if (isNews || (mayGrow && (storage?.usedPart ?? 0) >= growsAt)) onChange(database);
  }
}

type Said = Pick<Condition, 'reason' | 'message'>;

const differs = (told: Said | undefined, { reason, message }: Said): boolean =>
  told?.reason !== reason || told.message !== message;
