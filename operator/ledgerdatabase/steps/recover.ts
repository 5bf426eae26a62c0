/**
 * A replica whose data file is not there or is not its own. One replica alone has lost its data: only a person can decide.
 * Of several, the lost one is made again from the others with the engine's `recover`, never with `format`.
 */
import { annotations, podName, recoverJobName } from '../../../domain/names.ts';
import { buildRecoverJob } from '../../manifests/recover-job.ts';
import { missing } from '../../manifests/diff.ts';
import { resources, type Pod } from '../../../domain/kinds.ts';
import { deletion, patchOf } from '../actions.ts';
import type { Draft, StepResult } from '../draft.ts';
import { hasFailed, hasSucceeded, jobTrouble } from '../jobs.ts';
import { DataProblem, dataProblemOf, isReady, replicaPods } from '../members.ts';
import type { Observation } from '../observation.ts';
import { claimOf } from './volumes.ts';

export function recoverReplicas(observed: Observation, draft: Draft): StepResult {
  const { subject } = draft;
  if (subject === undefined) return 'halt';
  const pods = replicaPods(observed.owned.pods);
  const { replicas } = subject.resolved.topology;
  for (let index = 0; index < replicas; index += 1) {
    const pod = pods.find((one) => one.metadata.name === podName(subject.workload, index));
    const problem = pod === undefined ? undefined : dataProblemOf(pod);
    const job = observed.owned.jobs.find(
      (one) => one.metadata.name === recoverJobName(subject.workload, index),
    );
    if (pod === undefined || isReady(pod)) {
      if (job !== undefined && hasSucceeded(job) && job.metadata.deletionTimestamp === undefined) {
        draft.do(deletion('recovery', resources.job, job));
      }
      continue;
    }
    if (problem === undefined && job === undefined) continue;
    if (problem !== undefined && problem.reason !== DataProblem.missing) {
      stallFor(draft, observed, index, problem);
    } else if (replicas === 1) {
      if (problem !== undefined) stallFor(draft, observed, index, problem);
    } else recoverOne(observed, draft, index, pod);
  }
  return 'continue';
}

function recoverOne(observed: Observation, draft: Draft, index: number, pod: Pod): void {
  const { subject } = draft;
  if (subject === undefined) return;
  const name = recoverJobName(subject.workload, index);
  const job = observed.owned.jobs.find((one) => one.metadata.name === name);
  draft.recovering = true;
  draft.wait(`replica ${index} is being made again from the others`);
  if (job !== undefined && hasSucceeded(job)) {
    const claim = claimOf(observed, subject.workload, index);
    if (claim !== undefined && claim.metadata.annotations?.[annotations.formatted] === undefined) {
      const formatted = `${subject.clusterId}/${index}`;
      const metadata = { annotations: { [annotations.formatted]: formatted } };
      draft.do(patchOf('recovery', resources.claim, claim, { metadata }));
    }
    // The pod looks again by itself, only later and later: a new one looks at once.
    if (
      pod.metadata.deletionTimestamp === undefined &&
      dataProblemOf(pod) !== undefined &&
      endedBefore(pod, job)
    ) {
      draft.do(deletion('recovery', resources.pod, pod));
    }
    return;
  }
  const others = replicaPods(observed.owned.pods).filter((one) => one !== pod);
  const { replicas } = subject.resolved.topology;
  if (job === undefined) {
    if (others.filter(isReady).length < replicas - 1) {
      draft.waiting = `replica ${index} has lost its data file; it is made again once all others are ready`;
      return;
    }
    draft.do({
      verb: 'create',
      purpose: 'recovery',
      guarded: true,
      resource: resources.job,
      object: buildRecoverJob(subject, index),
    });
  } else if (job.metadata.deletionTimestamp === undefined) {
    if (hasFailed(job) || missing(buildRecoverJob(subject, index), job).length > 0) {
      draft.waiting = `making replica ${index} again failed: ${jobTrouble(job, observed.owned.pods) ?? ''}; it is tried again`;
      draft.do(deletion('recovery', resources.job, job));
    }
  }
}

/** Whether the pod was there before the Job had done its work, so that what it said may be out of date. */
function endedBefore(pod: Pod, job: { status?: { completionTime?: unknown } }): boolean {
  const done = job.status?.completionTime;
  return (
    done === undefined ||
    Date.parse(pod.metadata.creationTimestamp ?? '') <= Date.parse(done as string)
  );
}

function stallFor(
  draft: Draft,
  observed: Observation,
  index: number,
  problem: { reason: DataProblem; message: string },
): void {
  const { database } = observed;
  const { subject } = draft;
  const namespace = database.metadata.namespace ?? '';
  const where = `replica ${index} (volume ${subject === undefined ? '' : `data-${podName(subject.workload, index)}`})`;
  if (problem.reason === DataProblem.missing) {
    draft.stallWith(
      'ReplicaDataLost',
      `${where} has no data file, and there is no other replica to make it from. Nothing was formatted. If the old volume ` +
        `still exists, bind it to that claim; otherwise restore a copy or a backup into a new database: docs/operating/disaster-recovery.md. ` +
        `Look: kubectl -n ${namespace} describe pvc -l ledgerhouse.dev/database=${database.metadata.name}`,
    );
  } else if (problem.reason === DataProblem.foreign) {
    draft.stallWith(
      'ReplicaDataForeign',
      `${where} holds another replica's data file: ${problem.message}. Put the right volume there: docs/operating/disaster-recovery.md`,
    );
  } else {
    draft.stallWith(
      'ReplicaDataDamaged',
      `${where} holds a damaged data file: ${problem.message}. Keep the volume and restore a copy: docs/operating/disaster-recovery.md`,
    );
  }
}
