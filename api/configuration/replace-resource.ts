/**
 * Replaces the resource of a database by another one of the same name and ID: deletes it, makes the next one, and follows that until it
 * serves. Every step is found again by what is there, so that any worker goes on. What decides is written before it is acted on.
 */
import { ApiError } from '../../base/kube/kube.ts';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import { annotations, backupIdOf, uidOf } from '../../domain/names.ts';
import { sentence } from '../../base/sentence.ts';
import { clusterRefusalOf } from '../jobs/cluster-refusal.ts';
import type { JobContext, JobOutcome } from '../jobs/handler.ts';
import { showStep } from '../jobs/show-step.ts';
import type { BackupWriter } from '../kubernetes/backup-writer.ts';
import { NotOurs, type DatabaseIdentity } from '../kubernetes/database-writer.ts';
import type {
  ConfigurationChange,
  GivenUp,
  ReplacedResource,
} from '../model/configuration-change.ts';
import { canonicalJson } from '../model/canonical-json.ts';
import type { Database } from '../store/database-record.ts';
import { keepState, stateKept } from './earlier-state.ts';
import { asItIs, fromBackup, fromVolumes, protectedAs } from './replacement-specs.ts';
import { lastBackupOf, placeBefore, removeUnfinished } from './shape-backups.ts';
import {
  adoptsVolumes,
  begunOf,
  goesOn,
  isHeld,
  isWanted,
  troubleOf,
  volumesAreGone,
  volumesDoNotFit,
  whatGoes,
  whyNotBegun,
} from './shape-progress.ts';
import { writeWhileOurs, type ResourceWriter } from './write-while-ours.ts';

/** Who may write for the job, and where it notes what decides. */
export interface ReplacementNotes {
  record(replaced: ReplacedResource): Promise<void>;
  /** Nothing is replaced: the resource stays, and its absence is a deletion of the database again. */
  forget(): Promise<void>;
  /** From now on the row of the database follows this resource. */
  place(made: DatabaseObject): Promise<void>;
  /** Throws if another worker has the job by now. */
  mustBeOurs(): Promise<void>;
  /** Why the earlier state to which the database goes back cannot be had any more; `undefined`: it can, or none is asked for. */
  whyGone(): Promise<string | undefined>;
}

export interface Replacing {
  readonly writer: ResourceWriter;
  readonly backups: BackupWriter;
  readonly nowMs: () => number;
  readonly context: Pick<JobContext, 'job' | 'step'>;
  readonly notes: ReplacementNotes;
  readonly change: Pick<ConfigurationChange, 'id' | 'request'>;
  readonly database: Pick<
    Database,
    'id' | 'name' | 'kubernetesNamespace' | 'kubernetesUid' | 'deletionProtection'
  >;
  readonly identity: DatabaseIdentity;
  readonly replaced: ReplacedResource;
}

const soonMs = 1_000;
/** While nobody is served; at most for the first minute of it. */
const momentMs = 200;
const momentsMs = 60_000;
const lookAgainMs = 5_000;
/** As long as the operator stops several replicas after their last backup; their pause of writes lasts a day. */
const stopsWithinMs = 20 * 3_600_000;

const again = (afterMs = soonMs): JobOutcome => ({ kind: 'again', afterMs });

export async function replaceResource(asked: Replacing): Promise<JobOutcome> {
  const { notes, replaced, identity } = asked;
  const writer = writeWhileOurs(asked.writer, () => notes.mustBeOurs());
  const work = { ...asked, writer };
  const found = await writer.read(identity);
  if (found !== undefined && found.metadata.uid !== replaced.uid) {
    if (found.status?.bootstrapped !== true) await keepIfPossible(work);
    return settle(work, found);
  }
  // Somebody deleted the resource in which the database went on, and which may have taken writes: the watch marks the database as
  // deleted, which ends this job. To begin again with what was there before would hide them.
  if (found === undefined && isSucceeded(work)) return again(lookAgainMs);
  if (found === undefined || found.metadata.deletionTimestamp !== undefined) {
    await keepIfPossible(work);
    return found === undefined ? goOn(work) : letGo(work, found);
  }
  return unlessRefused(work, found, async () => {
    await keepWanted(work);
    return letGo(work, found);
  });
}

