/** On whose behalf the store is asked, and that nobody takes all of its connections: who has its share waits for its own. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { systemTimers } from '../../base/timers.ts';
import { StoreUnavailable } from './store-errors.ts';

const owners = new AsyncLocalStorage<string>();

/** Everything that `work` asks of the store counts as the owner's, an organization's ID for example. */
export const onBehalfOf = <T>(owner: string, work: () => T): T => owners.run(owner, work);

/** `work` is the process's own, whoever began it. */
export const onNobodysBehalf = <T>(work: () => T): T => owners.exit(work);

/** Who waits beyond these is told at once that there is no connection. */
const waitingMax = 100;

interface Share {
  taken: number;
  readonly waiting: (() => void)[];
}

export class ConnectionShares {
  readonly #each: number;
  readonly #waitMaxMs: number;
  readonly #shares = new Map<string, Share>();

  /** An owner has two thirds of the connections at most. */
  constructor(connections: number, waitMaxMs: number) {
    this.#each = Math.max(1, Math.floor((2 * connections) / 3));
    this.#waitMaxMs = waitMaxMs;
  }

  /** Waits for a connection of the owner's share; the result gives it back. Rejects with a `StoreUnavailable`. */
  async take(): Promise<() => void> {
    const owner = owners.getStore();
    if (owner === undefined) return () => {};
    const share = this.#shares.get(owner) ?? { taken: 0, waiting: [] };
    this.#shares.set(owner, share);
    if (share.taken >= this.#each) await this.#turn(share);
    else share.taken += 1;
    return () => {
      // Whoever waits takes it over.
      const next = share.waiting.shift();
      if (next !== undefined) return next();
      share.taken -= 1;
      if (share.taken === 0) this.#shares.delete(owner);
    };
  }

  #turn({ waiting }: Share): Promise<void> {
    if (waiting.length >= waitingMax) {
      const detail = `${waitingMax} calls of one organization wait for a connection to the store`;
      return Promise.reject(new StoreUnavailable(detail));
    }
    return new Promise((resolve, reject) => {
      const cancel = systemTimers.after(this.#waitMaxMs, () => {
        waiting.splice(waiting.indexOf(go), 1);
        const detail = 'the organization’s other calls hold its share of the connections';
        reject(new StoreUnavailable(detail));
      });
      const go = () => {
        cancel();
        resolve();
      };
      waiting.push(go);
    });
  }
}
