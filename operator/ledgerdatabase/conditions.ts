/** The conditions, all from the same observation; reasons are from closed lists (docs/operating/conditions.md). */
import {
  conditionReasons,
  ConditionType,
  ProgressReason,
  type ReasonOf,
} from '../../domain/conditions.ts';
import type { Condition } from '../../domain/resources.ts';
import { annotations } from '../../domain/names.ts';
import { pathsInWords } from '../manifests/intent.ts';
import { setConditions, type NextCondition } from '../runtime/conditions.ts';
import type { Draft } from './draft.ts';
import type { Observation } from './observation.ts';
import type { DatabaseTally } from './tally.ts';

type Verdict<Type extends ConditionType> = readonly [
  status: Condition['status'],
  reason: ReasonOf<Type>,
  message: string,
];

export function conditionsOf(
  observed: Observation,
  draft: Draft,
  tally: DatabaseTally,
): Condition[] {
  const storage = storageReady(observed, draft, tally);
  const version = versionUpToDate(draft, tally);
  const healthy = replicasHealthy(draft, tally);
  const held = draft.leftUndone !== undefined && draft.leftUndone.length > 0;
  const settled =
    !held &&
    healthy[0] === 'True' &&
    storage[0] === 'True' &&
    version[0] === 'True' &&
    draft.failure === undefined;
  const capacity = capacityLeft(observed);
  const full = capacity[1] === 'Full' ? capacity[2] : undefined;
  const progress = withFailure(draft, progressOf(draft, tally, { healthy, storage, version }));
  const verdicts: { readonly [Type in ConditionType]: Verdict<Type> } = {
    Available: available(draft, tally),
    Ready: ready(draft, tally, settled, progress, full),
    Reconciling: reconciling(draft, tally, settled, progress),
    Stalled:
      draft.stall === undefined
        ? ['False', 'NotStalled', 'nothing waits for a person']
        : ['True', draft.stall.reason, draft.stall.message],
    Bootstrapped: bootstrapped(observed, draft),
    ReplicasHealthy: healthy,
    StorageReady: storage,
    VersionUpToDate: version,
    Suspended: suspended(draft, tally),
    Paused: paused(draft),
    BackupHealthy: ['Unknown', 'NotConfigured', 'no backups are configured'],
    CapacityLeft: capacity,
    Autogrow: autogrow(observed, draft),
  };
  const next: NextCondition[] = Object.values(ConditionType).map((type) => {
    const [status, reason, message] = verdicts[type];
    return { type, status, reason, message: message.slice(0, 1_024) };
  });
  return setConditions(observed.database.status?.conditions ?? [], next, {
    observedGeneration: observed.database.metadata.generation ?? 0,
    nowMs: observed.nowMs,
  });
}

function available(draft: Draft, tally: DatabaseTally): Verdict<'Available'> {
  if (tally.replicas > 0 && tally.ready >= tally.quorum) {
    return [
      'True',
      'QuorumServing',
      `${tally.ready} of ${tally.replicas} replicas serve, ${tally.quorum} are needed`,
    ];
  }
  if (draft.facts.bootstrapped !== true) {
    return ['False', 'NotBootstrapped', draft.waiting ?? 'the database has not started yet'];
  }
  if (tally.suspended)
    return ['False', 'Suspended', 'the database is suspended; set spec.suspend to false'];
  const lost = `${tally.ready} of ${tally.replicas} replicas serve, ${tally.quorum} are needed${troubles(draft, tally)}`;
  return ['False', 'QuorumLost', lost];
}

function replicasHealthy(draft: Draft, tally: DatabaseTally): Verdict<'ReplicasHealthy'> {
  if (tally.suspended) return ['False', 'Suspended', 'the database is suspended'];
  if (draft.facts.bootstrapped !== true)
    return ['False', 'NotBootstrapped', 'the database has not started yet'];
  if (tally.ready === tally.replicas)
    return ['True', 'AllHealthy', `all ${tally.replicas} replicas are ready`];
  return [
    'False',
    'Degraded',
    `${tally.ready} of ${tally.replicas} replicas are ready${troubles(draft, tally)}`,
  ];
}

