import { z } from 'zod';
import { jobStatuses } from '../../model/job.ts';
import { access } from '../../model/access.ts';
import { answer, empty, jsonBody, type RouteSpec } from '../route.ts';
import { cursor, emptyPage, limit, listOf } from '../schemas/common.ts';
import { changedJob, job, jobExample, readJob, refuseJobRequest } from '../schemas/job.ts';

const one = '/api/v1/jobs/{jobId}';
const tag = 'Jobs';

const ofOthers =
  'For jobs that delete or restore a database, a person needs the role owner or admin.';

const waitSecondsMax = 25;

export const jobRoutes = {
  listDatabaseJobs: {
    method: 'GET',
    path: '/api/v1/databases/{databaseId}/jobs',
    tag,
    summary: 'List a database’s jobs',
    description: 'The newest first.',
    access: access.readDatabase,
    query: z.strictObject({
      limit,
      cursor,
      status: z
        .array(z.enum(jobStatuses))
        .min(1)
        .optional()
        .describe('One or several, with commas.'),
    }),
    responses: {
      200: answer('A page of jobs.', listOf(job).meta({ id: 'JobList' }), {
        data: [jobExample],
        page: emptyPage,
      }),
    },
    problems: ['invalid_cursor'],
  },
  getJob: {
    method: 'GET',
    path: one,
    tag,
    summary: 'Read a job, or wait for it',
    description:
      'With `waitSeconds` the answer comes when the job differs from the ETag in If-None-Match, when it ends, or when the time is over.',
    access: access.listDatabases,
    query: z.strictObject({
      waitSeconds: z.int().min(0).max(waitSecondsMax).default(0),
    }),
    responses: { 200: answer('The job.', readJob, { job: jobExample }) },
    problems: ['job_not_found'],
    conditional: 'read',
    timeoutMs: (waitSecondsMax + 10) * 1_000,
  },
  streamJobEvents: {
    method: 'GET',
    path: `${one}/events`,
    tag,
    summary: 'Follow a job',
    description:
      'Server-sent events `job` with the job as data: at once, at each change, and at its end, which also ends the stream. `Last-Event-ID` leaves out earlier events; if no further event will come, 204 tells browsers not to reconnect.',
    access: access.listDatabases,
    responses: {
      200: {
        form: 'events',
        description: 'The stream.',
        schema: readJob,
        example: { job: jobExample },
      },
      204: empty('The job has ended, and `Last-Event-ID` is that of its last event.'),
    },
    problems: ['job_not_found'],
  },
  cancelJob: {
    whileSuspended: true,
    method: 'POST',
    path: `${one}/cancel`,
    tag,
    summary: 'Cancel a job',
    description: ofOthers,
    access: access.createDatabase,
    responses: {
      202: answer('It is being cancelled.', changedJob, {
        success: true,
        job: { ...jobExample, status: 'CANCELING', cancellable: false },
      }),
    },
    problems: ['job_not_found', 'not_cancellable'],
  },
  retryJob: {
    // Only a deletion; the handler refuses the others.
    whileSuspended: true,
    method: 'POST',
    path: `${one}/retry`,
    tag,
    summary: 'Retry a job that failed',
    description: ofOthers,
    access: access.createDatabase,
    responses: {
      202: answer('It is queued again.', changedJob, {
        success: true,
        job: { ...jobExample, status: 'QUEUED', attempt: 2 },
      }),
    },
    problems: ['job_not_found', 'not_retryable', 'operation_in_progress', 'organization_suspended'],
  },
  completeJob: {
    method: 'POST',
    path: `${one}/complete`,
    tag,
    summary: 'Continue a job that waits for a person',
    description:
      'For the administrator of the installation: a database of a provider with `provisioning: MANUAL` may be made now.',
    access: access.anyPerson,
    responses: {
      202: answer('The job continues.', changedJob, { success: true, job: jobExample }),
    },
    problems: ['job_not_found', 'not_waiting', 'provisioning_not_permitted'],
  },
  refuseJob: {
    whileSuspended: true,
    method: 'POST',
    path: `${one}/refuse`,
    tag,
    summary: 'Refuse a job that waits for a person',
    description:
      'For the administrator of the installation: the database is not made, and the job fails with the reason.',
    access: access.anyPerson,
    body: jsonBody(refuseJobRequest, {
      full: { reason: 'There is no room in this region before March.' },
    }),
    responses: {
      202: answer('The job is going to fail.', changedJob, { success: true, job: jobExample }),
    },
    problems: ['job_not_found', 'not_waiting', 'provisioning_not_permitted'],
  },
} as const satisfies Record<string, RouteSpec>;
