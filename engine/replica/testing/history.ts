/**
 * Checker of the clients' requests and answers and of the replicas' states during a run:
 *
 * - an acknowledged write was executed once, by its own request, not found as already existing;
 * - timestamps rise with ops, and each op is acknowledged to one client;
 * - no timestamp is ahead of the true time, so that nothing expires early;
 * - a read sees everything that was acknowledged to any client before it was sent, and everything that an earlier read saw;
 * - replicas at the same op have the same state.
 */
/** Tolerance: correct clocks differ by some milliseconds. */
const AHEAD_MAX_MS = 100;

export class History {
  violation: Error | undefined;
  writes = 0;
  reads = 0;
  /** Transfers that were created beside the counted ones, as far as answers say. */
  others = 0;
  #begun = 0;
  /** Number of writes that a read begun now must see at least, and the same for each read already begun. */
  #floor = 0;
  readonly #floors: number[] = [];
  readonly #timestamps = new Map<number, bigint>();
  readonly #hashes = new Map<number, string>();

  /** Returns the id of a new transfer. */
  beginWrite(): number {
    return (this.#begun += 1);
  }

  /** Returns a token for `read`. */
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

  /** Checks the timestamp (ns) of an answer that came at the true time `trueMs`. */
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

  /** Checks the number of counted transfers in the ledger after all replicas have caught up. */
  finished(transfers: number): void {
    // Each client waits for its answer, so nothing is unknown at the end.
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
