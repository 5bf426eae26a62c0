/**
 * Finds lookups of connection checks that a database's replicas answered to clients in the cluster, which reach them without
 * the service: each replica's status lists them. The replicas are asked while somebody waits for a check, at most once a second
 * for each database.
 */
import { systemTimers, type Timers } from '../../base/timers.ts';
import type { CheckLookup } from '../../domain/engine-status.ts';
import type { StatusFetch } from '../../domain/fetch-status.ts';
import { parseEngineStatus } from '../../domain/parse-engine-status.ts';
import type { Address } from '../../engine/client/client.ts';
import { recentMap, type RecentMap } from '../auth/recent-map.ts';
import type { LedgerTarget } from '../gateway/targets.ts';
import {
  connectionWays,
  type ConnectionWay,
  type ObservedLookup,
} from '../model/connection-check.ts';

interface ClusterLookupOptions {
  readonly fetchStatus: StatusFetch;
  readonly statusUrl: (address: Address) => string;
  readonly timers?: Timers;
}

const timeoutMs = 1_000;
const askEveryMs = 1_000;
const databasesMax = 10_000;
/**
 * A replica also lists lookups through the tunnel and over HTTP, which are known here at once. A younger one may still be on
 * its way to the store.
 */
const settledMs = 3_000;

export class ClusterLookups {
  readonly #options: ClusterLookupOptions;
  readonly #asked: RecentMap<Promise<readonly CheckLookup[]>>;

  constructor(options: ClusterLookupOptions) {
    this.#options = options;
    const timers = options.timers ?? systemTimers;
    this.#asked = recentMap(databasesMax, askEveryMs, () => timers.nowMs());
  }

  /** Resolves with the lookup of this account, `undefined` if no replica names one. Never rejects. */
  async find(target: LedgerTarget, accountId: string): Promise<ObservedLookup | undefined> {
    if (!waysOf(target.engine).includes('cluster')) return undefined;
    const lookups = await this.#lookupsOf(target);
    const found = lookups.find((one) => one.accountId === accountId && one.agoMs >= settledMs);
    return (
      found && {
        via: 'cluster',
        client: null,
        clientVersion: found.release,
        ip: found.ip === '' ? null : found.ip,
        latencyMs: found.latencyMs,
      }
    );
  }

  #lookupsOf({ databaseId, addresses }: LedgerTarget): Promise<readonly CheckLookup[]> {
    const known = this.#asked.get(databaseId);
    if (known !== undefined) return known;
    const asked = this.#ask(addresses);
    this.#asked.set(databaseId, asked);
    return asked;
  }

  async #ask(addresses: readonly Address[]): Promise<readonly CheckLookup[]> {
    const { fetchStatus, statusUrl } = this.#options;
    const answers = await Promise.allSettled(
      addresses.map((address) => fetchStatus(statusUrl(address), AbortSignal.timeout(timeoutMs))),
    );
    return answers.flatMap((answer) => {
      if (answer.status === 'rejected') return [];
      const status = parseEngineStatus(answer.value);
      return 'problem' in status ? [] : (status.checkLookups ?? []);
    });
  }
}

/** Ways in which a lookup is seen. TigerBeetle does not report its clients' requests. */
export const waysOf = (engine: string): readonly ConnectionWay[] =>
  connectionWays.filter((way) => way !== 'cluster' || engine === 'Builtin');
