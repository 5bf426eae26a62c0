/**
 * Makes a backup of the data files of a suspended database of TigerBeetle. All files must be of one moment at which no replica ran: the
 * generations of the database and of its StatefulSet are noted before the first is copied, and are the same once all are. Only then they
 * become a backup.
 */
import { BackupReason } from '../../domain/conditions.ts';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import { resources, type Job, type Pod, type StatefulSet } from '../../domain/kinds.ts';
import { backupFileJobName, labels, uidOf } from '../../domain/names.ts';
import { belongsTo } from '../ledgerdatabase/belongs-to.ts';
import { hasDoneItsWork, hasFailed, jobTrouble } from '../ledgerdatabase/jobs.ts';
import { replicaPods } from '../ledgerdatabase/replica-pods.ts';
import type { Subject } from '../manifests/subject.ts';
import type { BackupStore } from '../store/backup-store.ts';
import { lendStore } from '../store/lend.ts';
import { newestBuiltin } from './borrower.ts';
import { timeOf, type BackupEnvironment, type BackupObject, type Verdict } from './environment.ts';
import { buildFileJob, buildFilesJob } from './file-jobs.ts';
import { jobNamed, podsOfJob, startJob } from './own-jobs.ts';
import { failureOf } from './result.ts';
import { ended, waits } from './verdicts.ts';

interface Copying {
  readonly environment: BackupEnvironment;
  readonly store: BackupStore;
  readonly backup: BackupObject;
  readonly database: DatabaseObject;
  /** The database with the engine TigerBeetle. */
  readonly subject: Subject;
}

/** The next action until all files are copied, and then the Job that makes them a backup. */
export async function copyFiles(copying: Copying): Promise<Verdict> {
  const { environment, backup, database, subject } = copying;
  if (subject.resolved.engine.name !== 'TigerBeetle') {
    return unfit(copying, `${database.metadata.name} does not run TigerBeetle; leave method out`);
  }
  const newest = newestBuiltin(environment);
  if ('problem' in newest) return waits(BackupReason.DatabaseNotReady, newest.problem);
  const { startedAt, databaseGeneration: began, workloadRevision } = backup.status ?? {};
  if (startedAt === undefined) return begin(copying);
  const jobs = Array.from({ length: subject.resolved.topology.replicas }, (_, index) =>
    jobNamed(environment, backup, backupFileJobName(subject.workload, uidOf(backup), index)),
  );
  const isOnRecord = began !== undefined && workloadRevision !== undefined;
  if (!isOnRecord && jobs.every((job) => job === undefined)) return beginAgain(copying);
  const isDone = (job: Job | undefined) =>
    job !== undefined && hasDoneItsWork(job, podsOfJob(environment, job));
  const isCopied = jobs.every(isDone);
  // Read after what was copied: whatever ran meanwhile needed another generation.
  const differs = whatDiffers(backup.status, await liveAtRest(environment, database));
  if (differs !== undefined) {
    return unfit(copying, `${database.metadata.name}: ${differs}; make another backup`);
  }
  const plan = { ...copying, program: newest.resolved.engine };
  if (isCopied) return start(copying, [buildFilesJob(plan)], 'makes a backup of the copied files');
  const failed = jobs.find((job) => job !== undefined && hasFailed(job));
  if (failed !== undefined) {
    const pods = podsOfJob(environment, failed);
    const { name } = failed.metadata;
    const otherwise = jobTrouble(failed, pods) ?? `Job ${name} failed without a message`;
    return ended(environment, failureOf(pods, otherwise));
  }
  const missing = jobs.flatMap((job, index) =>
    job === undefined ? [buildFileJob(plan, index)] : [],
  );
  const copied = jobs.filter(isDone).length;
  return (
    troubleOf(copying, jobs) ??
    start(copying, missing, `copies a data file; ${copied} of ${jobs.length} are copied`)
  );
}

/** The generation is on record before anything is copied. */
async function begin(copying: Copying): Promise<Verdict> {
  const { environment, database, subject } = copying;
  const rest = await liveAtRest(environment, database);
  if (rest === undefined) {
    const { name } = database.metadata;
    const how =
      database.spec.paused === true
        ? `${name} is paused (spec.paused), so that somebody could start a replica by hand: unpause it, and leave it suspended`
        : `suspend ${name}, and wait until it is: data files are copied while no replica runs`;
    return waits(BackupReason.DatabaseNotReady, how);
  }
  return {
    status: 'Unknown',
    reason: BackupReason.Running,
    message: 'the data files are copied',
    facts: {
      startedAt: timeOf(environment),
      databaseId: subject.databaseId,
      clusterId: subject.clusterId,
      databaseGeneration: rest.generation,
      workloadRevision: rest.workloadRevision,
    },
    requeueAfterMs: 1,
  };
}

