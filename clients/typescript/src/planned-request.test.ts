import { expect, test } from '@jest/globals';
import { planRequest } from './planned-request.ts';

test('a request is its method, its path with the query as the document writes it, and its body', () => {
  expect(
    planRequest('get', '/api/v1/databases', { query: { status: ['READY', 'FAILED'], q: 'a&b' } }),
  ).toEqual({ method: 'GET', path: '/api/v1/databases?status=READY,FAILED&q=a%26b' });
  const { path, body } = planRequest('post', '/api/v1/databases', { body: { name: 'payments' } });
  expect([path, new TextDecoder().decode(body)]).toEqual([
    '/api/v1/databases',
    '{"name":"payments"}',
  ]);
});

test('an invalid ID cannot change the rest of the path', () => {
  expect(
    planRequest('get', '/api/v1/databases/{databaseId}', { params: { databaseId: '../keys?x' } })
      .path,
  ).toBe('/api/v1/databases/..%2Fkeys%3Fx');
  // Of `…/backups/../restore` a URL makes `…/restore`, which is another operation.
  for (const backupId of ['.', '..']) {
    const path = '/api/v1/databases/{databaseId}/backups/{backupId}/restore';
    expect(() => planRequest('post', path, { params: { databaseId: 'db_1', backupId } })).toThrow(
      `"${backupId}" is not an ID`,
    );
  }
  const { path } = planRequest('get', '/api/v1/databases/{databaseId}', {
    params: { databaseId: '%2e%2e' },
  });
  expect(new URL(path, 'http://localhost').pathname).toBe('/api/v1/databases/%252e%252e');
});

test('bytes are sent as they are', () => {
  const body = new TextEncoder().encode('[{"id": 340282366920938463463374607431768211455}]');
  const path = '/api/v1/databases/{databaseId}/tb/lookup_accounts';
  expect(planRequest('post', path, { params: { databaseId: 'db_1' }, body }).body).toBe(body);
});
