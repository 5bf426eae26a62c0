/**
 * Lookups of connection checks that this replica has answered lately, for its status: there the service finds lookups of
 * clients inside the cluster, which it does not see itself. Only the service knows which checks exist; an ID shows only that a
 * lookup may belong to one.
 */
import { checkIdMagic } from '../../domain/connection-check.ts';
import type { CheckLookup } from '../../domain/engine-status.ts';
import { RequestHeader } from '../wire/header.ts';
import type { Message } from '../wire/message-reader.ts';
import { Operation } from '../wire/operations.ts';
import { formatRelease } from '../wire/release.ts';
import { idsOfSmallLookup } from '../wire/small-lookup.ts';

export const checkLookupLimits = { lifetimeMs: 15 * 60_000, max: 32 } as const;

/** A lookup that is not answered yet. */
export interface AskedLookup {
  readonly ids: readonly bigint[];
  readonly release: string;
  readonly atMs: number;
}

interface Seen extends Omit<CheckLookup, 'agoMs'> {
  readonly atMs: number;
}

export class CheckLookups {
  readonly #nowMs: () => number;
  /** By account; the oldest first. */
  readonly #seen = new Map<bigint, Seen>();

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** The lookup in a request, if it may belong to a connection check. */
  askedBy({ header, body }: Pick<Message, 'header' | 'body'>): AskedLookup | undefined {
    const { operation } = new RequestHeader(header);
    if (operation !== Operation.lookupAccounts && operation !== Operation.lookupAccountsUnbatched) {
      return undefined;
    }
    const ids = idsOfSmallLookup(body, checkIdMagic);
    if (ids.length === 0) return undefined;
    return { ids, release: formatRelease(header.release), atMs: this.#nowMs() };
  }

  /** Remembers a lookup that was answered just now. The first one of an account counts. */
  answered({ ids, release, atMs }: AskedLookup, remoteAddress: string | undefined): void {
    const nowMs = this.#nowMs();
    this.#forgetOld(nowMs);
    const ip = remoteAddress?.replace(/^::ffff:|%.*$/g, '') ?? '';
    const latencyMs = Math.round((nowMs - atMs) * 100) / 100;
    for (const id of ids) {
      if (this.#seen.has(id)) continue;
      this.#seen.set(id, { accountId: String(id), ip, release, latencyMs, atMs: nowMs });
      const [oldest] = this.#seen.keys();
      if (this.#seen.size > checkLookupLimits.max && oldest !== undefined) {
        this.#seen.delete(oldest);
      }
    }
  }

  recent(): readonly CheckLookup[] {
    const nowMs = this.#nowMs();
    this.#forgetOld(nowMs);
    return [...this.#seen.values()].map(({ atMs, ...seen }) => ({
      ...seen,
      agoMs: Math.round(nowMs - atMs),
    }));
  }

  #forgetOld(nowMs: number): void {
    for (const [id, { atMs }] of this.#seen) {
      if (nowMs - atMs <= checkLookupLimits.lifetimeMs) return;
      this.#seen.delete(id);
    }
  }
}
