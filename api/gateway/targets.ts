/**
 * Finds the ledger of a database by its row in the store. Rows are cached for a second, so a thousand requests read the store
 * once, and a deletion is known everywhere within that second.
 */
import { systemTimers, type Timers } from '../../base/timers.ts';
import { databaseNotFound } from '../databases/refusal.ts';
import { Refusal } from '../model/refusal.ts';
import type { LedgerView } from '../store/database-record.ts';
import type { Address } from '../../engine/client/client.ts';
import type { Target } from './connection.ts';

export interface LedgerTarget extends Target {
  readonly name: string;
  readonly engine: string;
  readonly engineVersion: string;
  /** Change streams of the database are on. */
  readonly streams: boolean;
}

const keptMs = 1_000;
const entriesMax = 10_000;

export class LedgerTargets {
  readonly #find: (organizationId: string, id: string) => Promise<LedgerView | undefined>;
  readonly #timers: Timers;
  /** Cached lookups, oldest first. */
  readonly #asked = new Map<
    string,
    { readonly atMs: number; readonly found: Promise<LedgerView | undefined> }
  >();

  constructor(
    find: (organizationId: string, id: string) => Promise<LedgerView | undefined>,
    timers: Timers = systemTimers,
  ) {
    this.#find = find;
    this.#timers = timers;
  }

  async resolve(organizationId: string, id: string): Promise<LedgerTarget | Refusal> {
    const view = await this.#view(organizationId, id);
    if (view === undefined) return databaseNotFound(id);
    const target = targetOf(view);
    if (target instanceof Refusal) return target;
    return { ...target, again: () => this.#again(organizationId, id) };
  }

  async #again(organizationId: string, id: string): Promise<LedgerTarget | undefined> {
    const target = await this.resolve(organizationId, id);
    return target instanceof Refusal ? undefined : target;
  }

  /** Forgets a cached row, so that a change of this process is seen at once. */
  forget(organizationId: string, id: string): void {
    this.#asked.delete(`${organizationId}/${id}`);
  }

  #view(organizationId: string, id: string): Promise<LedgerView | undefined> {
    const key = `${organizationId}/${id}`;
    const nowMs = this.#timers.nowMs();
    const known = this.#asked.get(key);
    if (known !== undefined && nowMs - known.atMs < keptMs) return known.found;
    const found = this.#find(organizationId, id);
    // A failure is reported only to the callers that waited for it; it is not cached.
    found.catch(() => this.#asked.delete(key));
    this.#asked.delete(key);
    this.#asked.set(key, { atMs: nowMs, found });
    const [oldest] = this.#asked.keys();
    if (this.#asked.size > entriesMax && oldest !== undefined) this.#asked.delete(oldest);
    return found;
  }
}

export interface LedgerPlaces {
  readonly targets: LedgerTargets;
  /** Reason why a database is suspended, if no person did it. */
  readonly whySuspended: (databaseId: string) => Promise<Refusal | undefined>;
}

/** Throws a `Refusal` if the database does not exist or cannot be asked. */
export async function requireTarget(
  { targets, whySuspended }: LedgerPlaces,
  organizationId: string,
  databaseId: string,
): Promise<LedgerTarget> {
  const target = await targets.resolve(organizationId, databaseId);
  if (!(target instanceof Refusal)) return target;
  const isSuspended = target.occasion.members?.['databaseStatus'] === 'SUSPENDED';
  const why = isSuspended ? await whySuspended(databaseId) : undefined;
  throw why ?? target;
}

/** The target. Only the database's status can refuse it, never its health: the ledger itself shows whether it answers. */
function targetOf({ database, profile, streams }: LedgerView): LedgerTarget | Refusal {
  const { id, name, status, clusterId, observed, version } = database;
  if (status === 'DELETED') return databaseNotFound(id);
  const addresses = addressesOf(observed?.addresses ?? []);
  if (status !== 'READY' || clusterId === null || addresses.length === 0) {
    return new Refusal('database_not_ready', {
      detail: `${name} is ${status}: ${waitFor[status] ?? 'it has no addresses yet'}.`,
      members: { databaseStatus: status },
      // Any other status lasts until somebody acts.
      ...(retryAfter[status] === undefined
        ? { retryable: false }
        : { retryAfterSeconds: retryAfter[status] }),
    });
  }
  return {
    databaseId: id,
    cluster: BigInt(clusterId),
    version,
    addresses,
    name,
    engine: profile.engine,
    engineVersion: observed?.engineVersion ?? profile.engineVersion,
    streams,
  };
}

/** A READY one gets another shape, and has its new addresses within seconds. */
const retryAfter: Readonly<Record<string, number>> = { PROVISIONING: 5, READY: 1 };

const waitFor: Readonly<Record<string, string>> = {
  PROVISIONING: 'wait until its status is READY',
  SUSPENDED: 'resume it first',
  FAILED: 'see its statusReason, and retry or delete it',
  DELETING: 'restore it when the deletion has ended',
};

/** Parses addresses of the form `IP:port`. */
export const addressesOf = (texts: readonly string[]): readonly Address[] =>
  texts.flatMap((text) => {
    const [, host, port] = /^\[?([^\]]+)\]?:(\d+)$/.exec(text) ?? [];
    return host === undefined ? [] : [{ host, port: Number(port) }];
  });
