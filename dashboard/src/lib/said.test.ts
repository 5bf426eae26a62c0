import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { initialOf, said } from './said.ts';

test.each([
  ['payments', 'payments'],
  ['Café & Söhne 東京 😀', 'Café & Söhne 東京 😀'],
  ['ab\u202Ecod.exe', 'abcod.exe'],
  ['\u2069\u202Eevil', 'evil'],
  ['بنك', '\u2068بنك\u2069'],
  ['\u202Bבנק\u2066 1', '\u2068בנק 1\u2069'],
])('%j is shown as %j', (text, shown) => {
  expect(said(text)).toBe(shown);
});

test('no text leaves a direction open behind it', () => {
  const controls = fc.constantFrom('\u202A', '\u202B', '\u202D', '\u202E', '\u2066', '\u2069');
  const texts = fc
    .array(fc.oneof(fc.string(), controls, fc.constant('א')))
    .map((all) => all.join(''));
  fc.assert(
    fc.property(texts, (text) => {
      expect(said(text)).toMatch(
        /^(?:\u2068[^\u202A-\u202E\u2066-\u2069]*\u2069|[^\u202A-\u202E\u2066-\u2069]*)$/u,
      );
    }),
  );
});

test.each([
  ['acme', 'A'],
  ['🏦 Bank', '🏦'],
  ['🇪🇺 Europe', '🇪🇺'],
  ['\u202Eéclair', 'É'],
  [' ', '?'],
])('the square of %p has a whole character', (name, initial) => {
  expect(initialOf(name)).toBe(initial);
});
