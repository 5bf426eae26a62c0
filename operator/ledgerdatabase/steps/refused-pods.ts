/** Reports missing pods that the API server refused: because of a quota, a policy or a webhook. */
import { podName } from '../../../domain/names.ts';
import type { Job } from '../../../domain/kinds.ts';
import type { KubeObject } from '../../../base/kube/kube.ts';
import type { Draft, StepResult } from '../draft.ts';
import { hasFailed, hasSucceeded, podsOf } from '../jobs.ts';
import { replicaPods } from '../replica-pods.ts';
import type { Observation } from '../observation.ts';
import { isLasting } from '../pod-refusals.ts';

/** Time that making a pod may take before the events are read. */
const patienceMs = 5_000;
/** Maximum difference between the clocks of the control plane and this process. */
const clocksDifferMs = 60_000;
/** Interval of reading again. The end of a refusal shows in its pod, but a changed message does not. */
const askAgainMs = 30_000;

/** Runs after the StatefulSet: reports why replicas that should run have no pod. */
export function tellRefusedReplicas(observed: Observation, draft: Draft): StepResult {
  const { subject } = draft;
  if (subject === undefined || subject.suspend) return 'continue';
  const set = observed.owned.statefulSets.find((one) => one.metadata.name === subject.workload);
  if (set === undefined || set.metadata.deletionTimestamp !== undefined) return 'continue';
  const there = new Set(replicaPods(observed.owned.pods).map((pod) => pod.metadata.name));
  const names = Array.from({ length: set.spec?.replicas ?? 0 }, (_, index) =>
    podName(subject.workload, index),
  );
  const absent = names.filter((name) => !there.has(name));
  if (absent.length === 0) return 'continue';
  // Only refusals since a replica is missing count; the pods of earlier ones have been made since.
  const unhealthy = observed.database.status?.conditions?.find(
    ({ type, status }) => type === 'ReplicasHealthy' && status === 'False',
  );
  const since = Math.max(timeOf(set), Date.parse(unhealthy?.lastTransitionTime ?? '') || 0);
  const refusal = refusalOf(observed, draft, set, since, (message) =>
    absent.some((name) => message.includes(`Pod ${name} `)),
  );
  if (refusal !== undefined) draft.refusedPods = `${absent.join(', ')} cannot be made: ${refusal}`;
  return 'continue';
}

/** Why a Job has no pod; `undefined` when it has one, or the reason is unknown. */
export function tellRefusedJob(observed: Observation, draft: Draft, job: Job): string | undefined {
  if (hasSucceeded(job) || hasFailed(job)) return undefined;
  if (podsOf(job, observed.owned.pods).length > 0) return undefined;
  return refusalOf(observed, draft, job, timeOf(job), () => true);
}

function refusalOf(
  observed: Observation,
  draft: Draft,
  owner: KubeObject,
  sinceMs: number,
  concerns: (message: string) => boolean,
): string | undefined {
  const waitedMs = observed.nowMs - sinceMs;
  if (waitedMs < patienceMs) {
    draft.again(Math.min(patienceMs, patienceMs - waitedMs));
    return undefined;
  }
  draft.again(askAgainMs);
  if (observed.refusals === undefined) {
    draft.needs.add('refusals');
    return undefined;
  }
  const found = observed.refusals.find(
    ({ owner: uid, atMs, message }) =>
      uid === owner.metadata.uid && atMs >= sinceMs - clocksDifferMs && concerns(message),
  );
  if (found === undefined) return undefined;
  const { kind } = owner;
  const { name, namespace } = owner.metadata;
  if (isLasting(found.message)) {
    draft.stallWith(
      'RefusedByApiServer',
      `the API server refuses pods of ${kind} ${name}: ${found.message}. Raise the quota or change the policy; ` +
        `look: kubectl -n ${namespace} describe ${kind.toLowerCase()} ${name}`,
    );
  }
  return found.message;
}

const timeOf = ({ metadata }: KubeObject): number =>
  Date.parse(metadata.creationTimestamp ?? '') || 0;
