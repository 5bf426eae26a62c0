import { afterEach, expect, test } from '@jest/globals';
import { beginImport } from './import-queries.ts';

const given = {
  fetch: globalThis.fetch,
  location: globalThis.location,
  document: globalThis.document,
};
afterEach(() => void Object.assign(globalThis, given));

const fileOf = (sizeBytes: number) => ({ replicaIndex: 0, sizeBytes });

test('a try that repeats a lost one begins the same import, and other files another', async () => {
  const keys: (string | null)[] = [];
  Object.assign(globalThis, {
    location: { origin: 'http://localhost' },
    document: { cookie: '' },
    fetch: async (request: Request) => {
      keys.push(request.headers.get('idempotency-key'));
      const headers = { 'content-type': 'application/json' };
      return new Response('{"import":{"id":"imp_1"}}', { status: 201, headers });
    },
  });
  const begin = (sizeBytes: number) => beginImport('', [fileOf(sizeBytes)] as never, 'intent');
  await begin(1);
  await begin(1);
  await begin(2);
  expect(keys[0]).toMatch(/^intent/);
  expect(keys[1]).toBe(keys[0]);
  expect(keys[2]).not.toBe(keys[0]);
});
