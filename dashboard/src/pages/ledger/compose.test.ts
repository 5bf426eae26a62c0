import { expect, test } from '@jest/globals';
import { planTransfers, type Leg, type TransferDraft } from './compose.ts';
import { foresee } from './foresee.ts';

const leg = (debit: string, credit: string, amount: string, id = '1'): Leg => ({
  id,
  debit,
  credit,
  amount,
});
const draftOf = (legs: readonly Leg[], more: Partial<TransferDraft> = {}): TransferDraft => ({
  ledger: '1',
  code: '10',
  legs,
  linked: true,
  pending: false,
  timeout: '',
  ...more,
});
const account = (id: string, more: object = {}) => ({
  id,
  ledger: 1,
  flags: 0,
  debits_pending: '0',
  debits_posted: '0',
  credits_pending: '0',
  credits_posted: '0',
  ...more,
});
const most = (2n ** 128n - 1n).toString();

const planned = (draft: TransferDraft) => {
  const { transfers } = planTransfers(draft, undefined);
  if (transfers === undefined) throw new Error('the draft is wrong');
  return transfers;
};

test('all legs but the last are linked, so that all of them happen or none', () => {
  const transfers = planned(draftOf([leg('1', '2', '5'), leg('2', '3', '5'), leg('3', '4', '5')]));
  expect(transfers.map(({ flags }) => flags)).toEqual([['linked'], ['linked'], []]);
});

test('the largest amount goes into the request unchanged; amounts are read by the label', () => {
  expect(planned(draftOf([leg('1', '2', most)]))[0]?.amount).toBe(most);
  const euro = { scale: 2, currency: 'EUR' };
  expect(planTransfers(draftOf([leg('1', '2', '12.5')]), euro).transfers?.[0]?.amount).toBe('1250');
});

test('each error stands at its field', () => {
  const { transfers, errors } = planTransfers(
    draftOf([leg('0', 'x', '1.5')], { ledger: '', code: '65536', pending: true, timeout: '-1' }),
    undefined,
  );
  expect(transfers).toBeUndefined();
  expect(Object.keys(errors).sort()).toEqual([
    '0.amount',
    '0.credit',
    '0.debit',
    'code',
    'ledger',
    'timeout',
  ]);
});

test('the result is foreseen leg after leg', () => {
  const transfers = planned(draftOf([leg('1', '2', '5'), leg('2', '3', '3')]));
  const { statuses, after } = foresee(transfers, [account('1'), account('2'), account('3')]);
  expect(statuses).toEqual(['created', 'created']);
  expect(after.get('2')).toMatchObject({ debits_posted: '3', credits_posted: '5' });
});

test('one leg that fails takes its chain with it, and nothing changes', () => {
  const transfers = planned(draftOf([leg('1', '2', '5'), leg('2', '9', '3')]));
  const { statuses, after } = foresee(transfers, [account('1'), account('2')]);
  expect(statuses).toEqual(['linked_event_failed', 'credit_account_not_found']);
  expect(after.get('1')?.debits_posted).toBe('0');
});

test('legs that are not linked happen each for itself', () => {
  const transfers = planned(
    draftOf([leg('1', '9', '5'), leg('1', '2', '3')], { linked: false, pending: true }),
  );
  const { statuses, after } = foresee(transfers, [account('1'), account('2')]);
  expect(statuses).toEqual(['credit_account_not_found', 'created']);
  expect(after.get('1')).toMatchObject({ debits_pending: '3', debits_posted: '0' });
});

test.each([
  ['exceeds_credits', account('1', { flags: 2, credits_posted: '4' }), account('2')],
  ['exceeds_debits', account('1'), account('2', { flags: 4, debits_posted: '4' })],
  ['debit_account_already_closed', account('1', { flags: 32 }), account('2')],
  ['accounts_must_have_the_same_ledger', account('1'), account('2', { ledger: 2 })],
  [
    'transfer_must_have_the_same_ledger_as_accounts',
    account('1', { ledger: 2 }),
    account('2', { ledger: 2 }),
  ],
  ['overflows_debits_posted', account('1', { debits_posted: most }), account('2')],
])('the ledger’s refusal %s is foreseen', (status, debit, credit) => {
  const transfers = planned(draftOf([leg('1', '2', '5')]));
  expect(foresee(transfers, [debit, credit]).statuses).toEqual([status]);
});
