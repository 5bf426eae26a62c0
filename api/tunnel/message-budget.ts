/**
 * Bytes of large messages that all tunnels of this process hold, in total and for each organization. A tunnel that finds no room
 * waits, and its client with it; nothing is refused.
 */
import { HeldBytes, type ByteLimits } from '../http/held-bytes.ts';

const mebibyte = 1024 * 1024;
/** Room for 64 full messages, 32 of them of one organization. */
const messageLimits: ByteLimits = {
  totalBytes: 64 * mebibyte,
  organizationBytes: 32 * mebibyte,
};

export class MessageBudget {
  readonly #held: HeldBytes;
  /** Calls of tunnels that wait for room, in the order of their waiting. */
  readonly #waiting = new Set<() => void>();

  constructor(limits: ByteLimits = messageLimits) {
    this.#held = new HeldBytes(limits);
  }

  get heldBytes(): number {
    return this.#held.total;
  }

  /** Takes room for a message. If there is none, returns false; `retry` is then called once, when there may be some. */
  take(owner: string, bytes: number, retry: () => void): boolean {
    if (this.#held.limitReached(owner, bytes) !== undefined) {
      this.#waiting.add(retry);
      return false;
    }
    this.#waiting.delete(retry);
    this.#held.count(owner, bytes);
    return true;
  }

  release(owner: string, bytes: number): void {
    this.#held.count(owner, -bytes);
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const retry of waiting) retry();
  }

  /** Ends the waiting of a tunnel that has ended. */
  forget(retry: () => void): void {
    this.#waiting.delete(retry);
  }
}
