import type { JobProgress, JobStep, StepStatus } from '../model/job.ts';

/** Changes one step's status. Steps before one that begins have ended; `percent` depends on how many have. */
export function advance(
  { steps, progress }: { steps: readonly JobStep[]; progress: JobProgress },
  name: string,
  status: StepStatus,
  at: string,
  shown: Partial<JobProgress> = {},
): { steps: JobStep[]; progress: JobProgress } {
  const index = steps.findIndex((step) => step.name === name);
  if (index === -1) throw new RangeError(`the job has no step ${name}`);
  const changed = steps.map((step, position): JobStep => {
    if (position < index && (step.status === 'PENDING' || step.status === 'RUNNING')) {
      return { ...step, status: 'SUCCEEDED', startedAt: step.startedAt ?? at, finishedAt: at };
    }
    if (position !== index || step.status === status) return step;
    return {
      ...step,
      status,
      startedAt: step.startedAt ?? at,
      finishedAt: status === 'RUNNING' || status === 'PENDING' ? null : at,
    };
  });
  const done = changed.filter((step) => step.status === 'SUCCEEDED').length;
  return {
    steps: changed,
    progress: { ...progress, percent: Math.floor((100 * done) / steps.length), ...shown },
  };
}
