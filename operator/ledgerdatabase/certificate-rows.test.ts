import { expect, test } from '@jest/globals';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import { certificateRows } from './certificate-rows.ts';

const databaseOf = (name: string, ends: readonly string[]) =>
  ({
    metadata: { namespace: 'org-acme', name },
    status: {
      peerCertificates: {
        generations: ends.map((expiresAt, index) => ({
          number: index + 1,
          authority: '',
          expiresAt,
        })),
      },
    },
  }) as unknown as DatabaseObject;

test('the end of what members show is told, not that of what they will show next', () => {
  const one = databaseOf('one', ['2028-11-20T10:00:00Z']);
  const three = databaseOf('three', [
    '2027-01-01T00:00:00Z',
    '2028-01-01T00:00:00Z',
    '2029-01-01T00:00:00Z',
  ]);
  const none = { metadata: { name: 'none' } } as unknown as DatabaseObject;
  expect(certificateRows([one, three, none])).toEqual([
    [{ namespace: 'org-acme', name: 'one' }, Date.parse('2028-11-20T10:00:00Z') / 1000],
    [{ namespace: 'org-acme', name: 'three' }, Date.parse('2028-01-01T00:00:00Z') / 1000],
  ]);
});
