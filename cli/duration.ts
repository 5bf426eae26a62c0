import { usageFailure } from './failure.ts';

const units = { s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** Converts `90s`, `30m` or `1h` to milliseconds. */
export function readDurationMs(option: string, text: string): number {
  const [, number, unit] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  if (number !== undefined && (unit === 's' || unit === 'm' || unit === 'h')) {
    return Number(number) * units[unit];
  }
  throw usageFailure(`${option} must be a duration such as 90s, 30m or 1h, not "${text}"`);
}
