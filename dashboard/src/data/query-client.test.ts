import { expect, test } from '@jest/globals';
import { ProblemError } from './problem-error.ts';
import { createQueryClient } from './query-client.ts';

const refusal = (code: string) =>
  new ProblemError({
    type: 'about:blank',
    title: code,
    status: 409,
    detail: code,
    instance: '/api/v1/databases',
    code,
    requestId: 'req_1',
    retryable: false,
  });

test.each([
  ['catalog_changed', true],
  ['database_name_taken', false],
])('the catalog is read again after %s: %p', async (code, isRead) => {
  const client = createQueryClient();
  const key = ['catalog', 'org_1'];
  client.setQueryData(key, { version: 'of-yesterday' });
  const refused = () => Promise.reject(refusal(code));
  await expect(client.fetchQuery({ queryKey: ['plan'], queryFn: refused })).rejects.toThrow(code);
  expect(client.getQueryState(key)?.isInvalidated).toBe(isRead);
});
