/**
 * Work of the job that changes a database's shape, its number of replicas: after a backup while it serves, the resource is deleted under
 * `BackupThenRetain`, and another one of the same name and ID begins with the last backup. Every step is found again by what is there, so
 * that any worker goes on. What decides is written before it is acted on.
 */
import { ApiError } from '../../base/kube/kube.ts';
import type { CatalogSpec, DatabaseObject, DatabaseSpec } from '../../domain/custom-resources.ts';
import { annotations, backupIdOf, uidOf } from '../../domain/names.ts';
import { sentence } from '../../base/sentence.ts';
import { clusterRefusalOf } from '../jobs/cluster-refusal.ts';
import type { JobContext, JobOutcome } from '../jobs/handler.ts';
import { showStep } from '../jobs/show-step.ts';
import type { BackupWriter } from '../kubernetes/backup-writer.ts';
import {
  NotOurs,
  type DatabaseIdentity,
  type DatabaseWriter,
} from '../kubernetes/database-writer.ts';
import type {
  ConfigurationChange,
  GivenUp,
  ReplacedResource,
} from '../model/configuration-change.ts';
import { canonicalJson } from '../model/canonical-json.ts';
import { lockDatabase, updateDatabase } from '../store/databases.ts';
import { updateConfigurationChange } from '../store/configuration-changes.ts';
import type { Database } from '../store/database-record.ts';
import type { Store } from '../store/store.ts';
import { readChangeWorld } from './change-world.ts';
import { planChange } from './plan-change.ts';
import { backUpFirst, lastBackupOf, removeUnfinished } from './shape-backups.ts';
import {
  begunOf,
  goesOn,
  isHeld,
  isNewShape,
  troubleOf,
  whatGoes,
  whyNotBegun,
} from './shape-progress.ts';
import { reshaped } from './shape.ts';

export interface ShapeWorld {
  readonly store: Store;
  readonly writer: DatabaseWriter;
  readonly backups: BackupWriter;
  readonly catalog: () => CatalogSpec | undefined;
  readonly nowMs: () => number;
}

interface Work {
  readonly world: ShapeWorld;
  readonly context: JobContext;
  readonly change: ConfigurationChange;
  readonly database: Database;
  readonly identity: DatabaseIdentity;
}

type Replacing = Work & { readonly replaced: ReplacedResource };

const soonMs = 1_000;
const lookAgainMs = 5_000;

const again = (afterMs = soonMs): JobOutcome => ({ kind: 'again', afterMs });

/** `postponed`: puts the change off if its maintenance window has ended; nothing is replaced then. */
export async function changeShape(
  world: ShapeWorld,
  context: JobContext,
  { change, database }: { readonly change: ConfigurationChange; readonly database: Database },
  postponed: () => Promise<boolean>,
): Promise<JobOutcome | 'postponed'> {
  const { kubernetesNamespace: namespace, name, id: databaseId } = database;
  const identity = { namespace, name, databaseId };
  const work = { world, context, change, database, identity };
  const { replaced } = change;
  if (replaced === null) return (await postponed()) ? 'postponed' : prepare(work);
  const replacing = { ...work, replaced };
  const found = await world.writer.read(identity);
  if (found?.metadata.uid === replaced.uid) return leave(replacing, found);
  if (found !== undefined) return settle(replacing, found);
  // Somebody deleted the resource in which the database went on, and which may have taken writes: the watch marks the database as
  // deleted, which ends this job. To begin again with the last backup would hide them.
  return isSucceeded(replacing) ? again(lookAgainMs) : goOn(replacing);
}

/** Whether the row follows another resource than those that this change takes away. */
const isSucceeded = ({ database: { kubernetesUid }, replaced }: Replacing): boolean =>
  kubernetesUid !== replaced.uid && kubernetesUid !== replaced.removing;

/** Makes sure that the change is still as it was accepted, and that the store takes backups, while the database serves. */
async function prepare(work: Work): Promise<JobOutcome> {
  const { world, context, change, database } = work;
  const catalog = world.catalog();
  // A process that has just started does not know the catalog yet.
  if (catalog === undefined) return again();
  const sources = { db: world.store.read, writer: world.writer, catalog };
  const seen = await readChangeWorld(sources, database, change.request);
  const { diff } = planChange(seen, change.request);
  if (canonicalJson(diff) !== canonicalJson(change.diff)) {
    const message =
      'The database was changed after this change was planned; nothing of it was begun';
    return failed('changed_meanwhile', message);
  }
  const outcome = await backUpFirst(world, context, { change, database });
  if (outcome !== 'made') return outcome;
  const { object } = seen;
  const { workload, clusterId } = object.status ?? {};
  if (workload === undefined || clusterId === undefined) return again(lookAgainMs);
  const inTheWay = await removeUnfinished(world.backups, database, workload);
  if (inTheWay !== undefined) return failed('backup_in_the_way', inTheWay);
  await record(work, { uid: uidOf(object), workload, clusterId, spec: asItIs(object) });
  return again(0);
}

