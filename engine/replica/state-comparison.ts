/**
 * Comparison of this replica's state with the others' by heartbeats: hashes at the same op must be equal. A hash covers
 * everything executed before, so replicas that differ once differ from then on. The minority is wrong.
 */

/** Number of ops whose own hash is kept: some seconds of the smallest possible blocks. */
const REMEMBERED_MAX = 4096;

export class StateComparison {
  readonly #replicaCount: number;
  /** Own hashes (hexadecimal) by op, in rising order. */
  readonly #own = new Map<number, string>();
  /** Hash of an op that is not executed here yet, by replica. */
  readonly #ahead = new Map<number, { readonly op: number; readonly hash: string }>();
  readonly #verdicts = new Map<number, 'same' | 'differs'>();

  #lastOp = 0;

  constructor(replicaCount: number) {
    this.#replicaCount = replicaCount;
  }

  executed(op: number, hash: string): void {
    this.#lastOp = op;
    this.#own.set(op, hash);
    if (this.#own.size > REMEMBERED_MAX) {
      const [oldest] = this.#own.keys();
      if (oldest !== undefined) this.#own.delete(oldest);
    }
    for (const [replica, heard] of this.#ahead) {
      if (heard.op > op) continue;
      this.#ahead.delete(replica);
      this.heard(replica, heard.op, heard.hash);
    }
  }

  heard(replica: number, op: number, hash: string): void {
    const own = this.#own.get(op);
    if (own !== undefined) {
      this.#verdicts.set(replica, own === hash ? 'same' : 'differs');
      return;
    }
    // The first hash ahead is kept. If each later one replaced it, a replica that lags would never compare.
    if (op > this.#lastOp && !this.#ahead.has(replica)) this.#ahead.set(replica, { op, hash });
  }

  /** Starts again after another state has replaced this one. */
  restart(): void {
    this.#lastOp = 0;
    this.#own.clear();
    this.#ahead.clear();
    this.#verdicts.clear();
  }

  /** True if so many others differ that this replica cannot be in the majority. */
  get isWrong(): boolean {
    const differing = [...this.#verdicts.values()].filter(
      (verdict) => verdict === 'differs',
    ).length;
    return this.#replicaCount - differing < Math.floor(this.#replicaCount / 2) + 1;
  }

  /** Replicas whose state differed at the same op. */
  get differing(): readonly number[] {
    return [...this.#verdicts]
      .filter(([, verdict]) => verdict === 'differs')
      .map(([replica]) => replica);
  }
}
