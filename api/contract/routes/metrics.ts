/** Figures of databases over time. */
import { z } from 'zod';
import { access } from '../../model/access.ts';
import { answer, jsonBody, textAnswer, type RouteSpec } from '../route.ts';
import { cursor, emptyPage, limit, listOf, time } from '../schemas/common.ts';
import {
  currentExample,
  currentMetricsAnswer,
  ledgerRequest,
  ledgerRequestExample,
  metricMarkExample,
  metricMarkList,
  metricQueryAnswer,
  metricSeriesList,
  queryMetricsRequest,
} from '../schemas/metrics.ts';

const database = '/api/v1/databases/{databaseId}';
const one = `${database}/metrics` as const;
const tag = 'Monitoring';

const exposition = `# HELP ledgerhouse_scrape_complete 1: all databases that the credential may read are here.
# TYPE ledgerhouse_scrape_complete gauge
ledgerhouse_scrape_complete 1
# HELP ledgerhouse_database_transfers_per_second Transfers that were created.
# TYPE ledgerhouse_database_transfers_per_second gauge
ledgerhouse_database_transfers_per_second{database_id="db_01jd8f3zk5e0v9t3m2q6r8w4x0",database="payments-prod",region="local-1"} 90412.5
`;
const scraped = textAnswer(
  'Prometheus’ text format, version 0.0.4: gauges that begin with `ledgerhouse_database_`, then the names of the series that a query may ask for.',
  { 'text/plain': exposition },
);
/** 100 databases with six replicas and every failure are 4.9 MB, read and written in 0.8 s. */
const scrapeCounts = 10;
const scrapedWhat =
  'The newest figures, taken every 15 seconds, with the labels `database_id`, `database` (its name), `region` and, where they apply, `replica`, `operation`, `outcome` and `percentile`. Figures that could not be measured in the last minute are absent. Samples carry no timestamps.';

export const metricRoutes = {
  listMetricSeries: {
    method: 'GET',
    path: `${one}/series`,
    tag,
    summary: 'List the series that a query may ask for',
    access: access.readDatabase,
    responses: {
      200: answer('All series.', metricSeriesList, {
        data: [
          {
            name: 'storage_used_bytes',
            unit: 'bytes',
            description: 'Storage that the ledger uses.',
            labels: ['replica'],
            functions: ['avg', 'min', 'max'],
            defaultFunction: 'avg',
          },
        ],
        retention: [{ stepSeconds: 15, days: 1 }],
      }),
    },
    problems: [],
  },
  queryMetrics: {
    method: 'POST',
    path: `${one}/query`,
    tag,
    summary: 'Read series over time',
    description:
      'Figures are measured every 15 seconds. Where they could not be measured there is a gap: its points are null, never 0.',
    access: access.readDatabase,
    makesNothing: true,
    body: jsonBody(queryMetricsRequest, {
      day: {
        series: ['transfers_per_second', 'storage_used_bytes'],
        from: '2026-11-20T02:00:00.000Z',
        to: '2026-11-21T02:00:00.000Z',
      },
    }),
    responses: {
      200: answer('The lines.', metricQueryAnswer, {
        from: '2026-11-20T02:00:00.000Z',
        to: '2026-11-21T02:00:00.000Z',
        stepSeconds: 300,
        data: [
          {
            name: 'storage_used_bytes',
            unit: 'bytes',
            fn: 'avg',
            labels: { replica: '0' },
            points: [
              [1_795_140_000_000, 1_073_741_824],
              [1_795_140_300_000, null],
            ],
          },
        ],
      }),
    },
    problems: [],
  },
  getCurrentMetrics: {
    method: 'GET',
    path: `${one}/current`,
    tag,
    summary: 'Read the newest figures of a database',
    access: access.readDatabase,
    responses: {
      200: answer('The newest figures.', currentMetricsAnswer, { current: currentExample }),
    },
    problems: [],
  },
  scrapeDatabases: {
    method: 'GET',
    path: '/api/v1/metrics/prometheus',
    tag,
    summary: 'Read the figures of all databases, as Prometheus scrapes them',
    description: `${scrapedWhat} At most 100 databases, those that were made first; \`ledgerhouse_scrape_complete\` is 0 when there are more. A key for one database gets only that one. A request counts as ${scrapeCounts} in the rate limit.`,
    access: access.listDatabases,
    countsAs: scrapeCounts,
    responses: { 200: scraped },
    problems: [],
  },
  scrapeDatabase: {
    method: 'GET',
    path: `${one}/prometheus`,
    tag,
    summary: 'Read the figures of a database, as Prometheus scrapes them',
    description: `${scrapedWhat} A deleted database has none.`,
    access: access.readDatabase,
    responses: { 200: scraped },
    problems: [],
  },
  listMetricMarks: {
    method: 'GET',
    path: `${one}/marks`,
    tag,
    summary: 'List the marks of a database, for the time axis of its series',
    description:
      'Changes of its configuration, of its health and of who leads; restarts, versions, jobs that ended.',
    access: access.readDatabase,
    query: z.strictObject({
      from: time('Begin.').optional().describe('Begin; a day before the end when absent.'),
      to: time('End.').optional().describe('End; now when absent.'),
    }),
    responses: {
      200: answer('The marks.', metricMarkList, {
        data: [metricMarkExample],
        from: '2026-11-20T02:03:04.567Z',
        to: '2026-11-21T02:03:04.567Z',
      }),
    },
    problems: ['invalid_parameter'],
  },
  listLedgerRequests: {
    method: 'GET',
    path: `${database}/requests`,
    tag,
    summary: 'List slow and failed requests over HTTP',
    description:
      'The newest first, of the last 1,000: those that failed, and those that took half a second or more. Their content is not kept.',
    access: access.readDatabase,
    query: z.strictObject({
      limit,
      cursor,
      outcome: z.enum(['failed', 'slow']).optional().describe('Only these.'),
      from: time('Begin.').optional().describe('Only those that were answered then or later.'),
      to: time('End.').optional().describe('Only those that were answered before.'),
    }),
    responses: {
      200: answer('A page of requests.', listOf(ledgerRequest).meta({ id: 'LedgerRequestList' }), {
        data: [ledgerRequestExample],
        page: emptyPage,
      }),
    },
    problems: ['invalid_cursor', 'invalid_parameter'],
  },
} as const satisfies Record<string, RouteSpec>;
