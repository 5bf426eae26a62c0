import { expect, test } from '@jest/globals';
import { nanosecondsOf, RawLines } from './raw-lines.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const at = '2026-11-23T08:00:00.000000001Z';

test('lines are the same, wherever the bytes are cut', () => {
  const text = bytes(`${at} one ä\n2026-11-23T08:00:00.5Z \n${at} three`);
  const whole = new RawLines().push(text);
  const bytewise = new RawLines();
  const pieces = [...text].flatMap((byte) => bytewise.push(Uint8Array.of(byte)));
  expect(pieces).toEqual(whole);
  // The third one is not complete.
  expect(whole.map(({ text: own }) => own)).toEqual(['one ä', '']);
  expect(whole.map(({ atNs }) => atNs % 1_000_000_000n)).toEqual([1n, 500_000_000n]);
});

test('the begin of an endless line is kept, and the rest is counted', () => {
  const lines = new RawLines();
  lines.push(bytes(`${at} `));
  for (let count = 0; count < 1_000; count += 1) lines.push(bytes('x'.repeat(1_000)));
  const [line] = lines.push(bytes('\n'));
  expect(line?.text).toMatch(/^x+$/);
  expect((line?.text.length ?? 0) + (line?.cutBytes ?? 0)).toBe(1_000_000);
  expect(line?.text.length).toBeLessThanOrEqual(16 * 1_024);
});

test('a record without a time is no log line', () => {
  expect(new RawLines().push(bytes('unable to retrieve container logs\n'))).toEqual([]);
});

test.each([
  ['2026-11-23T08:00:00Z', 1_795_420_800_000_000_000n],
  ['2026-11-23T10:00:00.123456789+02:00', 1_795_420_800_123_456_789n],
  ['2026-11-23 08:00:00Z', undefined],
  ['2026-13-23T08:00:00Z', undefined],
])('the time %s', (text, expected) => expect(nanosecondsOf(text)).toBe(expected));
