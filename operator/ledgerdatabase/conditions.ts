/** The conditions, all from the same observation; reasons are from closed lists (docs/operating/conditions.md). */
import { cutText } from '../../base/cut-text.ts';
import {
  conditionReasons,
  ConditionType,
  ProgressReason,
  type ReasonOf,
} from '../../domain/conditions.ts';
import type { Condition } from '../../domain/custom-resources.ts';
import { hasBegun } from '../../domain/fill.ts';
import type { Claim } from '../../domain/kinds.ts';
import { annotations } from '../../domain/names.ts';
import { pathsInWords } from '../manifests/intent.ts';
import { setConditions, type NextCondition } from '../runtime/conditions.ts';
import { continuousArchiving } from './archiving.ts';
import { backupHealth } from './backup-health.ts';
import { changeDataCapture } from './change-data-capture.ts';
import type { Plan } from './draft.ts';
import { replicaVolumes, type Observation } from './observation.ts';
import type { DatabaseTally } from './tally.ts';

type Verdict<Type extends ConditionType> = readonly [
  status: Condition['status'],
  reason: ReasonOf<Type>,
  message: string,
];

export function conditionsOf(observed: Observation, plan: Plan, tally: DatabaseTally): Condition[] {
  const storage = storageReady(observed, plan, tally);
  const version = versionUpToDate(plan, tally);
  const healthy = replicasHealthy(plan, tally);
  const held = plan.leftUndone !== undefined && plan.leftUndone.length > 0;
  const settled =
    !held &&
    healthy[0] === 'True' &&
    storage[0] === 'True' &&
    version[0] === 'True' &&
    plan.failure === undefined;
  const capacity = capacityLeft(observed);
  const full = capacity[1] === 'Full' ? capacity[2] : undefined;
  const progress = withFailure(plan, progressOf(plan, tally, { healthy, storage, version }));
  const verdicts: { readonly [Type in ConditionType]: Verdict<Type> } = {
    Available: available(plan, tally),
    Ready: ready(plan, tally, settled, progress, full),
    Reconciling: reconciling(plan, tally, settled, progress),
    Stalled:
      plan.stall === undefined
        ? ['False', 'NotStalled', 'no person needs to act']
        : ['True', plan.stall.reason, plan.stall.message],
    Bootstrapped: bootstrapped(observed, plan),
    ReplicasHealthy: healthy,
    StorageReady: storage,
    VersionUpToDate: version,
    Suspended: suspended(plan, tally),
    Paused: paused(plan),
    BackupHealthy: backupHealth(observed.backups, observed.nowMs, observed.database.status),
    ContinuousArchiving: continuousArchiving(observed, plan),
    ChangeDataCaptureHealthy: changeDataCapture(observed),
    CapacityLeft: capacity,
    DataIntact: dataIntact(observed),
    Autogrow: autogrow(observed, plan),
  };
  const next: NextCondition[] = Object.values(ConditionType).map((type) => {
    const [status, reason, message] = verdicts[type];
    return { type, status, reason, message: cutText(message, 1_024) };
  });
  return setConditions(observed.database.status?.conditions ?? [], next, {
    observedGeneration: observed.database.metadata.generation ?? 0,
    nowMs: observed.nowMs,
  });
}

function available(plan: Plan, tally: DatabaseTally): Verdict<'Available'> {
  if (plan.facts.filled !== false && tally.replicas > 0 && tally.ready >= tally.quorum) {
    return [
      'True',
      'QuorumServing',
      `${tally.ready} of ${tally.replicas} replicas serve, ${tally.quorum} are needed`,
    ];
  }
  if (!hasBegun(plan.facts)) {
    const why = plan.facts.bootstrapped === true ? troubles(plan, tally) : '';
    return [
      'False',
      'NotBootstrapped',
      `${plan.waiting ?? 'the database has not started yet'}${why}`,
    ];
  }
  if (tally.suspended)
    return ['False', 'Suspended', 'the database is suspended; set spec.suspend to false'];
  const lost = `${tally.ready} of ${tally.replicas} replicas serve, ${tally.quorum} are needed${troubles(plan, tally)}`;
  return ['False', 'QuorumLost', lost];
}

