/** Encoding of a run of entries, in a group of the file log and in a block of the replicated log. FORMAT.md, "Log". */
import { assert } from '../../base/assert.ts';
import { Fields } from './fields.ts';
import { MESSAGE_SIZE_MAX } from './layout.ts';
import type { LogEntry } from './log.ts';

const ENTRY_HEAD_SIZE = 32;
const ENTRY_ALIGNMENT = 16;

export function entrySize(message: Uint8Array): number {
  return ENTRY_HEAD_SIZE + Math.ceil(message.length / ENTRY_ALIGNMENT) * ENTRY_ALIGNMENT;
}

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
