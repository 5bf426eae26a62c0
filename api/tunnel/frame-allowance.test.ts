import { expect, test } from '@jest/globals';
import { FrameAllowance } from './frame-allowance.ts';

/** Number of frames that are taken, at most `most`. */
function taken(most: number, bytes: number, everyMs: number): number {
  const allowance = new FrameAllowance(0);
  for (let frames = 0; frames < most; frames += 1) {
    if (!allowance.take(bytes, frames * everyMs)) return frames;
  }
  return most;
}

test.each([
  ['whole messages, however fast', 256, 0],
  ['bytes in frames of 64', 64, 0],
  ['one byte now and then', 1, 50],
  ['pings', 0, 1_000],
])('%s are taken for ever', (_, bytes, everyMs) => {
  expect(taken(100_000, bytes, everyMs)).toBe(100_000);
});

test.each([
  ['empty frames', 0],
  ['frames of one byte', 1],
])('%s are taken some thousands at a time', (_, bytes) => {
  expect(taken(100_000, bytes, 0)).toBeLessThan(5_000);
});
