import { expect, test } from '@jest/globals';
import { WatchLines } from './watch-lines.ts';

const event = (name: string) => ({
  type: 'ADDED',
  object: { apiVersion: 'v1', kind: 'Pod', metadata: { name } },
});

test('events are whole wherever the bytes are cut, also within a character', () => {
  const events = [event('ä'), event('日本'), event('c')];
  const bytes = new TextEncoder().encode(events.map((e) => `${JSON.stringify(e)}\n`).join(''));
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const lines = new WatchLines();
    const seen = [...lines.push(bytes.subarray(0, cut)), ...lines.push(bytes.subarray(cut))];
    expect(seen).toEqual(events);
    expect(lines.torn).toBe(false);
  }
});

test('a stream that stops within an event is torn', () => {
  const lines = new WatchLines();
  expect(lines.push(new TextEncoder().encode('{"type":'))).toEqual([]);
  expect(lines.torn).toBe(true);
});

test('an endless line is refused, not kept', () => {
  const lines = new WatchLines();
  const chunk = new Uint8Array(1024 * 1024).fill(97);
  expect(() => {
    for (let pushed = 0; pushed < 20; pushed += 1) lines.push(chunk);
  }).toThrow(RangeError);
});
