/**
 * Work of the job that applies a change: writes the spec once, then follows the operator's status until the database matches
 * it. It may be killed at any moment: the next call finds in the row whether the spec was written, and in the resource what has
 * happened since.
 */
import { ApiError } from '../../base/kube/kube.ts';
import { sentence } from '../../base/sentence.ts';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import { managerOf } from '../databases/spec-change.ts';
import { clusterRefusalOf } from '../jobs/cluster-refusal.ts';
import { mustBeOurs, type JobContext, type JobHandler, type JobOutcome } from '../jobs/handler.ts';
import { canonicalJson } from '../model/canonical-json.ts';
import type {
  ChangeError,
  ChangeRequest,
  ConfigurationChange,
} from '../model/configuration-change.ts';
import type { FieldChange } from '../model/event.ts';
import type { Job } from '../model/job.ts';
import { Refusal } from '../model/refusal.ts';
import type { Change } from '../store/change.ts';
import {
  findConfigurationChange,
  updateConfigurationChange,
} from '../store/configuration-changes.ts';
import type { Database } from '../store/database-record.ts';
import {
  findActiveProfile,
  findAnyDatabase,
  lockDatabase,
  updateDatabase,
} from '../store/databases.ts';
import { tellUpdate } from '../engine-updates/tell-update.ts';
import { isForced } from '../model/engine-update.ts';
import { tellChange, tellReturn } from './change-events.ts';
import { readChangeWorld } from './change-world.ts';
import { changeShape, keepNothing, leaveAsItIs, type ShapeWorld } from './change-shape.ts';
import { goesBack, isReplacement, memberOf } from './impact.ts';
import { labelsAfter, labelsBefore } from './labels.ts';
import { planChange, type ChangePlan, type ChangeWorld } from './plan-change.ts';
import { progressOf } from './progress.ts';
import { missed, nextWindow } from './waiting-changes.ts';
import { asksFor, overwrittenBy, patchBack, valueIn } from './spec-values.ts';

type ApplyingWorld = ShapeWorld;

const lookAgainMs = 5_000;
const soonMs = 500;
/** Consecutive conflicts with other writers after which the attempt ends; the job's next attempt continues. */
const conflictsMax = 20;

export const changeHandler = (world: ApplyingWorld): JobHandler => handlerIn(byServer(world));

/** With the API server's clock, from which the times of resources are. A worker's own may be wrong. */
const byServer = (world: ApplyingWorld): ApplyingWorld => ({
  ...world,
  nowMs: () => world.backups.serverTimeMs() ?? world.nowMs(),
});

const handlerIn = (world: ApplyingWorld): JobHandler => ({
  async run(context) {
    const { change: found, database } = await subjectOf(world, context.job);
    const isOver = found.status === 'CANCELED' || found.status === 'QUEUED';
    if (database.deletedAt !== null || isOver) return superseded;
    if (found.status === 'FAILED' && found.replaced === null && goesBack(found.diff))
      return notAskedAgain;
    const change = await appliedAgain(context, found);
    if (isReplacement(change.diff)) return shape(world, context, change, database);
    if (change.generation === null) return write(world, context, change, database);
    return follow(world, context, { ...change, generation: change.generation }, database);
  },

  /** Only a restore in place of which nothing has begun. Who wants it after all is shown again what would go. */
  async cancel(context) {
    const { change, database } = await subjectOf(world, context.job);
    await mustBeOurs(context);
    await keepNothing(world, change, database);
    return { kind: 'canceled', retryable: false };
  },

  async ended(write, job) {
    const { databaseId } = job;
    if (databaseId === null) return;
    const database = await lockDatabase(write, databaseId);
    const change = await findConfigurationChange(write.db, databaseId, changeIdOf(job));
    if (database === undefined || change?.status !== 'APPLYING') return;
    const failed = job.status === 'FAILED';
    const ended = await updateConfigurationChange(write, change.id, {
      status: failed ? 'FAILED' : job.status === 'SUCCEEDED' ? 'APPLIED' : 'CANCELED',
      ...(failed && { error: errorOf(change, database, job) }),
    });
    const type = `configuration.${toldAs[ended.status] ?? 'change_applied'}` as const;
    tellChange(write, type, database, ended);
    if (ended.status === 'APPLIED' && goesBack(ended.diff))
      await tellReturn(write, 'database.restored_in_place', database, ended);
    if (failed && isForced(ended)) await tellForcedFailed(write, database, ended);
    const upgraded = ended.diff.some(({ path }) => memberOf(path) === 'engineVersion');
    if (!failed && upgraded) tellChange(write, 'engine.upgraded', database, ended);
  },
});

