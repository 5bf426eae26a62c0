/** Progress of a change that was written into the resource, from the operator's status. Pure. */
import { sentence } from '../../base/sentence.ts';
import { ConditionType } from '../../domain/conditions.ts';
import type { Condition, DatabaseObject } from '../../domain/custom-resources.ts';
import type { ConfigurationChange } from '../model/configuration-change.ts';
import { asksToArchive, memberOf } from './impact.ts';
import type { ChangeStep } from './change-jobs.ts';

type ChangeProgress =
  | {
      readonly kind: 'going_on';
      readonly step: ChangeStep;
      readonly percent: number;
      readonly message: string;
    }
  | { readonly kind: 'done' }
  | {
      readonly kind: 'failed';
      readonly code: string;
      readonly message: string;
      /** Whether the operator has done nothing of the change, so that the spec can be put back. */
      readonly untouched: boolean;
    };

/** Time for which a replica may fail before the change counts as failed: something that it needs may still be on its way. */
const failingMaxMs = 150_000;

type Written = Pick<ConfigurationChange, 'diff' | 'impact'> & { readonly generation: number };

export function progressOf(change: Written, object: DatabaseObject, nowMs: number): ChangeProgress {
  const { status } = object;
  const condition = (type: string): Condition | undefined => {
    const row = status?.conditions?.find((one) => one.type === type);
    // An older condition says nothing about this spec.
    return row !== undefined && (row.observedGeneration ?? 0) >= change.generation
      ? row
      : undefined;
  };
  const stalled = condition(ConditionType.Stalled);
  const reconciling = condition(ConditionType.Reconciling);
  if ((status?.observedGeneration ?? 0) < change.generation || stalled === undefined) {
    return goingOn('accept', 10, 'Waiting for the operator.');
  }
  const paused = condition(ConditionType.Paused);
  if (paused?.status === 'True') {
    return goingOn('accept', 10, `The database is paused in Kubernetes: ${paused.message}.`);
  }
  if (stalled.status === 'True') {
    const untouched = refusals.test(stalled.reason);
    return { kind: 'failed', code: 'stalled', message: stalled.message, untouched };
  }
  if (reconciling?.status === 'False') {
    return withoutStore(change, condition(ConditionType.ContinuousArchiving)) ?? { kind: 'done' };
  }
  return failure(object, condition, nowMs) ?? working(change, object, condition);
}

/** Reasons for which the operator accepts no part of a spec. */
const refusals =
  /^(Unknown|Invalid|.*Unsupported$|.*Unavailable$|StorageOutOfRange|CatalogMissing)/;

/** The operator does everything else of a change, and cannot archive. */
function withoutStore(
  { diff }: Written,
  archiving: Condition | undefined,
): ChangeProgress | undefined {
  if (!asksToArchive(diff) || archiving?.reason !== 'StoreNotConfigured') return undefined;
  const { message } = archiving;
  return { kind: 'failed', code: 'backups_not_configured', message, untouched: diff.length === 1 };
}

type Conditions = (type: string) => Condition | undefined;

function failure(
  { status }: DatabaseObject,
  condition: Conditions,
  nowMs: number,
): ChangeProgress | undefined {
  const storage = condition(ConditionType.StorageReady);
  const grew = storage?.reason === 'ExpansionFailed' || storage?.reason === 'ExpansionNotSupported';
  if (grew && storage !== undefined) {
    return {
      kind: 'failed',
      code: 'storage_not_grown',
      message: storage.message,
      untouched: false,
    };
  }
  const failing = status?.members?.find(({ state }) => state === 'Failing');
  const unhealthy = condition(ConditionType.ReplicasHealthy);
  if (failing === undefined || unhealthy?.status !== 'False') return undefined;
  if (nowMs - Date.parse(unhealthy.lastTransitionTime) < failingMaxMs) return undefined;
  const { pod, reason = 'it fails', message = '' } = failing;
  return {
    kind: 'failed',
    code: 'replica_failing',
    message: `${pod}: ${reason}${message === '' ? '' : `, ${message}`}`,
    untouched: false,
  };
}

function working(
  { diff, impact }: Written,
  { status }: DatabaseObject,
  condition: Conditions,
): ChangeProgress {
  const changed = (member: string) => diff.find(({ path }) => memberOf(path) === member)?.to;
  const replicas = status?.resolved?.topology?.replicas ?? 1;
  const why = condition(ConditionType.Ready)?.message ?? '';
  if (changed('suspended') === true) {
    return goingOn(
      'stop_replicas',
      50,
      sentence(condition(ConditionType.Suspended)?.message ?? why),
    );
  }
  if (changed('suspended') === false) {
    const ready = status?.replicas?.ready ?? 0;
    return goingOn(
      'start_replicas',
      30 + (60 * ready) / replicas,
      `${ready} of ${replicas} replicas serve. ${sentence(why)}`,
    );
  }
  if (impact.rollingRestart && condition(ConditionType.VersionUpToDate)?.status !== 'True') {
    const rolled = status?.version?.rolled ?? 0;
    const [blocked] = status?.rollout?.blocked ?? [];
    const named = changed('engineVersion') ?? changed('clusterSize');
    const settings = changed('parameters') === undefined ? 'new settings' : 'new parameters';
    const target = typeof named === 'string' ? named : settings;
    const held =
      blocked === undefined
        ? ''
        : ` ${blocked.pod} waits (${blocked.predicate}): ${sentence(blocked.message)}`;
    return goingOn(
      'replace_replicas',
      20 + (70 * rolled) / replicas,
      `Replica ${Math.min(rolled + 1, replicas)} of ${replicas} on ${target}; ${rolled} done.${held}`,
    );
  }
  if (changed('selectedStorageGb') !== undefined) {
    const storage = condition(ConditionType.StorageReady);
    if (storage?.status === 'False') return goingOn('grow_storage', 40, sentence(storage.message));
  }
  return goingOn('settle', 90, sentence(why));
}

const goingOn = (step: ChangeStep, percent: number, message: string): ChangeProgress => ({
  kind: 'going_on',
  step,
  percent: Math.floor(percent),
  message,
});
