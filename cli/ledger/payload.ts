/** Builds an operation's payload from flags. Everything is checked before anything is sent. */
import { assertNever } from '../../base/assert.ts';
import { type CliFailure, usageFailure, valueFailure } from '../failure.ts';
import type { Input } from '../input.ts';
import { readFlags } from './flags.ts';
import { readInteger, type IntegerRange } from './integers.ts';
import type { LedgerOperationName } from './operations.ts';

interface PayloadOptions {
  /** Makes the ID if `--id` is absent. */
  readonly newId: () => string;
}

interface Payload {
  readonly text: string;
  /** The ID that was made here because no `--id` was given. */
  readonly generatedId?: string;
}

/** Every integer becomes a string of digits or a number that a double holds exactly; no JSON is written by hand. */
export function payloadFromFlags(
  operation: LedgerOperationName,
  input: Input,
  { newId }: PayloadOptions,
): Payload {
  if (operation === 'create_accounts' || operation === 'create_transfers') {
    const generatedId = input.has('id') ? undefined : newId();
    const id = generatedId ?? integer(input, 'id', u128) ?? '';
    const record = operation === 'create_accounts' ? accountOf(id, input) : transferOf(id, input);
    const text = JSON.stringify([record]);
    return generatedId === undefined ? { text } : { text, generatedId };
  }
  return { text: JSON.stringify(readPayload(operation, input)) };
}

type Read = Exclude<LedgerOperationName, 'create_accounts' | 'create_transfers'>;

function readPayload(operation: Read, input: Input): object {
  switch (operation) {
    case 'lookup_accounts':
    case 'lookup_transfers':
      return idsOf(input);
    case 'get_account_transfers':
    case 'get_account_balances':
      return accountFilterOf(operation, input);
    case 'query_accounts':
    case 'query_transfers':
      return queryFilterOf(operation, input);
    default:
      return assertNever(operation);
  }
}

const u16 = { bits: 16 } as const;
const u32 = { bits: 32 } as const;
const u64 = { bits: 64 } as const;
const u128 = { bits: 128 } as const;

function accountOf(id: string, input: Input) {
  require(input, 'ledger', 'code');
  return {
    id,
    ledger: integer(input, 'ledger', u32),
    code: integer(input, 'code', u16),
    flags: String(readFlags(input.list('flag'), 'create_accounts', 16)),
    ...userData(input),
  };
}

function transferOf(id: string, input: Input) {
  require(input, 'from', 'to', 'amount', 'ledger', 'code');
  return {
    id,
    debit_account_id: integer(input, 'from', u128),
    credit_account_id: integer(input, 'to', u128),
    // "max" means everything: the whole pending amount with post_pending_transfer, the available amount with balancing_*.
    amount: input.text('amount') === 'max' ? 'max' : integer(input, 'amount', u128),
    ledger: integer(input, 'ledger', u32),
    code: integer(input, 'code', u16),
    flags: String(readFlags(input.list('flag'), 'create_transfers', 16)),
    ...defined('pending_id', integer(input, 'pending-id', u128)),
    ...defined('timeout_ms', timeoutMs(input)),
  };
}

/** The ledger counts seconds in 32 bits. */
function timeoutMs(input: Input): string | undefined {
  const text = input.text('timeout');
  if (text === undefined) return undefined;
  const value = BigInt(readInteger('--timeout', text, u64));
  if (value % 1000n !== 0n) {
    const up = (value / 1000n + 1n) * 1000n;
    throw valueFailure(
      `--timeout must be a multiple of 1000 milliseconds; ${value} is not`,
      `the next whole second: --timeout ${up}`,
    );
  }
  const maximum = 0xffff_ffffn * 1000n;
  if (value > maximum) throw valueFailure(`--timeout must be at most ${maximum} milliseconds`);
  return value.toString();
}

function idsOf(input: Input): readonly string[] {
  const ids = [
    ...input.list('id').map((text) => readInteger('--id', text, u128)),
    ...input
      .list('ids')
      .flatMap((text) => text.split(','))
      .map((text) => readInteger('--ids', text.trim(), u128)),
  ];
  if (ids.length > 0) return ids;
  throw missing(['--id or --ids']);
}

function accountFilterOf(
  operation: 'get_account_transfers' | 'get_account_balances',
  input: Input,
) {
  require(input, 'account-id');
  const flags = input.has('flag') ? readFlags(input.list('flag'), operation, 32) : 3;
  if ((flags & 3) === 0) {
    throw valueFailure(
      'the flags select neither debits nor credits, so no row can match',
      'add --flag debits, --flag credits, or both',
    );
  }
  return {
    account_id: integer(input, 'account-id', u128),
    ...filterOf(input),
    flags,
  };
}

function queryFilterOf(operation: 'query_accounts' | 'query_transfers', input: Input) {
  return {
    ...defined('ledger', integer(input, 'ledger', u32)),
    ...filterOf(input),
    flags: readFlags(input.list('flag'), operation, 32),
  };
}

function filterOf(input: Input) {
  const minimum = integer(input, 'timestamp-min', u64);
  const maximum = integer(input, 'timestamp-max', u64);
  // Zero means no bound.
  if (minimum !== undefined && maximum !== undefined && maximum !== '0') {
    if (BigInt(minimum) > BigInt(maximum)) {
      throw valueFailure('--timestamp-min is later than --timestamp-max, so no row can match');
    }
  }
  return {
    limit: Number(readInteger('--limit', input.text('limit') ?? '100', { ...u32, minimum: 1n })),
    ...defined('code', integer(input, 'code', u16)),
    ...userData(input),
    ...defined('timestamp_min', minimum),
    ...defined('timestamp_max', maximum),
  };
}

const userData = (input: Input) => ({
  ...defined('user_data_128', integer(input, 'user-data-128', u128)),
  ...defined('user_data_64', integer(input, 'user-data-64', u64)),
  ...defined('user_data_32', integer(input, 'user-data-32', u32)),
});

function integer(input: Input, option: string, range: IntegerRange): string | undefined {
  const text = input.text(option);
  return text === undefined ? undefined : readInteger(`--${option}`, text, range);
}

const defined = (name: string, value: string | undefined): Readonly<Record<string, string>> =>
  value === undefined ? {} : { [name]: value };

/** Reports all missing options at once. */
function require(input: Input, ...options: readonly string[]): void {
  const absent = options.filter((option) => !input.has(option)).map((option) => `--${option}`);
  if (absent.length > 0) throw missing(absent);
}

const missing = (what: readonly string[]): CliFailure =>
  usageFailure(
    `${what.join(', ')} ${what.length === 1 ? 'is' : 'are'} missing`,
    `give ${what.length === 1 ? 'it' : 'them'}, or a complete payload with --payload or --file`,
  );
