/**
 * Asks the engines of each running database about once a minute how much of their limits they use, and more often while it is not known yet what
 * a new database's archive has: until then nobody can restore to a moment that is in it. Only if the meaning of the
 * answer changes, a reconcile of that database writes to the API server. A reconcile that asks engines for something else tells their
 * answers here, so that a new database says with its first status what it has left.
 */
import type { Logger } from 'pino';
import type { Condition, DatabaseObject } from '../../domain/custom-resources.ts';
import { uidOf } from '../../domain/names.ts';
import { RepeatingTask } from '../../base/repeating-task.ts';
import { systemTimers, type Timers } from '../../base/timers.ts';
import type { Pod } from '../../domain/kinds.ts';
import { archiveOf, isArchivingNews } from '../ledgerdatabase/archiving.ts';
import { isWindowNews } from '../ledgerdatabase/recovery.ts';
import type { Polls } from '../ledgerdatabase/observation.ts';
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

/** Interval between two rounds of the databases whose archives have not told what they have. */
const soonMs = 5_000;
/** Rounds in which they are asked so often: an archive that has nothing, or whose store is away, stays so. */
const soonRoundsMax = 24;
/** Maximum number of databases asked at a time: each answers within 2 s, or does not. */
const askedAtOnce = 20;

export class CapacityWatch {
  readonly #options: CapacityWatchOptions;
  readonly #timers: Timers;
  readonly #tasks: readonly RepeatingTask[];
  /** Rounds in which databases were asked for what their archives have. */
  readonly #soonRounds = new Map<string, number>();
  readonly #known = new Map<string, Capacity>();

  constructor(options: CapacityWatchOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    const task = (everyMs: number, run: (signal: AbortSignal) => Promise<void>) =>
      new RepeatingTask({
        everyMs,
        timers: this.#timers,
        run,
        onFailure: (error) =>
          options.logger.error({ err: error }, 'the capacity of engines could not be read'),
      });
    this.#tasks = [
      task(options.periodMs ?? 60_000, (signal) => this.#askAll(signal)),
      task(soonMs, (signal) => this.#askSoon(signal)),
    ];
  }

  /** Capacity that this process last heard of. */
  of(uid: string): Capacity | undefined {
    return this.#known.get(uid);
  }

  start(): void {
    for (const task of this.#tasks) task.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#tasks.map((task) => task.stop()));
  }

  async #askAll(signal: AbortSignal): Promise<void> {
    const databases = this.#options.databases();
    const living = new Set(databases.map(uidOf));
    for (const known of [this.#known, this.#soonRounds])
      for (const uid of known.keys()) if (!living.has(uid)) known.delete(uid);
    await this.#askEach(databases.filter(hasRun), signal);
  }

  async #askSoon(signal: AbortSignal): Promise<void> {
    const waiting = this.#options.databases().filter((one) => hasRun(one) && this.#awaits(one));
    await this.#askEach(waiting, signal);
  }

  /** Whether a database is asked again soon for what its archive has. */
  #awaits(database: DatabaseObject): boolean {
    const uid = uidOf(database);
    const isArchived = database.spec.backup?.continuous?.enabled === true;
    if (!isArchived || this.#known.get(uid)?.archive?.archivedOp !== undefined) {
      this.#soonRounds.delete(uid);
      return false;
    }
    const rounds = (this.#soonRounds.get(uid) ?? 0) + 1;
    this.#soonRounds.set(uid, rounds);
    return rounds <= soonRoundsMax;
  }

  async #askEach(databases: readonly DatabaseObject[], signal: AbortSignal): Promise<void> {
    const queue = [...databases];
    const ask = async () => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
        if (signal.aborted) return;
        await this.#ask(next);
      }
    };
    await Promise.all(Array.from({ length: askedAtOnce }, ask));
  }

  async #ask(database: DatabaseObject): Promise<void> {
    const { podsOf, fetchStatus, onChange } = this.#options;
    const workload = database.status?.workload ?? '';
    const pods = replicaPods(podsOf(database)).filter(isReady);
    if (pods.length === 0) return;
    const polls = await pollEngines(workload, pods, fetchStatus);
    const before = this.#known.get(uidOf(database));
    const now = this.heard(database, workload, polls);
    if (now !== undefined && isNews(database, before, now)) onChange(database);
  }

  /** Takes what engines have answered, whoever has asked them. Returns it; `undefined` if none has answered. */
  heard(database: DatabaseObject, workload: string, polls: Polls): Capacity | undefined {
    const capacity = capacityOf(workload, polls);
    if (capacity === undefined) return undefined;
    const storage = storageUse(polls, this.#options.nowMs());
    const archive = archiveOf(polls);
    const before = this.#known.get(uidOf(database))?.integrity;
    const integrity = integrityOf(workload, polls, {
      before,
      told: toldOf(database, 'DataIntact'),
    });
    const known = { ...capacity, storage, integrity, archive };
    this.#known.set(uidOf(database), known);
    return known;
  }
}

const hasRun = ({ status }: DatabaseObject): boolean => status?.bootstrapped === true;

/** Returns whether a database's status says something else, or its storage may have to grow. */
function isNews(database: DatabaseObject, before: Capacity | undefined, now: Capacity): boolean {
  const { storage, integrity, archive } = now;
  const mayGrow = database.spec.storage?.autogrow !== undefined;
  return (
    differs(toldOf(database, 'CapacityLeft'), now) ||
    (integrity !== undefined && differs(toldOf(database, 'DataIntact'), integrity)) ||
    isArchivingNews(toldOf(database, 'ContinuousArchiving'), before?.archive, archive) ||
    isWindowNews(database.status?.recovery, archive) ||
    (mayGrow && (storage?.usedPart ?? 0) >= growsAt)
  );
}

const toldOf = ({ status }: DatabaseObject, what: string): Condition | undefined =>
  status?.conditions?.find(({ type }) => type === what);

type Said = Pick<Condition, 'reason' | 'message'>;

const differs = (told: Said | undefined, { reason, message }: Said): boolean =>
  told?.reason !== reason || told.message !== message;
