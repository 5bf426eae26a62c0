/**
 * Recovers a replica whose data file is missing or not its own. While enough others remain to go on under any leader, the
 * lost one is made again from them with the engine's `recover`, never with `format`; several are recovered one after the
 * other. If too few remain, or a single replica has lost its file, only a person can decide.
 */
import { DataProblem } from '../../../domain/data-problem.ts';
import { annotations, podName, recoverJobName } from '../../../domain/names.ts';
import { buildRecoverJob } from '../../manifests/recover-job.ts';
import { adapterOf } from '../../engines/adapters.ts';
import { changesOf, isOther, withIntent } from '../../manifests/intent.ts';
import { resources, type Job, type Pod } from '../../../domain/kinds.ts';
import { deletion, patchOf } from '../actions.ts';
import type { Draft, StepResult } from '../draft.ts';
import { hasDoneItsWork, hasFailed, jobTrouble, workDoneMs } from '../jobs.ts';
import { dataProblemOf, isReady, replicaPods } from '../replica-pods.ts';
import type { Observation } from '../observation.ts';
import { fillingNote } from './fill.ts';
import { tellRefusedJob } from './refused-pods.ts';
import { claimOf } from './volumes.ts';

export function recoverReplicas(observed: Observation, draft: Draft): StepResult {
  const { subject } = draft;
  if (subject === undefined) return 'halt';
  const { replicas } = subject.resolved.topology;
  const candidates = Array.from({ length: replicas }, (_, index) =>
    candidateOf(observed, draft, index),
  );
  const lost = candidates.filter(isLost);
  const enough = replicas - lost.length >= viewChangeOf(draft);
  for (const candidate of candidates) {
    const { index, pod, job, isDone, problem } = candidate;
    if (pod === undefined || isReady(pod)) {
      const ended = job !== undefined && (isDone || hasFailed(job));
      if (ended && job.metadata.deletionTimestamp === undefined) {
        draft.do(deletion('recovery', resources.job, job));
      }
      continue;
    }
    if (problem !== undefined && !recoverable.has(problem.reason)) {
      stallFor(draft, index, problem);
    } else if (isLost(candidate) && !enough) stallForLost(draft, observed, lost);
    else if (replicas > 1 && (problem !== undefined || job !== undefined)) {
      recoverOne(observed, draft, { ...candidate, pod }, candidates);
    }
  }
  return 'continue';
}

/** One replica: its pod, the result of its data file's check, and its recovery Job. */
interface Candidate {
  readonly index: number;
  readonly pod: Pod | undefined;
  readonly job: Job | undefined;
  /** Whether the Job has made the file. */
  readonly isDone: boolean;
  readonly doneMs: number | undefined;
  readonly problem: ReturnType<typeof dataProblemOf>;
}

function candidateOf(observed: Observation, { subject }: Draft, index: number): Candidate {
  const workload = subject?.workload ?? '';
  const name = podName(workload, index);
  const pod = replicaPods(observed.owned.pods).find((one) => one.metadata.name === name);
  const job = observed.owned.jobs.find(
    (one) => one.metadata.name === recoverJobName(workload, index),
  );
  const problem = pod === undefined || isReady(pod) ? undefined : dataProblemOf(pod);
  const { pods } = observed.owned;
  const isDone = job !== undefined && hasDoneItsWork(job, pods);
  const doneMs = job && workDoneMs(job, pods);
  return { index, pod, job, isDone, doneMs, problem };
}

/** A data file without its etcd member is worthless: the replica must not vote under its old identity. */
const recoverable: ReadonlySet<DataProblem> = new Set([
  DataProblem.missing,
  DataProblem.memberMissing,
]);

/** Whether its data file or member is missing, and none was made since the pod reported that. */
const isLost = ({ pod, isDone, doneMs, problem }: Candidate): boolean =>
  pod !== undefined &&
  problem !== undefined &&
  recoverable.has(problem.reason) &&
  !(isDone && endedBefore(pod, doneMs));

/** The others must be able to go on under any primary, because `recover` is their client. */
function viewChangeOf({ subject }: Draft): number {
  const { engine, topology } = subject?.resolved ?? {};
  if (engine === undefined || topology === undefined) return 1;
  return adapterOf(engine.name).quorum(topology.replicas).viewChange;
}

