/** Every status of create_transfers, their precedence, and what a transfer does to balances. */
import { expect, test } from '@jest/globals';
import { check } from '../../test/support/engine/ledger/scenario.ts';
import { TransferStatus } from '../wire/statuses.ts';

const WORLD = `
  account A1 -> created
  account A2 -> created
  account A3 ledger=2 -> created
  account A4 flags=debits_must_not_exceed_credits -> created
  account A5 flags=credits_must_not_exceed_debits -> created
  account A6 flags=closed -> created
`;

/** Changes (field=value) that break each rule of a plain transfer from A1 to A2, in order of precedence. */
const violations: readonly (readonly [status: string, words: string])[] = [
  ['timestamp_must_be_zero', 'timestamp=1'],
  ['reserved_flag', 'flags=512'],
  ['id_must_not_be_zero', 'id=0'],
  ['debit_account_id_must_not_be_zero', 'debit_account_id=0'],
  ['credit_account_id_must_not_be_zero', 'credit_account_id=0'],
  ['pending_id_must_be_zero', 'pending_id=7'],
  ['timeout_reserved_for_pending_transfer', 'timeout=1'],
  ['closing_transfer_must_be_pending', 'flags=closing_debit'],
  ['ledger_must_not_be_zero', 'ledger=0'],
  ['code_must_not_be_zero', 'code=0'],
  ['debit_account_not_found', 'debit_account_id=90'],
  ['credit_account_not_found', 'credit_account_id=91'],
];

test.each(violations)('%s', async (status, words) => {
  await check(`${WORLD}\n transfer T1 A1 A2 1 ${words} -> ${status}`);
});

const fieldOf = (words: string): string => words.split('=')[0]!;
const pairs = violations.flatMap(([first, words], i) =>
  violations
    .slice(i + 1)
    .filter(([, others]) => fieldOf(others) !== fieldOf(words))
    .map(([second, others]) => [first, second, `${words} ${others}`] as const),
);

test.each(pairs)('%s goes before %s', async (first, _second, words) => {
  await check(`${WORLD}\n transfer T1 A1 A2 1 ${words} -> ${first}`);
});

test('ids at their limits, accounts that do not go together', async () => {
  await check(`${WORLD}
    transfer max A1 A2 1                 -> id_must_not_be_int_max
    transfer T1 max A2 1                 -> debit_account_id_must_not_be_int_max
    transfer T1 A1 max 1                 -> credit_account_id_must_not_be_int_max
    transfer T1 max max 1                -> debit_account_id_must_not_be_int_max
    transfer T1 0 0 1                    -> debit_account_id_must_not_be_zero
    transfer T1 A1 A1 1 pending_id=7     -> accounts_must_be_different
    transfer T1 A1 A3 1                  -> accounts_must_have_the_same_ledger
    transfer T1 A1 A3 1 ledger=3         -> accounts_must_have_the_same_ledger
    transfer T1 A1 A2 1 ledger=2         -> transfer_must_have_the_same_ledger_as_accounts
    transfer T1 A6 A2 1 ledger=2         -> transfer_must_have_the_same_ledger_as_accounts
    transfer T1 A6 A2 1                  -> debit_account_already_closed
    transfer T2 A1 A6 1                  -> credit_account_already_closed
    transfer T3 A4 A2 1                  -> exceeds_credits
    transfer T4 A1 A5 1                  -> exceeds_debits
    transfer T5 A4 A5 1                  -> exceeds_credits
    transfer T6 A1 A2 0                  -> created
    lookup T6 amount=0
  `);
});

test('overflows, each before the next', async () => {
  await check(`${WORLD}
    account A7 -> created
    transfer T1 A1 A2 max flags=pending       -> created
    transfer T2 A1 A7 1 flags=pending         -> overflows_debits_pending
    transfer T3 A7 A2 1 flags=pending         -> overflows_credits_pending
    transfer T4 A1 A7 1                       -> overflows_debits
    transfer T5 A7 A2 1                       -> overflows_credits
    post T6 T1                                -> created
    balance A1 0 max 0 0
    transfer T7 A1 A7 1 flags=pending         -> overflows_debits_posted
    transfer T8 A7 A2 1                       -> overflows_credits_posted
    transfer T9 A2 A1 max                     -> created
    balance A2 0 max 0 max
    transfer T10 A7 A4 1 flags=pending timeout=max -> created
    restart
    balance A2 0 max 0 max
    transfer T11 A1 A7 1 -> overflows_debits_posted
  `);
});

