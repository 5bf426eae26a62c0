/** State of a Job. */
import { cutText } from '../../base/cut-text.ts';
import type { Job, Pod } from '../../domain/kinds.ts';
import { beside, endOfWork } from '../manifests/work-container.ts';
import { troubleOf } from './replica-pods.ts';

const holds = (job: Job, type: string) =>
  (job.status?.conditions ?? []).some((row) => row.type === type && row.status === 'True');

export const hasSucceeded = (job: Job): boolean =>
  holds(job, 'Complete') || holds(job, 'SuccessCriteriaMet');
export const hasFailed = (job: Job): boolean => holds(job, 'Failed') || holds(job, 'FailureTarget');

/** Whether it failed because its time was over. Its pods are gone then, and their words. */
export const isOutOfTime = ({ status }: Job): boolean =>
  (status?.conditions ?? []).some(
    ({ type, reason }) =>
      (type === 'Failed' || type === 'FailureTarget') && reason === 'DeadlineExceeded',
  );

/** Label that Kubernetes gives the pods of a Job. */
export const jobNameLabel = 'batch.kubernetes.io/job-name';

/** An earlier Job of the same name may have left pods that still end. */
export const podsOf = (job: Job, pods: readonly Pod[]): readonly Pod[] =>
  pods.filter(
    ({ metadata }) =>
      metadata.ownerReferences?.some(({ uid }) => uid === job.metadata.uid) === true,
  );

/**
 * Whether the Job's work is done: it says so, or the work in a pod of its own has ended well. The node tells that a second or two before the
 * pod's phase, and the Job's controller looks once a second. Beside a proxy that goes on, the Job itself never ends.
 */
export const hasDoneItsWork = (job: Job, pods: readonly Pod[]): boolean =>
  hasSucceeded(job) || podsOf(job, pods).some((pod) => endOfWork(pod)?.exitCode === 0);

/** When the work of a Job that has done it ended, as far as that is known. */
export function workDoneMs(job: Job, pods: readonly Pod[]): number | undefined {
  const done = podsOf(job, pods).map(endOfWork);
  const own = done.find((end) => end?.exitCode === 0)?.finishedAt;
  const at = job.status?.completionTime ?? own;
  return at === undefined ? undefined : Date.parse(String(at));
}

/** Why the Job makes no progress: the waiting reason of its newest pod, or its last message. */
export function jobTrouble(job: Job, pods: readonly Pod[]): string | undefined {
  const own = [...podsOf(job, pods)].sort((a, b) =>
    (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? ''),
  );
  const last = own.at(-1);
  if (last !== undefined) {
    const trouble = troubleOf(last);
    if (trouble !== undefined) return `${trouble.reason}: ${trouble.message}`;
    for (const container of [
      ...(last.status?.initContainerStatuses ?? []),
      ...(last.status?.containerStatuses ?? []),
    ]) {
      const ended = container.state?.terminated;
      if (ended !== undefined && ended.exitCode !== 0) {
        return `container ${container.name} ended with ${ended.exitCode}: ${cutText((ended.message ?? '').trim(), 300)}${goesOn(last)}`;
      }
    }
  }
  return job.status?.conditions?.find((row) => row.type === 'Failed')?.message;
}

/** The Job's controller begins again only with a pod that has ended. */
function goesOn(pod: Pod): string {
  const running = beside(pod);
  if (running.length === 0) return '';
  return `; its pod does not end, because ${running.join(', ')} goes on there: keep it out of the pods of Jobs (excludeFromMesh)`;
}
