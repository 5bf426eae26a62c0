/** Customers read why a trial could not be made in words of the service, never the store's own. */
import { expect, test } from '@jest/globals';
import { ImportReason } from '../../domain/conditions.ts';
import type { ImportObject } from '../../domain/custom-resources.ts';
import { toldOfTrial } from './told.ts';

const secret = 'bucket acme-ledgers at http://10.0.0.7:9000 refused the request (403 AccessDenied)';

const ended = (reason: string): ImportObject =>
  ({
    metadata: { name: 'imp-1' },
    status: { conditions: [{ type: 'Tried', status: 'False', reason, message: secret }] },
  }) as unknown as ImportObject;

test.each([...Object.values(ImportReason), 'OfANewerOperator'])(
  'of a trial that ended with %s the message for administrators is not told, and its resource is named',
  (reason) => {
    const told = toldOfTrial(ended(reason));
    for (const word of ['acme', '10.0.0.7', 'AccessDenied', '403'])
      expect(told).not.toContain(word);
    expect(told).toMatch(/^[A-Z].*\. The operators .* LedgerImport imp-1\.$/);
  },
);

test('a trial that no operator has seen is told as such', () => {
  expect(toldOfTrial(undefined)).toContain('The operator does not look after it.');
});
