/** Makes a backup: one Job, whose result becomes the status. A backup that has succeeded or failed is never made again. */
import { cutText } from '../../base/cut-text.ts';
import { BackupReason } from '../../domain/conditions.ts';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import { archivingAsked } from '../../domain/continuous-archiving.ts';
import { hasBegun } from '../../domain/fill.ts';
import { resources, type Job, type StatefulSet } from '../../domain/kinds.ts';
import { backupJobName, databaseIdOf, finalBackupName, labels, uidOf } from '../../domain/names.ts';
import { hasPeers } from '../certificates/generations.ts';
import { hasDoneItsWork, hasFailed, jobTrouble } from '../ledgerdatabase/jobs.ts';
import { belongsTo } from '../ledgerdatabase/belongs-to.ts';
import { replicaPods } from '../ledgerdatabase/replica-pods.ts';
import { lendStore } from '../store/lend.ts';
import type { BackupStore } from '../store/backup-store.ts';
import { buildBackupJob } from './backup-job.ts';
import { buildClusterBackupJob, notInIt, whyNotReadable } from './cluster-backup-job.ts';
import type { Subject } from '../manifests/subject.ts';
import { livingSubject, newestBuiltin } from './borrower.ts';
import { timeOf, type BackupEnvironment, type BackupObject, type Verdict } from './environment.ts';
import {
  deleteJob,
  isOld,
  jobNamed,
  jobsOf,
  liveJobsOf,
  livePodsOfJob,
  podsOfJob,
  startJob,
} from './own-jobs.ts';
import { failureOf, madeBackup, madeOfFiles, type Made, type MadeOfFiles } from './result.ts';
import { copyFiles } from './files.ts';
import { ended, waits } from './verdicts.ts';
import { chooseSource, type Source } from './source.ts';

export async function make(
  environment: BackupEnvironment,
  backup: BackupObject,
  database: DatabaseObject | undefined,
): Promise<Verdict> {
  const { store } = environment.options;
  if (store === undefined) {
    return waits(
      BackupReason.StoreNotConfigured,
      'the operator knows no bucket for backups: set backups.store of its chart',
    );
  }
  const meant = databaseMeant(backup);
  const isLeft = meant !== undefined && database !== undefined && databaseIdOf(database) !== meant;
  const isBegun = backup.status?.startedAt !== undefined || jobsOf(environment, backup).length > 0;
  if (isLeft || (database === undefined && isBegun)) {
    return finishWithout(environment, backup, meant);
  }
  if (database === undefined) {
    const { database: name } = backup.spec;
    return waits(BackupReason.DatabaseNotFound, `there is no LedgerDatabase ${name} here`);
  }
  const subject = livingSubject(database, environment.options);
  if (subject === undefined || !hasBegun(database.status)) {
    return waits(
      BackupReason.DatabaseNotReady,
      `${database.metadata.name} does not have its data yet`,
    );
  }
  const job = jobNamed(environment, backup, backupJobName(subject.workload, uidOf(backup)));
  if (job !== undefined) return follow(environment, backup, job, database);
  if (backup.spec.method === 'Files') {
    return copyFiles({ environment, store, backup, database, subject });
  }
  const notLast = await whyNotLast(environment, backup, database, subject);
  if (notLast !== undefined) return notLast;
  const way = await wayOf(environment, store, { backup, database, subject });
  if ('problem' in way) return waits(BackupReason.DatabaseNotReady, way.problem);
  const refusal = await startJob(environment, backup, way.job, () =>
    lendStore(environment.kube, subject, store),
  );
  if (refusal !== undefined) return waits(BackupReason.Delayed, refusal);
  return {
    status: 'Unknown',
    reason: BackupReason.Running,
    message: `Job ${way.job.metadata.name} ${way.words}`,
    facts: {
      startedAt: backup.status?.startedAt ?? timeOf(environment),
      databaseId: subject.databaseId,
      clusterId: subject.clusterId,
      ...(way.replica !== undefined && { replica: way.replica }),
    },
  };
}

/**
 * The last backup of a deleted database has everything that was ever answered, whoever made its resource: from then on the volumes count
 * for nothing. So its name is no other backup's, and the file of a single replica is closed first.
 */
