import { expect, test } from '@jest/globals';
import { decodeRequest } from '../ledger/decode.ts';
import { ledgerOperations, type LedgerOperationName } from '../ledger/operations.ts';
import { unsafeRequest } from './unsafe-request.ts';

const account = { ledger: 1, code: 1 };
const plain = { id: '1', debit_account_id: '2', credit_account_id: '3', amount: '4', ...account };
const resolving = (flag: string) => ({
  id: '5',
  pending_id: '1',
  amount: '0',
  timestamp: '7',
  flags: ['imported', flag],
});

function request(events: unknown, operation: LedgerOperationName = 'create_transfers') {
  const body = new TextEncoder().encode(JSON.stringify(events));
  const decoded = decodeRequest(ledgerOperations[operation], body);
  if (!decoded.ok) throw new Error(JSON.stringify(decoded.problem));
  return decoded.request;
}

test.each(['post_pending_transfer', 'void_pending_transfer'])(
  'an imported %s never reaches a TigerBeetle that it would end, and its place is named',
  (flag) => {
    const body = request([plain, resolving(flag)]);
    for (const version of ['0.16.4', '0.17.9', 'unknown']) {
      expect(unsafeRequest(body, { name: 'TigerBeetle', version, streams: false })).toMatchObject({
        status: 422,
        outcome: 'not_executed',
        errors: [{ pointer: '#/1/flags', code: 'unsafe_request' }],
      });
    }
    expect(
      unsafeRequest(body, { name: 'TigerBeetle', version: '0.17.10', streams: false }),
    ).toBeUndefined();
    expect(
      unsafeRequest(body, { name: 'Builtin', version: '0.1.0', streams: false }),
    ).toBeUndefined();
  },
);

test('other requests pass', () => {
  const engine = { name: 'TigerBeetle', version: '0.17.9', streams: false };
  expect(unsafeRequest(request([plain]), engine)).toBeUndefined();
  const imported = [{ ...plain, timestamp: '7', flags: ['imported'] }];
  expect(unsafeRequest(request(imported), engine)).toBeUndefined();
  expect(unsafeRequest(request(['1'], 'lookup_transfers'), engine)).toBeUndefined();
});

test('while change streams are on, no imported transfer is sent: one may be older than what they have sent', () => {
  const engine = { name: 'Builtin', version: '0.1.0', streams: true };
  const imported = [plain, { ...plain, timestamp: '7', flags: ['imported'] }];
  expect(unsafeRequest(request(imported), engine)).toMatchObject({
    status: 409,
    code: 'cdc_enabled',
    outcome: 'not_executed',
    errors: [{ pointer: '#/1/flags' }],
  });
  expect(unsafeRequest(request([plain]), engine)).toBeUndefined();
  const accounts = [{ id: '1', ...account, timestamp: '7', flags: ['imported'] }];
  expect(unsafeRequest(request(accounts, 'create_accounts'), engine)).toBeUndefined();
});
