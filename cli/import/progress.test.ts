import { expect, test } from '@jest/globals';
import { VirtualTimers } from '../../test/support/operator/virtual-timers.ts';
import type { Output } from '../output/output.ts';
import { progressText, UploadProgress } from './progress.ts';

const mebibyte = 2 ** 20;

function progressOn(showsProgress: boolean, { totalBytes = 100, beforeBytes = 0 } = {}) {
  const timers = new VirtualTimers();
  const lines: (string | undefined)[] = [];
  const take = (line: string | undefined) => void lines.push(line);
  const nothing = () => undefined;
  const output: Output = {
    result: nothing,
    warn: nothing,
    trace: nothing,
    note: showsProgress ? nothing : take,
    progress: showsProgress ? take : nothing,
    showsProgress,
    isTerminal: showsProgress,
    emphasize: (_, text) => text,
  };
  return {
    timers,
    lines,
    progress: new UploadProgress({ output, timers }, { totalBytes, beforeBytes }),
  };
}

test('it says how much has arrived, how fast, and how long the rest takes at that speed', () => {
  const half = { totalBytes: 2_048 * mebibyte, doneBytes: 1_024 * mebibyte };
  expect(progressText({ ...half, sentBytes: 512 * mebibyte, elapsedMs: 64_000 })).toBe(
    'uploaded 1 GiB of 2 GiB (50 %), 8 MiB/s, 3 min left',
  );
  expect(progressText({ ...half, sentBytes: mebibyte, elapsedMs: 10_000 })).toContain('2 h 51 min');
  expect(progressText({ ...half, sentBytes: 0, elapsedMs: 0 })).toBe(
    'uploaded 1 GiB of 2 GiB (50 %)',
  );
  expect(progressText({ totalBytes: 9, doneBytes: 9, sentBytes: 9, elapsedMs: 1_000 })).toBe(
    'uploaded 9 B of 9 B (100 %), 9 B/s',
  );
});

test('without a terminal each tenth has one line, and a slow upload one a minute', async () => {
  const { timers, lines, progress } = progressOn(false, { beforeBytes: 20 });
  for (let byte = 0; byte < 25; byte += 1) {
    await timers.advance(1_000);
    progress.sent(1);
  }
  expect(lines).toHaveLength(2);
  await timers.advance(60_000);
  progress.sent(1);
  progress.close();
  expect(lines.map((line) => /\(\d+ %\)/.exec(line ?? '')?.[0])).toEqual([
    '(30 %)',
    '(40 %)',
    '(46 %)',
  ]);
});

test('on a terminal one line is drawn again, not for every part, and is taken away in the end', async () => {
  const { timers, lines, progress } = progressOn(true);
  progress.sent(1);
  await timers.advance(1_000);
  progress.sent(1);
  progress.sent(1);
  progress.close();
  expect(lines).toEqual([
    'uploaded 0 B of 100 B (0 %)',
    'uploaded 2 B of 100 B (2 %), 2 B/s, 49 s left',
    undefined,
  ]);
});
