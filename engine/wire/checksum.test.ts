import { expect, test } from '@jest/globals';
import { createCipheriv } from 'node:crypto';
import { checksum, checksumInto, checksumMatches, GrowingChecksum } from './checksum.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const counting = (length: number) => Uint8Array.from({ length }, (_, i) => i);

test.each([
  [0, '83cc600dc4e3e7e62d4055826174f149'],
  [1, '6e12b8774264fed574e418fe77b706bc'],
  [15, '977666ded767116cd35c3d7ff44d9d60'],
  [16, 'e8e0378638d7e8c7d35abf3499963d99'],
  [31, '419e43b0a730e59ecedf48700b4d97ba'],
  [32, '2a7ca5353eba9161dc6c83c36d2e6adb'],
  [33, '205dbc4d693090b206092b05c26870c4'],
  [63, '32df8039c1756a03d12c4860f85b1fce'],
  [64, 'b4e8e46cee04a401ec67bad73df4aa60'],
])('of the bytes 0 … %d - 1', (length, expected) => {
  expect(hex(checksum(counting(length)))).toBe(expected);
});

test.each([
  [16, 'f72ad48dd05dd1656133101cd4be3a26'],
  [240, '4596626538a66e8fa71479f4e53c2925'],
  [256, '651b82f3ddd4fcbf2deb8496e8ff613c'],
  [1_048_320, 'c60f20bd33c6d4721dbb8a59e8264929'],
])('of %d zero bytes', (length, expected) => {
  expect(hex(checksum(new Uint8Array(length)))).toBe(expected);
});

/** One AES round by the machine's own AES: AES-128 of one block with known keys, with the other rounds undone. */
function aegisByAes(data: Uint8Array): Uint8Array {
  const xor = (a: Uint8Array, b: Uint8Array) => a.map((x, i) => x ^ (b[i] ?? 0));
  const block = (bytes: readonly number[] = []) =>
    Uint8Array.from({ length: 16 }, (_, i) => bytes[i] ?? 0);
  const sbox = sboxByCipher();
  const twice = (x: number) => ((x << 1) ^ (x & 0x80 ? 0x11b : 0)) & 0xff;
  const round = (x: Uint8Array) => {
    const out = block();
    for (let column = 0; column < 4; column += 1) {
      const s = [0, 1, 2, 3].map((row) => sbox[x[((column + row) % 4) * 4 + row] ?? 0] ?? 0);
      for (let row = 0; row < 4; row += 1) {
        const [a, b, c, d] = [0, 1, 2, 3].map((n) => s[(row + n) % 4] ?? 0);
        out[column * 4 + row] = twice(a ?? 0) ^ twice(b ?? 0) ^ (b ?? 0) ^ (c ?? 0) ^ (d ?? 0);
      }
    }
    return out;
  };
  const c0 = block([
    0x00, 0x01, 0x01, 0x02, 0x03, 0x05, 0x08, 0x0d, 0x15, 0x22, 0x37, 0x59, 0x90, 0xe9, 0x79, 0x62,
  ]);
  const c1 = block([
    0xdb, 0x3d, 0x18, 0x55, 0x6d, 0xc2, 0x2f, 0xf1, 0x20, 0x11, 0x31, 0x42, 0x73, 0xb5, 0x28, 0xdd,
  ]);
  let s = [block(), c1, c0, c1, block(), c0, c1, c0];
  const update = (m0: Uint8Array, m1: Uint8Array) => {
    s = s.map((own, i) => xor(round(s[(i + 7) % 8] ?? block()), own));
    s[0] = xor(s[0] ?? block(), m0);
    s[4] = xor(s[4] ?? block(), m1);
  };
  for (let i = 0; i < 10; i += 1) update(block(), block());
  for (let at = 0; at < data.length; at += 32) {
    update(block([...data.subarray(at, at + 16)]), block([...data.subarray(at + 16, at + 32)]));
  }
  const length = block();
  new DataView(length.buffer).setBigUint64(0, BigInt(data.length) * 8n, true);
  const t = xor(s[2] ?? block(), length);
  for (let i = 0; i < 7; i += 1) update(t, t);
  return s.slice(0, 7).reduce(xor);
}