const letGo = (work: Replacing, found: DatabaseObject): Promise<JobOutcome> =>
  work.replaced.inPlace === true ? hand(work, found) : leave(work, found);

/** Once its replicas stop, a database does not wait for that: without the backup it comes back as it was. */
async function keepIfPossible(work: Replacing): Promise<void> {
  try {
    await keepWanted(work);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

/** Until a next resource has begun, however long the last backup takes: that one is kept, and the wanted one of a database that goes back. */
async function keepWanted(work: Replacing): Promise<void> {
  const { backups, change, identity, notes } = work;
  const made = await backups.read(placeBefore(change, identity.namespace));
  if (made === undefined) return;
  await keepState(work, made, stateKept(change.request, made), () => notes.mustBeOurs());
}

/** Whether the row follows another resource than those that this change takes away. */
const isSucceeded = ({ database: { kubernetesUid }, replaced }: Replacing): boolean =>
  kubernetesUid !== replaced.uid && kubernetesUid !== replaced.removing;

/** Has the operator make the last backup, stop all replicas, and let the resource go. */
async function leave(work: Replacing, found: DatabaseObject): Promise<JobOutcome> {
  const { context, notes, replaced, identity, writer } = work;
  const policy = found.spec.deletionPolicy;
  if (found.metadata.deletionTimestamp === undefined) {
    await showStep(context, 'last_backup', 30, 'The replicas are about to stop.');
    const deletionPolicy = 'BackupThenRetain';
    if (!isHeld(found, deletionPolicy)) {
      await writer.change(identity, replaced.uid, { deletionPolicy });
      return again();
    }
    if (await recordedAnew(work, found)) return again(0);
    // No worker may have been there since the change began, for longer than anything is kept.
    const gone = await notes.whyGone();
    if (gone !== undefined)
      return takeBack(work, found, { code: 'moment_unavailable', message: gone });
    await writer.delete(identity, replaced.uid, { unprotect: true, deletionPolicy });
    return again();
  }
  // Under BackupThenDelete the same backup is made: only the old volumes go, as somebody wants.
  const backsUp = policy === 'BackupThenRetain' || policy === 'BackupThenDelete';
  const trouble = troubleOf(found) ?? (backsUp ? undefined : policyChanged);
  if (trouble !== undefined && replaced.givenUp === undefined) {
    const givenUp = { from: 'volumes', code: 'last_backup_failed', message: trouble } as const;
    await notes.record({ ...replaced, givenUp });
    return again(0);
  }
  if (replaced.givenUp !== undefined && policy !== 'Retain') {
    await writer.change(identity, replaced.uid, { deletionPolicy: 'Retain' });
    return again();
  }
  await showStep(context, 'last_backup', 40, whatGoes(found));
  return again();
}

const policyChanged =
  'somebody has changed the deletion policy of the resource that was being replaced';

/** Has the operator stop the replica and leave its volume to the next resource. The volume is never without this policy from then on. */
async function hand(work: Replacing, found: DatabaseObject): Promise<JobOutcome> {
  const { context } = work;
  if (found.metadata.deletionTimestamp === undefined) {
    await showStep(context, 'stop_replica', 30, 'The replica is about to stop.');
    if (await recordedAnew(work, found)) return again(0);
    await handOver(work, found);
    return again();
  }
  await showStep(context, 'stop_replica', 40, 'The replica stops; its volume stays as it is.');
  await keepHandedOver(work, found);
  const sinceMs = work.nowMs() - Date.parse(found.metadata.deletionTimestamp);
  return again(sinceMs < momentsMs ? momentMs : soonMs);
}

/**
 * Ends the change before anything has stopped if the cluster refuses the policy, as definitions of an earlier release do, or the deletion, or
 * that what the database needs is kept, as somebody's admission rule may. The resource goes on as it was, protected as before.
 */
async function unlessRefused(
  work: Replacing,
  found: DatabaseObject,
  write: () => Promise<JobOutcome>,
): Promise<JobOutcome> {
  try {
    return await write();
  } catch (error) {
    const refusal = clusterRefusalOf(error);
    if (refusal === undefined) throw error;
    return takeBack(work, found, refusal);
  }
}

async function takeBack(
  work: Replacing,
  found: DatabaseObject,
  { code, message }: { readonly code: string; readonly message: string },
): Promise<JobOutcome> {
  const { notes, writer, identity } = work;
  const { deletionPolicy, deletionProtection } = protectedAs(work);
  const { spec } = found;
  if (spec.deletionPolicy !== deletionPolicy || spec.deletionProtection !== deletionProtection)
    await writer.change(identity, uidOf(found), { deletionPolicy, deletionProtection });
  await notes.forget();
  return failed(code, message);
}

/** Whether somebody has changed the resource in the last moment: the next one is to be as it is now. */
async function recordedAnew({ notes, replaced }: Replacing, found: DatabaseObject) {
  const { deletionPolicy, deletionProtection } = replaced.spec;
  const spec = { ...asItIs(found), deletionPolicy, deletionProtection };
  if (canonicalJson(spec) === canonicalJson(replaced.spec)) return false;
  await notes.record({ ...replaced, spec });
  return true;
}

/**
 * Deletes a resource whose volumes are left to the next one, step by step, each only in the version that was read: once the operator holds
 * it, nobody else's policy and no replica that has begun meanwhile can come between.
 */
async function handOver({ writer }: Replacing, found: DatabaseObject): Promise<void> {
  const { spec, status, metadata } = found;
  const isSeen = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  if (spec.deletionPolicy !== 'HandOver' || spec.deletionProtection) {
    const policy = { deletionPolicy: 'HandOver', deletionProtection: false };
    await unlessChanged(() => writer.changeIf(found, policy));
    return;
  }
  if (isHeld(found, 'HandOver') && isSeen) await unlessChanged(() => writer.deleteIf(found));
}

/** Under another policy the volumes could go with the resource, or be kept for some days only. */
async function keepHandedOver({ writer }: Replacing, found: DatabaseObject): Promise<void> {
  if (found.spec.deletionPolicy === 'HandOver') return;
  await unlessChanged(() => writer.changeIf(found, { deletionPolicy: 'HandOver' }));
}

/** Makes the resource in which the database goes on. */
async function goOn(work: Replacing): Promise<JobOutcome> {
  const { writer, backups, context, notes, database, replaced, identity } = work;
  const goesBack = work.change.request.restoredTo !== undefined;
  const fromVolumesOnly = replaced.givenUp?.from === 'volumes';
  const removeLast = () =>
    removeUnfinished(backups, database, replaced.workload, () => notes.mustBeOurs());
  if (fromVolumesOnly) await removeLast();
  const last = await lastBackupOf(backups, database, replaced.workload);
  // Somebody has asked for it meanwhile, and nobody makes it: it would be taken for that of a later change.
  if (last?.state === 'queued' && replaced.inPlace === true) await removeLast();
  if (last?.state === 'running' && !fromVolumesOnly) {
    await showStep(context, lastStep(replaced), 45, 'The last backup is still being made.');
    return again();
  }
  // Of a database that goes on in place there is one only if somebody has changed the policy: the volumes are replaced by it then.
  const isBackedUp = last?.state === 'succeeded' && !fromVolumesOnly;
  if (isBackedUp && replaced.backupId !== backupIdOf(last.uid)) {
    if (replaced.givenUp === undefined && mayHaveGoneOn(work, last)) {
      // Volumes that the operator has marked as replaced by the backup cannot be adopted: then nobody wrote, and that backup has everything.
      const givenUp = { from: 'volumes', code: 'last_backup_failed', message: tooLate } as const;
      await notes.record({ ...replaced, givenUp });
      return again(0);
    }
    const { notArchived, end } = last;
    const backupId = backupIdOf(last.uid);
    if (goesBack && end === undefined && replaced.givenUp === undefined) {
      // Without it the other history would have the numbers of this one.
      const message = 'the last backup does not say with which operation the log ended';
      const givenUp = { from: 'backup', code: 'last_backup_failed', message } as const;
      await notes.record({ ...replaced, backupId, givenUp });
      return again(0);
    }
    const follows = goesBack ? end : undefined;
    await notes.record({
      ...replaced,
      backupId,
      ...(follows && { follows }),
      ...(notArchived && { notArchived }),
    });
    return again(0);
  }
  if (!isBackedUp && replaced.inPlace !== true && replaced.givenUp === undefined) {
    const said = last?.state === 'failed' ? last.message : undefined;
    const message = said ?? 'the resource went without a last backup';
    const givenUp = { from: 'volumes', code: 'last_backup_failed', message } as const;
    await notes.record({ ...replaced, givenUp });
    return again(0);
  }
  await showStep(context, 'create_resource', 55, wordsOf(work, isBackedUp));
  try {
    const spec = isBackedUp ? fromBackup(work, backupIdOf(last.uid)) : fromVolumes(work);
    const made = await writer.create(identity, spec, { [annotations.manuallyApproved]: 'true' });
    if (!goesOn(work, made)) return conflict(database);
    if (database.kubernetesUid !== made.metadata.uid) await notes.place(made);
  } catch (error) {
    if (error instanceof NotOurs)
      return error.going ? again() : failed('name_conflict', error.message);
    const refusal = clusterRefusalOf(error);
    if (refusal === undefined) throw error;
    if (replaced.givenUp === undefined) {
      const { code, message } = refusal;
      const from = isBackedUp ? 'backup' : 'volumes';
      await notes.record({ ...replaced, givenUp: { from, code, message } });
      return again(0);
    }
    await showStep(context, 'create_resource', 55, `Kubernetes refuses it: ${refusal.message}`);
    return again(lookAgainMs);
  }
  return again();
}

/**
 * Whether several replicas may have taken writes that their last backup does not have: their pause lasts a day, and nobody looked within it.
 * Somebody may have let the resource go without another backup then.
 */
const mayHaveGoneOn = (
  { replaced, nowMs }: Replacing,
  { completedAt }: { readonly completedAt: Date | undefined },
): boolean =>
  replaced.spec.topology !== 'single' && nowMs() - (completedAt?.getTime() ?? 0) >= stopsWithinMs;

const tooLate =
  'the replicas took no writes for a day after their last backup, and nobody saw them stop within it';

const lastStep = ({ inPlace }: ReplacedResource): 'stop_replica' | 'last_backup' =>
  inPlace === true ? 'stop_replica' : 'last_backup';

function wordsOf({ replaced: { givenUp }, change }: Replacing, isBackedUp: boolean): string {
  const goesBack = change.request.restoredTo !== undefined;
  if (givenUp !== undefined)
    return `${sentence(givenUp.message)} The database comes back ${goesBack ? 'as it was' : 'in its earlier shape'}.`;
  if (goesBack) return 'The new replicas begin with the earlier state.';
  return isBackedUp
    ? 'The new replicas begin with the last backup.'
    : 'The first of the new replicas goes on with the volume.';
}

/** Follows the resource in which the database goes on, until it serves. */
async function settle(work: Replacing, found: DatabaseObject): Promise<JobOutcome> {
  const { context, notes, nowMs, change, database, replaced } = work;
  if (!goesOn(work, found)) return conflict(database);
  if (database.kubernetesUid !== found.metadata.uid) await notes.place(found);
  const { givenUp } = replaced;
  const isNew = isWanted(found, change, replaced);
  const begun = found.status?.bootstrapped === true;
  const goes = isNew !== (givenUp === undefined) || replaced.removing === found.metadata.uid;
  if (goes) return begun ? stay(work, found) : remove(work, found);
  const why = isNew ? whyNotBegun(found, nowMs()) : undefined;
  if (why !== undefined) {
    const from = adoptsVolumes(found) ? 'volumes' : 'backup';
    await notes.record({ ...replaced, givenUp: { from, ...why } });
    return again(0);
  }
  const turns = !isNew && replaced.inPlace === true && replaced.turned !== true;
  if (turns && volumesDoNotFit(found)) {
    // All files of the new shape were made in the instant in which it was given up: the volumes are that shape's alone.
    const { givenUp: _, ...forward } = replaced;
    await notes.record({ ...forward, turned: true, removing: uidOf(found) });
    return again(0);
  }
  const areGone = volumesAreGone(found);
  if (
    givenUp?.from === 'volumes' &&
    replaced.inPlace !== true &&
    (areGone || volumesDoNotFit(found))
  ) {
    // They were replaced by the last backup or deleted before the policy that keeps them: what that backup has is all that there is. If only
    // some of them were, the others have no more than that within the pause of writes.
    const last = await lastBackupOf(work.backups, database, replaced.workload);
    if (last?.state === 'succeeded' && (areGone || !mayHaveGoneOn(work, last))) {
      const fromLast = { ...givenUp, from: 'backup' } as const;
      await notes.record({ ...replaced, givenUp: fromLast, removing: uidOf(found) });
      return again(0);
    }
  }
  const { step, percent, message, serves } = begunOf(found);
  if (!serves) {
    await showStep(context, step, percent, message);
    return again(lookAgainMs);
  }
  if (givenUp !== undefined) return failed(givenUp.code, givenUp.message);
  await context.step('start_replicas', 'SUCCEEDED', { percent: 100, message });
  return { kind: 'succeeded' };
}

/** A resource that was to be taken away has begun after all, and may have taken writes: there is no way back from it. */
async function stay(work: Replacing, found: DatabaseObject): Promise<JobOutcome> {
  const { writer, notes, identity, replaced } = work;
  if (replaced.removing === found.metadata.uid) {
    // What `remove` has written.
    const { deletionPolicy, deletionProtection } = protectedAs(work);
    await writer.change(identity, uidOf(found), { deletionPolicy, deletionProtection });
  }
  const { givenUp, removing: _, ...forward } = replaced;
  await notes.record(givenUp === undefined ? { ...forward, givenUp: turnedBack } : forward);
  return again(0);
}

const turnedBack: GivenUp = {
  from: 'volumes',
  code: 'new_shape_not_begun',
  message: 'The new replicas could not be made.',
};

/**
 * Takes away a resource whose replicas have never run: the API server checks that it is as it was read. Volumes that it made go with it;
 * one that it has adopted is the database's only one, and is left to the next resource.
 */
async function remove(work: Replacing, found: DatabaseObject): Promise<JobOutcome> {
  const { context, notes, writer, replaced } = work;
  const { deletionTimestamp, generation = 0 } = found.metadata;
  await showStep(context, 'create_resource', 50, 'The new replicas are taken away again.');
  if (replaced.removing !== found.metadata.uid) {
    // From then on the watch takes its absence for no deletion of the database.
    await notes.record({ ...replaced, removing: uidOf(found) });
    return again(0);
  }
  if (adoptsVolumes(found) && replaced.inPlace === true) {
    await (deletionTimestamp === undefined ? handOver : keepHandedOver)(work, found);
    return again();
  }
  if (deletionTimestamp !== undefined) return again();
  // One that was to adopt volumes has made none.
  const deletionPolicy = adoptsVolumes(found) ? 'Retain' : 'Delete';
  if (found.spec.deletionPolicy !== deletionPolicy || found.spec.deletionProtection) {
    const policy = { deletionPolicy, deletionProtection: false } as const;
    await unlessChanged(() => writer.changeIf(found, policy));
    return again();
  }
  // The operator holds the volumes from then on, and deletes them with the resource.
  if ((found.status?.observedGeneration ?? 0) < generation) return again();
  await unlessChanged(() => writer.deleteIf(found));
  return again();
}

async function unlessChanged(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    // The next look reads it again.
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
  }
}

const conflict = ({ name }: Pick<Database, 'name'>): JobOutcome =>
  failed(
    'name_conflict',
    `Somebody else has made a LedgerDatabase ${name}. Delete it, then retry the job`,
  );

const failed = (code: string, message: string): JobOutcome => ({
  kind: 'failed',
  error: { code, message: sentence(message) },
  retryable: code === 'name_conflict',
});
