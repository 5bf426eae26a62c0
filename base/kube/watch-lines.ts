import type { WatchEvent } from './kube-source.ts';

/** Maximum length of a line. An object has at most 1.5 MiB in etcd, and its JSON is less than ten times that. */
const lineSizeMax = 16 * 1024 * 1024;

/** Splits a watch's bytes into events, one a line, regardless of chunk boundaries. */
export class WatchLines {
  readonly #decoder = new TextDecoder();
  #parts: string[] = [];
  #size = 0;

  /** Returns the events completed by these bytes. Throws `SyntaxError` for invalid JSON, `RangeError` for an endless line. */
  push(bytes: Uint8Array): readonly WatchEvent[] {
    const [first = '', ...rest] = this.#decoder.decode(bytes, { stream: true }).split('\n');
    this.#parts.push(first);
    this.#size += first.length;
    if (this.#size > lineSizeMax) throw new RangeError('an event of a watch is too long');
    if (rest.length === 0) return [];
    const last = rest.pop() ?? '';
    const lines = [this.#parts.join(''), ...rest];
    this.#parts = [last];
    this.#size = last.length;
    return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as WatchEvent);
  }

  /** Whether the stream stopped in the middle of an event. */
  get torn(): boolean {
    return this.#size > 0;
  }
}
