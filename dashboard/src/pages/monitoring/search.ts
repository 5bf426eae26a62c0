/** The choices of the page, kept in the address. The page reads them, not the router, whose code every page loads. */
import { given, wordOf } from '../../lib/search.ts';
import type { TimeSpan } from '../../ui/time-series/selection.ts';
import { operationNames, rangeNames } from './ranges.ts';

export const requestOutcomes = ['failed', 'slow'] as const;

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z$/;
const timeOf = (value: unknown): string | undefined =>
  typeof value === 'string' && time.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined;

/** `from` and `to`: a part of the time that was selected on a chart, in the place of the range until now. */
export function readMonitoringSearch(search: Record<string, unknown>) {
  const from = timeOf(search['from']);
  const to = timeOf(search['to']);
  const isPart = from !== undefined && to !== undefined && Date.parse(from) < Date.parse(to);
  return given({
    range: wordOf(search['range'], rangeNames),
    from: isPart ? from : undefined,
    to: isPart ? to : undefined,
    op: wordOf(search['op'], operationNames),
    outcome: wordOf(search['outcome'], requestOutcomes),
  });
}

export type MonitoringSearch = ReturnType<typeof readMonitoringSearch>;

/** The selected part of the time; `undefined`: the range until now. */
export const partOf = ({ from, to }: MonitoringSearch): TimeSpan | undefined =>
  from === undefined || to === undefined
    ? undefined
    : { fromMs: Date.parse(from), toMs: Date.parse(to) };

/** Figures are taken every 15 seconds: a shorter part would be a few points. */
const partLeastMs = 120_000;

/** The choices with a part of the time selected, `nowMs` being the last time that has figures. */
export function withPart(
  search: MonitoringSearch,
  { fromMs, toMs }: TimeSpan,
  nowMs: number,
): MonitoringSearch {
  const missingMs = Math.max(0, partLeastMs - (toMs - fromMs));
  const end = Math.min(nowMs, toMs + missingMs / 2);
  const begin = Math.min(fromMs - missingMs / 2, end - partLeastMs);
  const text = (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z');
  return { ...search, from: text(begin), to: text(end) };
}

/** The choices with the whole range again. */
export function withoutPart({ from: _from, to: _to, ...rest }: MonitoringSearch): MonitoringSearch {
  return rest;
}