/** Problems of the replicas that are not ready, as the end of a sentence. */
function troubles({ refusedPods }: Draft, { members }: DatabaseTally): string {
  const wrong = members.filter((member) => member.state !== 'Ready');
  const words = wrong.map((member) => {
    const why = member.reason === undefined ? '' : ` (${member.reason}: ${member.message ?? ''})`;
    return `${member.pod} is ${member.state.toLowerCase()}${why}`;
  });
  if (refusedPods !== undefined) words.unshift(refusedPods);
  return words.length === 0 ? '' : `: ${words.join('; ')}`;
}

function storageReady(
  observed: Observation,
  draft: Draft,
  tally: DatabaseTally,
): Verdict<'StorageReady'> {
  if (draft.storageProblem !== undefined) {
    return ['False', draft.storageProblem.reason, draft.storageProblem.message];
  }
  const { storage } = tally;
  const { claims } = observed.owned;
  if (storage === undefined || claims.length < tally.replicas || storage.capacityGb === undefined) {
    return ['False', 'Provisioning', 'not all volumes are bound yet'];
  }
  for (const claim of claims) {
    const trouble = claim.status?.conditions?.find(
      (row) => row.status === 'True' && /Error$|Infeasible/.test(row.type),
    );
    if (trouble !== undefined) {
      const back =
        storage.acknowledgedGb === undefined
          ? ''
          : `; to take it back set spec.storage.sizeGb to ${storage.acknowledgedGb}`;
      return [
        'False',
        'ExpansionFailed',
        `${claim.metadata.name}: ${trouble.message ?? trouble.type}${back}`,
      ];
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
    return ['False', 'Resizing', `${how}: ${storage.capacityGb} of ${storage.requestedGb} GB`];
  }
  return ['True', 'InSize', `every volume has ${storage.requestedGb} GB`];
}

function versionUpToDate(draft: Draft, tally: DatabaseTally): Verdict<'VersionUpToDate'> {
  const desired = draft.facts.resolved?.engine?.version;
  if (desired === undefined) return ['Unknown', 'Unresolved', 'the version is not resolved yet'];
  if (draft.activeVersion === undefined) {
    return ['False', 'NotStarted', draft.waiting ?? `version ${desired} does not run yet`];
  }
  const [blocked] = draft.blocked;
  if (blocked !== undefined) {
    return [
      'False',
      'Blocked',
      `${blocked.pod} is not replaced (${blocked.predicate}): ${blocked.message}`,
    ];
  }
  const outdated =
    !tally.suspended &&
    tally.members.some((member) => member.state !== 'Absent') &&
    tally.rolled < tally.replicas;
  if (outdated)
    return [
      'False',
      'RollingOut',
      `${tally.rolled} of ${tally.replicas} replicas have the newest revision`,
    ];
  if (draft.activeVersion !== desired) {
    return [
      'False',
      'WaitingForRelease',
      draft.waiting ?? `version ${draft.activeVersion} runs until all replicas have ${desired}`,
    ];
  }
  return ['True', 'UpToDate', `version ${desired} runs on every replica${templateNotes(draft)}`];
}

/** Harmless differences of the pods' template, as the end of a sentence. */
function templateNotes({ leftAlone, olderTemplate }: Draft): string {
  const notes = [
    ...(leftAlone.length === 0
      ? []
      : [`admission changed ${pathsInWords(leftAlone)}, which is left alone`]),
    ...(olderTemplate
      ? [
          `the pods' template is that of an earlier operator; for the newest one annotate the database with ${annotations.refreshTemplate}=WORD`,
        ]
      : []),
  ];
  return notes.map((note) => `; ${note}`).join('');
}

function bootstrapped(observed: Observation, draft: Draft): Verdict<'Bootstrapped'> {
  if (draft.facts.bootstrapped !== true) {
    return ['False', 'InProgress', draft.waiting ?? 'the data files do not exist yet'];
  }
  const inherited = observed.database.spec.bootstrap?.volumes !== undefined;
  return inherited
    ? ['True', 'Inherited', 'the volumes came with their data files']
    : ['True', 'Formatted', 'every replica got its data file'];
}

function suspended(draft: Draft, tally: DatabaseTally): Verdict<'Suspended'> {
  if (!tally.suspended) return ['False', 'NotSuspended', 'the database is meant to run'];
  const running = tally.members.filter((member) => member.state !== 'Absent').length;
  return running === 0
    ? ['True', 'Suspended', 'no replica runs; volumes and addresses stay']
    : ['False', 'Suspending', `${running} replicas are still stopping`];
}

/** Lists what is left undone: the first items, and the number of the others. */
function paused({ leftUndone }: Draft): Verdict<'Paused'> {
  if (leftUndone === undefined)
    return ['False', 'NotPaused', 'the operator does what the spec asks for'];
  const how = 'the operator only observes until spec.paused is false';
  if (leftUndone.length === 0) return ['True', 'Paused', `${how}; nothing is left undone`];
  const first = leftUndone.slice(0, 8).join(', ');
  const more = leftUndone.length > 8 ? `, and ${leftUndone.length - 8} more` : '';
  return ['True', 'Paused', `${how}; left undone: ${first}${more}`];
}

/** Uses the last known capacity while engines are silent, and while a new operator begins to ask them. */
/** As decided, or as last told while the spec cannot be met. */
function autogrow({ database }: Observation, draft: Draft): Verdict<'Autogrow'> {
  if (draft.autogrow !== undefined) return draft.autogrow;
  const told = database.status?.conditions?.find(({ type }) => type === 'Autogrow');
  const reason = conditionReasons.Autogrow.find((one) => one === told?.reason);
  return told === undefined || reason === undefined
    ? ['False', 'NotEnabled', 'the spec has not been met yet']
    : [told.status, reason, told.message];
}

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

/** Adds a failed write to the message, whatever the reason is. */
const withFailure = (
  { failure }: Draft,
  [reason, message]: readonly [ProgressReason, string],
): readonly [ProgressReason, string] =>
  failure === undefined || reason === ProgressReason.WriteFailed
    ? [reason, message]
    : [reason, `${failure}; ${message}`];

/** The most specific reason why the database is not settled. */
function progressOf(
  draft: Draft,
  tally: DatabaseTally,
  verdicts: {
    healthy: Verdict<'ReplicasHealthy'>;
    storage: Verdict<'StorageReady'>;
    version: Verdict<'VersionUpToDate'>;
  },
): readonly [ProgressReason, string] {
  if (draft.leftUndone !== undefined && draft.leftUndone.length > 0)
    return [ProgressReason.Paused, paused(draft)[2]];
  if (draft.deleting) return [ProgressReason.Deleting, 'the database is being deleted'];
  if (tally.suspended) {
    const stopped = tally.members.every((member) => member.state === 'Absent');
    return stopped
      ? [ProgressReason.Suspended, 'the database is suspended; set spec.suspend to false to go on']
      : [ProgressReason.Suspending, 'the replicas are stopping'];
  }
  if (draft.facts.bootstrapped !== true) {
    return [ProgressReason.Bootstrapping, draft.waiting ?? 'the database is being made'];
  }
  if (draft.recovering)
    return [ProgressReason.Recovering, draft.waiting ?? 'a replica is being made again'];
  if (tally.members.some((member) => member.state === 'Failing')) {
    return [ProgressReason.ReplicaFailing, verdicts.healthy[2]];
  }
  if (draft.activeVersion !== undefined && verdicts.version[0] !== 'True') {
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
  if (verdicts.storage[0] === 'True' && draft.failure !== undefined)
    return [ProgressReason.WriteFailed, draft.failure];
  return [ProgressReason.Resizing, verdicts.storage[2]];
}

function ready(
  draft: Draft,
  tally: DatabaseTally,
  settled: boolean,
  progress: readonly [ProgressReason, string],
  full: string | undefined,
): Verdict<'Ready'> {
  if (draft.stall !== undefined) return ['False', draft.stall.reason, draft.stall.message];
  if (settled && !tally.suspended && !draft.deleting) {
    if (full !== undefined) return ['False', ProgressReason.CapacityFull, full];
    return ['True', ProgressReason.AllHealthy, 'the database is as the spec asks and healthy'];
  }
  return ['False', progress[0], progress[1]];
}

function reconciling(
  draft: Draft,
  tally: DatabaseTally,
  settled: boolean,
  progress: readonly [ProgressReason, string],
): Verdict<'Reconciling'> {
  if (draft.stall !== undefined)
    return ['False', ProgressReason.Stalled, 'a person must act; see the condition Stalled'];
  const resting =
    progress[0] === ProgressReason.Paused ||
    progress[0] === ProgressReason.Suspended ||
    (settled && !draft.deleting);
  if (resting) return ['False', ProgressReason.Settled, 'no work is left'];
  return ['True', progress[0], progress[1]];
}
