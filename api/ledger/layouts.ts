/**
 * Records and filters with their JSON names and their wire layout: one table for reading, writing and the CSV columns. Its order
 * is the output order. Offsets are those of TigerBeetle 0.17 and equal the rows of engine/ledger/layout.ts.
 */
import { accountFilterFlags, accountFlags, queryFilterFlags, transferFlags } from './flags.ts';
import type { FlagNames } from './flags.ts';

export interface Field {
  readonly name: string;
  /** In bytes, from the start of the record. */
  readonly offset: number;
  /** In bytes. Fields of 8 and 16 bytes are strings on output, the others are numbers. */
  readonly width: 2 | 4 | 8 | 16;
  /** `amount` also accepts "max". `milliseconds` is input only: the same field as the seconds, in another unit. */
  readonly input: 'integer' | 'flags' | 'amount' | 'milliseconds';
}

export interface Layout {
  /** Size of a record in bytes. */
  readonly size: number;
  readonly fields: readonly Field[];
  readonly flags: FlagNames;
}

const field = (
  name: string,
  offset: number,
  width: Field['width'],
  input: Field['input'] = 'integer',
): Field => ({ name, offset, width, input });

export const account: Layout = {
  size: 128,
  fields: [
    field('id', 0, 16),
    field('debits_pending', 16, 16),
    field('debits_posted', 32, 16),
    field('credits_pending', 48, 16),
    field('credits_posted', 64, 16),
    field('user_data_128', 80, 16),
    field('user_data_64', 96, 8),
    field('user_data_32', 104, 4),
    field('ledger', 112, 4),
    field('code', 116, 2),
    field('flags', 118, 2, 'flags'),
    field('timestamp', 120, 8),
  ],
  flags: accountFlags,
};

export const transfer: Layout = {
  size: 128,
  fields: [
    field('id', 0, 16),
    field('debit_account_id', 16, 16),
    field('credit_account_id', 32, 16),
    field('amount', 48, 16, 'amount'),
    field('pending_id', 64, 16),
    field('user_data_128', 80, 16),
    field('user_data_64', 96, 8),
    field('user_data_32', 104, 4),
    field('timeout', 108, 4),
    field('timeout_ms', 108, 4, 'milliseconds'),
    field('ledger', 112, 4),
    field('code', 116, 2),
    field('flags', 118, 2, 'flags'),
    field('timestamp', 120, 8),
  ],
  flags: transferFlags,
};

export const balance: Layout = {
  size: 128,
  fields: [
    field('debits_pending', 0, 16),
    field('debits_posted', 16, 16),
    field('credits_pending', 32, 16),
    field('credits_posted', 48, 16),
    field('timestamp', 64, 8),
  ],
  flags: {},
};

export const accountFilter: Layout = {
  size: 128,
  fields: [
    field('account_id', 0, 16),
    field('user_data_128', 16, 16),
    field('user_data_64', 32, 8),
    field('user_data_32', 40, 4),
    field('code', 44, 2),
    field('timestamp_min', 104, 8),
    field('timestamp_max', 112, 8),
    field('limit', 120, 4),
    field('flags', 124, 4, 'flags'),
  ],
  flags: accountFilterFlags,
};

export const queryFilter: Layout = {
  size: 64,
  fields: [
    field('user_data_128', 0, 16),
    field('user_data_64', 16, 8),
    field('user_data_32', 24, 4),
    field('ledger', 28, 4),
    field('code', 32, 2),
    field('timestamp_min', 40, 8),
    field('timestamp_max', 48, 8),
    field('limit', 56, 4),
    field('flags', 60, 4, 'flags'),
  ],
  flags: queryFilterFlags,
};

/** Fields that are written for a record. */
export const outputFields = (layout: Layout): readonly Field[] =>
  layout.fields.filter((field) => field.input !== 'milliseconds');

export function offsetOf(layout: Layout, name: string): number {
  const found = layout.fields.find((field) => field.name === name);
  if (found === undefined) throw new RangeError(`no field ${name}`);
  return found.offset;
}
