/** Detects lookups of connection checks among a process's requests, and records them in the store. Nothing waits for it. */
import type { Logger } from 'pino';
import type { ConnectionTrouble, ObservedLookup } from '../model/connection-check.ts';
import type { AnsweredLookup } from '../gateway/handlers.ts';
import { recentMap, type RecentMap } from '../auth/recent-map.ts';
import { addConnectionTrouble, verifyConnectionCheck } from '../store/connection-checks.ts';
import { onNobodysBehalf } from '../store/connection-shares.ts';
import type { Store } from '../store/store.ts';
import type { CheckIds } from './check-ids.ts';

const quietMs = 10_000;
const quietMax = 10_000;

export class ConnectionWatch {
  readonly ids: CheckIds;
  readonly #store: Pick<Store, 'read'>;
  readonly #logger: Logger;
  /** Recently recorded lookups, so that nobody can cause a write each time. */
  readonly #told: RecentMap<true>;

  constructor(ids: CheckIds, store: Pick<Store, 'read'>, logger: Logger) {
    this.ids = ids;
    this.#store = store;
    this.#logger = logger;
    this.#told = recentMap(quietMax, quietMs, () => performance.now());
  }

  /** The IDs of checks among those of a lookup. */
  checksIn(databaseId: string, ids: readonly bigint[]): readonly bigint[] {
    return ids.filter((id) => this.ids.recognizes(databaseId, id));
  }

  observed(databaseId: string, ids: readonly bigint[], lookup: ObservedLookup): void {
    for (const id of ids) {
      this.#tell(`${databaseId} ${id}`, () =>
        verifyConnectionCheck(this.#store.read, databaseId, id, lookup),
      );
    }
  }

  trouble(databaseId: string, trouble: ConnectionTrouble): void {
    this.#tell(`${databaseId} ${trouble.code}`, () =>
      addConnectionTrouble(this.#store.read, databaseId, trouble),
    );
  }

  #tell(name: string, work: () => Promise<void>): void {
    if (this.#told.get(name) !== undefined) return;
    this.#told.set(name, true);
    onNobodysBehalf(work).catch((error: unknown) => {
      this.#logger.warn({ err: error }, 'a connection check could not be written');
    });
  }
}

/** Looks for checks in a lookup over HTTP. */
export function watchHttp(
  watch: ConnectionWatch,
  { databaseId, body, ip, userAgent, ms }: AnsweredLookup,
): void {
  const ids = watch.checksIn(databaseId, idsInText(body));
  if (ids.length === 0) return;
  const [, client = null, clientVersion = null] =
    /^([\w.@-]{1,60})\/([\w.+-]{1,40})/.exec(userAgent ?? '') ?? [];
  const latencyMs = Math.round(ms * 100) / 100;
  watch.observed(databaseId, ids, { via: 'http', client, clientVersion, ip, latencyMs });
}

const textMax = 512;
const digitsOfId = 38;

/** The integers in the JSON of a small lookup that may be IDs of checks: those of 38 digits. */
function idsInText(body: Uint8Array): readonly bigint[] {
  if (body.length < digitsOfId || body.length > textMax) return [];
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1');
  return [...text.matchAll(/(?<!\d)\d{38}(?!\d)/g)].map(([digits]) => BigInt(digits));
}
