/**
 * Reads of a long series, such as the pages of a file: a refusal for their rate, or a service that is away for a moment, delays the series
 * instead of ending it.
 */
import { pause } from '../lib/pause.ts';
import { NoAnswer, ProblemError } from './problem-error.ts';

/** A longer wait is for the person to decide. */
const waitMaxSeconds = 60;
/** Tries of one read after the first one, while the service is away. */
const triesMax = 3;
const firstWaitSeconds = 0.5;

interface Options {
  readonly signal?: AbortSignal | undefined;
  readonly wait?: typeof pause;
}

/**
 * Reads again whenever the service answers 429 and asks to wait for at most a minute, and a few times, with growing pauses, when it is
 * away. Throws any other error. Not for requests that change something.
 */
export async function patiently<T>(
  read: () => Promise<T>,
  { signal, wait = pause }: Options = {},
): Promise<T> {
  let tries = 0;
  for (;;) {
    try {
      return await read();
    } catch (error) {
      const away = isAway(error);
      const seconds = away ? awaySeconds(error, tries) : rateSeconds(error);
      if (signal?.aborted === true || seconds === undefined || seconds > waitMaxSeconds)
        throw error;
      if (away) tries += 1;
      await wait(1_000 * seconds, signal);
      signal?.throwIfAborted();
    }
  }
}

/** Seconds that a refusal for the rate asks to wait. */
const rateSeconds = (error: unknown): number | undefined =>
  error instanceof ProblemError &&
  error.problem.status === 429 &&
  error.retryAfterSeconds !== undefined
    ? Math.max(1, error.retryAfterSeconds)
    : undefined;

const isAway = (error: unknown): boolean =>
  error instanceof NoAnswer ||
  (error instanceof ProblemError && error.problem.retryable && error.problem.status >= 500);

/** Seconds until the next try; `undefined`: there were enough. */
function awaySeconds(error: unknown, tries: number): number | undefined {
  if (tries >= triesMax) return undefined;
  const asked = error instanceof ProblemError ? (error.retryAfterSeconds ?? 0) : 0;
  return Math.max(asked, firstWaitSeconds * 2 ** tries);
}
