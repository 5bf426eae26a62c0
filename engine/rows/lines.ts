/**
 * Lines of a text file, read with bounded memory. No row needs more than a part of the longest line that is kept, so that a
 * longer one is a fault, and is passed over without being held.
 */

import { LINE_BYTES_MAX } from '../../domain/import-files/row-faults.ts';

export interface Line {
  /** From 1. */
  readonly number: number;
  /** Each byte as one character: rows are ASCII, and what is not shows as such. `undefined`: it is too long. */
  readonly text: string | undefined;
  /** The file ends behind it, without a line break: whether it is whole, only its content can tell. */
  readonly isOpen: boolean;
}

const LF = 0x0a;
const CR = 0x0d;

/** Yields the lines of each chunk at once. Lines end with LF or CR LF; the last one need not. Empty lines are left out. */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly Line[]> {
  const splitter = new LineSplitter();
  for await (const chunk of chunks) yield splitter.split(chunk);
  yield splitter.end();
}

class LineSplitter {
  #number = 0;
  /** Beginning of a line that is not at its end yet. */
  #kept = '';
  #isTooLong = false;

  split(chunk: Uint8Array): readonly Line[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const lines: Line[] = [];
    for (let at = 0; at < bytes.length;) {
      const lineEnd = bytes.indexOf(LF, at);
      const end = lineEnd === -1 ? bytes.length : lineEnd;
      this.#keep(bytes, at, end);
      if (lineEnd !== -1) this.#finish(lines, false);
      at = end + 1;
    }
    return lines;
  }

  end(): readonly Line[] {
    const lines: Line[] = [];
    if (this.#kept !== '' || this.#isTooLong) this.#finish(lines, true);
    return lines;
  }

  #keep(bytes: Buffer, at: number, end: number): void {
    // One more for the CR of a line's end.
    if (this.#kept.length + end - at > LINE_BYTES_MAX + 1) {
      this.#isTooLong = true;
      this.#kept = '';
    } else if (!this.#isTooLong) this.#kept += bytes.toString('latin1', at, end);
  }

  #finish(lines: Line[], isOpen: boolean): void {
    this.#number += 1;
    const number = this.#number;
    const kept = this.#kept;
    const text = kept.charCodeAt(kept.length - 1) === CR ? kept.slice(0, -1) : kept;
    if (this.#isTooLong) lines.push({ number, text: undefined, isOpen });
    else if (text !== '') lines.push({ number, text, isOpen });
    this.#kept = '';
    this.#isTooLong = false;
  }
}
