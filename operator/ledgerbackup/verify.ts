/**
 * Proves a backup by a test restore: a Job fetches and checks every object, loads the rows as an engine does at its start, and replays the
 * archived log up to the backup.
 */
import { cutText } from '../../base/cut-text.ts';
import { BackupReason, VerifiedReason } from '../../domain/conditions.ts';
import type { Job } from '../../domain/kinds.ts';
import { labels } from '../../domain/names.ts';
import {
  hasDoneItsWork,
  hasFailed,
  hasSucceeded,
  isOutOfTime,
  jobTrouble,
} from '../ledgerdatabase/jobs.ts';
import { lendStore } from '../store/lend.ts';
import { borrowerOf } from './borrower.ts';
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
import { failureOf, ROWS_ONLY_MAX, verifiedBackup, type Verified } from './result.ts';
import { surroundingsOf } from './surroundings.ts';
import {
  buildTestJob,
  isOfFiles,
  isReplay,
  sinceOf,
  testJobName,
  testMemoryMib,
  TOO_LONG,
} from './test-job.ts';
import { TESTS_MAX } from './test-turns.ts';
import { isVerificationDue } from './verify-due.ts';

type Verification = NonNullable<BackupStatus['verification']>;
/** Reasons of `rowsOnly` when the Job with the replay cannot run, or not to its end; all others but `NoLog` are the engine's. */
const NOT_POSSIBLE = 'NotPossible';
const ofTheJob: ReadonlySet<string> = new Set([NOT_POSSIBLE, TOO_LONG]);
type RowsOnlyFact = Pick<Verification, 'rowsOnly'>;
type VerifiedVerdict = Verdict<BackupReason | VerifiedReason>;

/** Returns the new result of a good backup's proof; `undefined`: the last result stays. */
export async function verify(
  environment: BackupEnvironment,
  backup: BackupObject,
): Promise<VerifiedVerdict | undefined> {
  const { verification, conditions = [] } = backup.status ?? {};
  if (verification !== undefined && isBeingTested(backup))
    return follow(environment, backup, verification);
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
    facts: { verification: { startedAt: timeOf(environment), ...rowsOnlyOf(environment, backup) } },
    requeueAfterMs: 1,
  };
}

/** Why no log is to be replayed, as far as that is known before: the Job needs no room on the disk then. */
function rowsOnlyOf({ databases }: BackupEnvironment, backup: BackupObject): RowsOnlyFact {
  if (isOfFiles(backup)) return {};
  const { databaseId, verification: last } = backup.status ?? {};
  const isAgain = last !== undefined && last.passed === undefined;
  if (isAgain && last.rowsOnly !== undefined && ofTheJob.has(last.rowsOnly.reason))
    return { rowsOnly: last.rowsOnly };
  const database = databases.get(backup.metadata.namespace, backup.spec.database);
  if (database === undefined || database.status?.databaseId !== databaseId) return {};
  const isArchived =
    database.spec.backup?.continuous?.enabled === true || database.status?.recovery !== undefined;
  if (isArchived) return {};
  return { rowsOnly: { reason: 'NoLog', message: 'the log of the database is not archived' } };
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
  test: Verification,
): Promise<VerifiedVerdict> {
  const borrower = borrowerOf(environment, backup);
  const { store } = environment.options;
  if ('problem' in borrower || store === undefined) {
    const why = 'problem' in borrower ? borrower.problem : 'the operator knows no bucket';
    return couldNot(environment, backup, test, { reason: BackupReason.Failed, message: why });
  }
  const { subject, owner } = borrower;
  const name = testJobName(backup, subject);
  const job = jobsOf(environment, backup).find(({ metadata }) => metadata.name === name);
  const replays = !isOfFiles(backup) && test.rowsOnly === undefined;
  if (job === undefined) {
    const { backups } = surroundingsOf(environment, backup);
    const made = buildTestJob({ backup, subject, store, replays, backups });
    const refusal = await startJob(environment, backup, made, () =>
      lendStore(environment.kube, subject, store, owner),
    );
    if (refusal === undefined) return running(`Job ${name} restores it to try it out`);
    if (replays) return withoutLog(environment, backup, test, refusal);
    return couldNot(environment, backup, test, {
      reason: VerifiedReason.NotStarted,
      message: refusal,
    });
  }
  if (!replays && isReplay(job)) {
    // Its deletion is not seen yet.
    await deleteJob(environment, job);
    return running('its rows alone are tested');
  }
  return hasDoneItsWork(job, podsOfJob(environment, job))
    ? succeeded(environment, backup, test, job)
    : unfinished(environment, backup, test, { job, replays });
}

async function succeeded(
  environment: BackupEnvironment,
  backup: BackupObject,
  test: Verification,
  job: Job,
): Promise<VerifiedVerdict> {
  const old = isOld(environment, job);
  const result =
    verifiedBackup(podsOfJob(environment, job)) ??
    (old ? verifiedBackup(await livePodsOfJob(environment, job)) : undefined);
  if (result !== undefined) return passed(environment, backup, test, result);
  // Its pod is gone, or not seen yet. A new Job gives the same result.
  if (!old) return running('the test restore ended');
  await deleteJob(environment, job);
  return running('it is tested again');
}

