import { expect, test } from '@jest/globals';
import { asDatabaseLabel, ledgerLabelsOf } from './ledger-labels.ts';

test('the labels of a database say how the amounts of its ledgers are shown', () => {
  expect(
    ledgerLabelsOf({ 'ledger/978': '2 EUR Euro cents', 'ledger/2': '0', team: 'payments' }),
  ).toEqual([
    { ledger: '2', scale: 0, currency: null, name: '' },
    { ledger: '978', scale: 2, currency: 'EUR', name: 'Euro cents' },
  ]);
});

test.each([
  ['ledger/978', '39 EUR'],
  ['ledger/978', 'EUR 2'],
  ['ledger/978', '2 euro'],
  ['ledger/0', '2 EUR'],
  ['ledger/x', '2 EUR'],
])('the label %s=%s says nothing of amounts, so that no scale is guessed', (key, value) => {
  expect(ledgerLabelsOf({ [key]: value })).toEqual([]);
});

test('a label is read as it was written', () => {
  const label = { ledger: '840', scale: 2, currency: 'USD', name: 'US cents' };
  expect(ledgerLabelsOf(Object.fromEntries([asDatabaseLabel(label)]))).toEqual([label]);
  const plain = { ledger: '7', scale: 3, currency: null, name: '' };
  expect(ledgerLabelsOf(Object.fromEntries([asDatabaseLabel(plain)]))).toEqual([plain]);
});
