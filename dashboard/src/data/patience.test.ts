import { expect, test } from '@jest/globals';
import type { Problem } from '../../../gen/api.ts';
import { patiently } from './patience.ts';
import { NoAnswer, ProblemError } from './problem-error.ts';

const problem = (status: number, retryAfter?: number, retryable = true) =>
  new ProblemError({ status, code: 'a', detail: 'b', retryable } as Problem, retryAfter);

/** Answers with these errors first, and then with `done`. */
function service(...errors: readonly Error[]) {
  const left = [...errors];
  const waits: number[] = [];
  return {
    waits,
    send: async () => {
      const error = left.shift();
      if (error !== undefined) throw error;
      return 'done';
    },
    wait: async (ms: number) => void waits.push(ms),
  };
}

test('a refusal for the rate is waited out, as long as the service asks for it', async () => {
  const { send, wait, waits } = service(problem(429, 7), problem(429, 0));
  expect(await patiently(send, { wait })).toBe('done');
  expect(waits).toEqual([7_000, 1_000]);
});

test.each([
  ['no wait is named', problem(429)],
  ['the wait is longer than a minute', problem(429, 61)],
  ['the service says that another try is of no use', problem(503, 1, false)],
  ['something else is wrong', problem(409)],
])('the refusal is told if %s', async (_why, error) => {
  const { send, wait, waits } = service(error);
  await expect(patiently(send, { wait })).rejects.toBe(error);
  expect(waits).toEqual([]);
});

test('a service that is away now and then delays a series, and does not end it', async () => {
  const { send, wait, waits } = service(problem(503), problem(502, 3), new NoAnswer('lost'));
  expect(await patiently(send, { wait })).toBe('done');
  expect(waits).toEqual([500, 3_000, 2_000]);
});

test('a service that stays away is told after four tries', async () => {
  const last = problem(503);
  const { send, wait, waits } = service(problem(503), problem(503), problem(503), last);
  await expect(patiently(send, { wait })).rejects.toBe(last);
  expect(waits).toEqual([500, 1_000, 2_000]);
});

test('a person who leaves meanwhile sends no further request', async () => {
  const leaving = new AbortController();
  const { send } = service(problem(429, 30), new Error('sent again'));
  const wait = async () => leaving.abort(new Error('left'));
  await expect(patiently(send, { signal: leaving.signal, wait })).rejects.toThrow('left');
});
