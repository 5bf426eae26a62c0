/**
 * Records and filters with their JSON names and their wire layout: one table for reading, writing and the CSV columns. Its order
 * is the output order.
 */
import {
  accountFields,
  type RecordField,
  transferFields,
} from '../../engine/wire/record-fields.ts';
import {
  Account,
  AccountBalance,
  AccountFilter,
  QueryFilter,
  WireTransfer,
} from '../../engine/wire/records.ts';
import { accountFilterFlags, accountFlags, queryFilterFlags, transferFlags } from './flags.ts';
import type { FlagNames } from './flags.ts';

/** Fields of 8 and 16 bytes are strings on output, the others are numbers. */
export interface Field extends RecordField {
  /** `amount` also accepts "max". `milliseconds` is input only: the same field as the seconds, in another unit. */
  readonly input: 'integer' | 'flags' | 'amount' | 'milliseconds';
}

export interface Layout {
  /** Size of a record in bytes. */
  readonly size: number;
  readonly fields: readonly Field[];
  readonly flags: FlagNames;
}

/** `word` is an offset in u32 words, as in engine/wire. */
const field = (
  name: string,
  word: number,
  width: Field['width'],
  input: Field['input'] = 'integer',
): Field => ({ name, offset: word * 4, width, input });

/** How fields of a record are given that are no plain integers. */
const inputs: Readonly<Record<string, Field['input']>> = { flags: 'flags', amount: 'amount' };

const recordField = ({ name, offset, width }: RecordField): Field => ({
  name,
  offset,
  width,
  input: inputs[name] ?? 'integer',
});

export const account: Layout = {
  size: Account.words * 4,
  fields: accountFields.map(recordField),
  flags: accountFlags,
};

export const transfer: Layout = {
  size: WireTransfer.words * 4,
  fields: transferFields.flatMap((one) => {
    const own = recordField(one);
    if (own.name !== 'timeout') return [own];
    return [own, { ...own, name: 'timeout_ms', input: 'milliseconds' as const }];
  }),
  flags: transferFlags,
};

export const balance: Layout = {
  size: AccountBalance.words * 4,
  fields: [
    field('debits_pending', AccountBalance.debitsPending, 16),
    field('debits_posted', AccountBalance.debitsPosted, 16),
    field('credits_pending', AccountBalance.creditsPending, 16),
    field('credits_posted', AccountBalance.creditsPosted, 16),
    field('timestamp', AccountBalance.timestamp, 8),
  ],
  flags: {},
};

export const accountFilter: Layout = {
  size: AccountFilter.words * 4,
  fields: [
    field('account_id', AccountFilter.accountId, 16),
    field('user_data_128', AccountFilter.userData128, 16),
    field('user_data_64', AccountFilter.userData64, 8),
    field('user_data_32', AccountFilter.userData32, 4),
    field('code', AccountFilter.code, 2),
    field('timestamp_min', AccountFilter.timestampMin, 8),
    field('timestamp_max', AccountFilter.timestampMax, 8),
    field('limit', AccountFilter.limit, 4),
    field('flags', AccountFilter.flags, 4, 'flags'),
  ],
  flags: accountFilterFlags,
};

export const queryFilter: Layout = {
  size: QueryFilter.words * 4,
  fields: [
    field('user_data_128', QueryFilter.userData128, 16),
    field('user_data_64', QueryFilter.userData64, 8),
    field('user_data_32', QueryFilter.userData32, 4),
    field('ledger', QueryFilter.ledger, 4),
    field('code', QueryFilter.code, 2),
    field('timestamp_min', QueryFilter.timestampMin, 8),
    field('timestamp_max', QueryFilter.timestampMax, 8),
    field('limit', QueryFilter.limit, 4),
    field('flags', QueryFilter.flags, 4, 'flags'),
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
