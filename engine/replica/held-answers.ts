/**
 * Answers that wait for a commit, the newest of each client. While the disk stands still a client may go on asking; its older
 * answers, which may be full pages, must not stay in memory until the disk goes on.
 */
import { ClientValues } from './client-values.ts';
import type { ReplySink } from './served-replica.ts';
import type { Reply } from './sessions.ts';

interface HeldAnswer {
  /** Op whose commit lets the answer leave. */
  readonly op: number;
  readonly reply: Reply;
  readonly sink: ReplySink;
}

export class HeldAnswers {
  /** Calls back once `op` is committed, at once if it is. */
  readonly #whenCommitted: (op: number, callback: () => void) => void;
  readonly #newest = new ClientValues<HeldAnswer>();

  constructor(whenCommitted: (op: number, callback: () => void) => void) {
    this.#whenCommitted = whenCommitted;
  }

  /** Sends an answer once its op is committed, unless the client gets a newer one until then. */
  hold(client: bigint, answer: HeldAnswer): void {
    const isWaiting = this.#newest.get(client) !== undefined;
    this.#newest.set(client, answer);
    if (!isWaiting) this.#wait(client, answer.op);
  }

  #wait(client: bigint, op: number): void {
    this.#whenCommitted(op, () => {
      const newest = this.#newest.get(client);
      if (newest === undefined) return;
      if (newest.op > op) {
        this.#wait(client, newest.op);
        return;
      }
      this.#newest.end(client);
      newest.sink.send(newest.reply);
    });
  }
}