test('overflows_timeout goes after the other overflows and before limits', async () => {
  await check(`
    account A1 flags=imported|debits_must_not_exceed_credits timestamp=1 -> created
    account A2 -> created
    tick 9223000000s
    transfer T1 A1 A2 1 flags=pending timeout=max -> overflows_timeout
    transfer T1 A1 A2 1 flags=pending timeout=1   -> exceeds_credits
  `);
});

test('balancing clamps to what there is', async () => {
  await check(`${WORLD}
    transfer T1 A1 A4 10                            -> created
    transfer T2 A4 A2 max flags=balancing_debit     -> created
    lookup T2 amount=10
    transfer T3 A4 A2 max flags=balancing_debit     -> created
    lookup T3 amount=0
    transfer T4 A2 A1 max flags=balancing_credit    -> created
    lookup T4 amount=10
    transfer T5 A1 A4 4                             -> created
    transfer T6 A4 A2 3 flags=balancing_debit|pending -> created
    transfer T7 A4 A2 3 flags=balancing_debit       -> created
    lookup T7 amount=1
    transfer T7 A4 A2 2 flags=balancing_debit       -> exists
    transfer T7 A4 A2 1 flags=balancing_debit       -> exists
    transfer T7 A4 A2 0 flags=balancing_debit       -> exists_with_different_amount
    balance A4 3 11 0 14
  `);
});

test('post and void', async () => {
  await check(`${WORLD}
    transfer T1 A1 A2 10 flags=pending code=3 user_data_128=5 user_data_64=6 user_data_32=7 -> created
    transfer T2 A1 A2 10                       -> created
    post T9 T1 flags=8                         -> flags_are_mutually_exclusive
    post T9 T1 flags=pending                   -> flags_are_mutually_exclusive
    post T9 T1 flags=balancing_debit           -> flags_are_mutually_exclusive
    post T9 T1 flags=closing_credit            -> flags_are_mutually_exclusive
    post T9 0                                  -> pending_id_must_not_be_zero
    post T9 max                                -> pending_id_must_not_be_int_max
    post T9 T9 timeout=1                       -> pending_id_must_be_different
    post T9 T88 timeout=1                      -> timeout_reserved_for_pending_transfer
    post T90 T88                               -> pending_transfer_not_found
    post T90 T1                                -> id_already_failed
    post T9 T2 debit_account_id=7              -> pending_transfer_not_pending
    post T9 T1 debit_account_id=2 credit_account_id=1 -> pending_transfer_has_different_debit_account_id
    post T9 T1 credit_account_id=1 ledger=9    -> pending_transfer_has_different_credit_account_id
    post T9 T1 ledger=9 code=9                 -> pending_transfer_has_different_ledger
    post T9 T1 11 code=9                       -> pending_transfer_has_different_code
    post T9 T1 11                              -> exceeds_pending_transfer_amount
    void T9 T1 11                              -> exceeds_pending_transfer_amount
    void T9 T1 9                               -> pending_transfer_has_different_amount
    balance A1 10 10 0 0
    post T3 T1 4 user_data_64=60               -> created
    lookup T3 amount=4 pending_id=1 debit_account_id=1 credit_account_id=2 ledger=1 code=3 user_data_128=5 user_data_64=60 user_data_32=7
    balance A1 0 14 0 0
    balance A2 0 0 0 14
    void T9 T1 9                               -> pending_transfer_has_different_amount
    post T9 T1                                 -> pending_transfer_already_posted
    void T9 T1                                 -> pending_transfer_already_posted
    transfer T4 A1 A2 8 flags=pending          -> created
    void T5 T4                                 -> created
    post T9 T4                                 -> pending_transfer_already_voided
    balance A1 0 14 0 0
    transfer T6 A1 A2 8 flags=pending          -> created
    post T7 T6 0                               -> created
    lookup T7 amount=0
    balance A1 0 14 0 0
    restart
    post T9 T6                                 -> pending_transfer_already_posted
    post T9 T4                                 -> pending_transfer_already_voided
  `);
});

