/**
 * Polite polling: none in a hidden tab (the query library sees to that), and slower when few of the allowed requests are left.
 */
let slowness = 1;

/** With fewer requests left than this, polls are less frequent. */
const fewLeft = 120;
const slower = 5;

/** Reads `RateLimit: "control";r=598;t=60`. */
export function noteRateLimit(header: string | null): void {
  const [, left] = /;\s*r=(\d{1,6})/.exec(header ?? '') ?? [];
  if (left !== undefined) slowness = Number.parseInt(left, 10) < fewLeft ? slower : 1;
}

/** Time until which the service asked for no further request, in milliseconds since the page was opened. */
let pausedUntil = 0;
const pauseMaxSeconds = 600;

/** Reads `Retry-After: 17` of an answer 429. */
export function notePause(header: string | null): void {
  if (header === null || !/^\d{1,6}$/.test(header)) return;
  const seconds = Math.min(pauseMaxSeconds, Number.parseInt(header, 10));
  pausedUntil = Math.max(pausedUntil, performance.now() + 1_000 * seconds);
}

/** The interval to the next poll, in milliseconds. */
export const every = (ms: number) => (): number =>
  Math.max(ms * slowness, pausedUntil - performance.now());
