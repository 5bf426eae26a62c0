// `make gen-check` proves that the committed document matches the route table.
import { expect, test } from '@jest/globals';
import { sentTypes } from '../model/subscriptions.ts';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import {
  documentText,
  errorsOf,
  examplesOf,
  operations,
  responseOf,
  undocumentedWebhook,
  webhookContents,
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

test.each(messages)('$name: every example is valid by its schema', ({ message }) => {
  for (const [type, content] of Object.entries(message.content ?? {})) {
    const examples = examplesOf(content);
    if (type.includes('json')) expect(examples).not.toEqual([]);
    for (const [name, value] of examples) {
      expect({ name, errors: errorsOf(content.schema, value) }).toEqual({ name, errors: [] });
    }
  }
});

test('every event that is sent is documented as a webhook, with an example that is what the document says', () => {
  expect([...webhookContents.keys()].sort()).toEqual([...sentTypes].sort());
  for (const [type, { example }] of webhookContents) {
    const wrong = undocumentedWebhook(example as { type: string });
    expect({ type, wrong }).toEqual({ type, wrong: [] });
  }
});

test('an independent linter finds nothing wrong with the document', async () => {
  const config = await createConfig({
    extends: ['recommended'],
    rules: { 'no-server-example.com': 'off', 'tag-description': 'off' },
  });
  const found = await lintFromString({ source: documentText, config });
  // The tunnel succeeds by 101, of which the rule knows nothing.
  const ofTunnel = '#/paths/~1api~1v1~1databases~1{databaseId}~1tunnel/get/responses';
  const others = found.filter(
    ({ ruleId, location }) =>
      ruleId !== 'operation-2xx-response' || location[0]?.pointer !== ofTunnel,
  );
  expect(
    others.map(({ ruleId, message, location }) => ({ ruleId, message, at: location[0]?.pointer })),
  ).toEqual([]);
});

test('every operation has a summary, a tag and a success', () => {
  for (const { operation } of operations) {
    expect(operation).toMatchObject({ summary: expect.any(String), tags: [expect.any(String)] });
    expect(Object.keys(operation.responses).some((status) => /^2|^101$/.test(status))).toBe(true);
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
