/** A place where an archiver reads the log by itself, so that the engine need not: it only says where the entries are. */
import type { ArchiveReads } from '../../domain/archive-status.ts';
import type { FeedForm } from '../feed/archive-feed.ts';
import type { PlacedPart } from '../feed/placed-part.ts';

/** Takes the entries of groups or blocks. */
export interface EntrySink {
  /** Memory for so many bytes after what was added. */
  room(bytes: number): Uint8Array;
  /** Adds what is in that memory: the entries of a group or block. */
  added(bytes: number, entryCount: number): void;
}

export interface LogSource {
  /** The form in which the engine says where entries are. */
  readonly form: Exclude<FeedForm, 'entries'>;
  readonly name: Exclude<ArchiveReads, 'Engine'>;
  /**
   * Reads the entries at places, in order, up to one that is not there any more, and says whether it read all. Rejects if nothing can ever be
   * read here.
   */
  read(part: Pick<PlacedPart, 'places' | 'incarnation'>, sink: EntrySink): Promise<boolean>;
  /** Why the last read did not have everything. */
  readonly problem: string;
  close(): Promise<void>;
}
