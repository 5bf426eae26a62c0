/** An encrypted object opens as it was sealed, under its own key and in its own place, or not at all. */
import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ArchiveError } from './errors.ts';
import { open, seal, sealedBeginning, sealedHead, sealedSize } from './sealed-object.ts';

const KEY = 'db_one/rows/0001/000000000000-00.sealed';
const FRAME = 64 << 10;
const dataKey = { id: 'ab'.repeat(16), secret: randomBytes(32) };

/** Bytes that are not the same twice. */
const bytesOf = (size: number): Uint8Array => {
  const out = new Uint8Array(size);
  for (let at = 0, block = 0; at < size; at += 32, block += 1)
    out.set(
      createHash('sha256')
        .update(String(block))
        .digest()
        .subarray(0, size - at),
      at,
    );
  return out;
};

function opened(object: Uint8Array, { key = KEY, secret = dataKey.secret } = {}) {
  const head = sealedHead(key, object);
  return head && open(key, head, secret, object);
}

/** The code with which an object is refused; `undefined`: it opened, or looks like a plain one. */
function refusalOf(object: Uint8Array, options = {}): string | undefined {
  try {
    opened(object, options);
    return undefined;
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    return error.code;
  }
}

test('objects of any size open to the bytes that were sealed, whole and by their beginnings', () => {
  const edges = [0, 1, 511, 512, 513, 512 + FRAME - 1, 512 + FRAME, 513 + FRAME, 512 + 3 * FRAME];
  fc.assert(
    fc.property(
      fc.oneof(fc.constantFrom(...edges), fc.nat(150_000)),
      fc.oneof(fc.constantFrom(0, 1, 384, 512), fc.nat(150_000)),
      (size, length) => {
        const plain = bytesOf(size);
        const object = seal(KEY, dataKey, plain);
        expect(object.length).toBe(sealedSize(size));
        const whole = opened(object);
        expect(whole !== undefined && Buffer.from(whole).equals(plain)).toBe(true);
        const beginning = object.subarray(0, sealedBeginning(length));
        const head = sealedHead(KEY, beginning)!;
        const part = open(KEY, head, dataKey.secret, beginning, object.length, length);
        expect(Buffer.from(part).equals(plain.subarray(0, length))).toBe(true);
      },
    ),
    { numRuns: 40 },
  );
});

const SMALL = seal(KEY, dataKey, bytesOf(700));

test('an object with any one of its bits changed is refused, or is no sealed one', () => {
  for (let at = 0; at < SMALL.length; at += 1) {
    const changed = SMALL.slice();
    changed[at]! ^= 1 << (at & 7);
    const code = refusalOf(changed);
    // Without its first four bytes it is not known as a sealed one: whoever expects one refuses it.
    if (at < 4) expect([at, sealedHead(KEY, changed)]).toEqual([at, undefined]);
    else if (at < 8) expect([at, code]).toEqual([at, 'format_unknown']);
    else expect([at, code]).toEqual([at, 'object_damaged']);
  }
});

test('an object that is cut anywhere, or has a byte more, is refused', () => {
  for (let size = 4; size < SMALL.length; size += 1)
    expect([size, refusalOf(SMALL.subarray(0, size))]).toEqual([size, 'object_damaged']);
  expect(refusalOf(Buffer.concat([SMALL, Uint8Array.of(0)]))).toBe('object_damaged');
});

test('an object that was made shorter, with its size changed to fit, is refused', () => {
  const object = seal(KEY, dataKey, bytesOf(512 + 2 * FRAME));
  for (const size of [0, 100, 512, 512 + FRAME]) {
    const cut = object.slice(0, sealedSize(size));
    new DataView(cut.buffer).setBigUint64(56, BigInt(size), true);
    expect([size, refusalOf(cut)]).toEqual([size, 'object_damaged']);
  }
});

test('frames in another order, of another object, or of the same object written again, are refused', () => {
  const size = 512 + 3 * FRAME;
  const [object, again] = [seal(KEY, dataKey, bytesOf(size)), seal(KEY, dataKey, bytesOf(size))];
  const frameAt = (frame: number) => 64 + 528 + (frame - 1) * (FRAME + 16);
  const frameOf = (from: Uint8Array, frame: number) =>
    from.subarray(frameAt(frame), frameAt(frame) + FRAME + 16);
  const swapped = object.slice();
  swapped.set(frameOf(object, 2), frameAt(1));
  swapped.set(frameOf(object, 1), frameAt(2));
  expect(refusalOf(swapped)).toBe('object_damaged');
  const mixed = object.slice();
  mixed.set(frameOf(again, 1), frameAt(1));
  expect(refusalOf(mixed)).toBe('object_damaged');
  const otherHead = object.slice();
  otherHead.set(again.subarray(0, 64));
  expect(refusalOf(otherHead)).toBe('object_damaged');
  expect(refusalOf(object)).toBeUndefined();
});

test('an object at the key of another one, in another database, or under another data key is refused', () => {
  for (const key of [KEY.replace('one', 'two'), KEY.replace('0001', '0002'), `${KEY} `])
    expect(refusalOf(SMALL, { key })).toBe('object_damaged');
  expect(refusalOf(SMALL, { secret: randomBytes(32) })).toBe('object_damaged');
});

test('the same bytes are never sealed to the same ones, and show nowhere', () => {
  const plain = bytesOf(700);
  expect(Buffer.from(seal(KEY, dataKey, plain)).equals(SMALL)).toBe(false);
  for (let at = 0; at + 16 <= plain.length; at += 16)
    expect(Buffer.from(SMALL).includes(Buffer.from(plain.subarray(at, at + 16)))).toBe(false);
});
