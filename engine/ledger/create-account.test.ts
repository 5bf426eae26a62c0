/** Every status of create_accounts, and their precedence. */
import { expect, test } from '@jest/globals';
import { check } from '../../test/support/engine/ledger/scenario.ts';
import { AccountStatus } from '../wire/statuses.ts';

/** Changes (field=value) to a valid account that break each rule, in order of precedence. */
const violations: readonly (readonly [status: string, words: string])[] = [
  ['timestamp_must_be_zero', 'timestamp=1'],
  ['reserved_field', 'reserved=1'],
  ['reserved_flag', 'flags=64'],
  ['id_must_not_be_zero', 'id=0'],
  ['flags_are_mutually_exclusive', 'flags=6'],
  ['debits_pending_must_be_zero', 'debits_pending=1'],
  ['debits_posted_must_be_zero', `debits_posted=${1n << 100n}`],
  ['credits_pending_must_be_zero', 'credits_pending=1'],
  ['credits_posted_must_be_zero', `credits_posted=${1n << 64n}`],
  ['ledger_must_not_be_zero', 'ledger=0'],
  ['code_must_not_be_zero', 'code=0'],
];

test.each(violations)('%s', async (status, words) => {
  await check(`account A1 ${words} -> ${status}`);
});

const pairs = violations.flatMap(([first, words], i) =>
  violations.slice(i + 1).map(([second, others]) => [first, second, `${words} ${others}`] as const),
);

test.each(pairs)('%s goes before %s', async (first, _second, words) => {
  await check(`account A1 ${words} -> ${first}`);
});

const differences: readonly (readonly [status: string, words: string])[] = [
  ['exists_with_different_flags', 'flags=history'],
  ['exists_with_different_user_data_128', 'user_data_128=1'],
  ['exists_with_different_user_data_64', 'user_data_64=max'],
  ['exists_with_different_user_data_32', 'user_data_32=1'],
  ['exists_with_different_ledger', 'ledger=2'],
  ['exists_with_different_code', 'code=2'],
];

test.each(differences)('%s', async (status, words) => {
  await check(`
    account A1         -> created
    account A1 ${words} -> ${status}
  `);
});

test.each(differences.slice(1).map((difference, i) => [differences[i]!, difference] as const))(
  'of two differences the first is told: %s, %s',
  async ([first, words], [, others]) => {
    await check(`
      account A1                    -> created
      account A1 ${words} ${others} -> ${first}
    `);
  },
);

test('id_must_not_be_int_max; an existing id takes precedence over errors of other fields', async () => {
  await check(`
    account max flags=6            -> id_must_not_be_int_max
    account A1 flags=64 reserved=1 -> reserved_field
    account A1                     -> created
    account A1                     -> exists
    account A1 debits_posted=1     -> exists
    account A1 flags=6             -> exists_with_different_flags
    account A1 ledger=0            -> exists_with_different_ledger
    account A1 timestamp=1         -> timestamp_must_be_zero
  `);
});

test('a closed account: its current flags are what counts', async () => {
  await check(`
    account A1                                        -> created
    account A2                                        -> created
    account A3 flags=closed                           -> created
    account A3 flags=closed                           -> exists
    transfer T1 A1 A2 5 flags=pending|closing_debit   -> created
    account A1                                        -> exists_with_different_flags
    account A1 flags=closed                           -> exists
    void T2 T1                                        -> created
    account A1                                        -> exists
  `);
});

test('imported accounts', async () => {
  await check(`
    account A1 timestamp=10 flags=imported   -> created
    lookup A1 timestamp=10 flags=imported
    account A2 timestamp=0 flags=imported    -> imported_event_timestamp_out_of_range
    account A2 timestamp=${1n << 63n} flags=imported -> imported_event_timestamp_out_of_range
    account A2 timestamp=now+2 flags=imported -> imported_event_timestamp_must_not_advance
    account A2 timestamp=10 flags=imported   -> imported_event_timestamp_must_not_regress
    account A2 timestamp=9 flags=imported code=0 -> code_must_not_be_zero
    account A2 timestamp=20 flags=imported   -> created
    transfer T1 A1 A2 1 timestamp=30 flags=imported -> created
    account A3 timestamp=30 flags=imported   -> imported_event_timestamp_must_not_regress
    account A3 timestamp=31 flags=imported   -> created
    account A1 timestamp=99 flags=imported   -> exists
    batch
      account A4 timestamp=40 flags=imported -> created
      account A5                             -> imported_event_expected
      account A6 timestamp=41 flags=imported -> created
    end
    batch
      account A7                             -> created
      account A8 timestamp=50 flags=imported -> imported_event_not_expected
    end
  `);
});

test('chains', async () => {
  await check(`
    batch
      account A1 flags=linked -> created
      account A2              -> created
    end
    batch
      account A3 flags=linked        -> linked_event_failed
      account A4 flags=linked code=0 -> code_must_not_be_zero
      account A5 flags=linked        -> linked_event_failed
      account A6                     -> linked_event_failed
      account A7                     -> created
    end
    lookup A3 missing
    batch
      account A3 flags=linked -> linked_event_failed
      account A3              -> exists_with_different_flags
    end
    batch
      account A3 flags=linked -> linked_event_failed
      account A3 flags=linked -> exists
      account A4              -> linked_event_failed
    end
    batch
      account A3              -> created
      account A4 flags=linked -> linked_event_chain_open
    end
    batch
      account A4 flags=linked -> linked_event_failed
      account A5 flags=linked -> linked_event_chain_open
    end
    batch
      account A4 flags=linked ledger=0 -> ledger_must_not_be_zero
      account A5 flags=linked          -> linked_event_chain_open
    end
    query accounts -> A1 A2 A7 A3
    restart
    query accounts -> A1 A2 A7 A3
  `);
});

test('every status has a code of its own', () => {
  const codes = Object.values(AccountStatus);
  expect(new Set(codes).size).toBe(codes.length);
  expect(codes.length).toBe(27);
});
