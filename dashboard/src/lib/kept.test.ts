import { afterEach, expect, test } from '@jest/globals';
import { forget, keep, kept } from './kept.ts';

/** What the page sees as its storage; an error is thrown as soon as it is named. */
function storageIs(storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | Error): void {
  Object.defineProperty(globalThis, 'localStorage', {
    configurable: true,
    get: () => {
      if (storage instanceof Error) throw storage;
      return storage;
    },
  });
}

const mapped = (texts: Map<string, string>, roomFor = Infinity) => ({
  getItem: (key: string) => texts.get(key) ?? null,
  setItem: (key: string, text: string) => {
    if (text.length > roomFor) throw new DOMException('no room', 'QuotaExceededError');
    texts.set(key, text);
  },
  removeItem: (key: string) => void texts.delete(key),
});

afterEach(() => forget('theme'));

test('a choice is kept in the browser', () => {
  const texts = new Map<string, string>();
  storageIs(mapped(texts));
  expect(kept('theme')).toBeUndefined();
  keep('theme', 'dark');
  expect([kept('theme'), texts.get('theme')]).toEqual(['dark', 'dark']);
  forget('theme');
  expect([kept('theme'), texts.size]).toEqual([undefined, 0]);
});

test('a browser that refuses its storage keeps no page away, and a choice holds on the page', () => {
  storageIs(new DOMException('Access is denied for this document.', 'SecurityError'));
  expect(kept('theme')).toBeUndefined();
  keep('theme', 'dark');
  expect(kept('theme')).toBe('dark');
  forget('theme');
  expect(kept('theme')).toBeUndefined();
});

test('a choice for which there is no room counts more than the one before', () => {
  storageIs(mapped(new Map([['theme', 'dark']]), 4));
  keep('theme', 'light');
  expect(kept('theme')).toBe('light');
  keep('theme', 'dark');
  expect(kept('theme')).toBe('dark');
});
