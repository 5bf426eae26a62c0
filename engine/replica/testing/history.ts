/**
 * What clients asked and were told, and what replicas say of their state, checked as it happens:
 *
 * - a write that is acknowledged was executed once: by its own request, not as one that is there already;
 * - timestamps rise with ops, and each op is acknowledged to one;
 * - no timestamp is ahead of the true time: nothing expires early;
 * - a read sees all that was acknowledged, to anybody, before it was sent, and all that an earlier read saw;
 * - replicas at the same op have the same state.
 */
/** Clocks are some milliseconds apart where they are right. */
const AHEAD_MAX_MS = 100;

export class History {
  violation: Error | undefined;
  writes = 0;
  reads = 0;
  #begun = 0;
  /** Least that a read begun now must see, and what each read that was begun must. */
  #floor = 0;
  readonly #floors: number[] = [];
  readonly #timestamps = new Map<number, bigint>();
  readonly #hashes = new Map<number, string>();

  /** The id of a new transfer. */
  beginWrite(): number {
    return (this.#begun += 1);
  }

  /** A token for `read`. */
  beginRead(): number {
    return this.#floors.push(this.#floor) - 1;
  }

  written(op: number, timestamp: bigint, created: boolean): void {
    if (!created) this.fail(`the write at op ${op} was executed before`);
    if (this.#timestamps.has(op)) this.fail(`op ${op} was acknowledged twice`);
    this.#timestamps.set(op, timestamp);
    this.writes += 1;
    this.#floor = Math.max(this.#floor, this.writes);
  }

  /** An answer has a timestamp, ns; it came at that true time, ms. */
  told(timestamp: bigint, trueMs: number): void {
    const aheadMs = Number(timestamp / 1_000_000n) - trueMs;
    if (aheadMs > AHEAD_MAX_MS) this.fail(`a timestamp is ${Math.round(aheadMs)} ms ahead of time`);
  }

  read(begun: number, posted: number): void {
    const least = this.#floors[begun] ?? 0;
    if (posted < least) this.fail(`a read saw ${posted} writes of ${least} that were acknowledged`);
    if (posted > this.#begun) this.fail(`a read saw ${posted} writes of ${this.#begun}`);
    this.reads += 1;
    this.#floor = Math.max(this.#floor, posted);
  }

  state(op: number, hash: string): void {
    const known = this.#hashes.get(op);
    if (known === undefined) this.#hashes.set(op, hash);
    else if (known !== hash) this.fail(`two states at op ${op}`);
  }

  /** All replicas have caught up: so many of the transfers that were counted are in the ledger. */
  finished(transfers: number): void {
    // Each client waits until it is answered, so that nothing is unknown at the end.
    if (transfers !== this.#begun || transfers !== this.writes)
      this.fail(
        `${this.#begun} writes were sent, ${this.writes} acknowledged, ${transfers} are there`,
      );
    const inOrder = [...this.#timestamps].sort(([a], [b]) => a - b);
    for (const [i, [op, timestamp]] of inOrder.entries()) {
      if (i > 0 && timestamp <= (inOrder[i - 1]?.[1] ?? 0n))
        this.fail(`the timestamp at op ${op} does not rise`);
    }
  }

  fail(message: string): void {
    this.violation ??= new Error(message);
  }
}
