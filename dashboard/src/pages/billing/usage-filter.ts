/** The month and the rows of the usage, kept in the address; and usage in words. */
import type { UsageFilter } from '../../data/settings-queries.ts';
import { given, textOf, wordOf } from '../../lib/search.ts';

const monthPattern = /^20\d\d-(0[1-9]|1[0-2])$/;

export const readUsageFilter = (search: Record<string, unknown>): UsageFilter => {
  const month = textOf(search['month'], 7);
  return given({
    month: month !== undefined && monthPattern.test(month) ? month : undefined,
    by: wordOf(search['by'], ['day'] as const),
  });
};

/** The current month of UTC and those before it, as `2026-11` and “November 2026”. */
export function monthsUntil(
  nowMs: number,
  count: number,
): readonly (readonly [month: string, text: string])[] {
  const now = new Date(nowMs);
  const format = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
  return Array.from({ length: count }, (_, back) => {
    const at = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1));
    return [at.toISOString().slice(0, 7), format.format(at)] as const;
  });
}

/** Hours, with a decimal place unless they are whole. */
export const shownHours = (seconds: number): string =>
  `${(seconds / 3_600).toLocaleString('en', { maximumFractionDigits: 1 })} h`;
