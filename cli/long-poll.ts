/** Long polls of the API: until something has happened, or the time is over. */
import { sleep } from '../base/timers.ts';
import type { Context } from './context.ts';
import { survived } from './survived.ts';

/** Maximum wait of the API. */
const pollSecondsMax = 25;

interface Poll<T, R> {
  /** Asks the API, which may wait for so long; `undefined`: nothing has changed. */
  readonly ask: (waitSeconds: number) => Promise<T | undefined>;
  /** Looks at each answer. What it returns ends the polls. */
  readonly look: (answer: T) => R | undefined;
}

/** Returns what `look` has returned; `undefined` when the time is over. A restart of the service must not end the wait. */
export async function longPoll<T, R>(
  context: Context,
  waitMs: number,
  { ask, look }: Poll<T, R>,
): Promise<R | undefined> {
  const { timers } = context;
  const endMs = timers.nowMs() + waitMs;
  for (;;) {
    const startedMs = timers.nowMs();
    const leftMs = endMs - startedMs;
    const waitSeconds = Math.max(0, Math.min(pollSecondsMax, Math.floor(leftMs / 1_000)));
    const answer = await survived(context, () => ask(waitSeconds), leftMs);
    const result = answer === undefined ? undefined : look(answer);
    if (result !== undefined) return result;
    if (timers.nowMs() >= endMs) return undefined;
    // Prevents a busy loop with an API that answers at once instead of waiting.
    const restMs = Math.min(1_000 - (timers.nowMs() - startedMs), endMs - timers.nowMs());
    if (restMs > 0) await sleep(timers, restMs);
  }
}
