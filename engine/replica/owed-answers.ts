/**
 * Answers that a backup has and keeps back until it knows that a leader has executed as much. Else a client could hear of a
 * write from a backup, and another client's read at the leader, which has not heard yet that the write is committed, would
 * miss it.
 */
interface Owed {
  readonly op: number;
  readonly send: () => void;
}

export class OwedAnswers {
  /** Rising by op, but for those that are asked for again. */
  #owed: Owed[] = [];
  #ledOp = 0;

  /** Every leader from now on has executed all up to `op`. */
  ledUpTo(op: number): void {
    if (op <= this.#ledOp) return;
    this.#ledOp = op;
    const ready = this.#owed.filter((owed) => owed.op <= op);
    if (ready.length === 0) return;
    this.#owed = this.#owed.filter((owed) => owed.op > op);
    for (const { send } of ready) send();
  }

  /** Whether what tells of the state at `op` may be sent, and was. */
  maySay(op: number): boolean {
    return op <= this.#ledOp;
  }

  /** Sends what tells of the state at `op`, now or when it may be told. */
  when(op: number, send: () => void): void {
    if (op <= this.#ledOp) return send();
    if (this.#owed.length === OWED_MAX) this.#owed.shift();
    this.#owed.push({ op, send });
  }
}

/** Clients repeat what they are not told. */
const OWED_MAX = 1024;
