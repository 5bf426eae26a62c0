/**
 * Bytes of a file in memory, in pages. A copy shares the pages with its original until one of both changes them, and zeros take no
 * memory: disks of tests are copied for every crash, and most of a new data file is zeros.
 */
const PAGE = 16 << 10;
const zeros = new Uint8Array(4 << 20);
const zeroPage = zeros.subarray(0, PAGE);

/** Returns a copy of bytes that nobody changes later. */
export function frozen(bytes: Uint8Array): Uint8Array {
  const same = zeros.subarray(0, bytes.length);
  return Buffer.compare(same, bytes) === 0 ? same : new Uint8Array(bytes);
}

export class PagedBytes {
  #pages: Uint8Array[] = [];
  /** The pages that no copy shares, which change in place. */
  readonly #own = new Set<number>();
  #length = 0;

  static of(bytes: Uint8Array): PagedBytes {
    const made = new PagedBytes();
    made.put(frozen(bytes), 0);
    return made;
  }

  get length(): number {
    return this.#length;
  }

  copy(): PagedBytes {
    const copy = new PagedBytes();
    copy.#pages = this.#pages.slice();
    copy.#length = this.#length;
    this.#own.clear();
    return copy;
  }

  /** Fills `target` from `offset` on, and returns how many bytes there were. */
  read(target: Uint8Array, offset: number): number {
    const length = Math.max(0, Math.min(target.length, this.#length - offset));
    for (let done = 0; done < length;) {
      const from = (offset + done) % PAGE;
      const size = Math.min(PAGE - from, length - done);
      const page = this.#pages[(offset + done - from) / PAGE]!;
      target.set(page.subarray(from, from + size), done);
      done += size;
    }
    return length;
  }

  /** Keeps `bytes`, which nobody may change afterwards. */
  put(bytes: Uint8Array, offset: number): void {
    this.#length = Math.max(this.#length, offset + bytes.length);
    while (this.#pages.length * PAGE < this.#length) this.#pages.push(zeroPage);
    for (let done = 0; done < bytes.length;) {
      const from = (offset + done) % PAGE;
      const size = Math.min(PAGE - from, bytes.length - done);
      const part = bytes.subarray(done, done + size);
      this.#putInPage((offset + done - from) / PAGE, part, from);
      done += size;
    }
  }

  #putInPage(index: number, part: Uint8Array, from: number): void {
    const isZero = part.buffer === zeros.buffer;
    if (part.length === PAGE) {
      this.#pages[index] = isZero ? zeroPage : part;
      this.#own.delete(index);
      return;
    }
    if (isZero && this.#pages[index] === zeroPage) return;
    if (!this.#own.has(index)) {
      this.#pages[index] = this.#pages[index]!.slice();
      this.#own.add(index);
    }
    this.#pages[index]!.set(part, from);
  }
}
