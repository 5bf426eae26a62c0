import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MetricRegistry } from '../../base/metrics/metrics.ts';
import { cpuMsOf } from '../../test/support/cpu-time.ts';
import { readExposition } from './exposition.ts';

test('the text of our own registry is read back, whatever the labels hold', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), fc.float(), async (word, value) => {
      const registry = new MetricRegistry();
      registry.labelledGauge('some_gauge', 'Help.', [{ word }]).set({ word }, value);
      const read = readExposition(await registry.text());
      expect(read).toEqual([{ name: 'some_gauge', labels: { word }, value: expect.any(Number) }]);
      expect(read[0]?.value === value || Number.isNaN(value)).toBe(true);
    }),
  );
});

test('lines that are none are left out', () => {
  const text = 'a 1\nb{x="1" 2\n{} 3\nc\nd{x="y",} 4\ne{=} 5\nf 1e3 1700000000000\n';
  expect(readExposition(text).map(({ name, value }) => [name, value])).toEqual([
    ['a', 1],
    ['d', 4],
    ['f', 1_000],
  ]);
});

test('a hostile answer ends soon', () => {
  const labels = ['x="\\'.repeat(50_000), `x="${'\\\\'.repeat(100_000)}`, '} 1 '.repeat(50_000)];
  for (const text of labels) {
    for (const answer of [`a{${text}`, `a{${text}} 1`]) {
      // A search in steps that grow with the length takes a few milliseconds.
      expect(cpuMsOf(() => void readExposition(answer))).toBeLessThan(100);
    }
  }
});

test('a value that is named like a part of every object is no number', () => {
  expect(readExposition('a constructor\nb __proto__\nc 1')).toEqual([
    { name: 'c', labels: {}, value: 1 },
  ]);
});