/** The AES S-box without writing it down: GF(2^8) inverses and the affine map, checked against the machine's AES below. */
function sboxByCipher(): number[] {
  const times = (x: number, y: number) => {
    let [a, product] = [x, 0];
    for (let b = y; b > 0; b >>= 1) {
      if (b & 1) product ^= a;
      a = ((a << 1) ^ (a & 0x80 ? 0x11b : 0)) & 0xff;
    }
    return product;
  };
  return Array.from({ length: 256 }, (_, x) => {
    const y = Array.from({ length: 256 }, (_, i) => i).find((i) => times(x, i) === 1) ?? 0;
    return [0, 1, 2, 3, 4].reduce((sum, n) => sum ^ (((y << n) | (y >> (8 - n))) & 0xff), 0x63);
  });
}

test('the slow computation that the fast one is held against uses the S-box of the AES that everybody has', () => {
  // AES-128 of the zero block under the zero key, from FIPS 197's own algorithm elsewhere.
  const cipher = createCipheriv('aes-128-ecb', new Uint8Array(16), null).setAutoPadding(false);
  expect(cipher.update(new Uint8Array(16)).toString('hex')).toBe(
    '66e94bd4ef8a2c3b884cfa59ca342b2e',
  );
  expect(sboxByCipher().slice(0, 4)).toEqual([0x63, 0x7c, 0x77, 0x7b]);
});

test('equals the plain computation for every length up to 130 and some beyond a chunk', () => {
  const data = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 2_654_435_761) >>> 13);
  for (const length of [
    ...Array.from({ length: 131 }, (_, i) => i),
    65_535,
    65_536,
    65_537,
    70_000,
  ]) {
    expect(hex(checksum(data.subarray(0, length)))).toBe(hex(aegisByAes(data.subarray(0, length))));
  }
});

test('a call leaves no state for the next, and a tag may be written into the hashed bytes', () => {
  const message = counting(300);
  const expected = checksum(message.subarray(16));
  checksum(counting(77));
  checksumInto(message.subarray(16), message, 0);
  expect(message.subarray(0, 16)).toEqual(expected);
  expect(checksumMatches(message.subarray(16), message, 0)).toBe(true);
  message[200] = (message[200] ?? 0) ^ 1;
  expect(checksumMatches(message.subarray(16), message, 0)).toBe(false);
});

test('of data that arrive in pieces of any size, of several senders in turns, is that of the whole', () => {
  const wholes = [1, 31, 32, 33, 4_000, 70_000, 200_001].map(counting);
  for (const piece of [1, 31, 32, 100, 65_536, 131_077]) {
    const growing = wholes.map(() => new GrowingChecksum());
    const steps = piece < 1_000 ? 60 : Math.ceil(200_001 / piece);
    for (let step = 1; step <= steps; step += 1)
      for (const [i, whole] of wholes.entries()) growing[i]?.grow(whole.subarray(0, step * piece));
    for (const [i, whole] of wholes.entries()) {
      const expected = checksum(whole);
      expect(growing[i]?.matches(whole, expected, 0)).toBe(true);
    }
  }
});

test('of data that arrive in pieces differs if any bit of any piece does', () => {
  const whole = counting(1_000);
  const expected = checksum(whole);
  for (let at = 0; at < whole.length; at += 37) {
    const data = whole.slice();
    data[at]! ^= 1;
    const growing = new GrowingChecksum();
    for (let end = 100; end < data.length; end += 100) growing.grow(data.subarray(0, end));
    expect(growing.matches(data, expected, 0)).toBe(false);
  }
});
