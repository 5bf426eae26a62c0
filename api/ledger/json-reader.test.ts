import { expect, test } from '@jest/globals';
import {
  anything,
  assert,
  constantFrom,
  integer,
  json,
  property,
  string,
  uint8Array,
} from 'fast-check';
import { IntegerFound, JsonReader, MalformedJson } from './json-reader.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Offset at which the document stops being JSON; `undefined` if it is valid JSON. */
function malformedAt(bytes: Uint8Array): number | undefined {
  const reader = new JsonReader(bytes);
  try {
    reader.skip();
    reader.end();
    return undefined;
  } catch (error) {
    if (error instanceof MalformedJson) return error.offset;
    throw error;
  }
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
}

test.each([
  ['', 0],
  ['  ', 2],
  ['{', 1],
  ['{"a"}', 4],
  ['{"a":}', 5],
  ['{"a":1,}', 7],
  ['{a:1}', 1],
  ["{'a':1}", 1],
  ['[1,]', 3],
  ['[1 2]', 3],
  ['[', 1],
  ['01', 1],
  ['-', 1],
  ['+1', 0],
  ['1.', 2],
  ['.5', 0],
  ['1e', 2],
  ['NaN', 0],
  ['tru', 3],
  ['nulL', 3],
  ['"abc', 4],
  ['"a\nb"', 2],
  ['"\\x"', 2],
  ['"\\u12g4"', 2],
  ['1 1', 2],
  ['[1]]', 3],
  ['\ufeff1', 0],
  ['[1] // one', 4],
])('%j is not JSON from byte %d on', (text, offset) => {
  expect(malformedAt(bytesOf(text))).toBe(offset);
});

test('a string that is not UTF-8 is not JSON', () => {
  expect(malformedAt(Uint8Array.of(0x5b, 0x22, 0xff, 0x22, 0x5d))).toBe(1);
});

test('depth is bounded', () => {
  expect(malformedAt(bytesOf(`${'['.repeat(32)}1${']'.repeat(32)}`))).toBeUndefined();
  expect(malformedAt(bytesOf('['.repeat(1_000_000)))).toBe(33);
});

test('it takes whatever JSON.parse takes', () => {
  assert(property(json({ maxDepth: 8 }), (text) => malformedAt(bytesOf(text)) === undefined));
  assert(
    property(anything({ withUnicodeString: true, maxDepth: 4 }), (value) => {
      let text: string | undefined;
      try {
        text = JSON.stringify(value, null, 2);
      } catch {
        return;
      }
      if (text !== undefined) expect(malformedAt(bytesOf(text))).toBeUndefined();
    }),
  );
});

test('it refuses the same documents with one changed byte as JSON.parse', () => {
  const documents = [
    '[{"id":"12","amount":340282366920938463463374607431768211455,"x":[-1.5e+3,true,null]}]',
    '{"a\\u0041\\n":{"b":[[],{}],"c":"\u00e9\u{1f600}"},"d":false}',
  ].map(bytesOf);
  assert(
    property(
      constantFrom(...documents),
      integer({ min: 0 }),
      integer({ min: 0, max: 255 }),
      (document, at, byte) => {
        const changed = document.with(at % document.length, byte);
        expect(malformedAt(changed) === undefined).toBe(isJson(changed));
      },
    ),
    { numRuns: 5_000 },
  );
});

test('it accepts the same truncated documents and random bytes as JSON.parse', () => {
  const document = bytesOf('[{"id":"1","code":1.25e2,"f":["a\\u00e9",true]}, null]');
  for (let end = 0; end <= document.length; end += 1) {
    const cut = document.subarray(0, end);
    expect(malformedAt(cut) === undefined).toBe(isJson(cut));
  }
  assert(
    property(
      uint8Array({ maxLength: 12 }),
      (bytes) => (malformedAt(bytes) === undefined) === isJson(bytes),
    ),
  );
});

test('strings are what JSON.parse makes of them', () => {
  assert(
    property(string({ unit: 'binary' }), (text) => {
      const reader = new JsonReader(bytesOf(JSON.stringify(text)));
      expect(reader.string()).toBe(text);
      reader.end();
    }),
  );
});

const words = new Uint32Array(4);
test.each([
  ['7', IntegerFound.taken],
  ['"7"', IntegerFound.taken],
  ['"007"', IntegerFound.taken],
  ['"\\u0037"', IntegerFound.taken],
  ['"-7"', IntegerFound.none],
  ['"+7"', IntegerFound.none],
  ['" 7"', IntegerFound.none],
  ['""', IntegerFound.none],
  ['"٧"', IntegerFound.none],
  ['-7', IntegerFound.none],
  ['-0', IntegerFound.none],
  ['7.0', IntegerFound.none],
  ['7e0', IntegerFound.none],
  ['7E0', IntegerFound.none],
  ['null', IntegerFound.none],
  ['true', IntegerFound.none],
  ['[7]', IntegerFound.none],
  ['{"a":7}', IntegerFound.none],
  ['340282366920938463463374607431768211456', IntegerFound.tooLarge],
  [`"${'9'.repeat(40)}"`, IntegerFound.tooLarge],
])('%s as an integer', (text, found) => {
  const reader = new JsonReader(bytesOf(` ${text} `));
  expect(reader.integer(words)).toBe(found);
  if (found === IntegerFound.taken) expect([...words]).toEqual([7, 0, 0, 0]);
  reader.end();
});

test('07 is not JSON', () => {
  expect(() => {
    const reader = new JsonReader(bytesOf('07'));
    reader.integer(words);
    reader.end();
  }).toThrow(MalformedJson);
});
