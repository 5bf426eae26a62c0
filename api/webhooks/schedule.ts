/** Times of a delivery's attempts (Standard Webhooks), and pauses for overloaded receivers. Pure. */
const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** Waits before the second and later attempts: about 75 hours in all. */
const waitsMs: readonly number[] = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
];
export const attemptsMax = waitsMs.length + 1;
/** Random part of a wait, so that failed deliveries do not return all at once. */
const jitter = 0.1;
/** Maximum wait that the receiver may ask for. */
const retryAfterMaxMs = 24 * hourMs;

/** Wait until the next attempt after `made` attempts, at least as long as the receiver asks; `undefined`: there is none. */
export function retryInMs(
  made: number,
  retryAfterMs: number | undefined,
  random: () => number,
): number | undefined {
  const waitMs = waitsMs[made - 1];
  if (waitMs === undefined) return undefined;
  const spread = waitMs * (1 - jitter + 2 * jitter * random());
  return Math.round(Math.max(spread, retryAfterMs ?? 0));
}

const pause = { baseMs: 5 * secondMs, maxMs: 5 * minuteMs };

/**
 * Pause for a receiver after `failures` consecutive failures that show an overload. A receiver that asks for no pause gets the
 * shortest one: otherwise everything waiting for it would be sent at once.
 */
export function throttleMs(failures: number, retryAfterMs: number | undefined): number {
  if (retryAfterMs !== undefined) return Math.max(pause.baseMs, retryAfterMs);
  return Math.min(pause.maxMs, pause.baseMs * 2 ** Math.min(failures - 1, 10));
}

/** Parses `Retry-After`: seconds, or a date. Returns `undefined` for anything else; at most a day. */
export function readRetryAfter(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  const isDate = /^[A-Z][a-z]{2}, .* GMT$/.test(text);
  if (!isDate && !/^\d{1,10}$/.test(text)) return undefined;
  const waitMs = isDate ? Date.parse(text) - nowMs : Number(text) * secondMs;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), retryAfterMaxMs);
}
