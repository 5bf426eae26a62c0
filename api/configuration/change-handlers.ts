import type { Principal } from '../auth/principal.ts';
import type { changeRoutes } from '../contract/routes/changes.ts';
import { applyAtDaysMax } from '../contract/schemas/change.ts';
import { versionOf } from '../databases/handlers.ts';
import { requireDatabase } from '../databases/require.ts';
import { etagOf } from '../http/conditional.ts';
import type { CallerFacts, Handler, HandlersOf, RequestTo } from '../http/handler.ts';
import type { IdempotentRequests } from '../http/idempotent.ts';
import { readCursor, shownPage } from '../http/paging.ts';
import { shownJob } from '../jobs/present.ts';
import {
  unforeseenOf,
  type ChangeRequest,
  type ConfigurationChange,
} from '../model/configuration-change.ts';
import { Refusal } from '../model/refusal.ts';
import {
  findConfigurationChange,
  listConfigurationChanges,
} from '../store/configuration-changes.ts';
import type { Change } from '../store/change.ts';
import type { Cursors } from '../store/cursor.ts';
import {
  previewChange,
  requestChange,
  type Accepted,
  type ChangeServices,
} from './request-change.ts';
import { shownTimes } from './maintenance-window-handlers.ts';
import { beginAtOnce, changeNotFound, withdrawChange, type ApplyAt } from './waiting-changes.ts';

interface ChangeHandlerOptions {
  readonly services: ChangeServices;
  readonly requests: IdempotentRequests;
  readonly cursors: Cursors;
}

type Handlers = HandlersOf<typeof changeRoutes>;

export const changeHandlers = (options: ChangeHandlerOptions): Handlers => ({
  previewChange: preview(options),
  createChange: create(options),
  suspendDatabase: switchTo(options, true),
  resumeDatabase: switchTo(options, false),
  listChanges: list(options),
  getChange: get(options),
  withdrawChange: withdraw(options),
  beginChange: beginWaiting(options),
});

const preview =
  ({ services, requests }: ChangeHandlerOptions): Handler<'previewChange'> =>
  (request) =>
    requests.run(request, async () => {
      const { params, body, principal, author } = request;
      const { applyAt, ...wanted } = body;
      const asked = { request: given(wanted), applyAt: readApplyAt(applyAt, services.now()) };
      const caller = callerOf({ principal, author });
      const preview = await previewChange(services, caller, params.databaseId, asked);
      const { plan, joins, applies, window, refusal = null } = preview;
      const { diff, impact, priceDelta } = plan;
      const shown = {
        diff,
        impact,
        priceDelta,
        applies,
        joins: joins?.id ?? null,
        nextMaintenanceWindow: shownTimes(window),
        refusal,
      };
      return { status: 200 as const, body: { success: true as const, preview: shown } };
    });

const create =
  ({ services, requests }: ChangeHandlerOptions): Handler<'createChange'> =>
  (request) =>
    requests.run<Reply>(request, async (keep) => {
      const { params, body, principal, author, ifMatch } = request;
      const { applyAt, ...wanted } = body;
      const asked = {
        request: given(wanted),
        applyAt: readApplyAt(applyAt, services.now()),
        ifVersion: versionOf(ifMatch, params.databaseId),
      };
      const caller = callerOf({ principal, author });
      const within = (change: Change, made: Accepted) => keep(change, reply(made));
      return reply(await requestChange(services, caller, params.databaseId, asked, within));
    });

type Switching = Pick<
  RequestTo<'suspendDatabase'>,
  'params' | 'principal' | 'author' | 'ifMatch' | 'idempotency'
>;

const switchTo =
  ({ services, requests }: ChangeHandlerOptions, suspended: boolean) =>
  (request: Switching): Promise<Reply> =>
    requests.run<Reply>(request, async (keep) => {
      const { params, principal, author, ifMatch } = request;
      const { databaseId } = params;
      const asked = {
        request: { suspended },
        applyAt: 'now' as const,
        ifVersion: versionOf(ifMatch, databaseId),
      };
      const caller = callerOf({ principal, author });
      const within = (change: Change, made: Accepted) => keep(change, reply(made));
      return reply(await requestChange(services, caller, databaseId, asked, within));
    });