function recoverOne(
  observed: Observation,
  draft: Draft,
  { index, pod, job, isDone, doneMs, problem }: Candidate & { readonly pod: Pod },
  candidates: readonly Candidate[],
): void {
  const { subject } = draft;
  if (subject === undefined) return;
  const desired = withIntent(buildRecoverJob(subject, index));
  draft.recovering = true;
  draft.wait(`replica ${index} is being made again from the others`);
  if (job === undefined) {
    const ready = candidates.filter((one) => one.pod !== undefined && isReady(one.pod)).length;
    const needed = viewChangeOf(draft);
    const others = candidates.some((one) => one.index !== index && one.job !== undefined);
    const chosen = draft.actions.some(
      (action) => action.purpose === 'recovery' && action.verb === 'create',
    );
    if (ready < needed) {
      draft.waiting = `replica ${index} has lost its data file; it is made again once ${needed} others are ready, now ${ready} are`;
    } else if (!others && !chosen) {
      draft.do({
        verb: 'create',
        purpose: 'recovery',
        guarded: true,
        resource: resources.job,
        object: desired,
      });
    }
  } else if (job.metadata.deletionTimestamp !== undefined) {
    return;
  } else if (isDone) {
    if (problem === undefined || endedBefore(pod, doneMs))
      finishRecovery(observed, draft, index, pod);
    // It was lost again since: the Job did its work on another volume.
    else draft.do(deletion('recovery', resources.job, job));
  } else if (hasFailed(job) || isOther(desired, job)) {
    draft.waiting = `making replica ${index} again failed: ${jobTrouble(job, observed.owned.pods) ?? ''}${changesOf(desired, job)}; it is tried again`;
    draft.do(deletion('recovery', resources.job, job));
  } else {
    const refusal = tellRefusedJob(observed, draft, job);
    if (refusal !== undefined) draft.waiting = `making replica ${index} again: ${refusal}`;
  }
}

function finishRecovery(observed: Observation, draft: Draft, index: number, pod: Pod): void {
  const { subject } = draft;
  if (subject === undefined) return;
  const claim = claimOf(observed, subject.workload, index);
  if (claim !== undefined && claim.metadata.annotations?.[annotations.formatted] === undefined) {
    const formatted = `${subject.clusterId}/${index}`;
    const metadata = {
      annotations: { [annotations.formatted]: formatted, ...fillingNote(subject) },
    };
    draft.do(patchOf('recovery', resources.claim, claim, { metadata }));
  }
  // The pod's own checks become rarer and rarer: a new pod checks at once.
  if (pod.metadata.deletionTimestamp === undefined && dataProblemOf(pod) !== undefined) {
    draft.do(deletion('recovery', resources.pod, pod));
  }
}

/** Whether the pod is older than the Job's end, so that its report may be outdated. */
const endedBefore = (pod: Pod, doneMs: number | undefined): boolean =>
  doneMs === undefined || Date.parse(pod.metadata.creationTimestamp ?? '') <= doneMs;

function stallFor(
  draft: Draft,
  index: number,
  problem: { reason: DataProblem; message: string },
): void {
  const { subject } = draft;
  const where = `replica ${index} (volume ${subject === undefined ? '' : `data-${podName(subject.workload, index)}`})`;
  if (problem.reason === DataProblem.foreign) {
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

function stallForLost(draft: Draft, observed: Observation, lost: readonly Candidate[]): void {
  const { database } = observed;
  const { subject } = draft;
  if (subject === undefined) return;
  const { replicas } = subject.resolved.topology;
  const volumes = lost.map(({ index }) => `data-${podName(subject.workload, index)}`).join(', ');
  const which = `replica ${lost.map(({ index }) => index).join(', ')} (volume ${volumes}) has no data file`;
  const rest =
    replicas === 1
      ? 'there is no other replica to make it from'
      : `the other ${replicas - lost.length} are too few to make it from: ${viewChangeOf(draft)} are needed`;
  draft.stallWith(
    'ReplicaDataLost',
    `${which}, and ${rest}. Nothing was formatted. If an old volume still exists, bind it to its claim; otherwise restore ` +
      'a copy or a backup into a new database: docs/operating/disaster-recovery.md. ' +
      `Look: kubectl -n ${database.metadata.namespace ?? ''} describe pvc -l ledgerhouse.dev/database=${database.metadata.name}`,
  );
}
