/** Filters of requests that read ranges of timestamps, as their records. */
import { ChangeEventsFilter, QueryFilter } from './records.ts';

interface Range {
  /** Least timestamp; 0: from the first on. */
  readonly from?: bigint;
  /** Greatest timestamp; 0: to the last. */
  readonly until?: bigint;
  readonly limit: number;
}

export function changeEventsFilter({
  from = 0n,
  until = 0n,
  limit,
}: Range): Uint8Array<ArrayBuffer> {
  const filter = new DataView(new ArrayBuffer(ChangeEventsFilter.words * 4));
  filter.setBigUint64(ChangeEventsFilter.timestampMin * 4, from, true);
  filter.setBigUint64(ChangeEventsFilter.timestampMax * 4, until, true);
  filter.setUint32(ChangeEventsFilter.limit * 4, limit, true);
  return new Uint8Array(filter.buffer);
}

/** All accounts, or all transfers, of a range. `flags`: `QueryFilterFlag`. */
export function rangeFilter({
  from = 0n,
  until = 0n,
  limit,
  flags = 0,
}: Range & { readonly flags?: number }): Uint8Array<ArrayBuffer> {
  const filter = new DataView(new ArrayBuffer(QueryFilter.words * 4));
  filter.setBigUint64(QueryFilter.timestampMin * 4, from, true);
  filter.setBigUint64(QueryFilter.timestampMax * 4, until, true);
  filter.setUint32(QueryFilter.limit * 4, limit, true);
  filter.setUint32(QueryFilter.flags * 4, flags, true);
  return new Uint8Array(filter.buffer);
}
