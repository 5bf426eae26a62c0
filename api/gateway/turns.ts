/**
 * A fair queue for the time of this process. Decoding a large request and encoding a large answer take milliseconds, in which
 * nothing else runs. When more work waits than fits between two looks at the network, the organization that has had the least
 * time comes first, so that many or large requests delay only those of their own organization. Work is weighed by the time that
 * it took.
 */
import { systemTimers } from '../../base/timers.ts';

interface TurnsOptions {
  readonly nowMs: () => number;
  /** Runs the callback once the process has looked at the network again. */
  readonly afterNetwork: (callback: () => void) => void;
}

interface Owner {
  /** Time that it has had, on the queue's own clock. */
  usedMs: number;
  readonly waiting: (() => void)[];
}

/** Time for work between two looks at the network. Work that was begun is finished. */
const passMs = 4;

export class Turns {
  readonly #options: TurnsOptions;
  readonly #owners = new Map<string, Owner>();
  /**
   * Least time among organizations with waiting work. An organization that joins later starts with it and cannot save time up.
   */
  #clockMs = 0;
  #spentMs = 0;
  #waiting = 0;
  #passEnds = false;

  constructor(
    options: TurnsOptions = {
      nowMs: () => systemTimers.nowMs(),
      afterNetwork: (callback) => void setImmediate(callback),
    },
  ) {
    this.#options = options;
  }

  /** Number of pieces of work that wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Does the work when it is the owner's turn: at once, unless the process is busy. */
  run<T>(owner: string, work: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const piece = () => {
      try {
        resolve(work());
      } catch (error) {
        reject(error);
      }
    };
    if (this.#waiting === 0 && this.#spentMs < passMs) this.#do(this.#ownerOf(owner), piece);
    else {
      this.#ownerOf(owner).waiting.push(piece);
      this.#waiting += 1;
    }
    this.#endPass();
    return promise;
  }

  #ownerOf(name: string): Owner {
    const known = this.#owners.get(name);
    if (known === undefined) {
      const made = { usedMs: this.#clockMs, waiting: [] };
      this.#owners.set(name, made);
      return made;
    }
    if (known.waiting.length === 0) known.usedMs = Math.max(known.usedMs, this.#clockMs);
    return known;
  }

  #do(owner: Owner, piece: () => void): void {
    const begunMs = this.#options.nowMs();
    piece();
    const tookMs = this.#options.nowMs() - begunMs;
    owner.usedMs += tookMs;
    this.#spentMs += tookMs;
  }

  /** Begins another pass after the next look at the network. */
  #endPass(): void {
    if (this.#passEnds) return;
    this.#passEnds = true;
    this.#options.afterNetwork(() => {
      this.#passEnds = false;
      this.#spentMs = 0;
      while (this.#waiting > 0 && this.#spentMs < passMs) this.#doNext();
      if (this.#waiting > 0) this.#endPass();
      else if (this.#spentMs === 0) this.#forget();
      else this.#endPass();
    });
  }

  #doNext(): void {
    let next: Owner | undefined;
    for (const owner of this.#owners.values()) {
      if (owner.waiting.length > 0 && (next === undefined || owner.usedMs < next.usedMs)) {
        next = owner;
      }
    }
    const piece = next?.waiting.shift();
    if (next === undefined || piece === undefined) return;
    this.#waiting -= 1;
    this.#clockMs = next.usedMs;
    this.#do(next, piece);
  }

  /** Nobody waits: used time no longer counts. */
  #forget(): void {
    this.#owners.clear();
    this.#clockMs = 0;
  }
}
