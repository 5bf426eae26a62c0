/** Counts the open streams in this process and limits them for each caller. */
import type { Caller } from '../auth/principal.ts';
import { Refusal } from '../model/refusal.ts';

const streamLimits = { ofCredential: 20, ofOrganization: 100 } as const;

export class Streams {
  readonly #open = new Map<string, number>();

  /** Counts one more stream until the returned function is called. Throws when the caller has too many. */
  take({ credentialId, organization }: Caller): () => void {
    const shares = [
      { name: credentialId, most: streamLimits.ofCredential, whose: 'this credential' },
      ...(organization === null
        ? []
        : [
            {
              name: organization.id,
              most: streamLimits.ofOrganization,
              whose: 'this organization',
            },
          ]),
    ];
    for (const { name, most, whose } of shares) {
      if ((this.#open.get(name) ?? 0) < most) continue;
      throw new Refusal('rate_limited', {
        detail: `${most} streams of ${whose} are already open. Close one first.`,
        retryAfterSeconds: 5,
        members: { 'violated-policies': ['streams'] },
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