function replicasHealthy(plan: Plan, tally: DatabaseTally): Verdict<'ReplicasHealthy'> {
  if (tally.suspended) return ['False', 'Suspended', 'the database is suspended'];
  if (!hasBegun(plan.facts))
    return ['False', 'NotBootstrapped', 'the database has not started yet'];
  if (tally.ready === tally.replicas)
    return ['True', 'AllHealthy', `all ${tally.replicas} replicas are ready`];
  return [
    'False',
    'Degraded',
    `${tally.ready} of ${tally.replicas} replicas are ready${troubles(plan, tally)}`,
  ];
}

/** Problems of the replicas that are not ready, as the end of a sentence. */
function troubles({ refusedPods }: Plan, { rows }: DatabaseTally): string {
  const wrong = rows.filter((row) => row.state !== 'Ready');
  const words = wrong.map((row) => {
    const why = row.reason === undefined ? '' : ` (${row.reason}: ${row.message ?? ''})`;
    return `${row.pod} is ${row.state.toLowerCase()}${why}`;
  });
  if (refusedPods !== undefined) words.unshift(refusedPods);
  return words.length === 0 ? '' : `: ${words.join('; ')}`;
}

function storageReady(
  observed: Observation,
  plan: Plan,
  tally: DatabaseTally,
): Verdict<'StorageReady'> {
  if (plan.storageProblem !== undefined) {
    return ['False', plan.storageProblem.reason, plan.storageProblem.message];
  }
  const { storage } = tally;
  const claims = replicaVolumes(observed.owned.claims, tally.replicas);
  if (storage === undefined || claims.length < tally.replicas || storage.capacityGb === undefined) {
    return ['False', 'Provisioning', 'not all volumes are bound yet'];
  }
  for (const claim of claims) {
    const trouble = refusedGrowth(claim);
    if (trouble !== undefined) {
      const back =
        storage.acknowledgedGb === undefined
          ? ''
          : `; to undo the growth, set spec.storage.sizeGb to ${storage.acknowledgedGb}`;
      return ['False', 'ExpansionFailed', `${claim.metadata.name}: ${trouble}${back}`];
    }
  }
  if (storage.capacityGb < storage.requestedGb) {
    const pending = claims.some((claim) =>
      claim.status?.conditions?.some((row) => row.type === 'FileSystemResizePending'),
    );
    const going = claims.find((claim) => claim.metadata.deletionTimestamp !== undefined);
    const how =
      going !== undefined
        ? `${going.metadata.name} is being deleted and does not grow`
        : pending
          ? 'the file system grows when its pod runs'
          : 'the volumes are growing';
    return ['False', 'Resizing', `${how}: ${storage.capacityGb} of ${storage.requestedGb} GiB`];
  }
  return ['True', 'InSize', `every volume has ${storage.requestedGb} GiB`];
}

/** Why the storage cannot give a claim the requested size, if it said so: in a condition, or for good in the resource's state. */
function refusedGrowth({ status }: Claim): string | undefined {
  const error = status?.conditions?.find(
    (row) => row.status === 'True' && row.type.endsWith('Error'),
  );
  const state = status?.allocatedResourceStatuses?.['storage'];
  const isRefused = state?.endsWith('Infeasible') === true;
  return error === undefined ? (isRefused ? state : undefined) : (error.message ?? error.type);
}

function versionUpToDate(plan: Plan, tally: DatabaseTally): Verdict<'VersionUpToDate'> {
  const desired = plan.facts.resolved?.engine?.version;
  if (desired === undefined) return ['Unknown', 'Unresolved', 'the version is not resolved yet'];
  if (plan.activeVersion === undefined) {
    return ['False', 'NotStarted', plan.waiting ?? `version ${desired} does not run yet`];
  }
  const [blocked] = plan.blocked;
  if (blocked !== undefined) {
    return [
      'False',
      'Blocked',
      `${blocked.pod} is not replaced (${blocked.predicate}): ${blocked.message}`,
    ];
  }
  const outdated =
    !tally.suspended &&
    tally.rows.some((row) => row.state !== 'Absent') &&
    tally.rolled < tally.replicas;
  if (outdated)
    return [
      'False',
      'RollingOut',
      `${tally.rolled} of ${tally.replicas} replicas have the newest revision`,
    ];
  if (plan.activeVersion !== desired) {
    return [
      'False',
      'WaitingForRelease',
      plan.waiting ?? `version ${plan.activeVersion} runs until all replicas have ${desired}`,
    ];
  }
  return ['True', 'UpToDate', `version ${desired} runs on every replica${templateNotes(plan)}`];
}

