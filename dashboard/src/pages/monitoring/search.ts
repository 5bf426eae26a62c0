/** The choices of the page, kept in the address. */
import { given, wordOf } from '../../lib/search.ts';
import { operationNames, rangeNames } from './ranges.ts';

export const requestOutcomes = ['failed', 'slow'] as const;

export const readMonitoringSearch = (search: Record<string, unknown>) =>
  given({
    range: wordOf(search['range'], rangeNames),
    op: wordOf(search['op'], operationNames),
    outcome: wordOf(search['outcome'], requestOutcomes),
  });

export type MonitoringSearch = ReturnType<typeof readMonitoringSearch>;