/** Has the operator make the last backup, stop all replicas, and let the resource go. */
async function leave(work: Replacing, found: DatabaseObject): Promise<JobOutcome> {
  const { context, replaced, identity, world } = work;
  const { writer } = world;
  const policy = found.spec.deletionPolicy;
  if (found.metadata.deletionTimestamp === undefined) {
    await showStep(context, 'last_backup', 30, 'The replicas are about to stop.');
    if (!isHeld(found)) {
      await writer.change(identity, replaced.uid, { deletionPolicy: 'BackupThenRetain' });
      return again();
    }
    const { deletionPolicy, deletionProtection } = replaced.spec;
    const spec = { ...asItIs(found), deletionPolicy, deletionProtection };
    if (canonicalJson(spec) !== canonicalJson(replaced.spec)) {
      // Somebody has changed it in the last moment.
      await record(work, { ...replaced, spec });
      return again(0);
    }
    await mustBeOurs(context);
    await writer.delete(identity, replaced.uid, {
      unprotect: true,
      deletionPolicy: 'BackupThenRetain',
    });
    return again();
  }
  // Under BackupThenDelete the same backup is made: only the old volumes go, as somebody wants.
  const backsUp = policy === 'BackupThenRetain' || policy === 'BackupThenDelete';
  const trouble = troubleOf(found) ?? (backsUp ? undefined : policyChanged);
  if (trouble !== undefined && replaced.givenUp === undefined) {
    const givenUp = { from: 'volumes', code: 'last_backup_failed', message: trouble } as const;
    await record(work, { ...replaced, givenUp });
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

/** The spec that another resource needs in order to be as this one is. */
const asItIs = (object: DatabaseObject): DatabaseSpec =>
  reshaped(object, object.status?.resolved?.topology?.name as DatabaseSpec['topology']);

/** Makes the resource in which the database goes on. */
async function goOn(work: Replacing): Promise<JobOutcome> {
  const { world, context, database, replaced, identity } = work;
  const fromVolumesOnly = replaced.givenUp?.from === 'volumes';
  if (fromVolumesOnly) await removeUnfinished(world.backups, database, replaced.workload);
  const last = await lastBackupOf(world.backups, database, replaced.workload);
  if (last?.state === 'running' && !fromVolumesOnly) {
    await showStep(context, 'last_backup', 45, 'The last backup is still being made.');
    return again();
  }
  const isBackedUp = last?.state === 'succeeded' && !fromVolumesOnly;
  if (isBackedUp && replaced.backupId !== backupIdOf(last.uid)) {
    await record(work, { ...replaced, backupId: backupIdOf(last.uid) });
    return again(0);
  }
  if (!isBackedUp && replaced.givenUp === undefined) {
    const message = last?.message ?? 'the resource went without a last backup';
    const givenUp = { from: 'volumes', code: 'last_backup_failed', message } as const;
    await record(work, { ...replaced, givenUp });
    return again(0);
  }
  await showStep(context, 'create_resource', 55, wordsOf(replaced.givenUp));
  await mustBeOurs(context);
  try {
    const spec = isBackedUp
      ? fromBackup(work, backupIdOf(last.uid))
      : fromVolumes(protectedAs(database, replaced), database.id);
    const made = await world.writer.create(identity, spec, {
      [annotations.manuallyApproved]: 'true',
    });
    if (!goesOn(database, replaced, made)) return conflict(database);
    await place(work, made);
  } catch (error) {
    if (error instanceof NotOurs)
      return error.going ? again() : failed('name_conflict', error.message);
    const refusal = clusterRefusalOf(error);
    if (refusal === undefined) throw error;
    if (replaced.givenUp === undefined) {
      const givenUp = { from: 'backup', code: refusal.code, message: refusal.message } as const;
      await record(work, { ...replaced, givenUp });
      return again(0);
    }
    await showStep(context, 'create_resource', 55, `Kubernetes refuses it: ${refusal.message}`);
    return again(lookAgainMs);
  }
  return again();
}

const wordsOf = (givenUp: GivenUp | undefined): string =>
  givenUp === undefined
    ? 'The new replicas begin with the last backup.'
    : `${sentence(givenUp.message)} The database comes back in its earlier shape.`;

function fromBackup({ change, replaced, database }: Replacing, backupId: string): DatabaseSpec {
  const { clusterId, givenUp } = replaced;
  const spec = protectedAs(database, replaced);
  const wanted = givenUp === undefined ? change.request.clusterConfiguration : spec.topology;
  return {
    ...spec,
    ...(wanted !== undefined && { topology: wanted }),
    clusterId,
    bootstrap: { backup: { databaseId: database.id, backupId } },
  };
}

/** The earlier spec. Protection that somebody asked for over HTTP meanwhile is in the row alone. */
const protectedAs = (
  { deletionProtection }: Database,
  { spec }: ReplacedResource,
): DatabaseSpec => ({
  ...spec,
  deletionProtection: spec.deletionProtection || deletionProtection,
});

/** Volumes already have a cluster ID and the version that wrote them last. */
function fromVolumes(earlier: DatabaseSpec, databaseId: string): DatabaseSpec {
  const { version: _version, clusterId: _clusterId, ...spec } = earlier;
  return { ...spec, bootstrap: { volumes: { databaseId } } };
}

/** Follows the resource in which the database goes on, until it serves. */
async function settle(work: Replacing, found: DatabaseObject): Promise<JobOutcome> {
  const { world, context, change, database, replaced } = work;
  if (!goesOn(database, replaced, found)) return conflict(database);
  if (database.kubernetesUid !== found.metadata.uid) await place(work, found);
  const { givenUp } = replaced;
  const isNew = isNewShape(found, change);
  const begun = found.status?.bootstrapped === true;
  if (givenUp !== undefined && isNew && !begun) return remove(work, found);
  if (givenUp !== undefined && isNew) {
    // It has begun after all, and may have taken writes: there is no way back.
    await keep(work, found);
    const { givenUp: _, removing: _removing, ...forward } = replaced;
    await record(work, forward);
    return again(0);
  }
  const why = givenUp === undefined && isNew ? whyNotBegun(found, world.nowMs()) : undefined;
  if (why !== undefined) {
    await record(work, { ...replaced, givenUp: { from: 'backup', ...why } });
    return again(0);
  }
  const { step, percent, message, serves } = begunOf(found);
  if (!serves) {
    await showStep(context, step, percent, message);
    return again(lookAgainMs);
  }
  if (givenUp !== undefined) {
    return failed(givenUp.code, givenUp.message);
  }
  await context.step('start_replicas', 'SUCCEEDED', { percent: 100 });
  return { kind: 'succeeded' };
}

/** Deletes a resource whose replicas have never run, with its volumes: the API server checks that it is as it was read. */
async function remove(work: Replacing, found: DatabaseObject): Promise<JobOutcome> {
  const { world, context, replaced } = work;
  const { writer } = world;
  const { deletionTimestamp, generation = 0 } = found.metadata;
  await showStep(context, 'create_resource', 50, 'The new replicas are taken away again.');
  if (replaced.removing !== found.metadata.uid) {
    // From then on the watch takes its absence for no deletion of the database.
    await record(work, { ...replaced, removing: uidOf(found) });
    return again(0);
  }
  if (deletionTimestamp !== undefined) return again();
  if (found.spec.deletionPolicy !== 'Delete' || found.spec.deletionProtection) {
    await unlessChanged(() =>
      writer.changeIf(found, { deletionPolicy: 'Delete', deletionProtection: false }),
    );
    return again();
  }
  // The operator holds the volumes from then on, and deletes them with the resource.
  if ((found.status?.observedGeneration ?? 0) < generation) return again();
  await unlessChanged(() => writer.deleteIf(found));
  return again();
}

/** Puts back what `remove` has written into a resource that began after all. */
async function keep({ world, identity, database, replaced }: Replacing, found: DatabaseObject) {
  if (replaced.removing !== found.metadata.uid) return;
  const { deletionPolicy, deletionProtection } = protectedAs(database, replaced);
  await world.writer.change(identity, uidOf(found), { deletionPolicy, deletionProtection });
}

async function unlessChanged(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    // The next look reads it again.
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
  }
}

/** From now on the row follows this resource. */
async function place({ context, database }: Work, made: DatabaseObject): Promise<void> {
  await context.write(async (write) => {
    const before = await lockDatabase(write, database.id);
    const kubernetesUid = uidOf(made);
    if (before === undefined || before.kubernetesUid === kubernetesUid) return;
    await updateDatabase(write, database.id, { kubernetesUid, observed: null });
  });
}

const record = ({ context, change }: Work, replaced: ReplacedResource): Promise<unknown> =>
  context.write((write) => updateConfigurationChange(write, change.id, { replaced }));

/** Throws if another worker has the job by now. */
const mustBeOurs = (context: JobContext): Promise<void> => context.write(async () => {});

const conflict = ({ name }: Database): JobOutcome =>
  failed(
    'name_conflict',
    `Somebody else has made a LedgerDatabase ${name}. Delete it, then retry the job`,
  );

const failed = (code: string, message: string): JobOutcome => ({
  kind: 'failed',
  error: { code, message: sentence(message) },
  retryable: code === 'name_conflict',
});
