/** Limits the request bodies that are read for callers without a credential: how many at once, and how long each may take. */
import { Refusal } from '../model/refusal.ts';
import { networkOf } from './network.ts';

export const anonymousBodies = { atOnce: 200, ofNetwork: 20, timeoutMs: 10_000 } as const;

export class AnonymousBodies {
  readonly #ofNetwork = new Map<string, number>();
  #all = 0;

  /** Counts one more body until the returned function is called. Throws a `Refusal` when there are too many. */
  take(ip: string): () => void {
    const network = networkOf(ip);
    const own = this.#ofNetwork.get(network) ?? 0;
    if (own >= anonymousBodies.ofNetwork || this.#all >= anonymousBodies.atOnce) {
      throw new Refusal('rate_limited', {
        detail: 'Too many requests without a credential are being read. Send fewer at a time.',
        retryAfterSeconds: 1,
        members: { 'violated-policies': ['anonymous-bodies'] },
      });
    }
    this.#all += 1;
    this.#ofNetwork.set(network, own + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#all -= 1;
      const left = (this.#ofNetwork.get(network) ?? 1) - 1;
      if (left > 0) this.#ofNetwork.set(network, left);
      else this.#ofNetwork.delete(network);
    };
  }
}
