/**
 * Reader that turns a connection's bytes into whole, verified messages. Memory is bounded: 256 bytes until a header's
 * checksum is verified, then the size in that header, at most 1 MiB. After a failure the stream is out of step and the
 * connection must be closed.
 */
import { GrowingChecksum } from './checksum.ts';
import { Header, isKnownCommand } from './header.ts';
import { headerSize, messageSizeMax } from './limits.ts';

export type StreamError =
  | 'bad_header_checksum'
  | 'bad_size'
  | 'bad_body_checksum'
  | 'wrong_cluster'
  | 'unknown_command';

/** A whole message; `bytes` has its own memory, aligned to 8 bytes. */
export interface Message {
  readonly header: Header;
  readonly bytes: Uint8Array;
  readonly body: Uint8Array;
}

interface Callbacks {
  readonly onMessage: (message: Message) => void;
  readonly mayGoOn: () => boolean;
  readonly mayHold: (header: Header) => boolean;
}

export class MessageReader {
  readonly #cluster: bigint;
  #head = new Uint8Array(headerSize);
  #bytes: Uint8Array | undefined;
  /** Checksum of the body that is incomplete. */
  #bodyChecksum: GrowingChecksum | undefined;
  #filled = 0;
  /** Bytes of a chunk that are not read yet. */
  #rest: Uint8Array | undefined;
  #error: StreamError | undefined;

  constructor(cluster: bigint) {
    this.#cluster = cluster;
  }

  /** Bytes of memory held for an incomplete message. */
  get begunBytes(): number {
    return this.#bytes?.length ?? this.#filled;
  }

  /**
   * Takes a chunk and calls `onMessage` for each message that it completes. Returns the error that ends the stream.
   *
   * `mayGoOn` is asked before the first byte of each message. If it returns false, the rest of the chunk waits for the next
   * call, for which an empty chunk is enough. `mayHold` is asked in the same way before memory for a message is taken, with the
   * header that names its size; it is asked again after each false.
   */
  push(
    chunk: Uint8Array,
    onMessage: (message: Message) => void,
    mayGoOn: () => boolean = () => true,
    mayHold: (header: Header) => boolean = () => true,
  ): StreamError | undefined {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = undefined;
    return this.#push(bytes, { onMessage, mayGoOn, mayHold });
  }

  /** The header that was read last. After a `wrong_cluster` it tells which cluster the sender meant. */
  get header(): Header {
    return new Header(this.#head);
  }

  #push(chunk: Uint8Array, { onMessage, mayGoOn, mayHold }: Callbacks): StreamError | undefined {
    let at = 0;
    while (at < chunk.length && this.#error === undefined) {
      if (this.begunBytes === 0 && !mayGoOn()) {
        this.#rest = chunk.subarray(at);
        break;
      }
      const target = this.#bytes ?? this.#head;
      const taken = Math.min(target.length - this.#filled, chunk.length - at);
      target.set(chunk.subarray(at, at + taken), this.#filled);
      this.#filled += taken;
      at += taken;
      if (this.#filled < target.length) {
        this.#bodyHasGrown();
        break;
      }
      if (this.#bytes === undefined) {
        this.#error = this.#checkHeader();
        if (this.#error !== undefined) break;
        if (!mayHold(this.header)) {
          this.#rest = chunk.subarray(at);
          break;
        }
        this.#bytes = new Uint8Array(this.header.size);
        this.#bytes.set(this.#head);
      }
      if (this.#bytes !== undefined && this.#filled === this.#bytes.length)
        this.#error = this.#complete(onMessage);
    }
    return this.#error;
  }

  /** The checksum takes what has arrived while the rest is on its way. */
  #bodyHasGrown(): void {
    if (this.#bytes === undefined) return;
    this.#bodyChecksum ??= new GrowingChecksum();
    this.#bodyChecksum.grow(this.#bytes.subarray(headerSize, this.#filled));
  }

  #checkHeader(): StreamError | undefined {
    const header = new Header(this.#head);
    if (!header.checksumIsRight()) return 'bad_header_checksum';
    if (header.size < headerSize || header.size > messageSizeMax) return 'bad_size';
    if (header.cluster !== this.#cluster) return 'wrong_cluster';
    if (!isKnownCommand(header.command)) return 'unknown_command';
    return undefined;
  }

  #complete(onMessage: (message: Message) => void): StreamError | undefined {
    const bytes = this.#bytes ?? this.#head;
    const known = this.#bodyChecksum;
    this.#bodyChecksum = undefined;
    this.#bytes = undefined;
    this.#filled = 0;
    const header = new Header(bytes);
    const body = bytes.subarray(headerSize);
    if (!header.bodyChecksumIsRight(body, known)) return 'bad_body_checksum';
    onMessage({ header, bytes, body });
    return undefined;
  }
}
