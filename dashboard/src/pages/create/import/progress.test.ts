import { expect, test } from '@jest/globals';
import { partsOf } from './parts.ts';
import { percentOf, progressWords, SentBytes } from './progress.ts';

const mebibyte = 2 ** 20;
const parts = partsOf({ replicaIndex: 0, sizeBytes: 100 * mebibyte }, 10 * mebibyte);

test('an upload that goes on counts what was there before, and its speed by what it sent itself', () => {
  const sent = new SentBytes(100 * mebibyte, parts.slice(5), 1_000);
  expect(progressWords(sent.at(1_000))).toBe('50\u00a0MiB of 100\u00a0MiB');
  expect(percentOf(sent.at(1_000))).toBe(50);
  const [, , , , , sixth, seventh] = parts;
  if (sixth === undefined || seventh === undefined) throw new Error('there are ten');
  sent.moved(sixth, 4 * mebibyte);
  sent.moved(sixth, mebibyte);
  sent.moved(seventh, 5 * mebibyte);
  expect(sent.at(2_000)).toMatchObject({ doneBytes: 56 * mebibyte, sentBytes: 6 * mebibyte });
  sent.arrived(sixth);
  sent.arrived(seventh);
  expect(progressWords(sent.at(11_000))).toBe(
    '70\u00a0MiB of 100\u00a0MiB, 2\u00a0MiB/s, about 15 s left',
  );
});

test('it is done when everything is there, and not before', () => {
  const last = { totalBytes: 1_000, doneBytes: 999, sentBytes: 1, elapsedMs: 1 };
  expect(percentOf(last)).toBe(99);
  expect(percentOf({ ...last, doneBytes: 1_000 })).toBe(100);
});
