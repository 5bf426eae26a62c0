/** Queries of the page of a database's figures. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { MetricMark, MetricQueryAnswer, QueryMetricsRequest } from '../../../../gen/api.ts';
import { serverNow } from '../../lib/clock.ts';
import { ask } from '../../data/client.ts';
import { keptRows } from '../../data/kept-rows.ts';
import { every } from '../../data/polling.ts';
import { databaseKey } from '../../data/queries.ts';
import type { TimeSpan } from '../../ui/time-series/selection.ts';
import { busiestOf, ranges, type Range } from './ranges.ts';
import { highest, latencies, lowest, rates } from './series.ts';

const sampleMs = 15_000;
const requestsMs = 30_000;
const rows = 20;

/** The figures of a span, all on the same steps of time. */
export interface SpanFigures {
  /** Rates: means over each step. */
  readonly rates: MetricQueryAnswer;
  /** Use of replicas: the highest value of each step. */
  readonly highest: MetricQueryAnswer;
  /** Whether replicas answered: the lowest value of each step, so that one silence counts. */
  readonly lowest: MetricQueryAnswer;
  readonly p50: MetricQueryAnswer;
  readonly p99: MetricQueryAnswer;
  /** The operation of the latencies. */
  readonly operation: string;
  readonly marks: readonly MetricMark[];
}

interface FiguresChoice {
  /** The time until now. */
  readonly range: Range;
  /** A part of the time in its place. */
  readonly part: TimeSpan | undefined;
  /** Operation of the latencies; `undefined`: the one with the most requests. */
  readonly operation: string | undefined;
}

export const figuresQuery = (
  organizationId: string,
  databaseId: string,
  { range, part, operation: wanted }: FiguresChoice,
) =>
  queryOptions({
    queryKey: [
      ...databaseKey(organizationId, databaseId),
      'figures',
      part === undefined ? range : [part.fromMs, part.toMs],
      wanted ?? '',
    ],
    queryFn: async ({ signal }): Promise<SpanFigures> => {
      const params = { databaseId };
      const { fromMs, toMs } = part ?? untilNow(range);
      const span = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
      const read = async (
        series: QueryMetricsRequest['series'],
        fn: NonNullable<QueryMetricsRequest['fn']>,
        filters: QueryMetricsRequest['filters'] = [],
      ) => {
        const path = '/api/v1/databases/{databaseId}/metrics/query';
        const body = { series, fn, filters, ...span };
        return (await ask(organizationId, 'post', path, { params, body }, { signal })).data;
      };
      const path = '/api/v1/databases/{databaseId}/metrics/marks';
      const [rated, high, low, marks] = await Promise.all([
        read([...rates], 'avg'),
        read([...highest], 'max'),
        read([...lowest], 'min'),
        ask(organizationId, 'get', path, { params, query: span }, { signal }),
      ]);
      const operation = wanted ?? busiestOf(rated.data);
      const ofOperation = [{ key: 'operation', value: operation }];
      const [p50, p99] = await Promise.all([
        read([...latencies], 'p50', ofOperation),
        read([...latencies], 'p99', ofOperation),
      ]);
      return {
        rates: rated,
        highest: high,
        lowest: low,
        p50,
        p99,
        operation,
        marks: marks.data.data,
      };
    },
    placeholderData: keepPreviousData,
    // The figures of a part do not change once they were all taken.
    refetchInterval:
      part !== undefined && part.toMs < serverNow().getTime() - requestsMs
        ? false
        : every(ranges[range].everyMs),
  });

/** The end of the last sample: that of the current 15 seconds may not be written yet. */
export const lastSampleMs = (): number => Math.floor(serverNow().getTime() / sampleMs) * sampleMs;

function untilNow(range: Range): TimeSpan {
  const toMs = lastSampleMs();
  return { fromMs: toMs - ranges[range].spanMs, toMs };
}

export const currentFiguresQuery = (organizationId: string, databaseId: string) =>
  queryOptions({
    queryKey: [...databaseKey(organizationId, databaseId), 'current-figures'],
    queryFn: async ({ signal }) => {
      const path = '/api/v1/databases/{databaseId}/metrics/current';
      const { data } = await ask(
        organizationId,
        'get',
        path,
        { params: { databaseId } },
        { signal },
      );
      return data.current;
    },
    refetchInterval: every(sampleMs),
  });

interface RequestsFilter {
  readonly outcome: 'failed' | 'slow' | undefined;
  /** A part of the time; `undefined`: all that are kept. */
  readonly part: TimeSpan | undefined;
}

/** Slow and failed requests. */
export const requestsQuery = (
  organizationId: string,
  databaseId: string,
  { outcome, part }: RequestsFilter,
) =>
  infiniteQueryOptions({
    queryKey: [
      ...databaseKey(organizationId, databaseId),
      'requests',
      outcome ?? '',
      part?.fromMs ?? '',
      part?.toMs ?? '',
    ],
    initialPageParam: '',
    queryFn: async ({ signal, pageParam }) => {
      const query = {
        limit: rows,
        ...(outcome !== undefined && { outcome }),
        ...(part !== undefined && {
          from: new Date(part.fromMs).toISOString(),
          to: new Date(part.toMs).toISOString(),
        }),
        ...(pageParam !== '' && { cursor: pageParam }),
      };
      const path = '/api/v1/databases/{databaseId}/requests';
      const parts = { params: { databaseId }, query };
      return (await ask(organizationId, 'get', path, parts, { signal })).data;
    },
    getNextPageParam: (last) => last.page.nextCursor ?? undefined,
    placeholderData: (before) => keptRows(before),
    refetchInterval: every(requestsMs),
  });