async function whyNotLast(
  environment: BackupEnvironment,
  { spec, metadata }: BackupObject,
  database: DatabaseObject,
  subject: Subject,
): Promise<Verdict | undefined> {
  if (spec.type !== 'Final' || metadata.name !== finalBackupName(subject.workload))
    return undefined;
  if (database.metadata.deletionTimestamp === undefined) {
    // The result is final, and the watch may be late: the API server knows.
    const now = await environment.kube.read<DatabaseObject>({
      resource: resources.database,
      namespace: subject.namespace,
      name: subject.name,
    });
    if (now?.metadata.uid !== uidOf(database) || now.metadata.deletionTimestamp !== undefined)
      return waits(BackupReason.DatabaseNotReady, `${subject.name} is being deleted`);
    const why = `${metadata.name} is the name of the last backup of ${subject.name}, which is not being deleted; choose another name`;
    return ended(environment, { reason: BackupReason.Failed, message: why });
  }
  const { deletionPolicy } = database.spec;
  const backsUp = deletionPolicy === 'BackupThenDelete' || deletionPolicy === 'BackupThenRetain';
  if (!backsUp) {
    const why = `${subject.name} is deleted under ${deletionPolicy}, without a last backup`;
    return waits(BackupReason.DatabaseNotReady, why);
  }
  if (subject.resolved.topology.replicas !== 1) return undefined;
  return (await mayRun(environment, database, subject))
    ? waits(BackupReason.DatabaseNotReady, `the replica of ${subject.name} stops first`)
    : undefined;
}

/** A pod that is absent for a moment comes back as long as its StatefulSet asks for it. */
async function mayRun(
  { kube, pods }: BackupEnvironment,
  database: DatabaseObject,
  { namespace, workload: name }: Subject,
): Promise<boolean> {
  const set = await kube.read<StatefulSet>({ resource: resources.statefulSet, namespace, name });
  const isWanted = set !== undefined && set.metadata.deletionTimestamp === undefined;
  if (isWanted && set.spec?.replicas !== 0) return true;
  return replicaPods(pods.byIndex(uidOf(database))).length > 0;
}

interface Way {
  readonly job: Job;
  /** What the Job does, behind its name. */
  readonly words: string;
  /** Whose volume is read. */
  readonly replica?: number;
}

interface BackedUp {
  readonly backup: BackupObject;
  readonly database: DatabaseObject;
  readonly subject: Subject;
}

/** How the database is backed up: from a replica's volume, or through the protocol. */
async function wayOf(
  environment: BackupEnvironment,
  store: BackupStore,
  backedUp: BackedUp,
): Promise<Way | { readonly problem: string }> {
  const { backup, database, subject } = backedUp;
  if (subject.resolved.engine.name !== 'Builtin') {
    const problem = whyNotReadable(database);
    if (problem !== undefined) return { problem };
    const newest = newestBuiltin(environment);
    if ('problem' in newest) return newest;
    const job = buildClusterBackupJob({ backup, subject, store, program: newest.resolved.engine });
    return { job, words: `reads the cluster through the protocol; ${notInIt}` };
  }
  const source = await sourceOf(environment, backup, database, subject);
  if ('problem' in source) return source;
  const job = buildBackupJob({ backup, subject, store, ...source });
  return { job, words: `reads the volume of replica ${source.replica}`, replica: source.replica };
}

/** What is backed up. The last backup of several replicas has them take no more writes, if they are really about to go. */
async function sourceOf(
  environment: BackupEnvironment,
  { spec }: BackupObject,
  database: DatabaseObject,
  subject: Subject,
): Promise<Source | { readonly problem: string }> {
  const pods = replicaPods(
    environment.pods.byIndex(uidOf(database)).filter((pod) => belongsTo(database, pod)),
  );
  const source = await chooseSource(database, pods, environment.askForCheckpoint);
  if ('problem' in source || source.file.kind === 'stopped') return source;
  const isLast = spec.type === 'Final' && database.metadata.deletionTimestamp !== undefined;
  if (!isLast || !hasPeers(subject)) return source;
  if (subject.peerCertificates === undefined)
    return { problem: 'its status does not name the certificates of its replicas yet' };
  return { ...source, file: { kind: 'last' } };
}

/**
 * The database to back up: the one of the first attempt, or the one that the API asked for. Another database may have its name
 * by now.
 */
