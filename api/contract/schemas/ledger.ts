/**
 * The ledger's records, filters and answers, for the document. `api/ledger` reads the requests and keeps every integer exact;
 * these schemas describe the same in the document's terms.
 */
import { z } from 'zod';
import {
  accountFilterFlags,
  accountFlags,
  queryFilterFlags,
  transferFlags,
} from '../../ledger/flags.ts';
import type { FlagNames } from '../../ledger/flags.ts';
import { eventsMax, rowsDefault, rowsMax } from '../../ledger/operations.ts';
import { exampleId, exampleTime, id, time } from './common.ts';

const digits = (what: string, format: string, max: number) =>
  z
    .string()
    .regex(new RegExp(`^(0|[1-9][0-9]{0,${max - 1}})$`))
    .meta({ description: what, format });
const out128 = (what: string) => digits(what, 'uint128', 39);
const out64 = (what: string) => digits(what, 'uint64', 20);
const outNumber = (bits: 16 | 32, what: string) =>
  z
    .int()
    .min(0)
    .max(2 ** bits - 1)
    .describe(what);

/** JSON Schema numbers may be read as doubles, which cannot hold a limit above 32 bits exactly, so there is none. */
const mostOf = (bits: 16 | 32 | 64 | 128) => (bits <= 32 ? 2 ** bits - 1 : undefined);

/** Digits as a string, or a JSON integer of any size: `2^53 + 1` as a literal is read exactly. */
function integer(what: string, bits: 16 | 32 | 64 | 128, [least, most] = [0, mostOf(bits)]) {
  const number = z.number().min(least);
  const format = `uint${bits}`;
  return z
    .union([
      z
        .string()
        .regex(/^[0-9]{1,39}$/)
        .meta({ format }),
      (most === undefined ? number : number.max(most)).meta({ type: 'integer' }),
    ])
    .meta({ description: what, format });
}
const in128 = (what: string) => integer(what, 128);
const in64 = (what: string) => integer(what, 64);
const in32 = (what: string) => integer(what, 32);
const in16 = (what: string) => integer(what, 16);

/** `most`: largest value of the bits passed to the ledger; the ledger itself checks their combination. */
function inFlags(names: FlagNames, most: number) {
  const name = `(${Object.keys(names).join('|')})`;
  const bits = Object.entries(names).map(([name, bit]) => `${name} (${bit})`);
  return z
    .union([
      z.int().min(0).max(most),
      z
        .string()
        .regex(new RegExp(`^([0-9]{1,39}|${name}(\\|${name}){0,15})$`))
        .max(500),
      z.array(z.enum(Object.keys(names))).max(16),
    ])
    .describe(
      `Bits as a number or as digits, one name, names joined with |, or a list of names: ${bits.join(', ')}.`,
    );
}
const inRecordFlags = (names: FlagNames) => inFlags(names, 2 ** 16 - 1);
const inFilterFlags = (names: FlagNames) =>
  inFlags(
    names,
    Object.values(names).reduce((all, bit) => all | bit, 0),
  );

const userDataIn = {
  user_data_128: in128('Yours; 0 when absent.').optional(),
  user_data_64: in64('Yours; 0 when absent.').optional(),
  user_data_32: in32('Yours; 0 when absent.').optional(),
};
const userDataOut = {
  user_data_128: out128('Yours.'),
  user_data_64: out64('Yours.'),
  user_data_32: outNumber(32, 'Yours.'),
};
const timestampIn = in64('With the flag imported only: nanoseconds since 1970.').optional();

const accountInput = z
  .strictObject({
    id: in128('Unique, not 0, not 2^128 - 1.'),
    ledger: in32('Transfers are between accounts of one ledger.'),
    code: in16('Your own classification of accounts.'),
    flags: inRecordFlags(accountFlags).optional(),
    ...userDataIn,
    debits_pending: in128('0 only.').optional(),
    debits_posted: in128('0 only.').optional(),
    credits_pending: in128('0 only.').optional(),
    credits_posted: in128('0 only.').optional(),
    timestamp: timestampIn,
  })
  .meta({ id: 'AccountInput' });

