import { expect, test } from '@jest/globals';
import { cutText } from './cut-text.ts';

test('a text that fits stays as it is', () => {
  expect(cutText('', 5)).toBe('');
  expect(cutText('12345', 5)).toBe('12345');
});

test('a longer one ends behind a sentence or a word, and says that something is left out', () => {
  const text = 'The store is full. Make room in the bucket; it is tried again.';
  expect(cutText(text, 30)).toBe('The store is full. …');
  expect(cutText(text, 50)).toBe('The store is full. Make room in the bucket; …');
  expect(cutText('Make room in the bucket, then it is tried again', 30)).toBe(
    'Make room in the bucket, …',
  );
  expect(cutText('a'.repeat(30), 20)).toBe(`${'a'.repeat(19)}…`);
});

test('no text is longer than it may be, whatever is in it, and none ends with half a character', () => {
  const text = `One. ${'😀'.repeat(9)}; two words. ${'x'.repeat(20)} and so on`;
  for (let max = 4; max <= text.length; max += 1) {
    const cut = cutText(text, max);
    expect(cut.length).toBeLessThanOrEqual(max);
    expect(cut.isWellFormed()).toBe(true);
    if (max < text.length) expect(cut).toMatch(/…$/);
  }
});