const toldAs = { FAILED: 'change_failed', CANCELED: 'change_withdrawn' } as Readonly<
  Partial<Record<ConfigurationChange['status'], 'change_failed' | 'change_withdrawn'>>
>;

/** A failed job is retried, so its change is being applied again: why it failed is no reason any more to put anything back. */
async function appliedAgain(
  { write }: JobContext,
  found: ConfigurationChange,
): Promise<ConfigurationChange> {
  if (found.status !== 'FAILED') return found;
  return write((inside) =>
    updateConfigurationChange(inside, found.id, { status: 'APPLYING', error: null }),
  );
}

async function tellForcedFailed(
  write: Change,
  database: Database,
  { diff, error, applyAfter, request }: ConfigurationChange,
): Promise<void> {
  const profile = await findActiveProfile(write.db, database.id);
  const from = diff.find(({ path }) => memberOf(path) === 'engineVersion')?.from;
  tellUpdate(write, 'engine.update_failed', database, {
    engine: { name: profile?.engine ?? '', version: String(from) },
    update: { version: request.engineVersion ?? '', at: (applyAfter ?? new Date()).toISOString() },
    error: { code: error?.code ?? 'failed', message: error?.message ?? '' },
  });
}

const changeIdOf = ({ input }: Job): string => (input as { readonly changeId: string }).changeId;

async function subjectOf(
  { store }: ApplyingWorld,
  job: Job,
): Promise<{ readonly change: ConfigurationChange; readonly database: Database }> {
  const databaseId = job.databaseId ?? '';
  const database = await findAnyDatabase(store.read, databaseId);
  const change = await findConfigurationChange(store.read, databaseId, changeIdOf(job));
  if (database === undefined || change === undefined) {
    throw new Error(`the job ${job.id} belongs to no change of a database`);
  }
  return { change, database };
}

async function shape(
  world: ApplyingWorld,
  context: JobContext,
  change: ConfigurationChange,
  database: Database,
): Promise<JobOutcome> {
  const notBegun = change.replaced === null;
  try {
    const postponed = () => putOff(world, context, change);
    const outcome = await changeShape(world, context, { change, database }, postponed);
    if (outcome === 'postponed' || outcome.kind === 'failed') {
      // One that is retried goes on in the middle, and needs what is kept.
      const isOver = notBegun || outcome === 'postponed' || !outcome.retryable;
      if (isOver) await leaveWhatIsOurs(world, context, change, database);
      return outcome === 'postponed' ? superseded : outcome;
    }
    if (outcome.kind !== 'succeeded') return outcome;
    if (!(await isRecorded(world, context, change))) return { kind: 'again', afterMs: soonMs };
    await mustBeOurs(context);
    await keepNothing(world, change, database);
    return outcome;
  } catch (error) {
    const refused = notBegun ? refusalOf(error) : undefined;
    if (refused === undefined) throw error;
    await leaveWhatIsOurs(world, context, change, database);
    return refused;
  }
}

/** Another worker that has the job by now may need what was asked for beside the database. */
async function leaveWhatIsOurs(
  world: ApplyingWorld,
  context: JobContext,
  change: ConfigurationChange,
  database: Database,
): Promise<void> {
  await mustBeOurs(context);
  await keepNothing(world, change, database);
  if (change.replaced === null) await leaveAsItIs(world, database);
}

