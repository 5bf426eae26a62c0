/**
 * Compares this replica's state with the others' as heartbeats tell it: hashes at the same op are equal. A hash covers all
 * that was executed before, so that replicas which differ once differ from then on. Those that are fewer are wrong.
 */

/** Ops whose own hash is remembered: seconds of the smallest blocks there are. */
const REMEMBERED_MAX = 4096;

export class StateComparison {
  readonly #replicaCount: number;
  /** By op, rising; hexadecimal. */
  readonly #own = new Map<number, string>();
  /** What was heard of an op that is not executed here yet, by replica. */
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
    // The first that is ahead is kept: were it replaced by each later one, a replica that lags would never compare.
    if (op > this.#lastOp && !this.#ahead.has(replica)) this.#ahead.set(replica, { op, hash });
  }

  /** Another state has taken the place of this one. */
  restart(): void {
    this.#lastOp = 0;
    this.#own.clear();
    this.#ahead.clear();
    this.#verdicts.clear();
  }

  /** So many others differ that this replica cannot be one of a majority. */
  get isWrong(): boolean {
    const differing = [...this.#verdicts.values()].filter(
      (verdict) => verdict === 'differs',
    ).length;
    return this.#replicaCount - differing < Math.floor(this.#replicaCount / 2) + 1;
  }

  /** Replicas whose state was another at the same op. */
  get differing(): readonly number[] {
    return [...this.#verdicts]
      .filter(([, verdict]) => verdict === 'differs')
      .map(([replica]) => replica);
  }
}
