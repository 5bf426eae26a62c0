/**
 * The place up to which a container's log is kept: the time of its newest line, and the number of kept lines with exactly that
 * time. A log is read again from the second of that time; this distinguishes kept lines from new ones, and detects missing
 * lines. If a node's clock was set back, lines look older than they are; they count as kept if they are read again.
 */
export interface Place {
  readonly atNs: bigint;
  readonly count: number;
}

export function parsePlace(text: string): Place | undefined {
  const [, atNs, count] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  return atNs === undefined || count === undefined
    ? undefined
    : { atNs: BigInt(atNs), count: Number(count) };
}

export const placeText = (place: Place | undefined): string =>
  place === undefined ? '' : `${place.atNs}/${place.count}`;

/** The place after one more line. */
export function placeAfter(place: Place | undefined, atNs: bigint): Place {
  if (place === undefined || atNs > place.atNs) return { atNs, count: 1 };
  return atNs === place.atNs ? { atNs, count: place.count + 1 } : place;
}

/** Judges the lines of a log that is read again. */
export class Resumption {
  readonly #place: Place | undefined;
  #met = 0;
  #over: boolean;

  constructor(place: Place | undefined) {
    this.#place = place;
    this.#over = place === undefined;
  }

  /** Whether a line at or after the place has come. */
  get hasBegun(): boolean {
    return this.#over || this.#met > 0;
  }

  /** `gap`: it is the first new line, and lines before it may be missing, since the last kept one was absent. */
  judge(atNs: bigint): 'kept' | 'new' | 'gap' {
    const place = this.#place;
    if (this.#over || place === undefined) return 'new';
    if (atNs < place.atNs) return 'kept';
    if (atNs === place.atNs) {
      this.#met += 1;
      if (this.#met <= place.count) return 'kept';
    }
    this.#over = true;
    return this.#met === 0 ? 'gap' : 'new';
  }
}
