/**
 * The engine's side of continuous archiving: it hands committed entries of its log to the archiver beside it, takes marks of
 * the ledger, and remembers what the archiver reports, for status and metrics. It keeps nothing in memory but marks: entries
 * are in the log, which keeps them for the archive as long as it has room (engine/log/ring.ts). An archiver that has the data file, or the
 * member of etcd, reads them there by itself; for others they are read here.
 */
import type { ArchiveReport, ArchiveStatus } from '../../domain/archive-status.ts';
import { checksumOf } from '../log/entries.ts';
import type { LedgerMark } from '../log/ledger-mark.ts';
import type { CheckpointPosition, LogEntry } from '../log/log.ts';
import type { PlacedEntries } from '../log/placed.ts';
import type { FeedPart } from './feed-body.ts';
import type { PlacedPart } from './placed-part.ts';

/** What an archiver asks for: entries, or where they are: the groups of the data file, or the blocks in the member of etcd. */
export type FeedForm = 'entries' | 'groups' | 'blocks';

/** A log that entries can be read from after they are executed. */
export interface ReadableLog {
  /** Says how far an archive has the log. */
  archived(op: number): void;
  /** Reads committed entries from `op` on; if the first of them is gone, says which op is the first that is left. */
  read(op: number, bytesMax: number): Promise<readonly LogEntry[] | { readonly oldestOp: number }>;
  /** The form in which it says where entries are. */
  readonly form?: Exclude<FeedForm, 'entries'>;
  /** Number of this log among all that the database has had, if several replicas have it. */
  readonly incarnation?: number;
  /** Says where entries are, from those with `op` on; `undefined` if it has to be read to know it. */
  places?(
    op: number,
    bytesMax: number,
  ): readonly PlacedEntries[] | { readonly oldestOp: number } | undefined;
}

interface FeedOptions {
  readonly log: ReadableLog;
  readonly nowMs: () => number;
  readonly committedOp: () => number;
  /** True while this replica is the one whose log is archived. */
  readonly leads: () => boolean;
  readonly position: () => CheckpointPosition;
  readonly counts: () => { readonly accounts: number; readonly transfers: number };
}

/** The last op that the archive has, and what it knows of it. */
export interface FeedPlace {
  readonly op: number;
  /** Checksum of that op's message; absent if nothing is known of it. */
  readonly checksum?: Uint8Array;
}

export type FeedAnswer =
  | ({ readonly kind: 'part' } & FeedPart)
  /** Only if places were asked for. */
  | ({ readonly kind: 'places' } & PlacedPart)
  /** Nothing is new, or another replica's log is archived. */
  | { readonly kind: 'nothing'; readonly leads: boolean }
  /** The entries after the place are gone; `oldestOp` is the first op that is left. */
  | { readonly kind: 'gone'; readonly oldestOp: number }
  /** The database has not come as far as the archive, or has another history. */
  | { readonly kind: 'foreign'; readonly committedOp: number };

/** Bytes of the log in an answer of either form, if more is there; the last group may add 4 MiB. */
const ANSWER_BYTES = { part: 1 << 20, places: 4 << 20 };
/** A mark every 100 ms: those of ten minutes. Beyond that the oldest go. */
const MARKS_MAX = 6_000;
/** Time without a word from the archiver after which it counts as away. */
const SILENT_MS = 60_000;

interface TimedMark extends LedgerMark {
  readonly takenAtMs: number;
}

export class ArchiveFeed {
  readonly #options: FeedOptions;
  #marks: TimedMark[] = [];
  /** When the oldest operation was executed that the archive does not have. */
  #waitingSinceMs: number | undefined;
  #archivedOp: number | undefined;
  /** The last entry that was handed out. A committed entry never changes, so it need not be read again for the next question. */
  #handed: Required<FeedPlace> | undefined;
  /** The end of an archive for which the log had another entry. It is another history, also once the log has lost that entry. */
  #differs: Required<FeedPlace> | undefined;
  #report: { readonly report: ArchiveReport; readonly atMs: number } | undefined;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** Call it when the log is loaded: until an archiver says otherwise, the archive has nothing. */
  begin(): void {
    this.#options.log.archived(0);
  }

