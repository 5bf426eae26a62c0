/** Encoding of a run of entries, in a group of the file log and in a block of the replicated log. FORMAT.md, "Log". */
import { assert } from '../../base/assert.ts';
import { Fields } from './fields.ts';
import { MESSAGE_SIZE_MAX } from './layout.ts';
import type { LogEntry } from './log.ts';

const ENTRY_HEAD_SIZE = 32;
const ENTRY_ALIGNMENT = 16;
/** Bytes of the checksum that begins an entry's message. */
export const CHECKSUM_BYTES = 16;

/** A copy of the checksum of an entry's message, also if that is a Buffer, whose own `slice` is none. */
export const checksumOf = ({ message }: LogEntry): Uint8Array =>
  new Uint8Array(message.subarray(0, CHECKSUM_BYTES));

export const entrySize = (message: Uint8Array): number => sizeOf(message.length);

const sizeOf = (messageBytes: number): number =>
  ENTRY_HEAD_SIZE + Math.ceil(messageBytes / ENTRY_ALIGNMENT) * ENTRY_ALIGNMENT;

/** Size of the entry at an offset. */
const sizeAt = (fields: Fields, at: number): number => sizeOf(fields.u32(at + 20));

/** Writes the entries from `start` on. Returns their end offset. */
export function encodeEntries(
  target: Uint8Array,
  start: number,
  entries: readonly LogEntry[],
): number {
  const fields = new Fields(target);
  let at = start;
  for (const { op, timestamp, view, message } of entries) {
    assert(message.length <= MESSAGE_SIZE_MAX, 'a message in the log is at most 1 MiB');
    const end = at + entrySize(message);
    fields.putU64(at, op);
    fields.putBig64(at + 8, timestamp);
    fields.putU32(at + 16, view);
    fields.putU32(at + 20, message.length);
    target.fill(0, at + 24, at + ENTRY_HEAD_SIZE);
    fields.put(at + ENTRY_HEAD_SIZE, message);
    target.fill(0, at + ENTRY_HEAD_SIZE + message.length, end);
    at = end;
  }
  return at;
}

/** Ends of a run of entries. */
export interface Span {
  readonly count: number;
  readonly first: Pick<LogEntry, 'op' | 'timestamp'>;
  readonly last: Pick<LogEntry, 'op' | 'timestamp'> & { readonly checksum: Uint8Array };
}

/**
 * The entries after `op` in a payload, which a seal must cover: where they begin, and their ends. `undefined` if there are none. Makes nothing
 * of the entries between.
 */
export function spanAfter(
  payload: Uint8Array,
  entryCount: number,
  op: number,
): (Span & { readonly start: number }) | undefined {
  const fields = new Fields(payload);
  let [at, start, before, last] = [0, 0, 0, 0];
  for (let index = 0; index < entryCount; index += 1) {
    if (fields.u64(at) <= op) [before, start] = [index + 1, at + sizeAt(fields, at)];
    last = at;
    at += sizeAt(fields, at);
  }
  assert(at === payload.length, 'sealed entries fill their payload');
  if (before === entryCount) return undefined;
  const message = fields.slice(last + ENTRY_HEAD_SIZE, CHECKSUM_BYTES);
  return {
    start,
    count: entryCount - before,
    first: { op: fields.u64(start), timestamp: fields.big64(start + 8) },
    last: {
      op: fields.u64(last),
      timestamp: fields.big64(last + 8),
      checksum: new Uint8Array(message),
    },
  };
}

/** Decodes the entries of a payload, which a seal must cover. Their messages are views of it. */
export function decodeEntries(payload: Uint8Array, entryCount: number): LogEntry[] {
  const fields = new Fields(payload);
  const entries: LogEntry[] = [];
  let at = 0;
  for (let count = entryCount; count > 0; count -= 1) {
    const message = fields.slice(at + ENTRY_HEAD_SIZE, fields.u32(at + 20));
    entries.push({
      op: fields.u64(at),
      timestamp: fields.big64(at + 8),
      view: fields.u32(at + 16),
      message,
    });
    at += entrySize(message);
  }
  assert(at === payload.length, 'sealed entries fill their payload');
  return entries;
}