/** Harmless differences of the pods' template, as the end of a sentence. */
function templateNotes({ leftAlone, olderTemplate }: Plan): string {
  const notes = [
    ...(leftAlone.length === 0
      ? []
      : [`admission changed ${pathsInWords(leftAlone)}, which is left alone`]),
    ...(olderTemplate
      ? [
          `the pods have the template of an earlier operator; to get the newest, annotate the database with ${annotations.refreshTemplate}=WORD`,
        ]
      : []),
  ];
  return notes.map((note) => `; ${note}`).join('');
}

function bootstrapped(observed: Observation, plan: Plan): Verdict<'Bootstrapped'> {
  if (!hasBegun(plan.facts)) {
    return ['False', 'InProgress', plan.waiting ?? 'the data files do not exist yet'];
  }
  const inherited = observed.database.spec.bootstrap?.volumes !== undefined;
  return inherited
    ? ['True', 'Inherited', 'the volumes came with their data files']
    : ['True', 'Formatted', 'every replica got its data file'];
}

function suspended(plan: Plan, tally: DatabaseTally): Verdict<'Suspended'> {
  if (!tally.suspended) return ['False', 'NotSuspended', 'the database is not suspended'];
  const running = tally.rows.filter((row) => row.state !== 'Absent').length;
  return running === 0
    ? ['True', 'Suspended', 'no replica runs; volumes and addresses stay']
    : ['False', 'Suspending', `${running} replicas are still stopping`];
}

/** Lists what is left undone: the first items, and the number of the others. */
function paused({ leftUndone }: Plan): Verdict<'Paused'> {
  if (leftUndone === undefined) return ['False', 'NotPaused', 'the operator carries out the spec'];
  const how = 'the operator only observes until spec.paused is false';
  if (leftUndone.length === 0) return ['True', 'Paused', `${how}; nothing is left undone`];
  const first = leftUndone.slice(0, 8).join(', ');
  const more = leftUndone.length > 8 ? `, and ${leftUndone.length - 8} more` : '';
  return ['True', 'Paused', `${how}; left undone: ${first}${more}`];
}

/** The decision of the plan, or the last reported condition while the spec cannot be met. */
function autogrow({ database }: Observation, plan: Plan): Verdict<'Autogrow'> {
  if (plan.autogrow !== undefined) return plan.autogrow;
  const told = database.status?.conditions?.find(({ type }) => type === 'Autogrow');
  const reason = conditionReasons.Autogrow.find((one) => one === told?.reason);
  return told === undefined || reason === undefined
    ? ['False', 'NotEnabled', 'the spec has not been met yet']
    : [told.status, reason, told.message];
}

/** Uses the last known capacity while engines are silent, and while a new operator begins to ask them. */
function capacityLeft({ capacity, database }: Observation): Verdict<'CapacityLeft'> {
  const statusFor = (reason: ReasonOf<'CapacityLeft'>) => (reason === 'Full' ? 'False' : 'True');
  if (capacity !== undefined) {
    return [statusFor(capacity.reason), capacity.reason, capacity.message];
  }
  const told = database.status?.conditions?.find(({ type }) => type === 'CapacityLeft');
  const reason = conditionReasons.CapacityLeft.find((one) => one === told?.reason);
  return told === undefined || reason === undefined || reason === 'NotKnown'
    ? ['Unknown', 'NotKnown', 'no engine has been asked yet']
    : [statusFor(reason), reason, told.message];
}

