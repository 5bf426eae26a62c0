/**
 * Polling with manners: nothing in a hidden tab (the query library sees to that), and slower when the requests that the
 * service allows run low.
 */
let slowness = 1;

/** Fewer requests left than this: ask less often. */
const fewLeft = 120;
const slower = 5;

/** Reads `RateLimit: "control";r=598;t=60`. */
export function noteRateLimit(header: string | null): void {
  const [, left] = /;\s*r=(\d{1,6})/.exec(header ?? '') ?? [];
  if (left !== undefined) slowness = Number.parseInt(left, 10) < fewLeft ? slower : 1;
}

/** The interval to the next poll, in milliseconds. */
export const every = (ms: number) => (): number => ms * slowness;