test('posted or voided goes before a closed account; voiding a closed account is allowed', async () => {
  await check(`${WORLD}
    transfer T1 A1 A2 1 flags=pending                 -> created
    transfer T2 A1 A2 1 flags=pending                 -> created
    transfer T3 A1 A2 0 flags=pending|closing_debit   -> created
    balance A1 2 0 0 0 closed
    post T9 T1                                        -> debit_account_already_closed
    post T10 T3                                       -> debit_account_already_closed
    void T11 T2                                       -> created
    post T12 T2                                       -> pending_transfer_already_voided
    transfer T13 A1 A2 1                              -> debit_account_already_closed
    transfer T13 A1 A2 1                              -> id_already_failed
    restart
    balance A1 1 0 0 0 closed
    void T14 T3                                       -> created
    balance A1 1 0 0 0
    transfer T4 A1 A2 0 flags=pending|closing_credit timeout=1 -> created
    post T15 T1                                       -> credit_account_already_closed
    tick 2s
    balance A2 0 0 1 0
    post T16 T1                                       -> created
  `);
});

const differences: readonly (readonly [status: string, words: string])[] = [
  ['exists_with_different_flags', 'flags=pending'],
  ['exists_with_different_pending_id', 'pending_id=1'],
  ['exists_with_different_timeout', 'timeout=1'],
  ['exists_with_different_debit_account_id', 'debit_account_id=9'],
  ['exists_with_different_credit_account_id', 'credit_account_id=9'],
  ['exists_with_different_amount', 'amount=9'],
  ['exists_with_different_user_data_128', 'user_data_128=9'],
  ['exists_with_different_user_data_64', 'user_data_64=9'],
  ['exists_with_different_user_data_32', 'user_data_32=9'],
  ['exists_with_different_ledger', 'ledger=9'],
  ['exists_with_different_code', 'code=9'],
];

test.each(differences)('%s', async (status, words) => {
  await check(`${WORLD}
    transfer T1 A1 A2 5          -> created
    transfer T1 A1 A2 5          -> exists
    transfer T1 A1 A2 5 ${words} -> ${status}
  `);
});

test.each(differences.slice(1).map((difference, i) => [differences[i]!, difference] as const))(
  'of two differences the first is told: %s, %s',
  async ([first, words], [, others]) => {
    await check(`${WORLD}
      transfer T1 A1 A2 5                    -> created
      transfer T1 A1 A2 5 ${words} ${others} -> ${first}
    `);
  },
);

test("a post that exists: omitted fields have the pending transfer's values", async () => {
  await check(`${WORLD}
    transfer T1 A1 A2 5 flags=pending user_data_32=3 user_data_64=4 user_data_128=5 -> created
    post T2 T1 2 user_data_64=40                    -> created
    post T2 T1 2 user_data_64=40                    -> exists
    post T2 T1 2 user_data_64=40 debit_account_id=1 credit_account_id=2 ledger=1 code=1 -> exists
    post T2 T1 2 user_data_64=40 debit_account_id=2 -> exists_with_different_debit_account_id
    post T2 T1 2 user_data_64=40 credit_account_id=1 -> exists_with_different_credit_account_id
    post T2 T1 user_data_64=40                      -> exists_with_different_amount
    post T2 T1 2                                    -> exists_with_different_user_data_64
    post T2 T1 2 user_data_64=40 user_data_128=6    -> exists_with_different_user_data_128
    post T2 T1 2 user_data_64=40 user_data_32=4     -> exists_with_different_user_data_32
    post T2 T1 2 user_data_64=40 ledger=2           -> exists_with_different_ledger
    post T2 T1 2 user_data_64=40 code=2             -> exists_with_different_code
    void T2 T1 2 user_data_64=40                    -> exists_with_different_flags
    post T2 T3 2 user_data_64=40                    -> exists_with_different_pending_id
    transfer T4 A1 A2 7 flags=pending               -> created
    void T5 T4                                      -> created
    void T5 T4 7                                    -> exists
    void T5 T4 6                                    -> exists_with_different_amount
  `);
});

test('transient failures burn the id, others do not', async () => {
  await check(`${WORLD}
    transfer T1 A77 A2 1  -> debit_account_not_found
    account A77           -> created
    transfer T1 A77 A2 1  -> id_already_failed
    post T9 T1            -> pending_transfer_not_found
    lookup T1 missing
    transfer T2 A1 A2 1 code=0 -> code_must_not_be_zero
    transfer T2 A1 A2 1   -> created
    transfer T1 A1 A2 1 flags=512 -> reserved_flag
    restart
    transfer T1 A1 A2 1   -> id_already_failed
  `);
});

