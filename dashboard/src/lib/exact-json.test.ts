import { expect, test } from '@jest/globals';
import { parseExactly } from './exact-json.ts';
import { shellWord } from './shell-word.ts';

test.each([2n ** 53n + 1n, 2n ** 64n - 1n, 2n ** 128n - 1n])('%d is never rounded', (integer) => {
  expect(parseExactly(`{"id":${integer},"limit":10,"ids":["${integer}"]}`)).toEqual({
    id: integer.toString(),
    limit: 10,
    ids: [integer.toString()],
  });
});

test.each(['', '{', '{"a":1}}'])('%j is no JSON', (text) => {
  expect(() => parseExactly(text)).toThrow(SyntaxError);
});

test('a typed value stays one word of the shell', () => {
  expect(shellWord(`{"a":"'; rm -rf /"}`)).toBe(`'{"a":"'\\''; rm -rf /"}'`);
});
