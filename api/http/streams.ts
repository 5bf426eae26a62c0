/**
 * Counts the open streams in this process and limits them for each caller. Tunnels and streams of change events are counted
 * separately.
 */
import type { Caller } from '../auth/principal.ts';
import { Refusal } from '../model/refusal.ts';

/**
 * Interval between access checks of an open stream. Together with the time for which a process remembers a key, it stays below
 * 30 s, the time within which a revoked key's streams end.
 */
export const streamCheckMs = 20_000;

interface StreamLimits {
  readonly noun: string;
  readonly ofCredential: number;
  readonly ofOrganization: number;
}

export const eventStreams: StreamLimits = {
  noun: 'streams',
  ofCredential: 20,
  ofOrganization: 100,
};
/** Each stream reads its database every second, and holds a page of events while its reader is slow. */
export const changeStreams: StreamLimits = {
  noun: 'streams of change events',
  ofCredential: 5,
  ofOrganization: 25,
};
/** A client has a tunnel for each replica: 64 clients of a database with six replicas have 384. */
export const tunnels: StreamLimits = { noun: 'tunnels', ofCredential: 500, ofOrganization: 1_000 };

export class Streams {
  readonly #limits: StreamLimits;
  readonly #open = new Map<string, number>();

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  /** Counts one more stream until the returned function is called. Throws when the caller has too many. */
  take({ credentialId, organization }: Caller): () => void {
    const { noun, ofCredential, ofOrganization } = this.#limits;
    const shares = [
      { name: credentialId, most: ofCredential, whose: 'this credential' },
      ...(organization === null
        ? []
        : [
            {
              name: organization.id,
              most: ofOrganization,
              whose: 'this organization',
            },
          ]),
    ];
    for (const { name, most, whose } of shares) {
      if ((this.#open.get(name) ?? 0) < most) continue;
      throw new Refusal('rate_limited', {
        detail: `${most} ${noun} of ${whose} are already open. Close one first.`,
        retryAfterSeconds: 5,
        members: { 'violated-policies': [noun] },
      });
    }
    for (const { name } of shares) this.#add(name, 1);
    return () => {
      for (const { name } of shares) this.#add(name, -1);
    };
  }

  #add(name: string, more: number): void {
    const now = (this.#open.get(name) ?? 0) + more;
    if (now > 0) this.#open.set(name, now);
    else this.#open.delete(name);
  }
}
