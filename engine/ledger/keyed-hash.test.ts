/** Tests that ids chosen to collide cost no more than others. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { encodeMultiBatch } from '../wire/multi-batch.ts';
import { Operation } from '../wire/operations.ts';
import { KeyedHash } from './keyed-hash.ts';
import { StateMachine } from './state-machine.ts';
import { imul } from './words.ts';

const EVENTS = 8000;
const rotateLeft = (x: number, n: number): number => (x << n) | (x >>> (32 - n));

/** MurmurHash3 with a public seed, which hashed ids before. */
function absorb(hash: number, word: number): number {
  const k = imul(rotateLeft(imul(word, 0xcc9e2d51), 15), 0x1b873593);
  return (imul(rotateLeft(hash ^ k, 13), 5) + 0xe6546b64) | 0;
}

/** Returns the inverse of an odd number modulo 2^32. */
function inverse(odd: number): number {
  let x = odd;
  for (let i = 0; i < 5; i += 1) x = imul(x, 2 - imul(odd, x));
  return x | 0;
}

/** Makes ids of three free words and a fourth that gives all of them the same MurmurHash3 hash. */
function forgedIds(count: number): Uint32Array {
  const words = new Uint32Array(count * 4);
  const wanted = 0x1234567;
  for (let i = 0; i < count; i += 1) {
    const at = i * 4;
    words.set([i + 1, imul(i, 0x9e3779b1), imul(i, 0x85ebca77)], at);
    const state = absorb(absorb(absorb(0x2545f491, words[at]!), words[at + 1]!), words[at + 2]!);
    const before = rotateLeft(imul((wanted - 0xe6546b64) | 0, inverse(5)), 32 - 13) ^ state;
    const k = rotateLeft(imul(before, inverse(0x1b873593)), 32 - 15);
    words[at + 3] = imul(k, inverse(0xcc9e2d51));
    if (i < 10) expect(absorb(state, words[at + 3]!)).toBe(wanted);
  }
  return words;
}

const random = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const keys = fc.record({ low: random, high: random });

test('ids forged for a hash without a key spread under every key', () => {
  const ids = forgedIds(EVENTS);
  fc.assert(
    fc.property(keys, (key) => {
      const hash = new KeyedHash(key);
      const hashes = new Set<number>();
      const places = new Uint32Array(4096);
      for (let at = 0; at < ids.length; at += 4) {
        hashes.add(hash.of128(ids, at));
        places[hash.of128(ids, at) & 4095]! += 1;
      }
      expect(hashes.size).toBeGreaterThan(EVENTS - 20);
      expect(Math.max(...places)).toBeLessThan(20);
    }),
    { numRuns: 20 },
  );
});

test('both ways to hash four words agree, and a single word has a hash of its own', () => {
  fc.assert(
    fc.property(keys, fc.array(random, { minLength: 4, maxLength: 4 }), (key, words) => {
      const hash = new KeyedHash(key);
      const id = Uint32Array.from(words);
      expect(hash.of128(id, 0)).toBe(hash.of(id, 0, 4));
      if (id[0] !== id[1]) expect(hash.ofWord(id[0]!)).not.toBe(hash.ofWord(id[1]!));
    }),
  );
});

test('the hash is HalfSipHash-1-3, by the vectors that the Linux kernel publishes', () => {
  const hash = new KeyedHash({ low: 0x03020100, high: 0x07060504 });
  const words = Uint32Array.of(0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c);
  const hashes = [0, 1, 2, 3, 4].map((count) => hash.of(words, 0, count) >>> 0);
  expect(hashes).toEqual([0x5814c896, 0x7e059ea6, 0x577999b1, 0x6b28096c, 0x8b31d501]);
});

test('answers and state hashes do not depend on the key', () => {
  const machines = [1, 2].map(
    (low) => new StateMachine({ memoryLimitBytes: 2 ** 30, hashKey: { low, high: -low } }),
  );
  const ids = forgedIds(2000);
  const events = new Uint32Array(2000 * 32);
  const accounts = new Uint32Array(2 * 32);
  for (let i = 0; i < 2; i += 1) accounts.set([i + 1], i * 32);
  for (let i = 0; i < 2; i += 1) accounts.set([1, 1], i * 32 + 28);
  for (let i = 0; i < 2000; i += 1) {
    events.set(ids.subarray(i * 4, i * 4 + 4), i * 32);
    events.set([1, 0, 0, 0, 2, 0, 0, 0, 1], i * 32 + 4);
    events.set([i % 7, 0, 0, 0, i % 5, 0, i % 3, 0, 1, 1], i * 32 + 20);
  }
  const filter = new Uint32Array(16);
  filter.set([3, 0, 0, 0, 2, 0, 1], 0);
  filter[14] = 100;
  const body = (words: Uint32Array, size: number): Uint8Array =>
    encodeMultiBatch([new Uint8Array(words.buffer)], size);
  const [first, second] = machines.map((machine) => {
    machine.commit(Operation.createAccounts, 10n, body(accounts, 128));
    machine.commit(Operation.createTransfers, 10_000n, body(events, 128));
    const found = machine.read(Operation.queryTransfers, body(filter, 64));
    const looked = machine.read(Operation.lookupTransfers, body(ids.slice(), 16));
    return { hash: machine.stateHash(), found, looked };
  });
  expect(first).toEqual(second);
  expect(first!.found.length).toBeGreaterThan(100);
  expect(first!.looked.length).toBeGreaterThan(2000 * 128);
});
