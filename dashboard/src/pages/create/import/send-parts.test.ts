import { expect, test } from '@jest/globals';
import type { Problem } from '../../../../../gen/api.ts';
import { NoAnswer, ProblemError } from '../../../data/problem-error.ts';
import { partsOf } from './parts.ts';
import { sendParts, type Sending } from './send-parts.ts';

const parts = partsOf({ replicaIndex: 0, sizeBytes: 100 }, 10);
const problem = (status: number, retryable = false, retryAfter?: number) =>
  new ProblemError({ status, retryable, code: 'a', detail: 'b' } as Problem, retryAfter);

/** Sends to a service in memory, which fails as `failing` says of the part and how often it came. */
function world(failing: (part: number, time: number) => Error | undefined = () => undefined) {
  const came = new Map<number, number>();
  const there: number[] = [];
  const waits: number[] = [];
  const stop = new AbortController();
  let underWay = 0;
  let most = 0;
  const sending: Sending = {
    lanes: 3,
    signal: stop.signal,
    send: async ({ number }, signal) => {
      underWay += 1;
      most = Math.max(most, underWay);
      const time = (came.get(number) ?? 0) + 1;
      came.set(number, time);
      await Promise.resolve();
      await Promise.resolve();
      underWay -= 1;
      signal.throwIfAborted();
      const error = failing(number, time);
      if (error !== undefined) throw error;
      there.push(number);
    },
    pause: async (ms) => void waits.push(ms),
  };
  return { sending, stop, there, waits, came, most: () => most, underWay: () => underWay };
}

test('every part is sent once, several at a time and no more than that', async () => {
  const { sending, there, most } = world();
  await sendParts(parts, sending);
  expect(there.toSorted((a, b) => a - b)).toEqual(parts.map(({ number }) => number));
  expect(most()).toBe(3);
  await sendParts([], sending);
});

test('a passing failure is tried again, later and later, and not before the service asks for it', async () => {
  const failing = (part: number, time: number) =>
    part === 4
      ? [new NoAnswer('away'), problem(503, true), problem(429, false, 7)][time - 1]
      : undefined;
  const { sending, there, waits } = world(failing);
  await sendParts(parts, { ...sending, lanes: 1 });
  expect(there).toHaveLength(parts.length);
  expect(waits).toEqual([500, 1_000, 7_000]);
});

test('no answer makes an upload wait for hours', async () => {
  const failing = (part: number, time: number) =>
    part === 4 && time === 1 ? problem(503, true, 999_999) : undefined;
  const { sending, there, waits } = world(failing);
  await sendParts(parts, { ...sending, lanes: 1 });
  expect(there).toHaveLength(parts.length);
  expect(waits).toEqual([120_000]);
});

test('on a line that is too slow for several at a time fewer are sent, and more again when all goes well', async () => {
  let [underWay, most] = [0, 0];
  const seen: number[] = [];
  const many = partsOf({ replicaIndex: 0, sizeBytes: 600 }, 10);
  const { sending } = world();
  await sendParts(many, {
    ...sending,
    send: async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      const isTooMany = underWay > 1 && seen.length < 6;
      await Promise.resolve();
      await Promise.resolve();
      underWay -= 1;
      if (isTooMany) throw new NoAnswer('too slow');
      seen.push(underWay + 1);
    },
  });
  expect(seen).toHaveLength(many.length);
  expect(seen.slice(1, 12)).toEqual(Array.from({ length: 11 }, () => 1));
  expect(most).toBe(3);
  expect(Math.max(...seen.slice(30))).toBe(3);
});

test('a refusal ends the sending at once; what was sent stays, and nothing is under way', async () => {
  const refused = problem(422);
  const { sending, there, came, underWay } = world((part) => (part === 5 ? refused : undefined));
  await expect(sendParts(parts, sending)).rejects.toBe(refused);
  expect(came.get(5)).toBe(1);
  expect(there).toContain(1);
  expect(there).not.toContain(10);
  expect(underWay()).toBe(0);
});

test('a failure that ends the sending is told without a wait, also by the last lane', async () => {
  const refused = problem(422, false, 600);
  const { sending, waits } = world(() => refused);
  await expect(sendParts(parts, { ...sending, lanes: 1 })).rejects.toBe(refused);
  expect(waits).toEqual([]);
});

test('a service that stays away ends it after about two minutes', async () => {
  const { sending, waits } = world(() => new NoAnswer('away'));
  await expect(sendParts(parts.slice(0, 1), sending)).rejects.toBeInstanceOf(NoAnswer);
  expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(60_000);
});

test('stopped by the person it ends with their reason, and sends nothing more', async () => {
  const { sending, stop, there } = world();
  const stopping = {
    ...sending,
    send: async (...given: Parameters<Sending['send']>) => {
      await sending.send(...given);
      if (there.length >= 2) stop.abort(new Error('stopped'));
    },
  };
  await expect(sendParts(parts, stopping)).rejects.toThrow('stopped');
  expect(there.length).toBeLessThan(6);
});