const withdraw =
  ({ services: { store } }: ChangeHandlerOptions): Handler<'withdrawChange'> =>
  async ({ params, principal, author }) => {
    const subject = { ...params, organizationId: principal.organization.id };
    const change = await store.change(author, (write) => withdrawChange(write, subject));
    return { status: 200, body: { success: true, change: shownChange(change) } };
  };

const beginWaiting =
  ({ requests }: ChangeHandlerOptions): Handler<'beginChange'> =>
  (request) =>
    requests.change(request, async (write) => {
      const { params, principal } = request;
      const subject = { ...params, organizationId: principal.organization.id };
      const change = shownChange(await beginAtOnce(write, subject));
      return { status: 202 as const, body: { success: true as const, change } };
    });

const list =
  ({ services: { store }, cursors }: ChangeHandlerOptions): Handler<'listChanges'> =>
  async ({ params, query, principal }) => {
    const { databaseId } = params;
    await requireDatabase(store.read, principal.organization.id, databaseId);
    const filter = { of: 'changes', databaseId, status: query.status ?? [] };
    const position = readCursor(cursors, filter, query.cursor, 2);
    const page = await listConfigurationChanges(store.read, databaseId, {
      limit: query.limit,
      statuses: query.status,
      ...(position && { position }),
    });
    return { status: 200, body: shownPage(cursors, filter, query.limit, page, shownChange) };
  };

const get =
  ({ services: { store } }: ChangeHandlerOptions): Handler<'getChange'> =>
  async ({ params, principal }) => {
    const { databaseId, changeId } = params;
    await requireDatabase(store.read, principal.organization.id, databaseId);
    const found = await findConfigurationChange(store.read, databaseId, changeId);
    if (found === undefined) throw changeNotFound(changeId);
    const etag = etagOf(found.id, found.version);
    return { status: 200, etag, body: { change: shownChange(found) } };
  };

export const callerOf = ({ principal, author }: CallerFacts<Principal>) => ({
  organization: principal.organization,
  author,
});

/** The properties that the request has. */
const given = (request: ChangeRequest): ChangeRequest =>
  Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined));

function readApplyAt(applyAt: string, now: Date): ApplyAt {
  if (applyAt === 'now' || applyAt === 'maintenance_window') return applyAt;
  const at = new Date(applyAt);
  const aheadMs = at.getTime() - now.getTime();
  if (aheadMs > 0 && aheadMs <= applyAtDaysMax * 86_400_000) return at;
  const detail = `applyAt must be within the next ${applyAtDaysMax} days; it is now ${now.toISOString()}.`;
  throw new Refusal('validation_failed', {
    detail,
    errors: [{ pointer: '#/applyAt', code: 'out_of_range', detail }],
  });
}

type Reply = ReturnType<typeof reply>;

const reply = ({ change, job }: Accepted) => ({
  status: 202 as const,
  headers: {
    Location: `/api/v1/databases/${change.databaseId}/changes/${change.id}`,
    'Retry-After': '5',
    ...(job && { Link: `</api/v1/jobs/${job.id}>; rel="monitor"` }),
  },
  body: { success: true as const, change: shownChange(change), job: job ? shownJob(job) : null },
});

export const shownChange = (change: ConfigurationChange) => ({
  id: change.id,
  databaseId: change.databaseId,
  status: change.status,
  origin: change.origin,
  diff: change.diff,
  impact: {
    ...change.impact,
    warnings: [...change.impact.warnings, ...unforeseenOf(change)],
  },
  priceDelta: change.priceDelta,
  applyAt: change.applyAfter?.toISOString() ?? ('now' as const),
  inMaintenanceWindow: change.inWindow,
  jobId: change.jobId,
  previousRevision: change.previousRevision,
  profileRevision: change.profileRevision,
  progress: change.progress,
  error: change.error,
  actor: change.actor,
  createdAt: change.createdAt.toISOString(),
  startedAt: change.startedAt?.toISOString() ?? null,
  appliedAt: change.status === 'APPLIED' ? (change.finishedAt?.toISOString() ?? null) : null,
  finishedAt: change.finishedAt?.toISOString() ?? null,
});