async function write(
  world: ApplyingWorld,
  context: JobContext,
  change: ConfigurationChange,
  database: Database,
): Promise<JobOutcome> {
  const catalog = world.catalog();
  // A process that has just started does not know the catalog yet.
  if (catalog === undefined) return { kind: 'again', afterMs: 1_000 };
  await context.step('write_spec', 'RUNNING', { percent: 5, message: 'Writing the spec.' });
  const sources = { db: world.store.read, writer: world.writer, catalog };
  for (let conflicts = 0; conflicts < conflictsMax; conflicts += 1) {
    try {
      const seen = await readChangeWorld(sources, database, change.request);
      const plan = planned(seen, change);
      if (plan === 'meanwhile') return failed('changed_meanwhile', overtaken(change, seen.object));
      if (plan !== 'written' && (await putOff(world, context, change))) return superseded;
      const isThere = plan === 'written' || Object.keys(plan.patch).length === 0;
      // After a conflict as well: another worker may have the job by now, and the change may be over.
      if (!isThere) await mustBeOurs(context);
      const written = isThere ? seen.object : await world.writer.changeIf(seen.object, plan.patch);
      const refused = await context.write((inside) => remember(inside, change, written, plan));
      if (refused !== undefined) return failed(refused.code, refused.occasion.detail);
      return { kind: 'again', afterMs: soonMs };
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) continue;
      const refused = refusalOf(error);
      if (refused === undefined) throw error;
      return refused;
    }
  }
  return { kind: 'again', afterMs: lookAgainMs };
}

/**
 * Whether the maintenance window that the change waited for has ended before anything was written, since no worker ran. A change of a
 * person waits again then; a forced version is begun anew by the service.
 */
async function putOff(
  { store }: ApplyingWorld,
  context: JobContext,
  { id, databaseId, inWindow }: ConfigurationChange,
): Promise<boolean> {
  if (!inWindow) return false;
  const found = await findAnyDatabase(store.read, databaseId);
  if (found === undefined || (await nextWindow(store.read, found)).isDue) return false;
  return context.write(async (inside) => {
    const database = await lockDatabase(inside, databaseId);
    if (database === undefined) return false;
    const { times, isDue } = await nextWindow(inside.db, database);
    const change = await findConfigurationChange(inside.db, databaseId, id);
    if (isDue || change === undefined) return false;
    const forced = isForced(change);
    const waiting = await updateConfigurationChange(inside, id, {
      status: forced ? 'CANCELED' : 'QUEUED',
      ...(!forced && { applyAfter: times.beginsAt }),
      progress: missed(change),
    });
    const type = forced ? 'change_withdrawn' : 'change_queued';
    tellChange(inside, `configuration.${type}`, database, waiting);
    return true;
  });
}

/** The plan as it is now. `written`: an earlier attempt wrote it. `meanwhile`: somebody else changed the same fields. */
function planned(
  seen: ChangeWorld,
  change: ConfigurationChange,
): ChangePlan | 'written' | 'meanwhile' {
  try {
    const plan = planChange(seen, change.request);
    const isAsAccepted = sameFields(plan.diff, change.diff);
    return isAsAccepted || onlyLabelsAreLeft(plan.diff, change.diff) ? plan : 'meanwhile';
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === 'nothing_to_change') return 'written';
    // An attempt that was killed may have written what would be refused by now: what the operator makes of it counts.
    if (asksFor(seen.object, change.diff)) return 'written';
    throw error;
  }
}

const sameFields = (now: readonly FieldChange[], then: readonly FieldChange[]): boolean =>
  canonicalJson(now) === canonicalJson(then);

/** Labels are written after the spec. If only they are left, an attempt was interrupted between the two. */
const onlyLabelsAreLeft = (now: readonly FieldChange[], then: readonly FieldChange[]): boolean =>
  sameFields(
    now,
    then.filter(({ path }) => memberOf(path) === 'labels'),
  );

/**
 * Labels are joined to what they are now: somebody may have changed others since the plan was made. Returns the refusal if they
 * would be too many; the spec is written then, and the labels are not.
 */
