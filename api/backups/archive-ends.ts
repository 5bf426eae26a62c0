/**
 * Asks the engines of a database how far its log is archived. What the store has of it is minutes old; a restore is often wanted
 * for the last minute before a mistake.
 */
import { systemTimers, type Timers } from '../../base/timers.ts';
import type { ArchiveStatus } from '../../domain/archive-status.ts';
import type { StatusFetch } from '../../domain/fetch-status.ts';
import { parseEngineStatus } from '../../domain/parse-engine-status.ts';
import type { Address } from '../../engine/client/client.ts';
import { recentMap, type RecentMap } from '../auth/recent-map.ts';
import { addressesOf } from '../gateway/targets.ts';
import type { Database } from '../store/database-record.ts';

interface ArchiveEndOptions {
  readonly fetchStatus: StatusFetch;
  readonly statusUrl: (address: Address) => string;
  readonly timers?: Timers;
}

const timeoutMs = 1_000;
const askEveryMs = 1_000;
const databasesMax = 10_000;

export class ArchiveEnds {
  readonly #options: ArchiveEndOptions;
  readonly #asked: RecentMap<Promise<ArchiveStatus | undefined>>;

  constructor(options: ArchiveEndOptions) {
    this.#options = options;
    const timers = options.timers ?? systemTimers;
    this.#asked = recentMap(databasesMax, askEveryMs, () => timers.nowMs());
  }

  /** Resolves with the word of the engine whose log is archived; `undefined` if none answers within a second. Never rejects. */
  async of({ id, status, observed }: Database): Promise<ArchiveStatus | undefined> {
    if (status !== 'READY' || (observed?.archiving ?? null) === null) return undefined;
    const known = this.#asked.get(id);
    if (known !== undefined) return known;
    const asked = this.#ask(addressesOf(observed?.addresses ?? []));
    this.#asked.set(id, asked);
    return asked;
  }

  async #ask(addresses: readonly Address[]): Promise<ArchiveStatus | undefined> {
    const { fetchStatus, statusUrl } = this.#options;
    const answers = await Promise.allSettled(
      addresses.map((address) => fetchStatus(statusUrl(address), AbortSignal.timeout(timeoutMs))),
    );
    const said = answers.flatMap((answer) => {
      if (answer.status === 'rejected') return [];
      const parsed = parseEngineStatus(answer.value);
      return 'problem' in parsed || parsed.archive === undefined ? [] : [parsed.archive];
    });
    return said.find(({ leads }) => leads);
  }
}
