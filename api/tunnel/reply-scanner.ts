/** Finds the headers in a replica's bytes, which pass unchanged. Checksums are the client's matter. */
import { Header } from '../../engine/wire/header.ts';
import { headerSize } from '../../engine/wire/limits.ts';

export class ReplyScanner {
  readonly #onHeader: (header: Header) => void;
  readonly #head = new Uint8Array(headerSize);
  #filled = 0;
  /** Bytes of the present message's body that are still to come. */
  #skip = 0;

  constructor(onHeader: (header: Header) => void) {
    this.#onHeader = onHeader;
  }

  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#skip > 0) {
        const skipped = Math.min(this.#skip, chunk.length - at);
        this.#skip -= skipped;
        at += skipped;
        continue;
      }
      const taken = Math.min(headerSize - this.#filled, chunk.length - at);
      this.#head.set(chunk.subarray(at, at + taken), this.#filled);
      this.#filled += taken;
      at += taken;
      if (this.#filled < headerSize) return;
      const header = new Header(this.#head);
      this.#filled = 0;
      this.#skip = Math.max(0, header.size - headerSize);
      this.#onHeader(header);
    }
  }
}
