/**
 * Handles the lines of one container while its log is read: it skips lines that are kept already, leaves out lines beyond the
 * bounds, and adds lines that report gaps and left-out lines.
 */
import type { LogSource, NewLogLine } from '../store/log-writes.ts';
import { allowanceWords, type Allowance } from './allowance.ts';
import type { LoggingContainer } from './containers.ts';
import { parsePlace, placeAfter, placeText, Resumption, type Place } from './place.ts';
import type { RawLine } from './raw-lines.ts';
import { readEntry } from './read-entry.ts';

const warn = 40;
/** Bytes that a line takes of the allowance besides its text. */
const lineBytes = 80;

interface KeptLogOptions {
  readonly container: LoggingContainer;
  /** The place in the store. */
  readonly opened: string;
  /** Whether everything after the place is known to follow it directly. */
  readonly isWhole: boolean;
  readonly allowance: Allowance;
  readonly nowMs: () => number;
}

/** The next part to write. */
interface Piece {
  readonly source: LogSource;
  readonly expected: string;
  readonly next: string;
  readonly lines: readonly NewLogLine[];
}

export class KeptLog {
  readonly #options: KeptLogOptions;
  readonly #resumption: Resumption;
  /** Whether everything after the place is known to follow it directly. */
  isWhole: boolean;
  /** The place in the store, once the last returned piece is written. */
  #stored: string;
  /** Place of the newest line that was seen. */
  #place: Place | undefined;
  #leftOut = 0;

  constructor(options: KeptLogOptions) {
    this.#options = options;
    this.#stored = options.opened;
    this.#place = parsePlace(options.opened);
    this.#resumption = new Resumption(this.#place);
    this.isWhole = options.isWhole;
  }

  /** Time from which the log must be read; `undefined`: nothing of it is kept. */
  get since(): Date | undefined {
    const place = parsePlace(this.#stored);
    return place && dateOf(place.atNs);
  }

  /** Whether reading continued from the log's place, or began at its start. */
  get hasResumed(): boolean {
    return this.#resumption.hasBegun;
  }

  /** Takes lines; returns the piece to write, which must be written before more lines come. */
  take(raw: readonly RawLine[]): Piece | undefined {
    const { allowance, nowMs, container } = this.#options;
    const lines: NewLogLine[] = [];
    /** Place of the newest of these lines; left-out ones after it are reported later. */
    let place: Place | undefined;
    for (const line of raw) {
      const verdict = this.#resumption.judge(line.atNs);
      if (verdict === 'kept') continue;
      if (verdict === 'gap' && !this.isWhole) lines.push(this.#gapNote(line.atNs));
      const isTaken = allowance.take(line.text.length + lineBytes, nowMs());
      if (isTaken && this.#leftOut > 0) lines.push(this.#leftOutNote());
      this.#place = placeAfter(this.#place, line.atNs);
      if (!isTaken) {
        this.#leftOut += 1;
        continue;
      }
      const entry = readEntry(container.component, line.text, line.cutBytes);
      lines.push(this.#lineOf(line.atNs, entry));
      place = this.#place;
    }
    return lines.length === 0 ? undefined : this.#piece(lines, place);
  }

  /** Returns the report about left-out lines, once no more are left out. */
  tell(): Piece | undefined {
    const { allowance, nowMs } = this.#options;
    if (this.#leftOut === 0 || allowance.pausing(nowMs())) return undefined;
    return this.#piece([this.#leftOutNote()], this.#place);
  }

  #piece(lines: readonly NewLogLine[], place: Place | undefined): Piece {
    const { databaseId, pod, container } = this.#options.container;
    const expected = this.#stored;
    if (place !== undefined) this.#stored = placeText(place);
    return { source: { databaseId, pod, container }, expected, next: this.#stored, lines };
  }

  #gapNote(atNs: bigint): NewLogLine {
    const since = this.since?.toISOString();
    const message = `Lines since ${since} may be missing: the log no longer reached back to the last one that is kept.`;
    return this.#lineOf(atNs, { level: warn, message, attributes: JSON.stringify({ since }) });
  }

  #leftOutNote(): NewLogLine {
    const leftOut = this.#leftOut;
    this.#leftOut = 0;
    const message = `${leftOut} lines were left out: more than the ${allowanceWords} that are kept of a database.`;
    const attributes = JSON.stringify({ leftOut });
    return this.#lineOf(this.#place?.atNs ?? 0n, { level: warn, message, attributes });
  }

  #lineOf(atNs: bigint, entry: Pick<NewLogLine, 'level' | 'message' | 'attributes'>): NewLogLine {
    const { component, node } = this.#options.container;
    return { at: dateOf(atNs), component, node, ...entry };
  }
}

const dateOf = (atNs: bigint): Date => new Date(Number(atNs / 1_000_000n));
