export interface BackoffRange {
  readonly baseMs: number;
  readonly maxMs: number;
}

/**
 * Wait before try `failures + 1`: it doubles with each failure, and is spread over its upper half so that clients which
 * failed together do not retry together.
 */
export function backoffMs(
  failures: number,
  { baseMs, maxMs }: BackoffRange,
  random: () => number,
): number {
  const whole = Math.min(maxMs, baseMs * 2 ** Math.min(failures - 1, 40));
  return whole / 2 + (random() * whole) / 2;
}
