/**
 * Asks the engines of a database how far its log is archived, and which operation a target reaches. What the store has of the log is
 * minutes old; a restore is often wanted for the last minute before a mistake.
 */
import { systemTimers, type Timers } from '../../base/timers.ts';
import { askedMomentSchema, QUESTION_MS } from '../../domain/archive-question.ts';
import type { ArchiveStatus } from '../../domain/archive-status.ts';
import type { StatusFetch } from '../../domain/fetch-status.ts';
import { parseEngineStatus } from '../../domain/parse-engine-status.ts';
import type { Moment, Target } from '../../domain/recovery.ts';
import type { Address } from '../../engine/client/client.ts';
import { recentMap, type RecentMap } from '../auth/recent-map.ts';
import { addressesOf } from '../gateway/targets.ts';
import type { Database } from '../store/database-record.ts';

interface ArchiveEndOptions {
  readonly fetchStatus: StatusFetch;
  readonly statusUrl: (address: Address) => string;
  readonly timers?: Timers;
}

/** The engine whose log is archived, and what it says. */
interface Leader {
  readonly address: Address;
  readonly archive: ArchiveStatus;
}

const timeoutMs = 1_000;
const askEveryMs = 1_000;
const databasesMax = 10_000;

export class ArchiveEnds {
  readonly #options: ArchiveEndOptions;
  readonly #asked: RecentMap<Promise<Leader | undefined>>;

  constructor(options: ArchiveEndOptions) {
    this.#options = options;
    const timers = options.timers ?? systemTimers;
    this.#asked = recentMap(databasesMax, askEveryMs, () => timers.nowMs());
  }

  /** Resolves with the word of the engine whose log is archived; `undefined` if none answers within a second. Never rejects. */
  async of(database: Database): Promise<ArchiveStatus | undefined> {
    return (await this.#leaderOf(database))?.archive;
  }

  /** The operation that a target reaches, as the archiver reads it in the store; `undefined` if it does not answer. Never rejects. */
  async momentAt(database: Database, target: Target): Promise<Moment | undefined> {
    const leader = await this.#leaderOf(database);
    if (leader === undefined) return undefined;
    const { fetchStatus, statusUrl } = this.#options;
    const query =
      target.kind === 'op' ? `op=${target.op}` : `timestamp=${String(target.timestamp)}`;
    const url = new URL(`/archive/moment?${query}`, statusUrl(leader.address));
    const signal = AbortSignal.timeout(QUESTION_MS + timeoutMs);
    const said = await fetchStatus(url.href, signal).catch(() => undefined);
    const parsed = askedMomentSchema.safeParse(said);
    return parsed.success
      ? { op: parsed.data.op, timestamp: BigInt(parsed.data.timestamp) }
      : undefined;
  }

  async #leaderOf({ id, status, observed }: Database): Promise<Leader | undefined> {
    if (status !== 'READY' || (observed?.archiving ?? null) === null) return undefined;
    const known = this.#asked.get(id);
    if (known !== undefined) return known;
    const asked = this.#ask(addressesOf(observed?.addresses ?? []));
    this.#asked.set(id, asked);
    return asked;
  }

  async #ask(addresses: readonly Address[]): Promise<Leader | undefined> {
    const { fetchStatus, statusUrl } = this.#options;
    const answers = await Promise.allSettled(
      addresses.map(async (address) => ({
        address,
        status: await fetchStatus(statusUrl(address), AbortSignal.timeout(timeoutMs)),
      })),
    );
    const said = answers.flatMap((answer): readonly Leader[] => {
      if (answer.status === 'rejected') return [];
      const { address, status } = answer.value;
      const parsed = parseEngineStatus(status);
      return 'problem' in parsed || parsed.archive === undefined
        ? []
        : [{ address, archive: parsed.archive }];
    });
    return said.find(({ archive }) => archive.leads);
  }
}
