/** Lines of a container's log in the form that the Kubernetes API sends: a time with nanoseconds, a space, and the text. */

export interface RawLine {
  /** Nanoseconds since 1970. */
  readonly atNs: bigint;
  readonly text: string;
  /** Bytes of the text that were left out at its end. */
  readonly cutBytes: number;
}

/** Maximum bytes of a line that are read. */
const lineMax = 16 * 1024;
const newline = 10;

/** Splits bytes into lines. Holds at most one line; the rest of a line beyond the bound is only counted. */
export class RawLines {
  #held: Buffer[] = [];
  #heldBytes = 0;
  #cutBytes = 0;

  /** Returns the lines that these bytes complete. Lines without a time are left out. */
  push(bytes: Uint8Array): readonly RawLine[] {
    const lines: RawLine[] = [];
    let from = 0;
    for (;;) {
      const at = bytes.indexOf(newline, from);
      this.#hold(bytes.subarray(from, at === -1 ? bytes.length : at));
      if (at === -1) return lines;
      const line = this.#take();
      if (line !== undefined) lines.push(line);
      from = at + 1;
    }
  }

  /** Forgets the beginning of a line whose rest will not come. */
  reset(): void {
    this.#take();
  }

  #hold(bytes: Uint8Array): void {
    const kept = bytes.subarray(0, Math.max(0, lineMax - this.#heldBytes));
    // A copy: the bytes belong to the connection.
    if (kept.length > 0) this.#held.push(Buffer.from(kept));
    this.#heldBytes += kept.length;
    this.#cutBytes += bytes.length - kept.length;
  }

  #take(): RawLine | undefined {
    const text = Buffer.concat(this.#held).toString();
    const cutBytes = this.#cutBytes;
    this.#held = [];
    this.#heldBytes = 0;
    this.#cutBytes = 0;
    const space = text.indexOf(' ');
    const atNs = nanosecondsOf(space === -1 ? text : text.slice(0, space));
    return atNs === undefined
      ? undefined
      : { atNs, text: space === -1 ? '' : text.slice(space + 1), cutBytes };
  }
}

/** Nanoseconds of a time in RFC 3339; `undefined` if the text is no time. */
export function nanosecondsOf(time: string): bigint | undefined {
  const [, second, fraction = '', zone] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(time) ?? [];
  const ms = Date.parse(`${second}${zone}`);
  if (second === undefined || Number.isNaN(ms)) return undefined;
  return BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}
