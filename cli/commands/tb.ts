/** `tb`: the eight operations of the ledger route. */
import type { Command, Example, Group, Option } from '../command.ts';
import { flagNames } from '../ledger/flags.ts';
import {
  ledgerOperations,
  type LedgerOperation,
  type LedgerOperationName,
} from '../ledger/operations.ts';
import { dryRun, payloadOptions } from './payload-options.ts';

interface Declared {
  readonly summary: string;
  readonly description?: string;
  readonly options: readonly Option[];
  readonly examples: readonly [Example, ...Example[]];
}

const unlessPayload = 'required unless --payload or --file';
/** An ID for examples; no database has it. */
const database = 'db_01jd8f3zk5e0v9t3m2q6r8w4xy';

const flag = (operation: LedgerOperationName, what: string): Option => ({
  name: 'flag',
  value: 'flag',
  summary: `${what}: a name or a non-negative bitfield; repeatable, combined`,
  repeatable: true,
  choices: Object.keys(flagNames[operation]),
});

const userData = (what: string): readonly Option[] =>
  [128, 64, 32].map((bits) => ({
    name: `user-data-${bits}`,
    value: 'value',
    summary: `${what} user_data_${bits}`,
  }));

const timestamps: readonly Option[] = [
  { name: 'timestamp-min', value: 'value', summary: 'rows from this timestamp on (nanoseconds)' },
  { name: 'timestamp-max', value: 'value', summary: 'rows up to this timestamp (nanoseconds)' },
];

const limit: Option = { name: 'limit', value: 'limit', summary: 'maximum row count; default 100' };
const ledgerAndCode = (what: string): readonly Option[] => [
  { name: 'ledger', value: 'ledger', summary: what },
  { name: 'code', value: 'code', summary: what },
];

const lookup = (noun: string): readonly Option[] => [
  { name: 'id', value: 'id', summary: `${noun} ID; repeatable`, repeatable: true },
  { name: 'ids', value: 'ids', summary: 'comma-separated list of IDs', repeatable: true },
];
const byName = 'Give the ID or the name of the database.';
const lookupDescription = `At least one --id or --ids is ${unlessPayload}.`;

const accountFilter = (operation: LedgerOperationName): readonly Option[] => [
  { name: 'account-id', value: 'id', summary: unlessPayload },
  limit,
  flag(operation, 'filter flag, default debits and credits'),
  ...timestamps,
  ...userData('filter on'),
  { name: 'code', value: 'code', summary: 'filter on code' },
];

const queryFilter = (operation: LedgerOperationName): readonly Option[] => [
  limit,
  flag(operation, 'query flag'),
  ...ledgerAndCode('filter'),
  ...timestamps,
  ...userData('filter on'),
];

const declared: Readonly<Record<LedgerOperationName, Declared>> = {
  create_accounts: {
    summary: 'Create accounts',
    options: [
      { name: 'id', value: 'id', summary: 'account ID; defaults to a generated ID' },
      ...ledgerAndCode(unlessPayload),
      flag('create_accounts', 'account flag'),
      ...userData('sets'),
    ],
    examples: [
      {
        says: 'an account that keeps its history and cannot be overdrawn',
        command: `tb create-accounts ${database} --id 1 --ledger 1 --code 10 --flag history --flag debits_must_not_exceed_credits`,
      },
      { says: 'many at once', command: `tb create-accounts ${database} --file accounts.json` },
    ],
  },
  create_transfers: {
    summary: 'Create transfers',
    description:
      'If a transfer failed because funds or an account were missing, its ID is used up: try again with a new one. To post or void a pending transfer, give --pending-id with the flag; --from 0 and --to 0 take its accounts, --amount max takes its full amount.',
    options: [
      { name: 'id', value: 'id', summary: 'transfer ID; defaults to a generated ID' },
      { name: 'from', value: 'id', summary: `debit account ID; ${unlessPayload}` },
      { name: 'to', value: 'id', summary: `credit account ID; ${unlessPayload}` },
      { name: 'amount', value: 'amount', summary: `an integer, or max; ${unlessPayload}` },
      ...ledgerAndCode(unlessPayload),
      flag('create_transfers', 'transfer flag'),
      { name: 'pending-id', value: 'id', summary: 'pending transfer ID' },
      {
        name: 'timeout',
        value: 'ms',
        summary: 'time until a pending transfer expires, in milliseconds; whole seconds only',
      },
    ],
    examples: [
      {
        command: `tb create-transfers ${database} --from 1 --to 2 --amount 100 --ledger 1 --code 1`,
      },
      {
        says: 'reserve, then post',
        command: `tb create-transfers ${database} --id 7 --from 1 --to 2 --amount 100 --ledger 1 --code 1 --flag pending --timeout 60000`,
      },
      {
        command: `tb create-transfers ${database} --from 0 --to 0 --amount max --ledger 1 --code 1 --flag post_pending_transfer --pending-id 7`,
      },
    ],
  },
  lookup_accounts: {
    summary: 'Look up accounts by ID',
    description: lookupDescription,
    options: lookup('account'),
    examples: [{ command: `tb lookup-accounts ${database} --id 1 --id 2` }],
  },
  lookup_transfers: {
    summary: 'Look up transfers by ID',
    description: lookupDescription,
    options: lookup('transfer'),
    examples: [{ command: `tb lookup-transfers ${database} --ids 7,8,9` }],
  },
  get_account_transfers: {
    summary: 'List the transfers of one account',
    options: accountFilter('get_account_transfers'),
    examples: [
      {
        says: 'the last payments from an account',
        command: `tb get-account-transfers ${database} --account-id 1 --flag debits --flag reversed --limit 10`,
      },
    ],
  },
  get_account_balances: {
    summary: 'List the balances of one account over time',
    description: 'Only accounts with the flag history keep their balances.',
    options: accountFilter('get_account_balances'),
    examples: [
      {
        says: 'into a spreadsheet',
        command: `tb get-account-balances ${database} --account-id 1 --csv > balances.csv`,
      },
    ],
  },
  query_accounts: {
    summary: 'Query accounts',
    options: queryFilter('query_accounts'),
    examples: [{ command: `tb query-accounts ${database} --ledger 1 --limit 20 --flag reversed` }],
  },
  query_transfers: {
    summary: 'Query transfers',
    options: queryFilter('query_transfers'),
    examples: [
      { command: `tb query-transfers ${database} --ledger 1 --code 1 --user-data-64 20261121` },
    ],
  },
};

const commandOf = (operation: LedgerOperation): Command => ({
  kind: 'command',
  name: operation.command,
  ...declared[operation.name],
  description: [byName, declared[operation.name].description].filter(Boolean).join(' '),
  arguments: [{ name: 'database-id' }],
  options: [
    ...declared[operation.name].options,
    ...payloadOptions,
    dryRun,
    operation.kind === 'write'
      ? { name: 'allow-failed', summary: 'exit with 0 even if the ledger rejected events' }
      : { name: 'csv', summary: 'print the rows as CSV' },
  ],
  load: async () =>
    (await import('../handlers/tb.ts')).tbHandler(
      operation,
      declared[operation.name].options.map(({ name }) => name),
    ),
});

export const tb: Group = {
  kind: 'group',
  name: 'tb',
  summary: 'Run ledger operations on a database',
  children: ledgerOperations.map(commandOf),
};
