/**
 * Writes that wait until a checkpoint frees room in the log, the newest of each client, in the order of arrival. A client repeats an
 * unanswered request only after some hundred milliseconds, far longer than a checkpoint has left to go.
 */
import type { ReplySink } from './served-replica.ts';

/** Maximum bytes of all messages: a full batch of each client. */
const BYTES_MAX = 64 << 20;

interface WaitingWrite {
  readonly message: Uint8Array;
  readonly sink: ReplySink;
}

export class WaitingWrites {
  readonly #byClient = new Map<bigint, WaitingWrite>();
  #bytes = 0;

  /** Returns false if there is no room for the message. */
  put(client: bigint, message: Uint8Array, sink: ReplySink): boolean {
    this.delete(client);
    if (this.#bytes + message.length > BYTES_MAX) return false;
    this.#byClient.set(client, { message, sink });
    this.#bytes += message.length;
    return true;
  }

  /** Drops a client's write. Call it when the client sends anything: its newest request is the only one that it waits for. */
  delete(client: bigint): void {
    this.#bytes -= this.#byClient.get(client)?.message.length ?? 0;
    this.#byClient.delete(client);
  }

  takeAll(): readonly WaitingWrite[] {
    const all = [...this.#byClient.values()];
    this.#byClient.clear();
    this.#bytes = 0;
    return all;
  }
}
