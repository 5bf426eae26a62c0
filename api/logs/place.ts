/**
 * The place up to which a container's log is kept: the time of its last line, and the number of kept lines with exactly that
 * time. A log is read again from the second of that time; this distinguishes kept lines from new ones, and detects missing
 * lines.
 */
export interface Place {
  readonly atNs: bigint;
  readonly count: number;
  /** The latest time of the lines before, if the node's clock was set back since: such lines are read again, though kept. */
  readonly latestNs?: bigint;
}

export function parsePlace(text: string): Place | undefined {
  const [, atNs, count, latestNs] = /^(-?\d+)\/(\d+)(?:\/(-?\d+))?$/.exec(text) ?? [];
  if (atNs === undefined || count === undefined) return undefined;
  return {
    atNs: BigInt(atNs),
    count: Number(count),
    ...(latestNs !== undefined && { latestNs: BigInt(latestNs) }),
  };
}

export function placeText(place: Place | undefined): string {
  if (place === undefined) return '';
  const { atNs, count, latestNs } = place;
  return latestNs === undefined ? `${atNs}/${count}` : `${atNs}/${count}/${latestNs}`;
}

/** The place after one more line. */
export function placeAfter(place: Place | undefined, atNs: bigint): Place {
  if (place === undefined) return { atNs, count: 1 };
  if (atNs === place.atNs) return { ...place, count: place.count + 1 };
  const { latestNs = place.atNs } = place;
  const latest = latestNs > place.atNs ? latestNs : place.atNs;
  return atNs < latest ? { atNs, count: 1, latestNs: latest } : { atNs, count: 1 };
}

/** Judges the lines of a log that is read again. They come in the order in which they were written. */
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
    if (atNs === place.atNs && this.#met < place.count) {
      this.#met += 1;
      return 'kept';
    }
    const isBefore = atNs < place.atNs || atNs <= (place.latestNs ?? place.atNs);
    if (isBefore && this.#met < place.count) return 'kept';
    this.#over = true;
    return this.#met === 0 ? 'gap' : 'new';
  }
}
