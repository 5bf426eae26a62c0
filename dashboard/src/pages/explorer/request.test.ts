import { expect, test } from '@jest/globals';
import { parseSearch, stringifySearch } from '../../lib/search.ts';
import { planQuery } from './request.ts';
import { readExplorerSearch } from './search.ts';

const now = new Date('2026-11-22T12:00:00Z');
const most = '340282366920938463463374607431768211455';

test('the largest ID goes from the address into the request unchanged', () => {
  const address = stringifySearch({ op: 'get_account_transfers', account_id: most });
  const { body } = planQuery(
    'get_account_transfers',
    readExplorerSearch(parseSearch(address)),
    now,
  );
  expect(body).toBe(
    `{"account_id":"${most}","limit":"100","flags":["debits","credits","reversed"]}`,
  );
});

test('IDs are taken with any separators between them', () => {
  expect(planQuery('lookup_accounts', { ids: `1\n${most}, 3` }, now).body).toBe(
    `{"ids":["1","${most}","3"]}`,
  );
  expect(planQuery('lookup_accounts', { ids: 'x1' }, now)).toMatchObject({
    body: undefined,
    errors: { ids: '“x1” is no ID of 128 bits.' },
  });
});

test('errors are shown at their field, and nothing is sent', () => {
  const { body, errors } = planQuery(
    'query_accounts',
    { ledger: '-1', code: '65536', limit: '8190', from: 'soon' },
    now,
  );
  expect(body).toBeUndefined();
  expect(Object.keys(errors).sort()).toEqual(['code', 'from', 'ledger', 'limit']);
});

test('fields of another operation are left out', () => {
  expect(planQuery('query_accounts', { account_id: '5', order: 'oldest' }, now).body).toBe(
    '{"limit":"100"}',
  );
});
