/**
 * Brings pods to the StatefulSet's newest revision, one at a time: broken pods first, the primary last, and none while the
 * others could not go on without it. Each rule has a name, by which the status says what blocks a pod.
 */
import type { EngineStatus } from '../../../domain/engine-status.ts';
import { podName } from '../../../domain/names.ts';
import { adapterOf } from '../../engines/adapters.ts';
import { resources, type Pod } from '../../../domain/kinds.ts';
import { deletion } from '../actions.ts';
import type { Draft, StepResult } from '../draft.ts';
import { hasRevision, isReady, readySinceMs, replicaPods, troubleOf } from '../replica-pods.ts';
import type { Observation } from '../observation.ts';
import { holdsData } from './volumes.ts';

/** Minimum time for which the others must have been ready: a replica that has just come back may still fail. */
const settledMs = 5_000;
const pollAgainMs = 2_000;

interface Situation {
  readonly nowMs: number;
  readonly replicas: number;
  readonly pods: readonly Pod[];
  readonly growing: boolean;
  /** Whether a volume and its data would be deleted with the pod. */
  readonly holdsData: (pod: Pod) => boolean;
  readonly statusOf: (pod: Pod) => EngineStatus | undefined;
}

export function rollOut(observed: Observation, draft: Draft): StepResult {
  const { subject } = draft;
  const set = observed.owned.statefulSets.find((one) => one.metadata.name === subject?.workload);
  if (subject === undefined || set === undefined) return 'halt';
  const seen = set.status?.observedGeneration ?? 0;
  // A template that is being changed has no revision yet.
  if (
    seen < (set.metadata.generation ?? 0) ||
    draft.actions.some((one) => one.purpose === 'workload')
  ) {
    return 'continue';
  }
  const revision = set.status?.updateRevision;
  const pods = replicaPods(observed.owned.pods);
  const outdated = pods.filter((pod) => !hasRevision(pod, revision));
  if (outdated.length === 0 || subject.suspend) return activate(observed, draft, revision);
  const { replicas } = subject.resolved.topology;
  if (replicas > 1 && observed.polls === undefined && outdated.some(isReady)) {
    draft.needs.add('polls');
    return 'continue';
  }
  const index = (pod: Pod) => Number(pod.metadata.name?.slice(subject.workload.length + 1));
  const situation: Situation = {
    nowMs: observed.nowMs,
    replicas,
    pods,
    growing: draft.actions.some((one) => one.purpose === 'growth') && !growthRefused(observed),
    holdsData: (pod) => holdsData(observed, subject.workload, pod),
    statusOf(pod) {
      const said = observed.polls?.get(index(pod));
      return said === undefined || 'problem' in said ? undefined : said;
    },
  };
  const { next, blocked } = nextPodToRoll(outdated, situation);
  draft.blocked.push(...blocked);
  if (next === undefined) {
    // Polled readiness changes without an event.
    if (blocked.length > 0) draft.again(pollAgainMs);
    return 'continue';
  }
  draft.do(deletion('rollout', resources.pod, next));
  return 'continue';
}

/** A growth that the API server or the storage refuses may never happen: nothing waits for it. */
const growthRefused = ({ database }: Observation): boolean =>
  (database.status?.conditions ?? []).some(
    ({ type, reason }) => type === 'StorageReady' && reason === 'ExpansionFailed',
  );

/** Returns the pod to replace next, or why none may be replaced. Pure. */
export function nextPodToRoll(
  outdated: readonly Pod[],
  situation: Situation,
): { next?: Pod; blocked: Draft['blocked'] } {
  const blocked: Draft['blocked'] = [];
  for (const pod of order(outdated, situation)) {
    const refusal = refusalOf(pod, situation);
    if (refusal === undefined) return { next: pod, blocked: [] };
    blocked.push({ pod: pod.metadata.name ?? '', ...refusal });
  }
  return { blocked };
}

function order(outdated: readonly Pod[], { statusOf }: Situation): readonly Pod[] {
  const rank = (pod: Pod) => {
    if (!isReady(pod)) return 0;
    return statusOf(pod)?.role === 'primary' ? 2 : 1;
  };
  return [...outdated].sort(
    (a, b) => rank(a) - rank(b) || (a.metadata.name ?? '').localeCompare(b.metadata.name ?? ''),
  );
}

function refusalOf(
  pod: Pod,
  situation: Situation,
): Omit<Draft['blocked'][number], 'pod'> | undefined {
  const { pods, replicas, nowMs, statusOf } = situation;
  if (pod.metadata.deletionTimestamp !== undefined) {
    return { predicate: 'AlreadyStopping', message: 'the pod is stopping' };
  }
  if (situation.holdsData(pod)) {
    return {
      predicate: 'VolumeStays',
      message: 'its volume is being deleted and goes with the pod',
    };
  }
  // Replacing a broken pod loses nothing: a bad revision never blocks its own repair.
  if (!isReady(pod) && troubleOf(pod) !== undefined) return undefined;
  // Volumes grow first: a restarted pod then finds its volume grown.
  if (situation.growing) {
    return { predicate: 'StorageSettled', message: 'the volumes grow first' };
  }
  const others = pods.filter((other) => other !== pod);
  const stopping = others.find((other) => other.metadata.deletionTimestamp !== undefined);
  if (stopping !== undefined) {
    return { predicate: 'NoneStopping', message: `${stopping.metadata.name} is stopping` };
  }
  if (others.length < replicas - 1) {
    return {
      predicate: 'AllPresent',
      message: `${others.length + 1} of ${replicas} pods exist`,
    };
  }
  for (const other of others) {
    const name = other.metadata.name ?? '';
    if (!isReady(other)) {
      return { predicate: 'OthersReady', message: `${name} is not ready` };
    }
    if (nowMs - (readySinceMs(other) ?? nowMs) < settledMs) {
      return { predicate: 'OthersSettled', message: `${name} has only just become ready` };
    }
    const status = statusOf(other);
    if (status === undefined) {
      return { predicate: 'OthersAnswer', message: `the engine of ${name} does not answer` };
    }
    if (status.syncing) {
      return { predicate: 'OthersCaughtUp', message: `${name} is still catching up` };
    }
  }
  return undefined;
}

/** When every pod has the newest revision, checks whether every engine runs the version too. */
function activate(observed: Observation, draft: Draft, revision: string | undefined): StepResult {
  const { subject } = draft;
  if (subject === undefined || subject.suspend) return 'continue';
  const { engine, topology } = subject.resolved;
  const pods = replicaPods(observed.owned.pods);
  const all = Array.from({ length: topology.replicas }, (_, index) =>
    pods.find((pod) => pod.metadata.name === podName(subject.workload, index)),
  );
  if (!all.every((pod) => pod !== undefined && hasRevision(pod, revision) && isReady(pod))) {
    return 'continue';
  }
  if (draft.activeVersion === engine.version) return 'continue';
  // The pods have the newest revision, but admission changed it.
  if (draft.stall?.reason === 'ChangedByAdmission') return 'continue';
  if (adapterOf(engine.name).activeBy === 'image') {
    draft.activeVersion = engine.version;
    return 'continue';
  }
  if (observed.polls === undefined) {
    draft.needs.add('polls');
    return 'continue';
  }
  const releases = [...observed.polls.values()].map((one) => ('problem' in one ? '' : one.release));
  if (releases.length === topology.replicas && releases.every((one) => one === engine.release)) {
    draft.activeVersion = engine.version;
  } else {
    draft.wait(
      `every replica has version ${engine.version}; their engines have not all switched to it yet`,
    );
    draft.again(pollAgainMs);
  }
  return 'continue';
}
