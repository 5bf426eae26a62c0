/** Spans of time that the page shows, and the operation whose latency it shows at first. */
import type { MetricQueryAnswer } from '../../../../gen/api.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** `everyMs`: time between two reads; the points of a longer range change more slowly. */
export const ranges = {
  '15m': { title: '15 minutes', spanMs: 15 * minuteMs, everyMs: 15_000 },
  '1h': { title: '1 hour', spanMs: hourMs, everyMs: 15_000 },
  '6h': { title: '6 hours', spanMs: 6 * hourMs, everyMs: 30_000 },
  '24h': { title: '24 hours', spanMs: dayMs, everyMs: 60_000 },
  '7d': { title: '7 days', spanMs: 7 * dayMs, everyMs: 300_000 },
  '30d': { title: '30 days', spanMs: 30 * dayMs, everyMs: 300_000 },
} as const;
export type Range = keyof typeof ranges;
export const rangeNames = Object.keys(ranges) as readonly Range[];

export const operationNames = [
  'create_transfers',
  'create_accounts',
  'lookup_accounts',
  'lookup_transfers',
  'get_account_transfers',
  'get_account_balances',
  'query_accounts',
  'query_transfers',
] as const;

type Lines = MetricQueryAnswer['data'];

/** The operation with the most requests; if there are none, creating transfers. */
export function busiestOf(lines: Lines): string {
  let [busiest, most]: [string, number] = [operationNames[0], 0];
  for (const { name, labels, points } of lines) {
    const { operation } = labels;
    if (name !== 'requests_per_second' || operation === undefined) continue;
    const sum = points.reduce((all, [, value]) => all + (value ?? 0), 0);
    if (sum > most) [busiest, most] = [operation, sum];
  }
  return busiest;
}
