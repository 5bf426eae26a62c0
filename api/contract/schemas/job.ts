/** Jobs: long-running work on a database. */
import { z } from 'zod';
import { jobStatuses, jobTypes, stepStatuses } from '../../model/job.ts';
import { actor, exampleId, exampleTime, id, success, time } from './common.ts';

export const job = z
  .object({
    id: id('job', 'Job ID.'),
    type: z.string().describe(`At present one of ${jobTypes.join(', ')}; more may come.`),
    status: z.enum(jobStatuses),
    databaseId: id('db', 'The database of the job.'),
    progress: z.object({
      percent: z.int().min(0).max(100),
      message: z.string(),
      estimatedSecondsRemaining: z.int().min(0).nullable(),
    }),
    steps: z.array(
      z.object({
        name: z.string(),
        status: z.enum(stepStatuses),
        startedAt: time('When it began.').nullable(),
        finishedAt: time('When it ended.').nullable(),
      }),
    ),
    attempt: z.int().min(0),
    maxAttempts: z.int().min(1),
    deadlineAt: time('Deadline after which it fails; null while it waits for people.').nullable(),
    cancellable: z.boolean(),
    retryable: z.boolean(),
    error: z
      .object({ code: z.string(), title: z.string(), detail: z.string() })
      .nullable()
      .describe('Why it failed.'),
    actor,
    createdAt: time('When it was accepted.'),
    startedAt: time('When it was first begun.').nullable(),
    finishedAt: time('When it ended.').nullable(),
    links: z.object({ self: z.string(), database: z.string() }),
  })
  .meta({ id: 'Job' });

export const readJob = z.object({ job }).meta({ id: 'JobAnswer' });
export const refuseJobRequest = z
  .strictObject({
    reason: z.string().min(1).max(256).describe('Shown to the person who requested it.'),
  })
  .meta({ id: 'RefuseJobRequest' });

export const changedJob = z.object({ success, job }).meta({ id: 'ChangedJob' });

export const jobExample: z.input<typeof job> = {
  id: exampleId('job'),
  type: 'database.create',
  status: 'RUNNING',
  databaseId: exampleId('db'),
  progress: { percent: 50, message: 'Starting the replicas.', estimatedSecondsRemaining: 20 },
  steps: [
    {
      name: 'create_resource',
      status: 'SUCCEEDED',
      startedAt: exampleTime,
      finishedAt: exampleTime,
    },
    { name: 'start_replicas', status: 'RUNNING', startedAt: exampleTime, finishedAt: null },
  ],
  attempt: 1,
  maxAttempts: 3,
  deadlineAt: '2026-11-21T02:33:04.567Z',
  cancellable: true,
  retryable: false,
  error: null,
  actor: { type: 'api_key', id: exampleId('key'), display: 'ci' },
  createdAt: exampleTime,
  startedAt: exampleTime,
  finishedAt: null,
  links: {
    self: `/api/v1/jobs/${exampleId('job')}`,
    database: `/api/v1/databases/${exampleId('db')}`,
  },
};
