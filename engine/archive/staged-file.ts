/** An exported data file in a bucket, read in ranges. Nothing is stored on a disk. */
import type { ReadableFile } from '../log/storage.ts';
import type { RangedStore } from './object-store.ts';

/** Bytes of one request. The pieces of an export are in the order of reading, so the following bytes are needed next. */
const WINDOW = 4 << 20;

export class StagedFile implements ReadableFile {
  readonly sizeBytes: number;
  readonly #store: RangedStore;
  readonly #key: string;
  /** The part of the file that was read last, and its offset. */
  #window: Uint8Array;
  #windowAt = 0;

  private constructor(store: RangedStore, key: string, first: Uint8Array, sizeBytes: number) {
    this.#store = store;
    this.#key = key;
    this.#window = first;
    this.sizeBytes = sizeBytes;
  }

  /**
   * Reads the first bytes of a file: at least `headBytes`, unless it is shorter. Rejects with `object_missing` if there is
   * none.
   */
  static async open(store: RangedStore, key: string, headBytes: number): Promise<StagedFile> {
    const { bytes, sizeBytes } = await store.readRange(key, 0, headBytes);
    return new StagedFile(store, key, bytes, sizeBytes);
  }

  /** The first bytes, read when the file was opened. Valid only before any other read. */
  get head(): Uint8Array {
    return this.#window;
  }

  async read(target: Uint8Array, offset: number): Promise<number> {
    let done = 0;
    while (done < target.length && offset + done < this.sizeBytes) {
      const part = await this.#from(offset + done);
      if (part.length === 0) break;
      const taken = part.subarray(0, target.length - done);
      target.set(taken, done);
      done += taken.length;
    }
    return done;
  }

  /** Bytes from `at` on, as many as one request returns. */
  async #from(at: number): Promise<Uint8Array> {
    const within = at - this.#windowAt;
    if (within < 0 || within >= this.#window.length) {
      const { bytes } = await this.#store.readRange(this.#key, at, WINDOW);
      this.#window = bytes;
      this.#windowAt = at;
      return bytes;
    }
    return this.#window.subarray(within);
  }
}
