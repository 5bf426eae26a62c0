/**
 * Turns of connections to logs. While there are fewer logs than connections, each is followed all the time. Otherwise they take
 * turns, the one that has waited longest first, and each continues from its place.
 */
import type { Timers } from '../../base/timers.ts';

export interface LogTurns {
  readonly connections: number;
  /** Minimum length of a turn while others wait. */
  readonly leastMs: number;
  /** Maximum length: a connection that died silently is noticed then. */
  readonly greatestMs: number;
}

export interface Turn {
  /** Whether it must give its connection back. */
  readonly isOver: () => boolean;
  readonly end: () => void;
}

/** Share of the maximum length by which turns differ. */
const spread = 0.25;

export class Turns {
  readonly #options: LogTurns;
  readonly #timers: Timers;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(options: LogTurns, timers: Timers) {
    this.#options = options;
    this.#timers = timers;
  }

  /** `undefined`: the signal aborted first. */
  async take(signal: AbortSignal): Promise<Turn | undefined> {
    if (signal.aborted) return undefined;
    if (this.#taken < this.#options.connections) this.#taken += 1;
    else if (!(await this.#wait(signal))) return undefined;
    return this.#turn();
  }

  /** Resolves with true once another turn has handed over its connection. */
  #wait(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (isMine: boolean) => {
        this.#waiting.delete(go);
        signal.removeEventListener('abort', giveUp);
        resolve(isMine);
      };
      const go = () => done(true);
      const giveUp = () => done(false);
      this.#waiting.add(go);
      signal.addEventListener('abort', giveUp);
    });
  }

  #turn(): Turn {
    const { leastMs, greatestMs } = this.#options;
    const begunMs = this.#timers.nowMs();
    // Turns that began together must not end together.
    const mostMs = greatestMs * (1 - spread * Math.random());
    return {
      isOver: () => {
        const heldMs = this.#timers.nowMs() - begunMs;
        return heldMs >= (this.#waiting.size > 0 ? leastMs : mostMs);
      },
      end: () => {
        const [next] = this.#waiting;
        if (next === undefined) this.#taken -= 1;
        else next();
      },
    };
  }
}
