/** Selects the rows of a filtered read for the caller, and the filter of the next page. */
import type { LedgerRequest } from './decode.ts';
import { offsetOf, outputFields, type Layout } from './layouts.ts';
import { rowsMax } from './operations.ts';

export interface Page {
  readonly limit: number;
  readonly hasMore: boolean;
  /** Absent: exact. At the largest limit no further row can be requested, so a full page may be the last one. */
  readonly hasMoreExact?: false;
  /** Filter of the rows after the last one; null when there are no more. */
  readonly next: Readonly<Record<string, string | number>> | null;
}

interface PagedRows {
  readonly rows: Uint8Array;
  readonly page: Page;
}

export function pageOf(
  request: LedgerRequest & { readonly limit: number },
  filter: Layout,
  answer: Uint8Array,
  record: Layout,
): PagedRows {
  const { limit } = request;
  const count = answer.length / record.size;
  const isExact = limit < rowsMax;
  const hasMore = isExact ? count > limit : count === limit;
  const rows = answer.subarray(0, Math.min(count, limit) * record.size);
  return {
    rows,
    page: {
      limit,
      hasMore,
      ...(isExact ? {} : { hasMoreExact: false as const }),
      next: hasMore ? nextFilter(request, filter, lastTimestamp(rows, record)) : null,
    },
  };
}

function lastTimestamp(rows: Uint8Array, record: Layout): bigint {
  const view = new DataView(rows.buffer, rows.byteOffset, rows.length);
  return view.getBigUint64(rows.length - record.size + offsetOf(record, 'timestamp'), true);
}

/** Filter of the next page. Timestamps are unique in a cluster, so it begins one nanosecond after the last row. */
function nextFilter(
  { events, limit }: LedgerRequest & { readonly limit: number },
  filter: Layout,
  last: bigint,
): Readonly<Record<string, string | number>> {
  const bytes = events.slice();
  const view = new DataView(bytes.buffer);
  const reversed = filter.flags['reversed'] ?? 0;
  const isReversed = (view.getUint32(offsetOf(filter, 'flags'), true) & reversed) !== 0;
  view.setUint32(offsetOf(filter, 'limit'), limit, true);
  if (isReversed) view.setBigUint64(offsetOf(filter, 'timestamp_max'), last - 1n, true);
  else view.setBigUint64(offsetOf(filter, 'timestamp_min'), last + 1n, true);
  const given: Record<string, string | number> = {};
  for (const { name, offset, width } of outputFields(filter)) {
    const value = integerAt(view, offset, width);
    // A zero means that the property was not given. Flags are kept, because omitted flags have a default.
    if (Number(value) !== 0 || name === 'flags') given[name] = value;
  }
  return given;
}

function integerAt(view: DataView, offset: number, width: number): string | number {
  if (width === 2) return view.getUint16(offset, true);
  if (width === 4) return view.getUint32(offset, true);
  const low = view.getBigUint64(offset, true);
  return String(width === 8 ? low : low | (view.getBigUint64(offset + 8, true) << 64n));
}