/** Returns the result of a Job that runs, cannot run, or has failed. */
async function unfinished(
  environment: BackupEnvironment,
  backup: BackupObject,
  test: Verification,
  { job, replays }: { readonly job: Job; readonly replays: boolean },
): Promise<VerifiedVerdict> {
  const pods = podsOfJob(environment, job);
  const trouble = jobTrouble(job, pods);
  const { name } = job.metadata;
  if (!hasFailed(job)) {
    const { kube, nowMs, testTurns: turns } = environment;
    const stuck = whyNotStarted({ kube, nowMs, turns }, job, pods, testMemoryMib(backup));
    if (stuck === undefined) {
      return trouble === undefined
        ? running(`Job ${name} restores it to try it out`)
        : { ...running(trouble), reason: BackupReason.Delayed };
    }
    const { isScheduled, message } = stuck;
    const reason = isScheduled ? VerifiedReason.NotStarted : VerifiedReason.NotScheduled;
    if (!replays) return couldNot(environment, backup, test, { reason, message });
    await deleteJob(environment, job);
    return withoutLog(environment, backup, test, message);
  }
  const failure = failureOf(pods, trouble ?? `Job ${name} failed without a message`);
  if (failure.isDamage) {
    const verdict = { status: 'False' as const, ...failure };
    return ended(environment, backup, test, { passed: false }, verdict);
  }
  // The engine of the catalog may not know of replays, or the replay takes too much memory or time.
  if (!replays || failure.reason !== BackupReason.Failed)
    return couldNot(environment, backup, test, failure);
  await deleteJob(environment, job);
  return isOutOfTime(job)
    ? withoutLog(environment, backup, test, tooLong(job), TOO_LONG)
    : withoutLog(environment, backup, test, failure.message);
}

const tooLong = (job: Job): string => {
  const hours = (job.spec?.activeDeadlineSeconds ?? 0) / 3_600;
  const since = sinceOf(job);
  const from = since === undefined ? 'the newest earlier backup' : `backup ${since}`;
  return `the replay from ${from} did not end in ${hours} hours; the next one begins with the newest backup before it, and the log up to here stays unproven`;
};

/** The same test goes on with the rows alone: what the replay needs must not keep a backup from being tested. */
function withoutLog(
  { testTurns, nowMs }: BackupEnvironment,
  backup: BackupObject,
  { startedAt }: Verification,
  why: string,
  reason = NOT_POSSIBLE,
): VerifiedVerdict {
  testTurns.keep(backup, nowMs());
  return {
    ...running('the log could not be replayed, and the rows alone are tested'),
    facts: {
      verification: {
        startedAt,
        rowsOnly: { reason, message: cutText(why, ROWS_ONLY_MAX) },
      },
    },
    requeueAfterMs: 1,
  };
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
  test: Verification,
  { seconds, replayedFrom, replaySeconds, rowsOnly = test.rowsOnly }: Verified,
): VerifiedVerdict => {
  const log =
    replayedFrom !== undefined
      ? `; the archived log after operation ${replayedFrom} leads to it`
      : rowsOnly && `; the archived log was not replayed: ${rowsOnly.reason}`;
  return ended(
    environment,
    backup,
    test,
    {
      passed: true,
      seconds,
      ...(replayedFrom !== undefined && { replayedFrom }),
      ...(replaySeconds !== undefined && { replaySeconds }),
      ...(rowsOnly !== undefined && { rowsOnly }),
    },
    {
      status: 'True',
      reason: VerifiedReason.Passed,
      message: isOfFiles(backup)
        ? `every byte of its files was fetched and compared in ${seconds} s`
        : `all of it was fetched, checked and loaded in ${seconds} s${log ?? ''}`,
    },
  );
};

/** The test found out nothing about the backup. */
const couldNot = (
  environment: BackupEnvironment,
  backup: BackupObject,
  test: Verification,
  { reason, message }: { readonly reason: VerifiedVerdict['reason']; readonly message: string },
): VerifiedVerdict =>
  ended(
    environment,
    backup,
    test,
    // The next try goes on without the log.
    test.rowsOnly === undefined ? {} : { rowsOnly: test.rowsOnly },
    {
      status: 'Unknown',
      reason,
      message:
        reason === BackupReason.Removed
          ? `it cannot be restored any more: ${message}`
          : `the test could not be made, and is tried again in an hour: ${message}`,
    },
  );

function ended(
  environment: BackupEnvironment,
  backup: BackupObject,
  { startedAt }: Verification,
  found: Omit<Verification, 'startedAt' | 'completedAt'>,
  { status, reason, message }: Pick<VerifiedVerdict, 'status' | 'reason' | 'message'>,
): VerifiedVerdict {
  environment.testTurns.end(backup, environment.nowMs());
  const completedAt = timeOf(environment);
  const verification = { startedAt, completedAt, ...found };
  const facts = {
    verification,
    ...(found.passed === true ? { lastVerifiedAt: completedAt } : {}),
    ...(found.replayedFrom === undefined ? {} : { lastReplayedAt: completedAt }),
  };
  return { status, reason, message, facts };
}
