/** Proves a backup by a test restore: a Job fetches and checks every object, and loads the rows as an engine does at its start. */
import { BackupReason, VerifiedReason } from '../../domain/conditions.ts';
import type { Job } from '../../domain/kinds.ts';
import { backupIdOf, backupWorkName, labels, uidOf } from '../../domain/names.ts';
import { hasFailed, hasSucceeded, jobTrouble } from '../ledgerdatabase/jobs.ts';
import { lendStore } from '../store/lend.ts';
import { borrowerOf } from './borrower.ts';
import { MEMORY_MIB_PER_GIB } from './file-jobs.ts';
import {
  LOOK_AGAIN_MS,
  timeOf,
  type BackupEnvironment,
  type BackupObject,
  type BackupStatus,
  type Verdict,
} from './environment.ts';
import { whyNotStarted } from './not-started.ts';
import { deleteJob, isOld, jobsOf, livePodsOfJob, podsOfJob, startJob } from './own-jobs.ts';
import { failureOf, verifiedBackup } from './result.ts';
import { surroundingsOf } from './surroundings.ts';
import { TESTS_MAX } from './test-turns.ts';
import { isVerificationDue } from './verify-due.ts';
import { buildWorkJob } from './work-job.ts';

const DEADLINE_SECONDS = 6 * 3_600;
/** Memory for loading: a base, and a part for each byte of the rows. */
const MEMORY_BASE_MIB = 512;
const MEMORY_PER_BYTE = 3;

type VerifiedVerdict = Verdict<BackupReason | VerifiedReason>;

/** Returns the new result of a good backup's proof; `undefined`: the last result stays. */
export async function verify(
  environment: BackupEnvironment,
  backup: BackupObject,
): Promise<VerifiedVerdict | undefined> {
  const { verification, conditions = [] } = backup.status ?? {};
  if (verification !== undefined && isBeingTested(backup))
    return follow(environment, backup, verification.startedAt);
  if (isVerificationDue(backup, surroundingsOf(environment, backup)))
    return await begin(environment, backup);
  const isTold = conditions.some(({ type }) => type === 'Verified');
  if (isTold) return undefined;
  return {
    status: 'Unknown',
    reason: VerifiedReason.NotVerified,
    message: 'no test restore has been made of it',
  };
}

/** The test is recorded before its Job is made, so that it is made once. A Job of an earlier test would give that one's result. */
async function begin(
  environment: BackupEnvironment,
  backup: BackupObject,
): Promise<VerifiedVerdict> {
  const { testTurns, nowMs } = environment;
  for (const job of jobsOf(environment, backup)) await deleteJob(environment, job);
  if (!testTurns.ask(backup, testedNamespaces(environment), nowMs())) {
    return running(
      `it waits for its turn: ${TESTS_MAX} test restores run at a time, one of each namespace`,
    );
  }
  return {
    status: 'Unknown',
    reason: BackupReason.Running,
    message: 'a test restore begins',
    facts: { verification: { startedAt: timeOf(environment) } },
    requeueAfterMs: 1,
  };
}

/**
 * The namespaces in which tests run. Each counts once, and a Job only if its backup is being tested: otherwise anybody who may
 * make Jobs in a namespace could take the turns of the others with our labels.
 */
function testedNamespaces({ jobs, backups }: BackupEnvironment): ReadonlySet<string> {
  const tests = jobs
    .list()
    .filter((job) => job.metadata.labels?.[labels.work] === 'verify' && !isOver(job));
  const tested = tests.filter(({ metadata: { namespace, ownerReferences = [] } }) =>
    ownerReferences
      .flatMap(({ uid }) => backups.byIndex(uid))
      .some((one) => one.metadata.namespace === namespace && isBeingTested(one)),
  );
  return new Set(tested.map(({ metadata }) => metadata.namespace ?? ''));
}

const isBeingTested = ({ status }: BackupObject): boolean =>
  status?.verification !== undefined && status.verification.completedAt === undefined;

const isOver = (job: Job): boolean => hasSucceeded(job) || hasFailed(job);

