/** Progress of the replacement of a resource, from its status. Pure. */
import { sentence } from '../../base/sentence.ts';
import { ConditionType, StallReason } from '../../domain/conditions.ts';
import { archivingAsked } from '../../domain/continuous-archiving.ts';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import { handOverFinalizer, labels, volumesFinalizer } from '../../domain/names.ts';
import type { ConfigurationChange, ReplacedResource } from '../model/configuration-change.ts';
import type { Database } from '../store/database-record.ts';
import type { ShapeStep } from './change-jobs.ts';

/** Time for the new replicas to get their data files made, or at least begun. */
const placedWithinMs = 15 * 60_000;
/** The same where no backup is read, and everybody waits: longer than a node or a volume needs to come. */
const placedInPlaceMs = 5 * 60_000;
/** The same where a database goes back: the log since the backup before its state is replayed. */
const placedGoingBackMs = 60 * 60_000;
/** Time for which the operator may be unable to go on: what it lacks may still be on its way. */
const stalledMaxMs = 60_000;

const conditionOf = ({ status }: DatabaseObject, wanted: string) =>
  status?.conditions?.find(({ type }) => type === wanted);

/** Whether the operator holds the resource until it has done what this policy asks for. */
export const isHeld = (
  { metadata, spec }: DatabaseObject,
  policy: 'BackupThenRetain' | 'HandOver',
): boolean =>
  spec.deletionPolicy === policy &&
  metadata.finalizers?.includes(policy === 'HandOver' ? handOverFinalizer : volumesFinalizer) ===
    true;

/** The reason why the operator cannot make the last backup. */
export function troubleOf(object: DatabaseObject): string | undefined {
  const stalled = conditionOf(object, ConditionType.Stalled);
  const isOfBackup =
    stalled?.status === 'True' && stalled.reason === StallReason.BackupsUnavailable;
  // The rest of the message is for those who run the cluster.
  return isOfBackup ? 'the last backup could not be made' : undefined;
}

/** The present work before the resource is deleted. */
export const whatGoes = (object: DatabaseObject): string => {
  const running = object.status?.replicas?.ready ?? 0;
  if (running > 0) return 'The last backup is made, and the replicas stop.';
  const made = 'The replicas are stopped; the last backup is made';
  return archivingAsked(object.spec) === null ? `${made}.` : `${made}. ${restOfLog}`;
};

/** As long as the engine's `backup` tries: three minutes, and one more for a request that has begun. */
const restOfLog =
  'Then the end of the log is archived: if the store does not take it within 4 minutes, the change goes on without it, and names the operations that the archive lacks.';

/**
 * Whether a resource is one that the change has made. The ID alone proves nothing: somebody may have made the resource again from a
 * manifest of before, and it would be empty, or begin with an older backup.
 */
export function goesOn(
  {
    database: { id },
    replaced: { backupId, follows, givenUp, inPlace, removing, spec: earlier },
    change: { request },
  }: {
    readonly database: Pick<Database, 'id'>;
    readonly replaced: Pick<
      ReplacedResource,
      'backupId' | 'follows' | 'givenUp' | 'inPlace' | 'removing' | 'spec'
    >;
    readonly change: Pick<ConfigurationChange, 'request'>;
  },
  { metadata, spec }: DatabaseObject,
): boolean {
  if (metadata.labels?.[labels.databaseId] !== id) return false;
  if (removing !== undefined && metadata.uid === removing) return true;
  const { backup, volumes } = spec.bootstrap ?? {};
  if (backup !== undefined) {
    // One that went back to a moment has no backup's ID, and neither has the change before its last backup.
    const isLast = backupId !== undefined && backup.backupId === backupId;
    const isEarlier = follows !== undefined && backup.follows?.op === follows.op;
    return backup.databaseId === id && (isLast || isEarlier);
  }
  if (volumes?.databaseId !== id) return false;
  const isNew = inPlace === true && spec.topology === request.clusterConfiguration;
  return isNew || (givenUp?.from === 'volumes' && spec.topology === earlier.topology);
}

