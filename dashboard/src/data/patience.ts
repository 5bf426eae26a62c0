/** Requests of a long series, such as the pages of a file: a refusal for their rate delays the series instead of ending it. */
import { pause } from '../lib/pause.ts';
import { ProblemError } from './problem-error.ts';

/** A longer wait is for the person to decide. */
const waitMaxSeconds = 60;

interface Options {
  readonly signal?: AbortSignal | undefined;
  readonly wait?: typeof pause;
}

/** Sends a request again whenever the service answers 429 and asks to wait for at most a minute. Throws any other error. */
export async function patiently<T>(
  send: () => Promise<T>,
  { signal, wait = pause }: Options = {},
): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      const seconds = waitOf(error);
      if (seconds === undefined || seconds > waitMaxSeconds) throw error;
      await wait(1_000 * Math.max(1, seconds), signal);
      signal?.throwIfAborted();
    }
  }
}

/** Seconds that a refusal for the rate asks to wait. */
const waitOf = (error: unknown): number | undefined =>
  error instanceof ProblemError && error.problem.status === 429
    ? error.retryAfterSeconds
    : undefined;