const databaseMeant = ({ status, metadata }: BackupObject): string | undefined =>
  status?.databaseId ?? metadata.labels?.[labels.databaseId];

/** The database was deleted. Its volumes stay for a while, so a running Job may still succeed; no Job begins. */
async function finishWithout(
  environment: BackupEnvironment,
  backup: BackupObject,
  databaseId: string | undefined,
): Promise<Verdict> {
  // The API server knows whether one is running: the watch of Jobs may be late.
  const jobs = [...jobsOf(environment, backup), ...(await liveJobsOf(environment, backup))];
  // Of data files, only the last Job makes a backup of what was copied.
  const job = jobs.find((one) => one.metadata.labels?.[labels.replica] === undefined);
  if (job !== undefined) return follow(environment, backup, job);
  return ended(environment, {
    reason: BackupReason.DatabaseNotFound,
    message: `database ${databaseId ?? backup.spec.database} was deleted before it was backed up`,
  });
}

/** The result of a Job, and what its start was to note: the operator may have ended between the two. */
async function follow(
  environment: BackupEnvironment,
  backup: BackupObject,
  job: Job,
  database?: DatabaseObject,
): Promise<Verdict> {
  const verdict = await resultOf(environment, backup, job, database);
  const { startedAt = job.metadata.creationTimestamp, databaseId = meantBy(job) } =
    backup.status ?? {};
  const begun = {
    ...(startedAt !== undefined && { startedAt }),
    ...(databaseId !== undefined && { databaseId }),
  };
  return { ...verdict, facts: { ...begun, ...verdict.facts } };
}

const meantBy = ({ metadata }: Job): string | undefined => metadata.labels?.[labels.databaseId];

async function resultOf(
  environment: BackupEnvironment,
  backup: BackupObject,
  job: Job,
  database: DatabaseObject | undefined,
): Promise<Verdict> {
  const pods = podsOfJob(environment, job);
  const told = backup.status?.conditions?.[0];
  const message = told?.message ?? `Job ${job.metadata.name} runs`;
  const reason =
    told?.reason === BackupReason.Delayed ? BackupReason.Delayed : BackupReason.Running;
  if (hasDoneItsWork(job, pods)) {
    const old = isOld(environment, job);
    const read = backup.spec.method === 'Files' ? madeOfFiles : madeBackup;
    const made = read(pods) ?? (old ? read(await livePodsOfJob(environment, job)) : undefined);
    if (made !== undefined) {
      const told = 'files' in made ? made : withoutOldArchive(made, database);
      const facts = { ...told, completedAt: timeOf(environment) };
      return { status: 'True', reason: BackupReason.Completed, message: words(told), facts };
    }
    // Its pod is gone, or not seen yet. A new Job finds the same backup in the bucket.
    if (old) await deleteJob(environment, job);
    return { status: 'Unknown', reason, message, requeueAfterMs: 2_000 };
  }
  if (hasFailed(job)) {
    const otherwise = jobTrouble(job, pods) ?? `Job ${job.metadata.name} failed without a message`;
    return ended(environment, failureOf(pods, otherwise));
  }
  const trouble = jobTrouble(job, pods);
  return {
    status: 'Unknown',
    reason: trouble === undefined ? reason : BackupReason.Delayed,
    message: trouble === undefined ? message : cutText(`it is tried again: ${trouble}`, 1_000),
    requeueAfterMs: 60_000,
  };
}

/** Nobody expects the log of a database that is archived no more to go on. Its backup cannot know that it is not. */
function withoutOldArchive(made: Made, database: DatabaseObject | undefined): Made {
  if (database === undefined || archivingAsked(database.spec) !== null) return made;
  const { notArchived: _, ...kept } = made;
  return kept;
}

function words(made: Made | MadeOfFiles): string {
  if ('files' in made)
    return `the data files of ${made.files.length} replicas, ${made.sizeBytes} bytes; ${made.storedBytes} bytes are stored`;
  const { transfers, op, newBytes, seconds, notArchived } = made;
  const done = `${transfers} transfers, up to op ${op}; ${newBytes} bytes were new, ${seconds} s`;
  if (notArchived === undefined) return done;
  const { fromOp, toOp, message } = notArchived;
  const which = `${fromOp === undefined ? 'up to' : `${fromOp} to`} ${toOp}`;
  return `${done}; the archive of the log lacks the operations ${which}: ${message}`;
}
