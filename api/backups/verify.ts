/** Tests a backup: the job requests a test restore from the operator, and waits for its result. */
import type { JobContext, JobHandler, JobOutcome } from '../jobs/handler.ts';
import { showStep } from '../jobs/show-step.ts';
import type { Backup, Verification } from '../model/backup.ts';
import { findAnyBackup } from '../store/backups.ts';
import { backupIdOfJob, testRequestedAt } from './backup-jobs.ts';
import type { BackupWorld } from './make.ts';

/** Events of the watch wake the job earlier. */
const lookAgainMs = 10_000;

export const verifyingHandler = (world: BackupWorld): JobHandler => ({
  async run(context) {
    const backup = await findAnyBackup(world.store.read, backupIdOfJob(context.job));
    if (backup?.status !== 'SUCCEEDED') return failed('superseded', 'The backup was removed.');
    const found = testOf(backup, testRequestedAt(context.job));
    if (found === undefined) return askFor(world, context, backup);
    const { status, message } = found;
    if (status === 'PASSED') {
      await context.step('test_restore', 'SUCCEEDED', { percent: 100, message: 'It is sound.' });
      return { kind: 'succeeded' };
    }
    if (status === 'FAILED') return failed('backup_damaged', message);
    if (status === 'UNKNOWN') return failed('test_not_made', message);
    await showStep(context, 'test_restore', 50, message);
    return { kind: 'again', afterMs: lookAgainMs };
  },
});

/** The last test, if it began after the request. */
function testOf({ verification }: Backup, requestedAt: string): Verification | undefined {
  if (verification === null || verification.startedAt === null) return undefined;
  const isLater = Date.parse(verification.startedAt) >= Date.parse(requestedAt);
  return isLater ? verification : undefined;
}

async function askFor(
  { backups }: BackupWorld,
  context: JobContext,
  { kubernetesUid: uid, kubernetesNamespace: namespace, resourceName: name }: Backup,
): Promise<JobOutcome> {
  const isAsked = context.job.steps.some(
    (step) => step.name === 'test_restore' && step.status === 'RUNNING',
  );
  if (!isAsked) {
    const at = { namespace, name };
    const asked = await backups.requestTest(at, uid ?? '', testRequestedAt(context.job));
    if (asked === undefined) {
      return failed('backup_not_managed', 'Its resource was deleted in Kubernetes.');
    }
    await showStep(
      context,
      'test_restore',
      10,
      'Waiting for the operator, which makes one test of an organization at a time.',
    );
  }
  return { kind: 'again', afterMs: lookAgainMs };
}

const failed = (code: string, message: string): JobOutcome => ({
  kind: 'failed',
  error: { code, message },
  retryable: false,
});
