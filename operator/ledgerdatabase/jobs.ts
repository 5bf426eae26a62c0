/** State of a Job. */
import { cutText } from '../../base/cut-text.ts';
import type { Job, Pod } from '../../domain/kinds.ts';
import { troubleOf } from './replica-pods.ts';

const holds = (job: Job, type: string) =>
  (job.status?.conditions ?? []).some((row) => row.type === type && row.status === 'True');

export const hasSucceeded = (job: Job): boolean =>
  holds(job, 'Complete') || holds(job, 'SuccessCriteriaMet');
export const hasFailed = (job: Job): boolean => holds(job, 'Failed') || holds(job, 'FailureTarget');

/** Label that Kubernetes gives the pods of a Job. */
export const jobNameLabel = 'batch.kubernetes.io/job-name';

/** An earlier Job of the same name may have left pods that still end. */
export const podsOf = (job: Job, pods: readonly Pod[]): readonly Pod[] =>
  pods.filter(
    ({ metadata }) =>
      metadata.ownerReferences?.some(({ uid }) => uid === job.metadata.uid) === true,
  );

/**
 * Whether the Job's work is done: it says so, or the containers of a pod of its own have ended well. The node tells that a second or two
 * before the pod's phase, and the Job's controller looks once a second.
 */
export const hasDoneItsWork = (job: Job, pods: readonly Pod[]): boolean =>
  hasSucceeded(job) ||
  podsOf(job, pods).some(
    ({ spec, status }) =>
      spec?.containers.every(({ name }) =>
        status?.containerStatuses?.some(
          (one) => one.name === name && one.state?.terminated?.exitCode === 0,
        ),
      ) === true,
  );

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
        return `container ${container.name} ended with ${ended.exitCode}: ${cutText((ended.message ?? '').trim(), 300)}`;
      }
    }
  }
  return job.status?.conditions?.find((row) => row.type === 'Failed')?.message;
}
