/**
 * Change events: each creation of a transfer and each expiry of a pending one, with both accounts right after it. Their
 * timestamps are unique and rise, so a reader's last timestamp is the place at which it continues.
 */
import { changeEventsFilter } from '../../engine/wire/filters.ts';
import { ChangeEvent } from '../../engine/wire/records.ts';
import type { WireRequest } from './decode.ts';
import { changeEventTypes } from './change-event-types.ts';
import { getChangeEvents } from './operations.ts';

/** Maximum number of events in a page; one row more must fit into a message of 2,730. */
export const changeEventsMax = 2_000;
export const changeEventsDefault = 100;
/** Largest timestamp that an event can follow. */
export const afterMax = 2n ** 63n - 3n;

const rowSize = ChangeEvent.words * 4;

export interface ChangeEventsPage {
  /** Whole records. */
  readonly rows: Uint8Array;
  readonly count: number;
  /** Timestamp of the last event; for an empty page, the timestamp at which it began. The next page begins after it. */
  readonly last: bigint;
  readonly hasMore: boolean;
}

/** Requests the events after a timestamp (0 to `afterMax`), and one more than `limit`, to learn whether there are more. */
export function changeEventsRequest(after: bigint, limit: number): WireRequest {
  const events = changeEventsFilter({ from: after + 1n, limit: limit + 1 });
  return { operation: getChangeEvents, events, count: 1, limit };
}

/** Returns `undefined` if the rows cannot be an answer: their timestamps do not rise, or their types are unknown. */
export function changeEventsPage(
  after: bigint,
  limit: number,
  rows: Uint8Array,
): ChangeEventsPage | undefined {
  const view = new DataView(rows.buffer, rows.byteOffset, rows.length);
  const found = rows.length / rowSize;
  let last = after;
  for (let index = 0; index < found; index += 1) {
    const at = index * rowSize;
    const timestamp = view.getBigUint64(at + ChangeEvent.timestamp * 4, true);
    if (timestamp <= last || changeEventTypes[view.getUint8(at + typeAt)] === undefined)
      return undefined;
    if (index < limit) last = timestamp;
  }
  const count = Math.min(found, limit);
  return { rows: rows.subarray(0, count * rowSize), count, last, hasMore: found > limit };
}

const typeAt = ChangeEvent.type * 4;

/** Timestamp of the first event of a page that is not empty. */
export const firstTimestamp = ({ rows }: Pick<ChangeEventsPage, 'rows'>): bigint =>
  new DataView(rows.buffer, rows.byteOffset, rows.length).getBigUint64(
    ChangeEvent.timestamp * 4,
    true,
  );