  /** Takes a mark if anything was executed since the last one. Call it every 100 ms. */
  tick(): void {
    const { position, counts, nowMs } = this.#options;
    const { op, timestamp, stateHash } = position();
    if (op === 0 || op <= (this.#marks.at(-1)?.op ?? 0)) return;
    const { accounts, transfers } = counts();
    const takenAtMs = nowMs();
    this.#marks.push({ op, timestamp, stateHash, accounts, transfers, takenAtMs });
    if (this.#marks.length > MARKS_MAX) this.#marks.shift();
    if (op > (this.#archivedOp ?? 0)) this.#waitingSinceMs ??= takenAtMs;
  }

  /** Whether something follows an op that may be read now. */
  hasAfter(op: number): boolean {
    const { committedOp, leads } = this.#options;
    return leads() && committedOp() !== op;
  }

  /** `form`: where the archiver can read entries by itself. */
  async read({ op, checksum }: FeedPlace, form: FeedForm = 'entries'): Promise<FeedAnswer> {
    const { log, committedOp, leads } = this.#options;
    if (!leads()) return { kind: 'nothing', leads: false };
    // An answer that has not all of it was cut by its size, and more waits.
    const endOp = committedOp();
    if (op > endOp) return { kind: 'foreign', committedOp: endOp };
    // The archive's last entry is read again, if it is still there, to see that both have one history.
    const isToCompare = op > 0 && checksum !== undefined && !isSame(this.#handed, op, checksum);
    const before = isToCompare ? await log.read(op, ANSWER_BYTES.part) : undefined;
    const isKnown = before !== undefined && !('oldestOp' in before);
    const [known] = isKnown ? before : [];
    if (known !== undefined && checksum !== undefined && !isOf(known, checksum)) {
      this.#differs = { op, checksum };
      return { kind: 'foreign', committedOp: committedOp() };
    }
    if (before !== undefined && 'oldestOp' in before && isSame(this.#differs, op, checksum))
      return { kind: 'gone', oldestOp: before.oldestOp };
    const placed = form === log.form ? log.places?.(op + 1, ANSWER_BYTES.places) : undefined;
    if (placed !== undefined) return this.#placed(op, placed, endOp);
    // The group with that entry may be as large as a whole read, and have nothing after it.
    const goesOn = isKnown && (before.at(-1)?.op ?? 0) > op;
    const found = goesOn ? before : await log.read(op + 1, ANSWER_BYTES.part);
    if ('oldestOp' in found) return { kind: 'gone', oldestOp: found.oldestOp };
    const entries = found.filter((one) => one.op > op && one.op <= committedOp());
    const last = entries.at(-1);
    if (last === undefined) return { kind: 'nothing', leads: true };
    this.#handed = { op: last.op, checksum: checksumOf(last) };
    return { kind: 'part', entries, marks: this.#marksAfter(op, last.op), more: last.op < endOp };
  }

  #placed(
    op: number,
    found: readonly PlacedEntries[] | { readonly oldestOp: number },
    endOp: number,
  ): FeedAnswer {
    if ('oldestOp' in found) return { kind: 'gone', oldestOp: found.oldestOp };
    const places = found.filter(({ lastOp }) => lastOp <= endOp);
    const last = places.at(-1);
    if (last === undefined) return { kind: 'nothing', leads: true };
    this.#handed = { op: last.lastOp, checksum: last.lastChecksum };
    const marks = this.#marksAfter(op, last.lastOp);
    const { incarnation } = this.#options.log;
    const of = incarnation === undefined ? {} : { incarnation };
    return { kind: 'places', ...of, places, marks, more: last.lastOp < endOp };
  }

  #marksAfter(op: number, lastOp: number): readonly LedgerMark[] {
    return this.#marks.filter((mark) => mark.op > op && mark.op <= lastOp);
  }

  reported(report: ArchiveReport): void {
    const { log, nowMs } = this.#options;
    this.#report = { report, atMs: nowMs() };
    if (report.archivedOp === undefined) return;
    const archivedOp = report.archivedOp;
    this.#archivedOp = archivedOp;
    log.archived(archivedOp);
    this.#marks = this.#marks.filter(({ op }) => op > archivedOp);
    this.#waitingSinceMs = this.#marks[0]?.takenAtMs;
  }

  status(): ArchiveStatus {
    const { nowMs, leads } = this.#options;
    const now = nowMs();
    const lagSeconds =
      this.#waitingSinceMs === undefined ? 0 : Math.max(0, now - this.#waitingSinceMs) / 1_000;
    const isSilent = this.#report === undefined || now - this.#report.atMs > SILENT_MS;
    const said: ArchiveReport = this.#report?.report ?? {
      state: 'Starting',
      gaps: 0,
      spoolBytes: 0,
    };
    return {
      ...said,
      ...(isSilent && this.#report !== undefined ? { state: 'ArchiverAway' as const } : {}),
      leads: leads(),
      lagSeconds,
    };
  }
}

const isOf = (entry: LogEntry, checksum: Uint8Array): boolean =>
  Buffer.compare(entry.message.subarray(0, checksum.length), checksum) === 0;

const isSame = (
  known: Required<FeedPlace> | undefined,
  op: number,
  checksum: Uint8Array | undefined,
): boolean =>
  known?.op === op && checksum !== undefined && Buffer.compare(known.checksum, checksum) === 0;
