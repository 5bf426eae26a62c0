/**
 * Brings pods to the StatefulSet's newest revision, one at a time: broken pods first, the primary last, and none that serves
 * while the others could not go on without it. A replica that is down for long for a reason of its own blocks nobody as long as
 * a quorum remains. Each rule has a name, by which the status says what blocks a pod.
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
/** A pod that has not been ready for so long serves nobody: it is replaced without asking for a quorum. */
const hungMs = 60_000;
/** A replica that has not been ready for so long is taken for down: it does not come back within the time of a start. */
const downMs = 5 * 60_000;

interface Situation {
  readonly nowMs: number;
  readonly replicas: number;
  /** Number of other replicas that must be well when a pod that is ready is replaced. */
  readonly needed: number;
  readonly pods: readonly Pod[];
  readonly growing: boolean;
  /** Whether a replica is being made again from the others. */
  readonly recovering: boolean;
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
  const { engine, topology } = subject.resolved;
  const { replicas } = topology;
  if (replicas > 1 && observed.polls === undefined && outdated.some(isReady)) {
    draft.needs.add('polls');
    return 'continue';
  }
  const index = (pod: Pod) => Number(pod.metadata.name?.slice(subject.workload.length + 1));
  const situation: Situation = {
    nowMs: observed.nowMs,
    replicas,
    needed: replicas === 1 ? 0 : adapterOf(engine.name).quorum(replicas).viewChange,
    pods,
    recovering: draft.recovering,
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
  if (replicas > 1 && mayLead(next, situation) && observed.askedAgain !== true) {
    // If it leads and was only slow for a moment, it comes last. One that stays silent blocks the others and must not block itself.
    draft.needs.add('answers');
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
    const refusal = refusalOf(pod, outdated, situation);
    if (refusal === undefined) return { next: pod, blocked: [] };
    blocked.push({ pod: pod.metadata.name ?? '', ...refusal });
  }
  return { blocked };
}

function order(outdated: readonly Pod[], situation: Situation): readonly Pod[] {
  const rank = (pod: Pod) => {
    if (!isReady(pod)) return 0;
    return leads(pod, situation) ? 2 : 1;
  };
  return [...outdated].sort(
    (a, b) => rank(a) - rank(b) || (a.metadata.name ?? '').localeCompare(b.metadata.name ?? ''),
  );
}

const leads = (pod: Pod, { statusOf }: Situation): boolean => statusOf(pod)?.role === 'primary';

/** Whether a pod that serves has not said what it is, and no other has said that it leads. */
const mayLead = (pod: Pod, situation: Situation): boolean =>
  isReady(pod) &&
  situation.statusOf(pod) === undefined &&
  !situation.pods.some((other) => leads(other, situation));

type Refusal = Omit<Draft['blocked'][number], 'pod'>;

function refusalOf(pod: Pod, outdated: readonly Pod[], situation: Situation): Refusal | undefined {
  const { pods, replicas, nowMs } = situation;
  if (pod.metadata.deletionTimestamp !== undefined) {
    return { predicate: 'AlreadyStopping', message: 'the pod is stopping' };
  }
  if (situation.holdsData(pod)) {
    return {
      predicate: 'VolumeStays',
      message: 'its volume is being deleted and would disappear with the pod',
    };
  }
  // Replacing a broken pod loses nothing: a bad revision never blocks its own repair.
  if (!isReady(pod) && troubleOf(pod) !== undefined) return undefined;
  // Volumes grow first: a restarted pod then finds its volume grown.
  if (situation.growing) {
    return { predicate: 'StorageSettled', message: 'the volumes grow first' };
  }
  const others = pods.filter((other) => other !== pod);
  const stopping = others.find(
    (other) => other.metadata.deletionTimestamp !== undefined && stoppedMs(other, nowMs) < downMs,
  );
  if (stopping !== undefined) {
    return { predicate: 'NoneStopping', message: `${stopping.metadata.name} is stopping` };
  }
  if (!isReady(pod) && unreadyMs(pod, nowMs) >= hungMs) return undefined;
  if (others.length < replicas - 1) {
    return {
      predicate: 'AllPresent',
      message: `${others.length + 1} of ${replicas} pods exist`,
    };
  }
  return refusalByOthers(others, outdated, situation);
}

/** Whether the other replicas go on without this one, and none of them is about to come back. */
function refusalByOthers(
  others: readonly Pod[],
  outdated: readonly Pod[],
  situation: Situation,
): Refusal | undefined {
  const { nowMs, needed, statusOf } = situation;
  const down = others.filter((other) => isDown(other, outdated, situation));
  for (const other of others) {
    if (down.includes(other)) continue;
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
  const left = others.length - down.length;
  if (left >= needed) return undefined;
  const names = down.map(({ metadata }) => metadata.name).join(', ');
  return {
    predicate: 'OthersReady',
    message: `${names} is not ready, and only ${left} of the ${needed} others that are needed are`,
  };
}

/**
 * Whether a replica is down for long, and not because of the newest revision: otherwise a bad revision would take one replica
 * after the other until a bare quorum is left.
 */
function isDown(
  pod: Pod,
  outdated: readonly Pod[],
  { pods, nowMs, recovering }: Situation,
): boolean {
  if (isReady(pod) || recovering) return false;
  if (pod.metadata.deletionTimestamp !== undefined) return stoppedMs(pod, nowMs) >= downMs;
  if (unreadyMs(pod, nowMs) < downMs) return false;
  const works = pods.some((other) => !outdated.includes(other) && isReady(other));
  return works || outdated.includes(pod) || troubleOf(pod)?.reason === 'Unschedulable';
}

/** Time since the pod was to have ended: the deletion's time includes the grace period. */
const stoppedMs = ({ metadata }: Pod, nowMs: number): number =>
  nowMs - Date.parse(metadata.deletionTimestamp ?? '');

/** Time since the pod was last ready, or was made. */
function unreadyMs({ metadata, status }: Pod, nowMs: number): number {
  const row = status?.conditions?.find(({ type }) => type === 'Ready');
  return nowMs - Date.parse(String(row?.lastTransitionTime ?? metadata.creationTimestamp));
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
    // The first status of a database that is ready says what it has left.
    const isFirst = draft.activeVersion === undefined && observed.capacity === undefined;
    if (isFirst && observed.polls === undefined) draft.needs.add('polls');
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