const transferInput = z
  .strictObject({
    id: in128('Unique, not 0, not 2^128 - 1.'),
    debit_account_id: in128('Not needed to post or void.').optional(),
    credit_account_id: in128('Not needed to post or void.').optional(),
    amount: z
      .union([z.literal('max'), in128('')])
      .optional()
      .describe(
        '`max` (2^128 - 1) posts the whole pending amount; with a balancing flag it stands for the whole balance. Not needed to void.',
      ),
    pending_id: in128('The pending transfer to post or void.').optional(),
    ...userDataIn,
    timeout: in32('Timeout of a pending transfer, in seconds.').optional(),
    timeout_ms: in64('Instead of timeout: milliseconds, a multiple of 1000.').optional(),
    ledger: in32('Not needed to post or void.').optional(),
    code: in16('Your own classification of transfers. Not needed to post or void.').optional(),
    flags: inRecordFlags(transferFlags).optional(),
    timestamp: timestampIn,
  })
  .meta({ id: 'TransferInput' });

const batchOf = <Row extends z.ZodType>(row: Row) => z.array(row).max(eventsMax);
export const createAccountsRequest = batchOf(accountInput).meta({ id: 'CreateAccountsRequest' });
export const createTransfersRequest = batchOf(transferInput).meta({ id: 'CreateTransfersRequest' });

const ids = z.array(in128('An ID.')).max(eventsMax);
export const lookupRequest = z.union([ids, z.strictObject({ ids })]).meta({ id: 'LookupRequest' });

const range = {
  code: in16('Rows with this code only.').optional(),
  ...userDataIn,
  timestamp_min: in64('Nanoseconds since 1970; 0 means no bound.').optional(),
  timestamp_max: in64('Nanoseconds since 1970; 0 means no bound.').optional(),
  limit: integer(`Rows at most, 1 to ${rowsMax}; ${rowsDefault} when absent.`, 32, [
    1,
    rowsMax,
  ]).optional(),
};

export const accountFilter = z
  .strictObject({
    account_id: in128('The account of the rows.'),
    ...range,
    flags: inFilterFlags(accountFilterFlags).optional(),
  })
  .describe('Flags are debits|credits when absent.')
  .meta({ id: 'AccountFilter' });

export const queryFilter = z
  .strictObject({
    ledger: in32('Rows of this ledger only.').optional(),
    ...range,
    flags: inFilterFlags(queryFilterFlags).optional(),
  })
  .meta({ id: 'QueryFilter' });

export const account = z
  .object({
    id: out128('Account ID.'),
    debits_pending: out128('Sum of pending debits.'),
    debits_posted: out128('Sum of posted debits.'),
    credits_pending: out128('Sum of pending credits.'),
    credits_posted: out128('Sum of posted credits.'),
    ...userDataOut,
    ledger: outNumber(32, 'Its ledger.'),
    code: outNumber(16, 'Its kind.'),
    flags: outNumber(16, 'Bits.'),
    timestamp: out64('When it was made: nanoseconds since 1970.'),
  })
  .meta({ id: 'Account' });

export const transfer = z
  .object({
    id: out128('Transfer ID.'),
    debit_account_id: out128('The account that is debited.'),
    credit_account_id: out128('The account that is credited.'),
    amount: out128('The amount.'),
    pending_id: out128('The pending transfer that it posts or voids.'),
    ...userDataOut,
    timeout: outNumber(32, 'Timeout of a pending transfer, in seconds.'),
    ledger: outNumber(32, 'Its ledger.'),
    code: outNumber(16, 'Its kind.'),
    flags: outNumber(16, 'Bits.'),
    timestamp: out64('When it was made: nanoseconds since 1970.'),
  })
  .meta({ id: 'Transfer' });

