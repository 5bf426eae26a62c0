import type { Events } from './events.ts';
import type { Issues } from './issues.ts';
import type { JsonReader } from './json-reader.ts';
import { accountFilter, offsetOf, type Layout } from './layouts.ts';
import { rowsDefault, rowsMax } from './operations.ts';
import { RecordReader } from './record-reader.ts';

const timestampMax = 2n ** 63n - 1n;
const u128Max = 2n ** 128n - 1n;
const sides = (accountFilter.flags['debits'] ?? 0) | (accountFilter.flags['credits'] ?? 0);

/**
 * Decodes one filter. An omitted property has the documented default. A filter that can only give an empty answer is refused; the
 * ledger itself would return nothing, and the caller would believe it.
 */
export function decodeFilter(layout: Layout, json: JsonReader, issues: Issues): Events {
  const events = new Uint8Array(layout.size);
  const view = new DataView(events.buffer);
  const reader = new RecordReader(json, issues, layout);
  const limitAt = offsetOf(layout, 'limit');
  const flagsAt = offsetOf(layout, 'flags');
  if (!reader.read(view, 0, [])) return { events, count: 1, limit: undefined };
  if (!reader.has('limit')) view.setUint32(limitAt, rowsDefault, true);
  if (!reader.has('flags') && layout === accountFilter) view.setUint32(flagsAt, sides, true);
  if (issues.count === 0) check(layout, reader, view, issues);
  const limit = view.getUint32(limitAt, true);
  // Ask for one row more than wanted, to learn whether there are more.
  view.setUint32(limitAt, Math.min(limit + 1, rowsMax), true);
  return { events, count: 1, limit };
}

function check(layout: Layout, reader: RecordReader, view: DataView, issues: Issues): void {
  const invalid = (name: string, detail: string, meta?: Readonly<Record<string, unknown>>) =>
    issues.add([name], 'invalid_filter', detail, meta);
  const u32 = (name: string) => view.getUint32(offsetOf(layout, name), true);
  const u64 = (name: string) => view.getBigUint64(offsetOf(layout, name), true);

  const limit = u32('limit');
  if (limit < 1 || limit > rowsMax) {
    invalid('limit', `Must be from 1 to ${rowsMax}.`, { minimum: 1, maximum: rowsMax });
  }
  const [from, to] = [u64('timestamp_min'), u64('timestamp_max')];
  const tooLate = 'Must be below 2^63: a timestamp is nanoseconds since 1970.';
  if (from > timestampMax) invalid('timestamp_min', tooLate);
  if (to > timestampMax) invalid('timestamp_max', tooLate);
  else if (to !== 0n && from > to) invalid('timestamp_min', 'Must not be after timestamp_max.');

  const flags = u32('flags');
  const known = Object.values(layout.flags).reduce((all, bit) => all | bit, 0);
  if ((flags & ~known) !== 0) {
    const allowed = Object.keys(layout.flags);
    invalid('flags', `Has unknown bits; known are ${allowed.join(', ')}.`, { allowed });
  }
  if (layout !== accountFilter) return;
  if ((flags & sides) === 0) {
    invalid('flags', 'Must have debits, credits or both; otherwise no transfer can match.');
  }
  if (!reader.has('account_id')) {
    issues.add(['account_id'], 'required', 'This property is required.');
    return;
  }
  const id = view.getBigUint64(0, true) | (view.getBigUint64(8, true) << 64n);
  if (id === 0n || id === u128Max) {
    invalid('account_id', 'Must be an account’s id: neither 0 nor 2^128 - 1.');
  }
}