/** Uses what was last known, as `capacityLeft` does. */
function dataIntact({ capacity, database }: Observation): Verdict<'DataIntact'> {
  const told = database.status?.conditions?.find(({ type }) => type === 'DataIntact');
  const { reason: word, message } = capacity?.integrity ?? told ?? {};
  const reason = conditionReasons.DataIntact.find((one) => one === word);
  return reason === undefined || reason === 'NotKnown' || message === undefined
    ? ['Unknown', 'NotKnown', 'no engine that verifies its data file has been asked yet']
    : [reason === 'Damaged' ? 'False' : 'True', reason, message];
}

/** Adds a failed write to the message, whatever the reason is. */
const withFailure = (
  { failure }: Plan,
  [reason, message]: readonly [ProgressReason, string],
): readonly [ProgressReason, string] =>
  failure === undefined || reason === ProgressReason.WriteFailed
    ? [reason, message]
    : [reason, `${failure}; ${message}`];

/** The most specific reason why the database is not settled. */
function progressOf(
  plan: Plan,
  tally: DatabaseTally,
  verdicts: {
    healthy: Verdict<'ReplicasHealthy'>;
    storage: Verdict<'StorageReady'>;
    version: Verdict<'VersionUpToDate'>;
  },
): readonly [ProgressReason, string] {
  if (plan.leftUndone !== undefined && plan.leftUndone.length > 0)
    return [ProgressReason.Paused, paused(plan)[2]];
  if (plan.deleting) return [ProgressReason.Deleting, 'the database is being deleted'];
  if (tally.suspended) {
    const stopped = tally.rows.every((row) => row.state === 'Absent');
    return stopped
      ? [ProgressReason.Suspended, 'the database is suspended; set spec.suspend to false to go on']
      : [ProgressReason.Suspending, 'the replicas are stopping'];
  }
  if (!hasBegun(plan.facts)) {
    return [ProgressReason.Bootstrapping, plan.waiting ?? 'the database is being made'];
  }
  if (plan.recovering)
    return [ProgressReason.Recovering, plan.waiting ?? 'a replica is being made again'];
  if (tally.rows.some((row) => row.state === 'Failing')) {
    return [ProgressReason.ReplicaFailing, verdicts.healthy[2]];
  }
  if (plan.activeVersion !== undefined && verdicts.version[0] !== 'True') {
    const rolling = verdicts.version[1] !== 'WaitingForRelease';
    return [
      rolling ? ProgressReason.RollingOut : ProgressReason.UpgradePending,
      verdicts.version[2],
    ];
  }
  if (verdicts.healthy[0] !== 'True' || verdicts.version[0] !== 'True') {
    return [
      ProgressReason.Starting,
      verdicts.healthy[0] === 'True' ? verdicts.version[2] : verdicts.healthy[2],
    ];
  }
  if (verdicts.storage[0] === 'True' && plan.failure !== undefined)
    return [ProgressReason.WriteFailed, plan.failure];
  return [ProgressReason.Resizing, verdicts.storage[2]];
}

function ready(
  plan: Plan,
  tally: DatabaseTally,
  settled: boolean,
  progress: readonly [ProgressReason, string],
  full: string | undefined,
): Verdict<'Ready'> {
  if (plan.stall !== undefined) return ['False', plan.stall.reason, plan.stall.message];
  if (settled && !tally.suspended && !plan.deleting) {
    if (full !== undefined) return ['False', ProgressReason.CapacityFull, full];
    return ['True', ProgressReason.AllHealthy, 'the database matches its spec and is healthy'];
  }
  return ['False', progress[0], progress[1]];
}

function reconciling(
  plan: Plan,
  tally: DatabaseTally,
  settled: boolean,
  progress: readonly [ProgressReason, string],
): Verdict<'Reconciling'> {
  if (plan.stall !== undefined)
    return ['False', ProgressReason.Stalled, 'a person must act; see the condition Stalled'];
  const resting =
    progress[0] === ProgressReason.Paused ||
    progress[0] === ProgressReason.Suspended ||
    (settled && !plan.deleting);
  if (resting) return ['False', ProgressReason.Settled, 'no work is left'];
  return ['True', progress[0], progress[1]];
}
