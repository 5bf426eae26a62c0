/** Shares of the store's connections: no owner can take them all. A call beyond its owner's share waits for that share. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { systemTimers } from '../../base/timers.ts';
import { StoreUnavailable } from './store-errors.ts';

const owners = new AsyncLocalStorage<string>();

/** Runs `work`; its calls to the store count for `owner`, for example an organization's ID. */
export const onBehalfOf = <T>(owner: string, work: () => T): T => owners.run(owner, work);

/** Runs `work` for the process itself, whatever the owner of the caller. */
export const onNobodysBehalf = <T>(work: () => T): T => owners.exit(work);

/** Maximum of waiting calls; the next one fails at once. */
const waitingMax = 400;

interface Share {
  taken: number;
  readonly waiting: (() => void)[];
}

export class ConnectionShares {
  readonly #each: number;
  readonly #waitMaxMs: number;
  readonly #shares = new Map<string, Share>();

  /** Each owner may use at most two thirds of the connections. */
  constructor(connections: number, waitMaxMs: number) {
    this.#each = Math.max(1, Math.floor((2 * connections) / 3));
    this.#waitMaxMs = waitMaxMs;
  }

  /** Waits for a connection of the owner's share; the returned function gives it back. Rejects with `StoreUnavailable`. */
  async take(): Promise<() => void> {
    const owner = owners.getStore();
    if (owner === undefined) return () => {};
    const share = this.#shares.get(owner) ?? { taken: 0, waiting: [] };
    this.#shares.set(owner, share);
    if (share.taken >= this.#each) await this.#turn(share);
    else share.taken += 1;
    return () => {
      // The next waiting call takes the connection over.
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