export const balance = z
  .object({
    debits_pending: out128('Sum of pending debits.'),
    debits_posted: out128('Sum of posted debits.'),
    credits_pending: out128('Sum of pending credits.'),
    credits_posted: out128('Sum of posted credits.'),
    timestamp: out64('Time of the balance: nanoseconds since 1970.'),
  })
  .meta({ id: 'AccountBalance' });

const execution = z
  .object({
    kind: z.enum(['read', 'write']),
    requestId: z.string(),
    databaseId: id('db', 'The database.'),
    clusterId: out128('Its cluster.'),
    engineVersion: z.string(),
    eventCount: z.int(),
    resultCount: z.int(),
    gatewayMs: z.number().describe('Time in the gateway.'),
    ledgerMs: z.number().describe('Time in the ledger, network included.'),
    durationMs: z.number(),
    executedAt: time('When it was answered.'),
  })
  .meta({ id: 'Execution' });

const envelope = (operation: string) => ({
  success: z
    .literal(true)
    .describe('The request was executed; the result has the answers of the ledger.'),
  operation: z.literal(operation),
  execution,
  documentationUrl: z.url(),
});

const eventResult = z
  .object({
    index: z.int().describe('Index of the event in the request.'),
    id: out128('ID of the event.'),
    status: z.string().describe('TigerBeetle’s name, such as `created`.'),
    timestamp: out64('Nanoseconds since 1970.'),
    documentationUrl: z.url().optional().describe('Documentation of the status of a failed event.'),
  })
  .meta({ id: 'EventResult' });

export const createdEvents = (operation: string, schemaId: string) =>
  z
    .object({
      ...envelope(operation),
      summary: z.object({ created: z.int(), exists: z.int(), failed: z.int() }),
      result: z.array(eventResult),
    })
    .meta({ id: schemaId });

export const foundRows = (operation: string, schemaId: string, row: z.ZodType) =>
  z
    .object({
      ...envelope(operation),
      missing: z.array(out128('An ID that has no row.')),
      result: z.array(row),
    })
    .meta({ id: schemaId });

const pageOf = (filter: z.ZodType) =>
  z.object({
    limit: z.int(),
    hasMore: z.boolean(),
    hasMoreExact: z
      .literal(false)
      .optional()
      .describe('False at the largest limit: it is unknown whether more rows follow.'),
    next: filter.nullable().describe('The filter for the next rows.'),
  });

export const pagedRows = (operation: string, schemaId: string, row: z.ZodType, filter: z.ZodType) =>
  z
    .object({
      ...envelope(operation),
      page: pageOf(filter),
      warnings: z.array(z.object({ code: z.string(), detail: z.string() })).optional(),
      result: z.array(row),
    })
    .meta({ id: schemaId });

const zeros = { user_data_128: '0', user_data_64: '0', user_data_32: 0 };
const sums = {
  debits_pending: '0',
  debits_posted: '10',
  credits_pending: '0',
  credits_posted: '0',
};

export const rowExamples = {
  account: {
    id: '1001',
    ...sums,
    ...zeros,
    ledger: 1,
    code: 1,
    flags: 0,
    timestamp: '1745328372758695656',
  },
  transfer: {
    id: '5001',
    debit_account_id: '1001',
    credit_account_id: '1002',
    amount: '10',
    pending_id: '0',
    ...zeros,
    timeout: 0,
    ledger: 1,
    code: 1,
    flags: 0,
    timestamp: '1745328372758695660',
  },
  balance: { ...sums, timestamp: '1745328372758695660' },
};

export const envelopeExample = (operation: string, kind: 'read' | 'write', count: number) => ({
  success: true as const,
  operation,
  execution: {
    kind,
    requestId: exampleId('req'),
    databaseId: exampleId('db'),
    clusterId: '126385720930470432897564901432759016843',
    engineVersion: '0.1.0',
    eventCount: count,
    resultCount: count,
    gatewayMs: 0.4,
    ledgerMs: 3.2,
    durationMs: 3.9,
    executedAt: exampleTime,
  },
  documentationUrl: `https://docs.tigerbeetle.com/reference/requests/${operation}`,
});
