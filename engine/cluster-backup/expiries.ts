/**
 * Groups expiries into the pulses that made them. A pulse expires all due transfers at consecutive timestamps; the last of these is
 * its own.
 */
import { EXPIRIES_MAX } from '../ledger/expire-transfers.ts';

export class Expiries {
  #last = 0n;
  #count = 0;

  /** Adds the next expiry. Returns the timestamp of the pulse before it, if it belongs to another one. */
  add(timestamp: bigint): bigint | undefined {
    const goesOn = this.#count > 0 && timestamp === this.#last + 1n && this.#count < EXPIRIES_MAX;
    const before = goesOn ? undefined : this.take();
    this.#last = timestamp;
    this.#count += 1;
    return before;
  }

  /** Ends the pulse. Returns its timestamp, if there is one. */
  take(): bigint | undefined {
    if (this.#count === 0) return undefined;
    this.#count = 0;
    return this.#last;
  }
}
