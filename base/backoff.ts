export interface BackoffRange {
  readonly baseMs: number;
  readonly maxMs: number;
}

/**
 * The wait before try `failures + 1`: doubles with each failure, and is spread over its upper half so that those who failed
 * together do not come back together.
 */
export function backoffMs(
  failures: number,
  { baseMs, maxMs }: BackoffRange,
  random: () => number,
): number {
  const whole = Math.min(maxMs, baseMs * 2 ** Math.min(failures - 1, 40));
  return whole / 2 + (random() * whole) / 2;
}
