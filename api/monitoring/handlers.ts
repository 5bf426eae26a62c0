/** Routes of a database's figures. */
import type { metricRoutes } from '../contract/routes/metrics.ts';
import { requireDatabase } from '../databases/require.ts';
import type { HandlersOf } from '../http/handler.ts';
import { readCursor, shownPage } from '../http/paging.ts';
import type { FigureOperation } from '../model/metric-figures.ts';
import {
  functionOf,
  labelsOf,
  metricSeries,
  type MetricSeriesName,
} from '../model/metric-series.ts';
import { Refusal } from '../model/refusal.ts';
import type { Cursors } from '../store/cursor.ts';
import { listRequests, type RemarkableRequest } from '../store/remarkable-requests.ts';
import type { OnUnreadable } from '../store/metric-packs.ts';
import { metricTables } from '../store/metric-rollups.ts';
import { sampleMs } from '../store/metric-samples.ts';
import { currentMetrics } from './current.ts';
import { listMarks } from './shown-marks.ts';
import { queryMetrics } from './query.ts';
import { scrapeHandlers, type ScrapeServices } from './scrape-handlers.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** The day of the last sample is kept whole. */
const longestKeptMs = (metricTables.tens.keptDays + 1) * dayMs;

interface MetricServices extends ScrapeServices {
  readonly cursors: Cursors;
  readonly onUnreadable: OnUnreadable;
  readonly now?: () => number;
}

type Handlers = HandlersOf<typeof metricRoutes>;
type OfHappenings = 'listMetricMarks' | 'listLedgerRequests';
type OfScrapes = 'scrapeDatabases' | 'scrapeDatabase';

export const metricHandlers = (services: MetricServices): Handlers => ({
  ...figureHandlers(services),
  ...happeningHandlers(services),
  ...scrapeHandlers(services),
});

const figureHandlers = ({
  store,
  onUnreadable,
  now = () => Date.now(),
}: MetricServices): Omit<Handlers, OfHappenings | OfScrapes> => ({
  async listMetricSeries({ params, principal }) {
    await requireDatabase(store.read, principal.organization.id, params.databaseId);
    const data = Object.entries(metricSeries).map(([name, series]) => ({
      name,
      unit: series.unit,
      description: series.description,
      labels: [...labelsOf(series)],
      functions: [...series.functions],
      defaultFunction: functionOf(series, undefined),
    }));
    const retention = Object.values(metricTables).map(({ seconds, keptDays }) => ({
      stepSeconds: seconds,
      days: keptDays,
    }));
    return { status: 200, body: { data, retention } };
  },
  async queryMetrics({ params, body, principal }) {
    await requireDatabase(store.read, principal.organization.id, params.databaseId);
    const nowMs = now();
    const toMs = body.to === undefined ? nowMs : Date.parse(body.to);
    const fromMs = body.from === undefined ? toMs - hourMs : Date.parse(body.from);
    if (fromMs >= toMs) throw badSpan;
    const { lines, stepSeconds, ...span } = await queryMetrics(
      store.read,
      {
        databaseId: params.databaseId,
        series: body.series as readonly MetricSeriesName[],
        ...keptPartOf(fromMs, toMs, nowMs),
        stepSeconds: body.stepSeconds,
        fn: body.fn,
        filters: body.filters,
        onUnreadable,
      },
      nowMs,
    );
    return {
      status: 200,
      body: {
        from: new Date(span.fromMs).toISOString(),
        to: new Date(span.toMs).toISOString(),
        stepSeconds,
        data: lines,
      },
    };
  },
  async getCurrentMetrics({ params, principal }) {
    const { id } = principal.organization;
    const database = await requireDatabase(store.read, id, params.databaseId);
    return { status: 200, body: { current: await currentMetrics(store.read, database) } };
  },
});

/** The part of a span that can contain figures, so that a span of ten thousand years reads no more. The answer names it. */
function keptPartOf(fromMs: number, toMs: number, nowMs: number) {
  const keptMs = (ms: number) => Math.min(Math.max(ms, nowMs - longestKeptMs), nowMs + dayMs);
  const keptFromMs = keptMs(fromMs);
  return { fromMs: keptFromMs, toMs: Math.max(keptMs(toMs), keptFromMs + sampleMs) };
}

/** The answer names times as the contract writes them, which has no years before this one. */
const firstMs = Date.parse('0000-01-01T00:00:00.000Z');

const dayBefore = (end: Date): Date => new Date(Math.max(end.getTime() - dayMs, firstMs));

const happeningHandlers = ({
  store,
  cursors,
  now = () => Date.now(),
}: MetricServices): Pick<Handlers, OfHappenings> => ({
  async listMetricMarks({ params, query, principal }) {
    await requireDatabase(store.read, principal.organization.id, params.databaseId);
    const to = query.to === undefined ? new Date(now()) : new Date(query.to);
    const from = query.from === undefined ? dayBefore(to) : new Date(query.from);
    if (from >= to) throw badRange;
    const { id } = principal.organization;
    const data = await listMarks(store.read, id, params.databaseId, { from, to });
    return { status: 200, body: { data, from: from.toISOString(), to: to.toISOString() } };
  },
  async listLedgerRequests({ params, query, principal }) {
    const { limit, cursor, ...asked } = query;
    const { outcome } = asked;
    const span = {
      ...(asked.from !== undefined && { from: new Date(asked.from) }),
      ...(asked.to !== undefined && { to: new Date(asked.to) }),
    };
    if (span.from && span.to && span.from >= span.to) throw badRange;
    const { databaseId } = params;
    await requireDatabase(store.read, principal.organization.id, databaseId);
    const list = { of: 'ledger-requests', databaseId, ...asked };
    const position = readCursor(cursors, list, cursor, 1);
    const filter = { ...span, ...(outcome !== undefined && { failed: outcome === 'failed' }) };
    const page = await listRequests(store.read, databaseId, filter, {
      limit,
      ...(position && { position }),
    });
    return { status: 200, body: shownPage(cursors, list, limit, page, shownRequest) };
  },
});

const shownRequest = ({ at, operation, ...row }: RemarkableRequest) => ({
  at: at.toISOString(),
  operation: operation as FigureOperation,
  code: row.code,
  events: row.events,
  durationMs: row.durationMs,
  ledgerMs: row.ledgerMs,
  requestId: row.requestId,
  credentialId: row.credentialId,
  standsFor: row.standsFor,
});

const badRange = new Refusal('invalid_parameter', {
  detail: 'The begin is not before the end. Send `from` earlier than `to`, both in UTC.',
  errors: [{ parameter: 'from', code: 'invalid_value', detail: 'It must be before `to`.' }],
});

const badSpan = new Refusal('validation_failed', {
  detail: 'The begin is not before the end. Send `from` earlier than `to`, both in UTC.',
  errors: [{ pointer: '#/from', code: 'invalid_value', detail: 'It must be before `to`.' }],
});
