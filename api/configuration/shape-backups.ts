/** The two backups of a change of shape: one while the database serves, and its last one, which the operator makes. */
import { sentence } from '../../base/sentence.ts';
import type { OneBackupObject } from '../../domain/custom-resources.ts';
import { finalBackupName } from '../../domain/names.ts';
import { observe } from '../backups/observe.ts';
import { mustBeOurs, type JobContext, type JobOutcome } from '../jobs/handler.ts';
import { showStep } from '../jobs/show-step.ts';
import type { BackupPlace, BackupWriter } from '../kubernetes/backup-writer.ts';
import type { NotArchived } from '../model/backup.ts';
import type { ConfigurationChange, ReplacedResource } from '../model/configuration-change.ts';
import type { Database } from '../store/database-record.ts';
import { keepingOf, keepState, stateKept } from './earlier-state.ts';
import { goesBack } from './impact.ts';

interface BackingUp {
  readonly backups: BackupWriter;
  readonly nowMs: () => number;
}

const soonMs = 1_000;
/** The last backup has everything that this one has. */
const keptMs = 7 * 24 * 3_600_000;
/** Time for the operator to begin. */
const beginMaxMs = 30 * 60_000;

/**
 * A backup while the database serves: it shows that the store takes what the change needs, and leaves little for the last one, for
 * which everybody waits. `made`: it has succeeded.
 */
export async function backUpFirst(
  world: BackingUp,
  context: JobContext,
  { change, database }: { readonly change: ConfigurationChange; readonly database: Database },
): Promise<'made' | JobOutcome> {
  const { backups, nowMs } = world;
  const place = placeBefore(change, database.kubernetesNamespace);
  const known = await backups.read(place);
  const { restoredTo } = change.request;
  // A job that ends before the database has stopped is not retried.
  const keeping = { ...world, endsAtMs: context.job.deadlineAt.getTime() };
  if (known !== undefined)
    await keepState(keeping, known, stateKept(change.request, known), () => mustBeOurs(context));
  if (known !== undefined && observe(known).status === 'SUCCEEDED')
    return goesBack(change.diff) ? prove(world, context, place, known) : 'made';
  await showStep(context, 'back_up', 10, 'A backup is made while the database serves.');
  await mustBeOurs(context);
  const found =
    known ??
    (await backups.create(
      place,
      database.id,
      {
        database: database.name,
        type: 'PreChange',
        protected: false,
        reclaimPolicy: 'Delete',
        expiresAt: new Date(nowMs() + keptMs).toISOString(),
        removeRequested: false,
      },
      restoredTo && keepingOf(keeping, restoredTo),
    ));
  if (found === undefined) return { kind: 'again', afterMs: soonMs };
  const { status, statusReason } = observe(found);
  const why = statusReason?.message ?? '';
  if (status !== 'QUEUED' && status !== 'RUNNING') return withoutBackup(change, why);
  const ageMs = nowMs() - Date.parse(found.metadata.creationTimestamp ?? '');
  const isIdle = status === 'QUEUED' && ageMs > beginMaxMs;
  if (isIdle || statusReason?.code === 'StoreNotConfigured') {
    // It must not begin when nobody expects it.
    await mustBeOurs(context);
    await backups.delete(place, found.metadata.uid ?? '');
    return withoutBackup(change, why === '' ? 'it did not begin within half an hour' : why);
  }
  const message = `A backup is made while the database serves. ${sentence(why)}`.trim();
  await showStep(context, 'back_up', 15, message);
  return { kind: 'again', afterMs: soonMs };
}

/**
 * Has a backup tested before the database leaves the state that it has: what comes after it is little, and the last backup has it. The
 * database serves meanwhile.
 */
async function prove(
  { backups, nowMs }: BackingUp,
  context: JobContext,
  place: BackupPlace,
  backup: OneBackupObject,
): Promise<'made' | JobOutcome> {
  const { verification } = observe(backup);
  const { verifyRequestedAt } = backup.spec;
  const testedMs = Date.parse(verification?.startedAt ?? '');
  const isTested = verifyRequestedAt !== undefined && testedMs >= Date.parse(verifyRequestedAt);
  if (isTested && verification?.status === 'PASSED') return 'made';
  if (isTested && verification?.status !== 'RUNNING')
    return notProven(verification?.message ?? 'its test came to no end');
  if (verifyRequestedAt === undefined) {
    await mustBeOurs(context);
    const at = `${new Date(nowMs()).toISOString().slice(0, 19)}Z`;
    await backups.requestTest(place, backup.metadata.uid ?? '', at);
    return { kind: 'again', afterMs: soonMs };
  }
  if (!isTested && nowMs() - Date.parse(verifyRequestedAt) > beginMaxMs)
    return notProven('the operator did not begin to test it within half an hour');
  await showStep(context, 'back_up', 20, 'The backup is tested while the database serves.');
  return { kind: 'again', afterMs: soonMs };
}

