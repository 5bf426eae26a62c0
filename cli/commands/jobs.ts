/** `jobs`: long-running operations on databases. */
import type { Command, Group } from '../command.ts';
import { dryRun } from './payload-options.ts';
import { pageOptions, waitTimeout } from './wait-options.ts';

const statuses = ['QUEUED', 'RUNNING', 'WAITING', 'CANCELING', 'SUCCEEDED', 'FAILED', 'CANCELED'];
const job = { name: 'job-id' } as const;
const id = 'job_01jd8f3zk5e0v9t3m2q6r8w4xy';
const handlers = () => import('../handlers/jobs.ts');

const list: Command = {
  kind: 'command',
  name: 'list',
  summary: 'List the jobs of a database',
  description: 'The newest first. Give the ID or the name of the database.',
  arguments: [{ name: 'database' }],
  options: [
    {
      name: 'status',
      value: 'status',
      summary: 'only jobs with this status; repeatable',
      repeatable: true,
      choices: statuses,
    },
    ...pageOptions,
  ],
  examples: [{ command: 'jobs list payments-prod --status FAILED' }],
  load: async () => (await handlers()).listJobs,
};

const get: Command = {
  kind: 'command',
  name: 'get',
  summary: 'Show a job',
  arguments: [job],
  options: [],
  examples: [{ command: `jobs get ${id}` }],
  load: async () => (await handlers()).getJob,
};

const watch: Command = {
  kind: 'command',
  name: 'watch',
  summary: 'Wait for a job and show its progress',
  description: 'Exits with 0 when the job succeeds, with 1 when it fails or is canceled.',
  arguments: [job],
  options: waitTimeout,
  examples: [{ command: `jobs watch ${id} --wait-timeout 10m` }],
  load: async () => (await handlers()).watchJobToItsEnd,
};

const cancel: Command = {
  kind: 'command',
  name: 'cancel',
  summary: 'Cancel a job',
  arguments: [job],
  options: [dryRun],
  examples: [{ command: `jobs cancel ${id}` }],
  load: async () => (await handlers()).cancelJob,
};

const retry: Command = {
  kind: 'command',
  name: 'retry',
  summary: 'Retry a job that failed',
  arguments: [job],
  options: [dryRun],
  examples: [{ command: `jobs retry ${id}` }],
  load: async () => (await handlers()).retryJob,
};

const complete: Command = {
  kind: 'command',
  name: 'complete',
  summary: 'Continue a job that waits for a person',
  description:
    'For the administrator of the installation. Give --organization if there are several.',
  arguments: [job],
  options: [dryRun],
  examples: [{ command: `jobs complete ${id}` }],
  load: async () => (await handlers()).completeJob,
};

const refuse: Command = {
  kind: 'command',
  name: 'refuse',
  summary: 'Refuse a job that waits for a person',
  description: 'For the administrator of the installation. The job fails with the reason.',
  arguments: [job],
  options: [{ name: 'reason', value: 'text', summary: 'reason that the requester sees' }, dryRun],
  examples: [{ command: `jobs refuse ${id} --reason 'no room in this region'` }],
  load: async () => (await handlers()).refuseJob,
};

export const jobs: Group = {
  kind: 'group',
  name: 'jobs',
  summary: 'Show, watch, cancel, retry and decide jobs',
  children: [list, get, watch, cancel, retry, complete, refuse],
};
