import { expect, test } from '@jest/globals';
import { buildRequest, Header } from '../wire/header.ts';
import { encodeMultiBatch } from '../wire/multi-batch.ts';
import { Operation } from '../wire/operations.ts';
import { engineRelease } from '../wire/release.ts';
import { checkLookupLimits, CheckLookups } from './check-lookups.ts';

const checkId = (n: bigint): bigint => (0x1ed6n << 112n) | n;

function lookup(ids: readonly bigint[], operation: number = Operation.lookupAccounts) {
  const payload = new Uint8Array(16 * ids.length);
  const view = new DataView(payload.buffer);
  ids.forEach((id, i) => {
    view.setBigUint64(16 * i, id & 0xffff_ffff_ffff_ffffn, true);
    view.setBigUint64(16 * i + 8, id >> 64n, true);
  });
  const body = encodeMultiBatch([payload], 16);
  const bytes = buildRequest(
    {
      cluster: 0n,
      view: 0,
      release: engineRelease,
      client: 9n,
      session: 1n,
      request: 1,
      operation,
      parent: new Uint8Array(16),
    },
    body,
  );
  return { header: new Header(bytes), body };
}

test('a lookup of a check is told with its client, and how long ago it was', () => {
  let nowMs = 1_000;
  const lookups = new CheckLookups(() => nowMs);
  const asked = lookups.askedBy(lookup([5n, checkId(7n)]));
  nowMs = 1_000.5;
  lookups.answered(asked!, '::ffff:10.1.2.3');
  nowMs = 3_000.5;
  expect(lookups.recent()).toEqual([
    {
      accountId: String(checkId(7n)),
      ip: '10.1.2.3',
      release: '0.17.9',
      latencyMs: 0.5,
      agoMs: 2_000,
    },
  ]);
});

test('other requests are none of its business', () => {
  const lookups = new CheckLookups(() => 0);
  expect(lookups.askedBy(lookup([1n, 2n]))).toBeUndefined();
  expect(lookups.askedBy(lookup([checkId(1n)], Operation.lookupTransfers))).toBeUndefined();
  const many = Array.from({ length: 100 }, (_, i) => checkId(BigInt(i)));
  expect(lookups.askedBy(lookup(many))).toBeUndefined();
});

test('the remembered entries are bounded, and forgotten after 15 minutes', () => {
  let nowMs = 0;
  const lookups = new CheckLookups(() => nowMs);
  for (let n = 0n; n < 1_000n; n += 1n) {
    lookups.answered(lookups.askedBy(lookup([checkId(n)]))!, '10.0.0.1');
  }
  expect(lookups.recent()).toHaveLength(checkLookupLimits.max);
  expect(lookups.recent().at(-1)?.accountId).toBe(String(checkId(999n)));
  nowMs = 14 * 60_000;
  lookups.answered(lookups.askedBy(lookup([checkId(2_000n)]))!, undefined);
  nowMs = 16 * 60_000;
  expect(lookups.recent()).toMatchObject([{ accountId: String(checkId(2_000n)), ip: '' }]);
});
