/** Limits the request bodies that are read for callers without a credential: how many at once, and how long each may take. */
import { systemTimers, type Timers } from '../../base/timers.ts';
import { Refusal } from '../model/refusal.ts';
import { networkOf } from './network.ts';

interface Limits {
  readonly atOnce: number;
  readonly ofNetwork: number;
  readonly timeoutMs: number;
}

const limitsDefault: Limits = { atOnce: 200, ofNetwork: 20, timeoutMs: 10_000 };

interface AnonymousBody {
  /** Aborts with a `Refusal` when the body came too slowly. */
  readonly signal: AbortSignal;
  /** Counts the body no more. */
  readonly release: () => void;
}

interface Place {
  readonly end: (why: Refusal) => void;
}

export class AnonymousBodies {
  readonly #limits: Limits;
  readonly #timers: Timers;
  /** The places of each network, oldest first. */
  readonly #ofNetwork = new Map<string, Set<Place>>();
  #all = 0;

  constructor(limits: Limits = limitsDefault, timers: Timers = systemTimers) {
    this.#limits = limits;
    this.#timers = timers;
  }

  /**
   * Counts one more body until it is released. Throws a `Refusal` when its network has too many. When all networks together
   * have too many, the oldest body of the network with the most is ended: a client that holds places for long keeps nobody out.
   */
  take(ip: string): AnonymousBody {
    const { atOnce, ofNetwork, timeoutMs } = this.#limits;
    const network = networkOf(ip);
    if ((this.#ofNetwork.get(network)?.size ?? 0) >= ofNetwork) throw tooMany(true);
    if (this.#all >= atOnce) this.#endOldest();
    const late = new AbortController();
    const place: Place = {
      end: (why) => {
        release();
        late.abort(why);
      },
    };
    const release = () => {
      cancel();
      this.#leave(network, place);
    };
    const cancel = this.#timers.after(timeoutMs, () => place.end(tooSlow(timeoutMs)));
    const own = this.#ofNetwork.get(network) ?? new Set();
    this.#ofNetwork.set(network, own.add(place));
    this.#all += 1;
    return { signal: late.signal, release };
  }

  #endOldest(): void {
    let largest: ReadonlySet<Place> = new Set();
    for (const places of this.#ofNetwork.values()) if (places.size > largest.size) largest = places;
    const [oldest] = largest;
    oldest?.end(tooMany(false));
  }

  #leave(network: string, place: Place): void {
    const own = this.#ofNetwork.get(network);
    if (own?.delete(place) !== true) return;
    this.#all -= 1;
    if (own.size === 0) this.#ofNetwork.delete(network);
  }
}

const tooMany = (ofNetwork: boolean): Refusal =>
  new Refusal('rate_limited', {
    detail: 'Too many requests without a credential are being read. Send fewer at a time.',
    retryAfterSeconds: 1,
    members: { 'violated-policies': ['anonymous-bodies'] },
    ...(!ofNetwork && { headers: { Connection: 'close' } }),
  });

const tooSlow = (timeoutMs: number): Refusal =>
  new Refusal('invalid_parameter', {
    detail: `The body did not arrive within ${timeoutMs / 1_000} s.`,
    headers: { Connection: 'close' },
  });
