/**
 * The part of the log that an engine hands to its archiver: committed entries, and marks of the ledger between them. A head of 16 bytes
 * (numbers of marks and entries; 1 if more waits), the marks, and the entries as groups of the log hold them.
 */
import { decodeEntries, encodeEntries, entrySize } from '../log/entries.ts';
import { Fields } from '../log/fields.ts';
import { decodeMarks, encodeMarks, MARK_BYTES, type LedgerMark } from '../log/ledger-mark.ts';
import type { LogEntry } from '../log/log.ts';

const HEAD_BYTES = 16;

export interface FeedPart {
  readonly entries: readonly LogEntry[];
  /** In the order of their ops, which are those of entries of this part. */
  readonly marks: readonly LedgerMark[];
  /** Whether more was committed than this part has. */
  readonly more: boolean;
}

export function encodeFeedPart({ entries, marks, more }: FeedPart): Uint8Array {
  const start = HEAD_BYTES + marks.length * MARK_BYTES;
  const size = entries.reduce((sum, { message }) => sum + entrySize(message), start);
  const bytes = new Uint8Array(size);
  const fields = new Fields(bytes);
  fields.putU32(0, marks.length);
  fields.putU32(4, entries.length);
  fields.putU32(8, more ? 1 : 0);
  fields.put(HEAD_BYTES, encodeMarks(marks));
  encodeEntries(bytes, start, entries);
  return bytes;
}

/** Decodes a part; the entries' messages are views of it. */
export function decodeFeedPart(bytes: Uint8Array): FeedPart {
  const fields = new Fields(bytes);
  const [markCount, entryCount] = [fields.u32(0), fields.u32(4)];
  const start = HEAD_BYTES + markCount * MARK_BYTES;
  return {
    marks: decodeMarks(bytes.subarray(HEAD_BYTES, start), markCount),
    entries: decodeEntries(bytes.subarray(start), entryCount),
    more: fields.u32(8) === 1,
  };
}