/** Whether it has the database's only volumes, instead of having made its own from a backup. */
export const adoptsVolumes = ({ spec }: DatabaseObject): boolean =>
  spec.bootstrap?.volumes !== undefined;

/** Why the operator cannot go on until a person acts. */
export function stallOf(object: DatabaseObject): string | undefined {
  const stalled = conditionOf(object, ConditionType.Stalled);
  return stalled?.status === 'True' ? stalled.message : undefined;
}

/** Whether the operator says that the volumes are those of another shape. */
export const volumesDoNotFit = (object: DatabaseObject): boolean =>
  isStalledBy(object, StallReason.VolumesMismatch);

/** Whether the operator says that there is none that the database could go on with. */
export const volumesAreGone = (object: DatabaseObject): boolean =>
  isStalledBy(object, StallReason.VolumesNotFound);

function isStalledBy(object: DatabaseObject, reason: StallReason): boolean {
  const stalled = conditionOf(object, ConditionType.Stalled);
  return stalled?.status === 'True' && stalled.reason === reason;
}

/** Whether a resource is the one that was asked for, and not one in which the database comes back as it was. */
export const isWanted = (
  { spec }: DatabaseObject,
  { request }: Pick<ConfigurationChange, 'request'>,
  { backupId }: Pick<ReplacedResource, 'backupId'>,
): boolean => {
  if (request.restoredTo === undefined) return spec.topology === request.clusterConfiguration;
  const { backup } = spec.bootstrap ?? {};
  return backup !== undefined && backup.backupId !== backupId;
};

/** Why the new replicas are given up, none of which has ever run: they get no place, or no data file. */
export function whyNotBegun(
  object: DatabaseObject,
  nowMs: number,
): { readonly code: string; readonly message: string } | undefined {
  const { status, metadata } = object;
  if (status?.bootstrapped === true) return undefined;
  const stalled = conditionOf(object, ConditionType.Stalled);
  const isStalled =
    stalled?.status === 'True' && nowMs - Date.parse(stalled.lastTransitionTime) > stalledMaxMs;
  const goesBack = object.spec.bootstrap?.backup?.follows !== undefined;
  const fromBackup = goesBack ? placedGoingBackMs : placedWithinMs;
  const withinMs = adoptsVolumes(object) ? placedInPlaceMs : fromBackup;
  const isLate = nowMs - Date.parse(metadata.creationTimestamp ?? '') > withinMs;
  if (!isStalled && !isLate) return undefined;
  const { message } = isStalled
    ? stalled
    : (conditionOf(object, ConditionType.Ready) ?? { message: 'the operator did not begin' });
  return {
    code: 'new_shape_not_begun',
    message: `The new replicas could not be made. ${sentence(message)}`,
  };
}

interface Begun {
  readonly step: ShapeStep;
  readonly percent: number;
  readonly message: string;
  /**
   * Whether all replicas are ready, or are stopped on purpose. Those that go on with one's volume serve as soon as there is a leader: the
   * others fetch what it has meanwhile.
   */
  readonly serves: boolean;
}

export function begunOf(object: DatabaseObject): Begun {
  const { status } = object;
  const ready = conditionOf(object, ConditionType.Ready);
  const why = sentence(ready?.message ?? 'waiting for the operator');
  if (status?.bootstrapped !== true)
    return { step: 'prepare_volumes', percent: 65, message: why, serves: false };
  const count = status.replicas?.ready ?? 0;
  const all = status.resolved?.topology?.replicas ?? 1;
  const isReady = ready?.status === 'True';
  const leads = status.members?.some(({ state, role }) => state === 'Ready' && role === 'primary');
  const others = adoptsVolumes(object) && all > 1 && leads === true && !isReady;
  const message = others
    ? `The database serves; ${count} of ${all} replicas are ready, and the others fetch its state. ${why}`
    : `${count} of ${all} replicas serve. ${why}`;
  // One that somebody has stopped meanwhile serves when it is resumed: that must not wait for this change.
  const serves = isReady || others || object.spec.suspend === true;
  return { step: 'start_replicas', percent: 75 + Math.floor((20 * count) / all), message, serves };
}