/** The API server has not kept what was written: its definition does not know it. Nothing is copied yet. */
async function beginAgain(copying: Copying): Promise<Verdict> {
  const { facts } = await begin(copying);
  const how =
    'the definition of LedgerBackup is older than the operator: upgrade the chart ledgerhouse-crds';
  return { ...waits(BackupReason.Delayed, how), ...(facts !== undefined && { facts }) };
}

/** Facts that are equal at two times if no replica ran in between. */
interface Rest {
  readonly generation: number;
  /** Each scaling of a StatefulSet is a new generation of it, too, also one that the operator takes back. */
  readonly workloadRevision: string;
}

/**
 * The state in which no replica runs, as the API server has it now; `undefined`: one may run. Only an operator that carries out the spec
 * keeps them from running.
 */
async function liveAtRest(
  { kube }: BackupEnvironment,
  { metadata }: DatabaseObject,
): Promise<Rest | undefined> {
  const { namespace, name } = metadata;
  const live = await kube.read<DatabaseObject>({ resource: resources.database, namespace, name });
  if (live === undefined || live.metadata.uid !== metadata.uid) return undefined;
  const { generation, deletionTimestamp } = live.metadata;
  const { suspend, paused = false } = live.spec;
  if (!suspend || paused || deletionTimestamp !== undefined) return undefined;
  const told = live.status?.conditions?.find(({ type }) => type === 'Suspended');
  if (told?.status !== 'True' || told.observedGeneration !== generation) return undefined;
  const set = await kube.read<StatefulSet>({
    resource: resources.statefulSet,
    namespace,
    name: live.status?.workload ?? '',
  });
  if (set !== undefined && set.spec?.replicas !== 0) return undefined;
  const labelSelector = `${labels.uid}=${uidOf(live)}`;
  const pods = await kube.list<Pod>(resources.pod, { namespace, labelSelector });
  const running = replicaPods(pods).filter((pod) => belongsTo(live, pod));
  if (running.length > 0 || generation === undefined) return undefined;
  return { generation, workloadRevision: revisionOf(set) };
}

/** Why the files may not be of one moment. `undefined`: they are. */
function whatDiffers(before: BackupObject['status'], now: Rest | undefined): string | undefined {
  const { databaseGeneration, workloadRevision } = before ?? {};
  if (databaseGeneration === undefined || workloadRevision === undefined) {
    return 'another release of the operator began to copy its files, or the definition of LedgerBackup was exchanged since, so that nothing shows that no replica ran meanwhile';
  }
  if (now?.generation !== databaseGeneration)
    return 'it was resumed or changed while its files were copied; leave it suspended';
  if (now.workloadRevision === workloadRevision) return undefined;
  return 'its StatefulSet was scaled or changed while its files were copied, as by an upgrade of the operator; wait until that has ended';
}

const revisionOf = (set: StatefulSet | undefined): string =>
  set === undefined ? '' : `${uidOf(set)}/${set.metadata.generation ?? 0}`;

/** Jobs that make no progress, in words. They go on by themselves. */
function troubleOf(
  { environment }: Copying,
  jobs: readonly (Job | undefined)[],
): Verdict | undefined {
  if (jobs.includes(undefined)) return undefined;
  for (const job of jobs) {
    const trouble = job && jobTrouble(job, podsOfJob(environment, job));
    if (trouble !== undefined) return waits(BackupReason.Delayed, `it is tried again: ${trouble}`);
  }
  return undefined;
}

async function start(
  { environment, store, backup, subject }: Copying,
  jobs: readonly Job[],
  words: string,
): Promise<Verdict> {
  for (const job of jobs) {
    const refusal = await startJob(environment, backup, job, () =>
      lendStore(environment.kube, subject, store),
    );
    if (refusal !== undefined) return waits(BackupReason.Delayed, refusal);
  }
  return waits(BackupReason.Running, words);
}

const unfit = ({ environment }: Copying, message: string): Verdict =>
  ended(environment, { reason: BackupReason.FilesUnfit, message });