/** Returns the result of the test's Job. The Job stays until its result is in the status, which is not always written at the first try. */
async function follow(
  environment: BackupEnvironment,
  backup: BackupObject,
  startedAt: string,
): Promise<VerifiedVerdict> {
  const borrower = borrowerOf(environment, backup);
  const { store } = environment.options;
  if ('problem' in borrower || store === undefined) {
    const why = 'problem' in borrower ? borrower.problem : 'the operator knows no bucket';
    return couldNot(environment, backup, startedAt, { reason: BackupReason.Failed, message: why });
  }
  const { subject, owner } = borrower;
  const name = backupWorkName(subject.workload, 'verify', uidOf(backup));
  const job = jobsOf(environment, backup).find(({ metadata }) => metadata.name === name);
  if (job === undefined) {
    const made = buildWorkJob({
      backup,
      subject,
      store,
      work: 'verify',
      name,
      args: [
        isOfFiles(backup) ? 'verify-files' : 'verify-backup',
        `--backup=${backupIdOf(uidOf(backup))}`,
        `--sha256=${backup.status?.sha256 ?? ''}`,
      ],
      memoryMib: memoryFor(backup),
      deadlineSeconds: DEADLINE_SECONDS,
    });
    const refusal = await startJob(environment, backup, made, () =>
      lendStore(environment.kube, subject, store, owner),
    );
    if (refusal === undefined) return running(`Job ${name} restores it to try it out`);
    return couldNot(environment, backup, startedAt, {
      reason: VerifiedReason.NotStarted,
      message: refusal,
    });
  }
  const pods = podsOfJob(environment, job);
  const trouble = jobTrouble(job, pods);
  if (hasSucceeded(job)) {
    const old = isOld(environment, job);
    const { seconds } =
      verifiedBackup(pods) ??
      (old ? verifiedBackup(await livePodsOfJob(environment, job)) : undefined) ??
      {};
    if (seconds !== undefined) return passed(environment, backup, startedAt, seconds);
    // Its pod is gone, or not seen yet. A new Job gives the same result.
    if (!old) return running('the test restore ended');
    await deleteJob(environment, job);
    return running('it is tested again');
  }
  if (!hasFailed(job)) {
    const { kube, nowMs, testTurns: turns } = environment;
    const stuck = whyNotStarted({ kube, nowMs, turns }, job, pods, memoryFor(backup));
    if (stuck === undefined) {
      return trouble === undefined
        ? running(`Job ${name} restores it to try it out`)
        : { ...running(trouble), reason: BackupReason.Delayed };
    }
    const { isScheduled, message } = stuck;
    const reason = isScheduled ? VerifiedReason.NotStarted : VerifiedReason.NotScheduled;
    return couldNot(environment, backup, startedAt, { reason, message });
  }
  const failure = failureOf(pods, trouble ?? `Job ${name} failed without a message`);
  return failure.isDamage
    ? ended(environment, backup, startedAt, { passed: false }, { status: 'False', ...failure })
    : couldNot(environment, backup, startedAt, failure);
}

const isOfFiles = ({ spec }: BackupObject): boolean => spec.method === 'Files';

/** Files are compared piece by piece; rows are loaded. */
function memoryFor(backup: BackupObject): number {
  const { sizeBytes = 0 } = backup.status ?? {};
  const more = isOfFiles(backup)
    ? (sizeBytes / 2 ** 30) * MEMORY_MIB_PER_GIB
    : (sizeBytes / 2 ** 20) * MEMORY_PER_BYTE;
  return MEMORY_BASE_MIB + Math.ceil(more);
}

const running = (message: string): VerifiedVerdict => ({
  status: 'Unknown',
  reason: BackupReason.Running,
  message,
  requeueAfterMs: LOOK_AGAIN_MS,
});

const passed = (
  environment: BackupEnvironment,
  backup: BackupObject,
  startedAt: string,
  seconds: number,
): VerifiedVerdict =>
  ended(
    environment,
    backup,
    startedAt,
    { passed: true, seconds },
    {
      status: 'True',
      reason: VerifiedReason.Passed,
      message: isOfFiles(backup)
        ? `every byte of its files was fetched and compared in ${seconds} s`
        : `all of it was fetched, checked and loaded in ${seconds} s`,
    },
  );

/** The test found out nothing about the backup. */
const couldNot = (
  environment: BackupEnvironment,
  backup: BackupObject,
  startedAt: string,
  { reason, message }: { readonly reason: VerifiedVerdict['reason']; readonly message: string },
): VerifiedVerdict =>
  ended(
    environment,
    backup,
    startedAt,
    {},
    {
      status: 'Unknown',
      reason,
      message:
        reason === BackupReason.Removed
          ? `it cannot be restored any more: ${message}`
          : `the test could not be made, and is tried again in an hour: ${message}`,
    },
  );

type Verification = NonNullable<BackupStatus['verification']>;

function ended(
  environment: BackupEnvironment,
  backup: BackupObject,
  startedAt: string,
  found: Pick<Verification, 'passed' | 'seconds'>,
  { status, reason, message }: Pick<VerifiedVerdict, 'status' | 'reason' | 'message'>,
): VerifiedVerdict {
  environment.testTurns.end(backup, environment.nowMs());
  const completedAt = timeOf(environment);
  const verification = { startedAt, completedAt, ...found };
  const facts = {
    verification,
    ...(found.passed === true ? { lastVerifiedAt: completedAt } : {}),
  };
  return { status, reason, message, facts };
}
