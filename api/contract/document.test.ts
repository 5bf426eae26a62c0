// `make gen-check` proves that the committed document matches the route table.
import { expect, test } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import {
  documentText,
  errorsOf,
  examplesOf,
  operations,
  responseOf,
} from '../../test/support/api/openapi.ts';

const messages = operations.flatMap(({ operation }) => [
  ...(operation.requestBody === undefined
    ? []
    : [{ name: `${operation.operationId} request`, message: operation.requestBody }]),
  ...Object.entries(operation.responses).map(([status, response]) => ({
    name: `${operation.operationId} ${status}`,
    message: responseOf(response),
  })),
]);

test.each(messages)('$name: every example is what the document says it is', ({ message }) => {
  for (const [type, content] of Object.entries(message.content ?? {})) {
    const examples = examplesOf(content);
    if (type.includes('json')) expect(examples).not.toEqual([]);
    for (const [name, value] of examples) {
      expect({ name, errors: errorsOf(content.schema, value) }).toEqual({ name, errors: [] });
    }
  }
});

test('an independent linter finds nothing wrong with the document', async () => {
  const config = await createConfig({
    extends: ['recommended'],
    rules: { 'no-server-example.com': 'off', 'tag-description': 'off' },
  });
  const found = await lintFromString({ source: documentText, config });
  expect(
    found.map(({ ruleId, message, location }) => ({ ruleId, message, at: location[0]?.pointer })),
  ).toEqual([]);
});

test('every operation has a summary, a tag and a success', () => {
  for (const { operation } of operations) {
    expect(operation).toMatchObject({ summary: expect.any(String), tags: [expect.any(String)] });
    expect(Object.keys(operation.responses).some((status) => status.startsWith('2'))).toBe(true);
  }
  expect(operations.length).toBeGreaterThan(30);
});

test('the eight ledger operations are eight paths', () => {
  const paths = operations.map(({ path }) => path).filter((path) => path.includes('/tb/'));
  expect(paths.map((path) => path.split('/').at(-1)).sort()).toEqual([
    'create_accounts',
    'create_transfers',
    'get_account_balances',
    'get_account_transfers',
    'lookup_accounts',
    'lookup_transfers',
    'query_accounts',
    'query_transfers',
  ]);
});
