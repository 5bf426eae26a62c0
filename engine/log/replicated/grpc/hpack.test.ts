import { expect, test } from '@jest/globals';
import { decodeHeaders, encodeHeaders, HeaderError } from './hpack.ts';
import { decodeHuffman } from './huffman.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const decoded = (text: string) => [...decodeHeaders(hex(text))];

// The examples of RFC 7541, appendix C, that need no dynamic table.
test('the examples of RFC 7541 are decoded', () => {
  expect(decodeHuffman(hex('f1e3 c2e5 f23a 6ba0 ab90 f4ff'))).toBe('www.example.com');
  expect(decodeHuffman(hex('d07a be94 1054 d444 a820 0595 040b 8166 e082 a62d 1bff'))).toBe(
    'Mon, 21 Oct 2013 20:13:21 GMT',
  );
  expect(decoded('8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff')).toEqual([
    [':method', 'GET'],
    [':scheme', 'http'],
    [':path', '/'],
    [':authority', 'www.example.com'],
  ]);
  expect(decoded('040c 2f73 616d 706c 652f 7061 7468')).toEqual([[':path', '/sample/path']]);
});

test('every byte has the code that Huffman coding gives it', () => {
  // "0" to "z" as a common encoder writes them (the code of RFC 7541, appendix B).
  const codes = { 0: '00000', a: '00011', ' ': '010100', Z: '11111101', '~': '1111111111101' };
  for (const [symbol, code] of Object.entries(codes)) {
    const bits = code.padEnd(Math.ceil(code.length / 8) * 8, '1');
    const bytes = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
    expect(decodeHuffman(bytes)).toBe(symbol);
  }
});

test('what is encoded is decoded again, long values too', () => {
  const headers = [
    [':path', '/a'],
    ['long', 'x'.repeat(126)],
    ['longer', 'x'.repeat(127)],
    ['longest', 'x'.repeat(40_000)],
    ['empty', ''],
  ] as const;
  expect([...decodeHeaders(encodeHeaders(headers))]).toEqual(headers);
});

test('a table of headers that was not offered, and a cut-off block, are refused', () => {
  expect(() => decodeHeaders(hex('3f e11f 88'))).toThrow(HeaderError);
  expect(decoded('20 88')).toEqual([[':status', '200']]);
  expect(() => decodeHeaders(hex('be'))).toThrow(HeaderError);
  expect(() => decodeHeaders(hex('00 05 61'))).toThrow(HeaderError);
  expect(() => decodeHeaders(hex('88 00'))).toThrow(HeaderError);
  expect(() => decodeHeaders(hex('7f ffff ffff ff'))).toThrow(HeaderError);
});
