import { expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { checkedDigest } from './digest.ts';

const bytes = new TextEncoder().encode('a part of a ledger');
const digest = createHash('sha256').update(bytes).digest();
const header = `sha-256=:${digest.toString('base64')}:`;

test('a part with its digest is taken, among other digests too', () => {
  expect(checkedDigest(header, bytes)).toEqual(digest);
  expect(checkedDigest(`sha-512=:AAAA:, ${header}`, bytes)).toEqual(digest);
});

test.each([undefined, '', 'sha-256=AAAA', 'md5=:AAAA:', `x${header}`])(
  'without a SHA-256 it is refused: %s',
  (text) => {
    expect(() => checkedDigest(text, bytes)).toThrow(/^invalid_parameter/);
  },
);

test('a part that changed on its way is refused, with both digests', () => {
  expect(() => checkedDigest(header, bytes.subarray(1))).toThrow(
    new RegExp(`^import_part_wrong.*${digest.toString('base64').replaceAll('+', '\\+')}`),
  );
});
