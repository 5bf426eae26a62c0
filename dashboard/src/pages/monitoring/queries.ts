/** Queries of the page of a database's figures. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { MetricMark, MetricQueryAnswer, QueryMetricsRequest } from '../../../../gen/api.ts';
import { serverNow } from '../../lib/clock.ts';
import { ask } from '../../data/client.ts';
import { every } from '../../data/polling.ts';
import { databaseKey } from '../../data/queries.ts';
import { busiestOf, ranges, type Range } from './ranges.ts';
import { highest, latencies, rates } from './series.ts';

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
  readonly range: Range;
  /** Operation of the latencies; `undefined`: the one with the most requests. */
  readonly operation: string | undefined;
}

export const figuresQuery = (
  organizationId: string,
  databaseId: string,
  { range, operation: wanted }: FiguresChoice,
) =>
  queryOptions({
    queryKey: [...databaseKey(organizationId, databaseId), 'figures', range, wanted ?? ''],
    queryFn: async ({ signal }): Promise<SpanFigures> => {
      const params = { databaseId };
      // The sample of the current 15 seconds may not be written yet.
      const toMs = Math.floor(serverNow().getTime() / sampleMs) * sampleMs;
      const span = {
        from: new Date(toMs - ranges[range].spanMs).toISOString(),
        to: new Date(toMs).toISOString(),
      };
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
        read(['replica_up'], 'min'),
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
    refetchInterval: every(ranges[range].everyMs),
  });

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

/** Slow and failed requests. */
export const requestsQuery = (
  organizationId: string,
  databaseId: string,
  outcome: 'failed' | 'slow' | undefined,
) =>
  infiniteQueryOptions({
    queryKey: [...databaseKey(organizationId, databaseId), 'requests', outcome ?? ''],
    initialPageParam: '',
    queryFn: async ({ signal, pageParam }) => {
      const query = {
        limit: rows,
        ...(outcome !== undefined && { outcome }),
        ...(pageParam !== '' && { cursor: pageParam }),
      };
      const path = '/api/v1/databases/{databaseId}/requests';
      const parts = { params: { databaseId }, query };
      return (await ask(organizationId, 'get', path, parts, { signal })).data;
    },
    getNextPageParam: (last) => last.page.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: every(requestsMs),
  });
