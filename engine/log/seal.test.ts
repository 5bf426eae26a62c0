import { expect, test } from '@jest/globals';
import { createSecretKey } from 'node:crypto';
import { seal } from './seal.ts';

const data = new TextEncoder().encode('a record');

test('a seal is made with the bytes that the key holds at the moment, whatever they were before', () => {
  const key = new Uint8Array(16).fill(7);
  const before = seal(key, data);
  expect(seal(key, data)).toEqual(before);
  expect(seal(createSecretKey(key), data)).toEqual(before);
  key[15] = 8;
  expect(seal(key, data)).not.toEqual(before);
  expect(seal(key, data)).toEqual(seal(createSecretKey(key), data));
});

test('a seal covers the parts as one text', () => {
  const key = new Uint8Array(16).fill(7);
  expect(seal(key, data.subarray(0, 3), data.subarray(3))).toEqual(seal(key, data));
});