async function remember(
  change: Change,
  { id, databaseId, request }: ConfigurationChange,
  written: DatabaseObject,
  plan: ChangePlan | 'written',
): Promise<Refusal | undefined> {
  const database = await lockDatabase(change, databaseId);
  if (database === undefined) throw new Error(`there is no database ${databaseId}`);
  const labels = labelsOrRefusal(database, request);
  const isRefused = labels instanceof Refusal;
  const isWritten = plan === 'written' || Object.keys(plan.patch).length > 0;
  if (!isRefused || isWritten) {
    const generation = written.metadata.generation ?? 0;
    await updateConfigurationChange(change, id, { generation });
  }
  if (isRefused) return labels;
  if (labels !== undefined) await updateDatabase(change, databaseId, { labels });
  return undefined;
}

/** Labels that are still as the change has set them: the others are somebody's who came later. */
async function putLabelsBack(
  change: Change,
  { databaseId, diff }: ConfigurationChange,
): Promise<void> {
  const database = await lockDatabase(change, databaseId);
  if (database === undefined) return;
  const labels = labelsBefore(database.labels, diff);
  if (labels !== undefined) await updateDatabase(change, databaseId, { labels });
}

function labelsOrRefusal({ labels }: Database, request: ChangeRequest) {
  try {
    return labelsAfter(labels, request.labels);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

async function follow(
  world: ApplyingWorld,
  context: JobContext,
  change: ConfigurationChange & { readonly generation: number },
  database: Database,
): Promise<JobOutcome> {
  const { kubernetesNamespace: namespace, name, kubernetesUid } = database;
  const object = await world.writer.read({ namespace, name });
  // The watch marks the database as deleted, which ends this job.
  if (object === undefined || object.metadata.uid !== kubernetesUid) {
    return { kind: 'again', afterMs: lookAgainMs };
  }
  const overwriter = overwrittenBy(object, change);
  const { error } = change;
  if (error !== null) {
    if (overwriter === undefined) {
      // Asked after the resource was read: what another worker or a later change has written since is in no version that was read.
      await mustBeOurs(context);
      await world.writer.changeIf(object, patchBack(change.diff));
    }
    await context.write((inside) => putLabelsBack(inside, change));
    return failed(error.code, error.message);
  }
  if (overwriter !== undefined) return failed('overwritten', overwriter);
  const progress = progressOf(change, object, world.nowMs());
  if (progress.kind === 'going_on') {
    const { step, percent, message } = progress;
    if (change.progress !== message) {
      const shown = context.job.steps.some((one) => one.name === step) ? step : 'settle';
      await context.step(shown, 'RUNNING', { percent, message });
      await context.write((inside) =>
        updateConfigurationChange(inside, change.id, { progress: message }),
      );
    }
    return { kind: 'again', afterMs: lookAgainMs };
  }
  if (progress.kind === 'failed') {
    if (!progress.untouched) return failed(progress.code, progress.message);
    // Noted before the spec is put back: a later look would take that for somebody's who wrote over the change.
    const message = `${sentence(progress.message)} The spec was put back.`;
    const why = { code: 'refused_by_operator', message, ...asBefore };
    await context.write((inside) => updateConfigurationChange(inside, change.id, { error: why }));
    return { kind: 'again', afterMs: 0 };
  }
  if (!(await isRecorded(world, context, change))) return { kind: 'again', afterMs: soonMs };
  // Also done if no look saw it in progress: a quick cluster settles between two looks.
  await context.step('settle', 'SUCCEEDED', { percent: 100 });
  return { kind: 'succeeded' };
}

/** Whether the watch has recorded the revision. A change of labels, or of the state of the ledger, has none. */
async function isRecorded(
  { store }: ApplyingWorld,
  context: JobContext,
  { id, databaseId, diff, profileRevision }: ConfigurationChange,
): Promise<boolean> {
  const wanted = diff.filter(({ path }) => !['labels', 'restoredTo'].includes(memberOf(path)));
  if (profileRevision !== null || wanted.length === 0) return true;
  const profile = await findActiveProfile(store.read, databaseId);
  const has = (path: string, to: unknown): boolean =>
    profile !== undefined && canonicalJson(valueIn(profile, path)) === canonicalJson(to);
  if (profile === undefined || !wanted.every(({ path, to }) => has(path, to))) return false;
  // Somebody asked for the same in Kubernetes a moment before: that is the revision.
  await context.write((inside) =>
    updateConfigurationChange(inside, id, { profileRevision: profile.revision }),
  );
  return true;
}

/** Message for a change whose fields somebody else has changed before it was written. */
function overtaken({ diff }: ConfigurationChange, object: DatabaseObject): string {
  const fields = diff.map(({ path }) => path.slice(1)).join(', ');
  return `${managerOf(object, diff)} changed the database after this change was planned (${fields}); nothing of this change was written`;
}

/** The failure if the API server, or our own plan, would refuse every retry too. */
function refusalOf(error: unknown): JobOutcome | undefined {
  if (error instanceof Refusal) {
    if (error.occasion.retryAfterSeconds !== undefined) return undefined;
    return failed(error.code, `${error.occasion.detail} Nothing was changed`);
  }
  const refusal = clusterRefusalOf(error);
  return refusal && failed(refusal.code, refusal.message);
}

const failed = (code: string, message: string): JobOutcome => ({
  kind: 'failed',
  error: { code, message: message.endsWith('.') ? message : `${message}.` },
  retryable: code === 'replica_failing' || code === 'stalled' || code === 'storage_not_grown',
});

const superseded: JobOutcome = {
  kind: 'failed',
  error: {
    code: 'superseded',
    message: 'The database was deleted, the change withdrawn, or its maintenance window missed.',
  },
  retryable: false,
};

/** More may have been written since an owner saw what goes, and a job is retried by others, too. */
const notAskedAgain: JobOutcome = {
  kind: 'failed',
  error: {
    code: 'superseded',
    message: 'Nothing of the restore in place was begun. An owner asks for it again.',
  },
  retryable: false,
};

const asBefore: Pick<ChangeError, 'state' | 'nextSteps'> = {
  state: 'The database is as it was before.',
  nextSteps: ['Read the configuration, and preview the change again.'],
};

/** Message of a failed change: the reason, the state that it left, and the next steps. */
function errorOf(change: ConfigurationChange, database: Database, job: Job): ChangeError {
  const { code = 'failed', message = 'The job failed.' } = job.error ?? {};
  const isBegun = change.generation !== null || change.replaced !== null;
  const written = isBegun && code !== 'refused_by_operator';
  if (!written) return { code, message, ...asBefore };
  if (change.replaced !== null) return errorOfReplacement({ code, message }, change, database, job);
  const serves = database.observed?.serves === true;
  const shown = change.progress === null ? '' : ` At last: ${change.progress}`;
  const asked = code === 'overwritten' ? 'what was written last' : 'the new configuration';
  return {
    code,
    message,
    state: `${serves ? 'The database serves' : 'The database does not serve'}; the resource asks for ${asked}.${shown}`,
    nextSteps: [
      ...(job.retryable ? [`Remove the cause, then retry the job ${job.id}.`] : []),
      `To go back, ask for revision ${change.previousRevision} (POST changes with "revision": ${change.previousRevision}).`,
    ],
  };
}

function errorOfReplacement(
  { code, message }: Pick<ChangeError, 'code' | 'message'>,
  { diff }: ConfigurationChange,
  { observed }: Database,
  { id, retryable }: Job,
): ChangeError {
  if (retryable) {
    const state = 'The database does not serve, because its new resource could not be made.';
    return { code, message, state, nextSteps: [`Remove the cause, then retry the job ${id}.`] };
  }
  return {
    code,
    message,
    state: `${goesBack(diff) ? 'The database is as it was before' : 'The database has its earlier cluster configuration again'}, with everything that was ever answered${observed?.serves === true ? '' : ', and is about to serve'}. Its native addresses have changed.`,
    nextSteps: ['Remove the cause, then ask for the change again.'],
  };
}