test('chains: undone exactly, burned ids stay burned', async () => {
  await check(
    `${WORLD}
    transfer T1 A1 A2 5 flags=pending -> created
    batch
      transfer T2 A1 A2 3 flags=linked                       -> linked_event_failed
      post T3 T1 flags=linked                                -> linked_event_failed
      transfer T4 A2 A1 max flags=linked                     -> linked_event_failed
      transfer T5 A1 A2 0 flags=linked|pending|closing_debit -> linked_event_failed
      transfer T6 A4 A2 1 flags=linked                       -> exceeds_credits
      transfer T7 A1 A2 1                                    -> linked_event_failed
      transfer T8 A1 A2 1                                    -> created
    end
    balance A1 5 1 0 0
    balance A2 0 0 5 1
    lookup T2 missing
    transfer T6 A1 A2 1 -> id_already_failed
    post T3 T1          -> created
    transfer T2 A1 A2 3 -> created
    transfers A1 debits credits -> T1 T8 T3 T2
    events -> pending:T1 single:T8 posted:T3 single:T2
    batch
      transfer T10 A1 A2 3 flags=linked -> linked_event_failed
      transfer T2 A1 A2 3               -> exists
    end
    batch
      transfer T10 A1 A2 3 flags=linked -> linked_event_failed
      transfer T10 A1 A2 3 flags=linked -> exists
      transfer T11 A1 A2 3              -> linked_event_failed
      transfer T10 A1 A2 3              -> created
    end
    batch
      transfer T11 A1 A2 3 flags=linked -> linked_event_failed
      post T12 T1                       -> pending_transfer_already_posted
    end
  `,
  );
});

test('imported transfers', async () => {
  await check(`
    batch
      account A1 timestamp=10 flags=imported -> created
      account A2 timestamp=20 flags=imported -> created
    end
    transfer T1 A1 A2 1 timestamp=0 flags=imported     -> imported_event_timestamp_out_of_range
    transfer T1 A1 A2 1 timestamp=${1n << 63n} flags=imported -> imported_event_timestamp_out_of_range
    transfer T1 A1 A2 1 timestamp=now+2 flags=imported -> imported_event_timestamp_must_not_advance
    transfer T1 A1 A2 1 timestamp=20 flags=imported    -> imported_event_timestamp_must_not_regress
    transfer T1 A1 A2 1 timestamp=9 flags=imported     -> imported_event_timestamp_must_postdate_debit_account
    transfer T1 A2 A1 1 timestamp=15 flags=imported    -> imported_event_timestamp_must_postdate_debit_account
    transfer T1 A1 A2 1 timestamp=15 flags=imported    -> imported_event_timestamp_must_postdate_credit_account
    transfer T1 A1 A2 1 timestamp=30 timeout=1 flags=imported|pending -> imported_event_timeout_must_be_zero
    transfer T1 A1 A2 9 timestamp=30 flags=imported|pending -> created
    transfer T2 A1 A2 1 timestamp=30 flags=imported    -> imported_event_timestamp_must_not_regress
    post T2 T1 timestamp=30 flags=imported             -> imported_event_timestamp_must_not_regress
    post T2 T1 timestamp=31 flags=imported             -> created
    lookup T2 timestamp=31
    transfer T1 A1 A2 9 timestamp=77 flags=imported|pending -> exists
    batch
      transfer T3 A1 A2 1 timestamp=40 flags=imported  -> created
      transfer T4 A1 A2 1                              -> imported_event_expected
    end
    batch
      transfer T4 A1 A2 1                              -> created
      transfer T5 A1 A2 1 timestamp=50 flags=imported  -> imported_event_not_expected
    end
    batch
      transfer T6 A1 A2 1 timestamp=now+1 flags=imported|linked -> linked_event_failed
      transfer T7 A1 A2 1 timestamp=now+1 flags=imported        -> imported_event_timestamp_must_not_regress
    end
    batch
      transfer T6 A1 A2 1 timestamp=now+1 flags=imported        -> created
      transfer T7 A1 A2 1 timestamp=now+2 flags=imported        -> created
    end
  `);
});

test('every status has a code of its own', () => {
  const codes = Object.values(TransferStatus);
  expect(new Set(codes).size).toBe(codes.length);
  expect(codes.length).toBe(68);
});
