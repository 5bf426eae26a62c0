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

/** The interval to the next poll, in milliseconds. */
export const every = (ms: number) => (): number => ms * slowness;
