import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MetricRegistry } from '../../base/metrics/metrics.ts';
import { readExposition } from './exposition.ts';

test('the text of our own registry is read back, whatever the labels hold', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), fc.float(), async (word, value) => {
      const registry = new MetricRegistry();
      registry.labelledGauge('some_gauge', 'Help.', [{ word }]).set({ word }, value);
      const read = [...readExposition(await registry.text())];
      expect(read).toEqual([{ name: 'some_gauge', labels: { word }, value: expect.any(Number) }]);
      expect(read[0]?.value === value || Number.isNaN(value)).toBe(true);
    }),
  );
});

test('lines that are none are left out', () => {
  const text = 'a 1\nb{x="1" 2\n{} 3\nc\nd{x="y",} 4\ne{=} 5\nf 1e3 1700000000000\n';
  expect([...readExposition(text)].map(({ name, value }) => [name, value])).toEqual([
    ['a', 1],
    ['d', 4],
    ['f', 1_000],
  ]);
});

test('a hostile answer, however long, takes no steps that grow with the square of its length', async () => {
  // With the square of such lengths, each would take longer than a test may.
  const count = 400_000;
  const labels = ['x="\\'.repeat(count), `x="${'\\\\'.repeat(count)}`, '} 1 '.repeat(count)];
  for (const text of labels) {
    for (const answer of [`a{${text}`, `a{${text}} 1`]) {
      expect([...readExposition(answer)].length).toBeLessThanOrEqual(1);
      // The limit of a test ends it here.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
});

test('a value that is named like a part of every object is no number', () => {
  expect([...readExposition('a constructor\nb __proto__\nc 1')]).toEqual([
    { name: 'c', labels: {}, value: 1 },
  ]);
});
