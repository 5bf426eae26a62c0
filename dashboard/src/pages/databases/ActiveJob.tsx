import { queryOptions, useQuery } from '@tanstack/react-query';
import { ask } from '../../data/client.ts';
import { every } from '../../data/polling.ts';
import { useOrganization } from '../../shell/context.ts';
import { Skeleton } from '../../ui/States.tsx';
import { table } from '../../ui/Table.tsx';
import { jobWords } from './job-words.ts';

const jobMs = 5_000;
/** With more jobs than this, each is asked about less often, so that all of them take no more requests. */
const jobsAtOnce = 5;

const jobQuery = (organizationId: string, jobId: string, jobs: number) =>
  queryOptions({
    queryKey: ['job', organizationId, jobId],
    queryFn: async ({ signal }) => {
      const path = '/api/v1/jobs/{jobId}';
      const { data } = await ask(organizationId, 'get', path, { params: { jobId } }, { signal });
      return data.job;
    },
    refetchInterval: ({ state }) =>
      (state.data?.finishedAt ?? null) === null
        ? every(jobMs * Math.ceil(jobs / jobsAtOnce))()
        : false,
  });

interface Props {
  readonly id: string;
  /** Number of jobs in the list. */
  readonly jobs: number;
}

/** What is being done to a database, and how far it is. */
export function ActiveJob({ id, jobs }: Props) {
  const organization = useOrganization();
  const { data: job, isPending } = useQuery(jobQuery(organization.id, id, jobs));
  if (!isPending && (job === undefined || job.finishedAt !== null)) return null;
  return (
    <div className={`${table.soft} ${table.keep}`}>
      {job === undefined ? <Skeleton inline /> : `${jobWords(job.type)}: ${job.progress.percent} %`}
    </div>
  );
}
