import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { said } from '../../lib/said.ts';
import type { Job } from '../../../../gen/api.ts';
import { ask, intentKey } from '../../data/client.ts';
import { databaseJobsQuery, databaseKey } from '../../data/queries.ts';
import { duration } from '../../lib/time.ts';
import { useOrganization, whyNot } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Badge, Progress, Skeleton, type Tone } from '../../ui/States.tsx';
import { When } from '../../ui/When.tsx';
import { jobWords } from '../databases/job-words.ts';
import styles from './DatabaseFrame.module.css';
import { useDatabase } from './use-database.ts';
import { WaitingJob } from './WaitingJob.tsx';

const tones: Readonly<Record<string, Tone>> = {
  SUCCEEDED: 'good',
  FAILED: 'bad',
  RUNNING: 'busy',
  QUEUED: 'soft',
  PENDING: 'soft',
  WAITING: 'warn',
  CANCELING: 'warn',
  CANCELED: 'warn',
};

/** The running job of the database with its steps, and the last jobs that ended. */
export function Jobs() {
  const { database, organizationId } = useDatabase();
  const list = useQuery(databaseJobsQuery(organizationId, database.id));
  const jobs = list.data?.data ?? [];
  const active = jobs.filter(({ finishedAt }) => finishedAt === null);
  const [last] = jobs;
  const failed = active.length === 0 && last?.status === 'FAILED' ? [last] : [];
  const ended = jobs.filter((job) => !active.includes(job) && !failed.includes(job));
  return (
    <>
      {[...active, ...failed].map((job) => (
        <JobCard key={job.id} job={job} />
      ))}
      <Failed read={list} />
      {list.isPending && (
        <Card title="Recent activity">
          <Skeleton lines={1} />
        </Card>
      )}
      {ended.length > 0 && (
        <Card title="Recent activity">
          <ul className={styles.steps}>
            {ended.slice(0, 5).map((job) => (
              <li key={job.id}>
                <Badge tone={tones[job.status] ?? 'soft'}>
                  {jobWords(job.status.toLowerCase())}
                </Badge>
                {jobWords(job.type)}
                <span className={styles.soft}>
                  <When at={job.finishedAt ?? job.createdAt} /> by {said(job.actor.display)}
                </span>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}

function JobCard({ job }: { readonly job: Job }) {
  const { progress, error, deadlineAt } = job;
  const left = progress.estimatedSecondsRemaining;
  return (
    <Card title={jobWords(job.type)} actions={<JobButtons job={job} />}>
      <Progress percent={progress.percent} label={`${progress.percent} percent done`} />
      <p aria-live="polite">
        {progress.message}
        {left !== null && job.finishedAt === null && ` About ${duration(left)} left.`}
      </p>
      {job.status === 'WAITING' && <WaitingJob job={job} />}
      {error !== null && (
        <p>
          <strong>{error.title}</strong>: {error.detail}
        </p>
      )}
      <ol className={styles.steps}>
        {job.steps.map(({ name, status }) => (
          <li key={name}>
            <Badge tone={tones[status] ?? 'soft'}>{jobWords(status.toLowerCase())}</Badge>
            {jobWords(name)}
          </li>
        ))}
      </ol>
      <p className={styles.soft}>
        Begun by {said(job.actor.display)} <When at={job.createdAt} />
        {deadlineAt !== null && job.finishedAt === null && (
          <>
            , given up at the latest <When at={deadlineAt} />
          </>
        )}
        .
      </p>
    </Card>
  );
}

function JobButtons({ job }: { readonly job: Job }) {
  const organization = useOrganization();
  const queryClient = useQueryClient();
  const params = { jobId: job.id };
  const [intent] = useState(intentKey);
  const act = useMutation({
    mutationFn: (verb: 'cancel' | 'retry') => {
      const sending = { headers: { 'Idempotency-Key': `${intent}-${verb}-${job.attempt}` } };
      return verb === 'cancel'
        ? ask(organization.id, 'post', '/api/v1/jobs/{jobId}/cancel', { params }, sending)
        : ask(organization.id, 'post', '/api/v1/jobs/{jobId}/retry', { params }, sending);
    },
    onSuccess: (_answer, verb) => say(verb === 'cancel' ? 'It is being cancelled' : 'It is queued'),
    onSettled: () =>
      queryClient.invalidateQueries({ queryKey: databaseKey(organization.id, job.databaseId) }),
  });
  const refused = whyNot(organization, 'createDatabase');
  return (
    <div className={styles.buttons}>
      {act.isError && <Problem error={act.error} />}
      {job.cancellable && (
        <Button
          small
          busy={act.isPending}
          disabledReason={refused}
          aria-label={`Cancel: ${jobWords(job.type)}`}
          onClick={() => act.mutate('cancel')}
        >
          Cancel
        </Button>
      )}
      {job.retryable && (
        <Button
          small
          busy={act.isPending}
          disabledReason={refused}
          aria-label={`Try again: ${jobWords(job.type)}`}
          onClick={() => act.mutate('retry')}
        >
          Try again
        </Button>
      )}
    </div>
  );
}