const notProven = (why: string): JobOutcome => ({
  kind: 'failed',
  error: {
    code: 'backup_not_proven',
    message: `The backup that was made before could not be proven, so that nothing was begun. ${sentence(why)} ${instead}`,
  },
  retryable: false,
});

/** Place of the backup that is made first. It follows from the change, so that every worker means the same one. */
export const placeBefore = (
  { id }: Pick<ConfigurationChange, 'id'>,
  namespace: string,
): BackupPlace => ({ namespace, name: `shape-${id.slice(id.indexOf('_') + 1)}` });

const withoutBackup = ({ diff }: ConfigurationChange, why: string): JobOutcome => ({
  kind: 'failed',
  error: {
    code: 'backup_failed',
    message:
      `No backup could be made. ${sentence(why)}${goesBack(diff) ? ` ${instead}` : ''}`.trim(),
  },
  retryable: false,
});

/** As for a database whose data file is damaged, which is when somebody wants to go back. */
const instead = 'The earlier state can be restored into a new database all the same.';

type OfDatabase = Pick<Database, 'kubernetesNamespace' | 'name'>;

interface LastBackup {
  /** `queued`: it has not begun, and never does once its database is gone. */
  readonly state: 'queued' | 'running' | 'succeeded' | 'failed';
  readonly uid: string;
  /** When it ended; `undefined` while it has not. */
  readonly completedAt: Date | undefined;
  readonly message: string | undefined;
  /** The last operation that it has. */
  readonly end: ReplacedResource['follows'];
  /** Operations of it that the archive of the log lacks. */
  readonly notArchived: NotArchived | undefined;
}

export async function lastBackupOf(
  backups: BackupWriter,
  { kubernetesNamespace: namespace, name, id }: OfDatabase & Pick<Database, 'id'>,
  workload: string,
): Promise<LastBackup | undefined> {
  const found = await backups.read({ namespace, name: finalBackupName(workload) });
  if (found === undefined || found.spec.type !== 'Final' || found.spec.database !== name)
    return undefined;
  // That somebody asks for its removal makes none of it that has failed: volumes that it replaces cannot be had again.
  const { status, statusReason, facts } = observe(withoutRequest(found));
  const isOurs = found.status?.databaseId === id;
  const ended = status === 'SUCCEEDED' && isOurs ? 'succeeded' : 'failed';
  const state = status === 'QUEUED' ? 'queued' : status === 'RUNNING' ? 'running' : ended;
  const at = found.status?.completedAt;
  const completedAt = at === undefined ? undefined : new Date(at);
  const uid = found.metadata.uid ?? '';
  const { notArchived, op, timestamp } = facts ?? {};
  const end = op === undefined || timestamp === undefined ? undefined : { op, timestamp };
  return { state, uid, completedAt, message: statusReason?.message, end, notArchived };
}

const withoutRequest = (found: OneBackupObject): OneBackupObject => ({
  ...found,
  spec: { ...found.spec, removeRequested: false },
});

/**
 * Removes the resource of a last backup that has not succeeded: the operator would take it for that of the next change of shape, and its
 * Job, if it still runs, has the volume open. Returns why another one is in the way.
 */
export async function removeUnfinished(
  backups: BackupWriter,
  { kubernetesNamespace: namespace, name: database }: OfDatabase,
  workload: string,
  mustBeOurs: () => Promise<void>,
): Promise<string | undefined> {
  const place = { namespace, name: finalBackupName(workload) };
  const found = await backups.read(place);
  if (found === undefined) return undefined;
  if (found.spec.database !== database)
    return inTheWay(place.name, `a backup of the database ${found.spec.database}`);
  if (observe(withoutRequest(found)).status === 'SUCCEEDED')
    return inTheWay(place.name, 'an earlier backup of this database');
  await mustBeOurs();
  await backups.delete(place, found.metadata.uid ?? '');
  return undefined;
}

/** Nothing is deleted that somebody may still want. */
const inTheWay = (name: string, what: string): string =>
  `the LedgerBackup ${name} has the name that the last backup needs, and is ${what}: delete that resource in Kubernetes; with reclaimPolicy Retain, ` +
  'what it has stays in the bucket';
