import { expect, test } from '@jest/globals';
import { connectionLanguages } from '../model/connection-check.ts';
import { snippetFor } from './snippets.ts';

const values = {
  database: 'payments',
  databaseId: 'db_1',
  baseUrl: 'https://ledger.test',
  accountId: '41000000000000000000000000000000000001',
};

test.each(connectionLanguages)('the snippet for %s is complete', (language) => {
  const snippet = snippetFor(language, values);
  const all = JSON.stringify(snippet);
  expect(all).not.toContain('{{');
  expect(all).toContain(values.accountId);
  expect(snippet.run).toMatch(/payments|db_1/);
  const usesTunnel = snippet.run.includes('ledgerhouse connect');
  expect(snippet.file === null).toBe(!usesTunnel);
  expect(snippet.install === null).toBe(!usesTunnel);
});

test('a service that does not know its address names the variable', () => {
  expect(snippetFor('curl', { ...values, baseUrl: '' }).run).toContain(
    '"$LEDGERHOUSE_BASE_URL/api/v1/databases/db_1/tb/lookup_accounts"',
  );
});
