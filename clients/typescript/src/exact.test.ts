import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseExact, stringifyExact } from './exact.ts';
import { newId } from './new-id.ts';

const most = 2n ** 128n - 1n;

test('integers of 128 bits go and come back exactly', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: most }), (id) => {
      const text = stringifyExact([{ id, amount: id, ledger: 1 }]);
      expect(text).toBe(`[{"id":"${id}","amount":"${id}","ledger":1}]`);
      expect(parseExact(text)).toEqual([{ id, amount: id, ledger: 1 }]);
    }),
  );
});

test('a text that only looks like an integer stays a text', () => {
  const answer = {
    execution: { databaseId: 'db_1', clusterId: '7', executedAt: '2026-11-23T00:00:00Z' },
    missing: ['5', String(most)],
    result: [{ index: 0, id: '5', status: 'created', timestamp: '1700000000000000000' }],
    page: { next: { timestamp_max: '9', limit: 10, flags: ['reversed'] } },
  };
  expect(parseExact(JSON.stringify(answer))).toEqual({
    execution: answer.execution,
    missing: [5n, most],
    result: [{ index: 0, id: 5n, status: 'created', timestamp: 1_700_000_000_000_000_000n }],
    page: { next: { timestamp_max: 9n, limit: 10, flags: ['reversed'] } },
  });
});

test('a number that is not exact is refused before it is sent', () => {
  expect(() => stringifyExact([{ id: 2 ** 53 + 2 }])).toThrow('id is 9007199254740994');
  expect(() => stringifyExact([{ amount: 0.5 }])).toThrow('use a bigint');
});

test('new IDs are of 128 bits, and grow with time', () => {
  const [early, late] = [newId(1_000), newId(2_000)];
  expect(early < late).toBe(true);
  expect(early >> 80n).toBe(1_000n);
  expect(newId() <= most).toBe(true);
});
