import { requireRight } from '../auth/authorize.ts';
import { seesDatabase, visibleDatabases, type Principal } from '../auth/principal.ts';
import type { ServerSentEvent } from '../contract/route.ts';
import type { jobRoutes } from '../contract/routes/jobs.ts';
import type { Handler, HandlersOf, RequestTo } from '../http/handler.ts';
import type { IdempotentRequests } from '../http/idempotent.ts';
import { notThere } from '../http/gate.ts';
import { Refusal } from '../model/refusal.ts';
import type { Cursors } from '../store/cursor.ts';
import { findDatabase } from '../store/databases.ts';
import { decideJob, findJob, listJobs, requestJobCancel, retryJob } from '../store/jobs.ts';
import type { Listener } from '../store/listener.ts';
import type { Organization } from '../store/organizations.ts';
import type { Store } from '../store/store.ts';
import type { Reader } from '../store/tables.ts';
import { hasEnded, type Job, type JobType, type ManualDecision } from '../model/job.ts';
import { jobEtag, shownJob } from './present.ts';
import { readCursor, shownPage } from '../http/paging.ts';
import { requireOfUse } from './retry-guard.ts';
import { waitForJob } from './wait-for-job.ts';

interface JobServices {
  readonly store: Store;
  readonly requests: IdempotentRequests;
  readonly listener: Listener;
  readonly cursors: Cursors;
  /** Throws a `Refusal` unless the organization may have a running database. */
  readonly requireMayRun: (organization: Organization) => Promise<void>;
}

/** Interval of events in an idle stream, so that no proxy considers it dead. */
const streamWaitMs = 300_000;

type Handlers = HandlersOf<typeof jobRoutes>;
type Deciding = Pick<RequestTo<'completeJob'>, 'params' | 'principal' | 'author' | 'idempotency'>;

export const jobHandlers = (services: JobServices): Handlers => ({
  listDatabaseJobs: list(services),
  getJob: get(services),
  streamJobEvents: stream(services),
  completeJob: complete(services),
  refuseJob: refuse(services),
  cancelJob: cancel(services),
  retryJob: retry(services),
});

const list =
  ({ store, cursors }: JobServices): Handler<'listDatabaseJobs'> =>
  async ({ params, query, principal }) => {
    const { databaseId } = params;
    const { id: organizationId } = principal.organization;
    if ((await findDatabase(store.read, organizationId, databaseId)) === undefined) {
      throw notThere('databaseId', databaseId);
    }
    const listing = { of: 'jobs', databaseId, status: query.status ?? [] };
    const position = readCursor(cursors, listing, query.cursor, 2);
    const page = await listJobs(
      store.read,
      organizationId,
      { databaseId, ...(query.status && { statuses: query.status }) },
      { limit: query.limit, ...(position && { position }) },
    );
    return { status: 200, body: shownPage(cursors, listing, query.limit, page, shownJob) };
  };

const get =
  (services: JobServices): Handler<'getJob'> =>
  async ({ params, query, principal, ifNoneMatch, signal }) => {
    const { store } = services;
    let job = await visibleJob(store.read, principal, params.jobId);
    const known = ifNoneMatch?.includes(jobEtag(job).slice(2)) ?? true;
    if (query.waitSeconds > 0 && known && !hasEnded(job)) {
      const changed = await waitForJob(services, {
        organizationId: principal.organization.id,
        id: job.id,
        afterVersion: job.version,
        timeoutMs: query.waitSeconds * 1_000,
        signal,
      });
      job = changed ?? job;
    }
    return { status: 200, etag: jobEtag(job), body: { job: shownJob(job) } };
  };

const stream =
  (services: JobServices): Handler<'streamJobEvents'> =>
  async ({ params, principal, lastEventId, signal }) => {
    const { store } = services;
    const job = await visibleJob(store.read, principal, params.jobId);
    const seen = Number(/^\d{1,9}$/.exec(lastEventId ?? '')?.[0] ?? -1);
    // A browser's EventSource reconnects whenever a stream ends, unless it gets this answer.
    if (hasEnded(job) && seen >= job.version) return { status: 204 };
    return { status: 200, events: follow(services, principal, job, seen, signal) };
  };

