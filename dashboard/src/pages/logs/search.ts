/** The filters of the page, kept in the address. */
import { given, textOf, wordOf } from '../../lib/search.ts';

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

export const readLogSearch = (search: Record<string, unknown>) =>
  given({
    span: wordOf(search['span'], spanNames),
    severity: wordOf(search['severity'], severities),
    component: wordOf(search['component'], components),
    node: wordOf(search['node'], nodes),
    search: textOf(search['search'], 200),
  });

export type LogSearch = ReturnType<typeof readLogSearch>;
