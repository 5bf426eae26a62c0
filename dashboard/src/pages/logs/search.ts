/** The filters of the page, kept in the address. */
import { given, textOf, wordOf } from '../../lib/search.ts';
import { readBound } from '../../lib/time.ts';

const minuteMs = 60_000;

/** Spans of time before now. */
export const spans = {
  '15m': { title: '15 minutes', ms: 15 * minuteMs },
  '1h': { title: '1 hour', ms: 60 * minuteMs },
  '24h': { title: '24 hours', ms: 24 * 60 * minuteMs },
  '7d': { title: '7 days', ms: 7 * 24 * 60 * minuteMs },
} as const;
export const spanNames = Object.keys(spans) as readonly (keyof typeof spans)[];
export const spanDefault = '24h';

export const severities = ['DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'] as const;
export const components = ['engine', 'agent', 'etcd', 'backup'] as const;
/** Indexes of replicas; the address holds text. */
export const nodes = ['0', '1', '2', '3', '4', '5'] as const;

/** `from` and `to`: times that a person typed, in the place of a span. */
export const readLogSearch = (search: Record<string, unknown>) =>
  given({
    span: wordOf(search['span'], spanNames),
    from: textOf(search['from'], 40),
    to: textOf(search['to'], 40),
    severity: wordOf(search['severity'], severities),
    component: wordOf(search['component'], components),
    node: wordOf(search['node'], nodes),
    search: textOf(search['search'], 200),
  });

export type LogSearch = ReturnType<typeof readLogSearch>;

/** Whether times were typed. */
export const isRange = ({ from, to }: LogSearch): boolean => from !== undefined || to !== undefined;

export interface Bounds {
  readonly since?: string;
  readonly until?: string;
}

/** The times that a choice means now, for the service. Text that is no time bounds nothing. */
export function boundsOf(choice: LogSearch, now: Date): Bounds {
  const { from, to, span = spanDefault } = choice;
  if (!isRange(choice)) return { since: new Date(now.getTime() - spans[span].ms).toISOString() };
  return given({ since: timeOf(from, now), until: timeOf(to, now) });
}

/** Text that is no time is none. */
export function timeOf(text: string | undefined, now: Date): string | undefined {
  const nanoseconds = text === undefined ? undefined : readBound(text, now);
  if (nanoseconds === undefined) return undefined;
  const date = new Date(Number(BigInt(nanoseconds) / 1_000_000n));
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