const complete =
  (services: JobServices): Handler<'completeJob'> =>
  (request) =>
    decide(services, request, { kind: 'completed' });

const refuse =
  (services: JobServices): Handler<'refuseJob'> =>
  (request) =>
    decide(services, request, { kind: 'refused', reason: request.body.reason });

const decide = ({ requests }: JobServices, request: Deciding, decision: ManualDecision) =>
  requests.change(request, async (change) => {
    const { principal, params } = request;
    if (!principal.administrator) {
      throw new Refusal('provisioning_not_permitted', {
        detail: 'Only the administrator of the installation may complete or refuse a job.',
      });
    }
    const { jobId } = params;
    const job = await decideJob(change, principal.organization.id, jobId, decision);
    if (job === undefined) throw notThere('jobId', jobId);
    if (job === 'not_waiting') {
      throw new Refusal('not_waiting', { detail: `${jobId} waits for nobody’s decision.` });
    }
    return accepted(job);
  });

const cancel =
  ({ requests }: JobServices): Handler<'cancelJob'> =>
  (request) => {
    const { params, principal } = request;
    return requests.change(request, async (change) => {
      const { id, type } = await visibleJob(change.db, principal, params.jobId);
      requireRightTo(principal, type);
      const job = await requestJobCancel(change, principal.organization.id, id);
      if (job === undefined) throw notThere('jobId', id);
      if (job === 'not_cancellable') {
        const detail = `${id} has ended, or its work cannot be stopped halfway.`;
        throw new Refusal('not_cancellable', { detail });
      }
      return accepted(job);
    });
  };

const retry =
  ({ store, requests, requireMayRun }: JobServices): Handler<'retryJob'> =>
  (request) => {
    const { params, principal, author } = request;
    return requests.run(request, async (keep) => {
      const found = await visibleJob(store.read, principal, params.jobId);
      requireRightTo(principal, found.type);
      if (!found.retryable || found.attempt >= found.maxAttempts) throw notRetryable(found.id);
      if (found.type !== 'database.delete') await requireMayRun(principal.organization);
      return store.change(author, async (change) => {
        await requireOfUse(change, found);
        const job = await retryJob(change, principal.organization.id, found.id);
        if (job === undefined) throw notThere('jobId', found.id);
        if (job === 'not_retryable') throw notRetryable(found.id);
        const reply = accepted(job);
        await keep(change, reply);
        return reply;
      });
    });
  };

const accepted = (job: Job) => ({
  status: 202 as const,
  body: { success: true as const, job: shownJob(job) },
});

async function visibleJob(db: Reader, principal: Principal, id: string): Promise<Job> {
  const job = await findJob(db, principal.organization.id, id);
  const seen =
    job !== undefined &&
    (job.databaseId === null
      ? visibleDatabases(principal) === undefined
      : seesDatabase(principal, job.databaseId));
  if (!seen) throw notThere('jobId', id);
  return job;
}

/** The route admits principals that may create; jobs that delete or restore need that right as well. */
function requireRightTo(principal: Principal, type: JobType): void {
  if (principal.type !== 'api_key' && type !== 'database.create') {
    requireRight(principal, 'changeDatabase');
  }
}

const notRetryable = (id: string) =>
  new Refusal('not_retryable', {
    detail: `${id} did not fail, or another attempt cannot succeed.`,
  });

async function* follow(
  services: JobServices,
  principal: Principal,
  first: Job,
  seenBefore: number,
  signal: AbortSignal,
): AsyncGenerator<ServerSentEvent> {
  let job = first;
  let seen = seenBefore;
  while (!signal.aborted) {
    if (job.version > seen) {
      seen = job.version;
      yield { id: String(seen), event: 'job', data: { job: shownJob(job) } };
    }
    if (hasEnded(job)) return;
    const next = await waitForJob(services, {
      organizationId: principal.organization.id,
      id: job.id,
      afterVersion: seen,
      timeoutMs: streamWaitMs,
      signal,
    });
    if (next === undefined) return;
    job = next;
  }
}
