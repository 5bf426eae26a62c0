/**
 * Answers that a backup holds back until it knows that a leader has executed as much. Otherwise a client could learn of a
 * write from a backup, and another client's read at the leader, which does not know yet that the write is committed, would
 * miss it.
 */
interface Owed {
  readonly op: number;
  readonly send: () => void;
}

export class OwedAnswers {
  /** In order of op, except for answers that are requested again. */
  #owed: Owed[] = [];
  #ledOp = 0;

  /** Records that every leader from now on has executed everything up to `op`, and sends the answers up to there. */
  ledUpTo(op: number): void {
    if (op <= this.#ledOp) return;
    this.#ledOp = op;
    const ready = this.#owed.filter((owed) => owed.op <= op);
    if (ready.length === 0) return;
    this.#owed = this.#owed.filter((owed) => owed.op > op);
    for (const { send } of ready) send();
  }

  /** Returns whether answers about the state at `op` may be sent, so that held ones were sent. */
  maySay(op: number): boolean {
    return op <= this.#ledOp;
  }

  /** Sends an answer about the state at `op`, now or as soon as it may be sent. */
  when(op: number, send: () => void): void {
    if (op <= this.#ledOp) return send();
    if (this.#owed.length === OWED_MAX) this.#owed.shift();
    this.#owed.push({ op, send });
  }
}

/** Maximum number of answers held; clients repeat requests without an answer. */
const OWED_MAX = 1024;
