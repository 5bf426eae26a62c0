import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  apiKeyPattern,
  generateApiKey,
  hashOf,
  parseApiKey,
  randomDigits,
} from './api-key-format.ts';

test('a key that was made is read, to the same hash', () => {
  for (let times = 0; times < 200; times += 1) {
    const { text, publicId, secretHash, lastFour } = generateApiKey();
    expect(text).toMatch(apiKeyPattern);
    expect(parseApiKey(text)).toEqual({ publicId, secretHash });
    expect(text.endsWith(lastFour)).toBe(true);
    expect(secretHash).toEqual(hashOf(text.slice(17, 49)));
  }
});

test('a key with any one character changed, left out or added is none', () => {
  const { text } = generateApiKey();
  fc.assert(
    fc.property(
      fc.nat(text.length - 1),
      fc.constantFrom('0', '9', 'a', 'z', 'A', 'Z', '_', '-', ' ', 'é'),
      fc.constantFrom('change', 'drop', 'add'),
      (at, letter, how) => {
        fc.pre(how !== 'change' || text[at] !== letter);
        const middle = how === 'drop' ? '' : how === 'add' ? letter + (text[at] ?? '') : letter;
        expect(parseApiKey(text.slice(0, at) + middle + text.slice(at + 1))).toBeUndefined();
      },
    ),
  );
});

test('digits are all equally likely', () => {
  const counts = new Map<string, number>();
  for (const digit of randomDigits(62_000)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
  expect(counts.size).toBe(62);
  // Six standard deviations of about 31 each.
  for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(190);
});
