/**
 * Job handlers for databases, including their changes and backups. The handlers here read the rows, call `provision` and
 * `unprovision`, and write the results.
 */
import type { CatalogSpec } from '../../domain/custom-resources.ts';
import { makingHandler } from '../backups/make.ts';
import { removingHandler } from '../backups/remove.ts';
import { verifyingHandler } from '../backups/verify.ts';
import { changeHandler } from '../configuration/apply-change.ts';
import { tellFailed } from '../imports/import-events.ts';
import type { JobContext, JobHandler, JobOutcome } from '../jobs/handler.ts';
import { decisionOf, type Job } from '../model/job.ts';
import type { JobHandlers } from '../jobs/worker.ts';
import type { BackupWriter } from '../kubernetes/backup-writer.ts';
import type { DatabaseWriter } from '../kubernetes/database-writer.ts';
import type { OrganizationNamespaces } from '../kubernetes/organization-namespaces.ts';
import { findAnyBackup, hasLastBackup } from '../store/backups.ts';
import type { Change } from '../store/change.ts';
import type { Database } from '../store/database-record.ts';
import {
  findActiveProfile,
  findAnyDatabase,
  findDatabaseByName,
  lockDatabase,
  updateActiveProfile,
  updateDatabase,
} from '../store/databases.ts';
import { isImportOf } from '../store/imports.ts';
import type { Store } from '../store/store.ts';
import { tell } from './events.ts';
import { markDeleted } from './mark-deleted.ts';
import { provision, type Look } from './provision.ts';
import { wantsFinalBackup } from './provisioning-jobs.ts';
import { retentionMs } from './retention.ts';
import { unprovision } from './unprovision.ts';

interface JobWorld {
  readonly store: Store;
  readonly writer: DatabaseWriter;
  readonly backups: BackupWriter;
  readonly namespaces: OrganizationNamespaces;
  readonly catalog: () => CatalogSpec | undefined;
  readonly nowMs: () => number;
}

export function databaseJobHandlers(world: JobWorld): JobHandlers {
  return {
    'database.create': provisioning(world),
    'database.restore_deleted': provisioning(world),
    'database.delete': {
      run: async (context) => outcomeOf(context, await removing(world, context, false)),
      ended: keepProtected,
    },
    'database.change': changeHandler(world),
    'backup.create': makingHandler(world),
    'backup.delete': removingHandler(world),
    'backup.verify': verifyingHandler(world),
  };
}

const provisioning = (world: JobWorld): JobHandler => ({
  async run(context) {
    const { job } = context;
    const database = await databaseOf(world, job);
    if (database.deletedAt !== null) return superseded;
    const profile = await findActiveProfile(world.store.read, database.id);
    if (profile === undefined) throw new Error(`${database.id} has no active profile`);
    // A failed job is retried, so its database is no longer failed.
    if (database.status === 'FAILED') {
      await context.write((change) =>
        updateDatabase(change, database.id, { status: 'PROVISIONING', statusReason: null }),
      );
    }
    const catalog = world.catalog();
    // A process that has just started does not know yet whether people make the database.
    if (catalog === undefined && database.kubernetesUid === null) {
      return outcomeOf(context, withoutCatalog(job));
    }
    const provider = catalog?.providers.find(({ id }) => id === profile.provider);
    const look = await provision(
      {
        writer: world.writer,
        namespaces: world.namespaces,
        nowMs: world.nowMs,
        place: (placed, kubernetesUid) =>
          context.write(async (change) => {
            const before = await lockDatabase(change, placed.id);
            // The watch may have been faster; then it has emitted the event.
            if (before === undefined || before.kubernetesUid !== null) return;
            const after = await updateDatabase(change, placed.id, { kubernetesUid });
            tell(change, 'database.provisioning_started', after, { job });
          }),
        leaves: async (id) => {
          const other = await findAnyDatabase(world.store.read, id);
          return other !== undefined && other.deletedAt !== null;
        },
        isRemoved: async (id) => {
          const backup = await findAnyBackup(world.store.read, id);
          // Rows of removed backups are deleted in the end.
          return backup === undefined || backup.removedAt !== null;
        },
        hasImport: ({ id, organizationId }, importId) =>
          isImportOf(world.store.read, organizationId, importId, id),
      },
      { database, profile },
      {
        automatic: provider?.provisioning !== 'MANUAL',
        decision: decisionOf(job),
        // A database that never served has no usable data file.
        fromVolumes: job.type === 'database.restore_deleted' && database.readyAt !== null,
      },
    );
    return outcomeOf(context, look);
  },

  /** Removes the made objects; the database is deleted then. */
  async cancel(context) {
    const database = await databaseOf(world, context.job);
    if (database.status === 'READY') return { kind: 'succeeded' };
    const look = await removing(world, context, true);
    if (look.kind === 'done') return { kind: 'canceled' };
    return outcomeOf(context, look);
  },

  async ended(change, job) {
    if (job.status !== 'FAILED' || job.databaseId === null || job.error === null) return;
    const before = await lockDatabase(change, job.databaseId);
    if (before === undefined || before.status !== 'PROVISIONING') return;
    const reason = { code: job.error.code, message: job.error.message };
    const database = await updateDatabase(change, job.databaseId, {
      status: 'FAILED',
      statusReason: reason,
    });
    await updateActiveProfile(change, job.databaseId, { status: 'FAILED', error: reason });
    tell(change, 'database.failed', database, { job, reason });
    await tellFailed(change, database, reason);
  },
});

/** After a deletion that protection refused, the database gets its earlier state back, unless another one has its name now. */
async function keepProtected(change: Change, job: Job): Promise<void> {
  if (job.error?.code !== 'deletion_protected' || job.databaseId === null) return;
  const before = await lockDatabase(change, job.databaseId);
  if (before === undefined || before.status !== 'DELETING') return;
  const { organizationId, name, readyAt } = before;
  if ((await findDatabaseByName(change.db, organizationId, name)) !== undefined) return;
  const status = readyAt === null ? 'PROVISIONING' : 'READY';
  const after = await updateDatabase(change, before.id, {
    status,
    deletionProtection: true,
    deletedAt: null,
    purgeAt: null,
  });
  await updateActiveProfile(change, before.id, { status });
  tell(change, 'database.restored', after, { job, reason: job.error });
}

async function removing(world: JobWorld, context: JobContext, unprotect: boolean): Promise<Look> {
  const database = await databaseOf(world, context.job);
  return unprovision(
    {
      writer: world.writer,
      nowMs: world.nowMs,
      removed: ({ id }) =>
        context.write(async (change) => {
          const before = await lockDatabase(change, id);
          const now = new Date(world.nowMs());
          if (before === undefined) return;
          const purgeAt = purgeTimeOf(context.job, before, now, world.catalog());
          await markDeleted(change, before, { deletedAt: now, purgeAt }, context.job);
        }),
      hasLastBackup: ({ id }, since) => hasLastBackup(world.store.read, id, since),
      backups: world.backups,
      purged: ({ id }) =>
        context.write(async (change) => {
          const before = await lockDatabase(change, id);
          if (before?.status !== 'DELETED' || before.purgedAt !== null) return;
          await updateDatabase(change, id, { purgeAt: new Date(world.nowMs()) });
        }),
    },
    database,
    { unprotect, finalBackup: wantsFinalBackup(context.job) },
  );
}

/**
 * Time of the purge. The operator marks the volumes when their resource is deleted. A restore that was cancelled before there was
 * a resource has not touched them, so their earlier time stays.
 */
function purgeTimeOf(
  { input }: Job,
  { kubernetesUid }: Database,
  now: Date,
  catalog: CatalogSpec | undefined,
): Date {
  const { purgeAt } = input as { readonly purgeAt?: string | null };
  if (kubernetesUid === null && typeof purgeAt === 'string') return new Date(purgeAt);
  return new Date(now.getTime() + retentionMs(catalog));
}

async function outcomeOf(context: JobContext, look: Look): Promise<JobOutcome> {
  if (look.kind === 'failed') {
    return {
      kind: 'failed',
      error: { code: look.code, message: look.message },
      retryable: look.final !== true,
    };
  }
  if (look.kind === 'done') {
    const last = context.job.steps.at(-1)?.name;
    if (last !== undefined) {
      await context.step(last, 'SUCCEEDED', { percent: 100, message: look.message });
    }
    return { kind: 'succeeded' };
  }
  const { step, percent, message, againInMs } = look;
  const running = context.job.steps.find(({ name }) => name === step)?.status === 'RUNNING';
  const known = running && context.job.progress.message === message;
  const inSteps = context.job.steps.some(({ name }) => name === step);
  if (!known && inSteps) await context.step(step, 'RUNNING', { percent, message });
  return { kind: 'again', afterMs: againInMs, waiting: look.waiting === true };
}

const withoutCatalog = ({ status }: Job): Look => ({
  kind: 'going_on',
  step: 'create_resource',
  percent: 0,
  message: 'Waiting for the catalog.',
  againInMs: 1_000,
  ...(status === 'WAITING' && { waiting: true }),
});

const superseded: JobOutcome = {
  kind: 'failed',
  error: { code: 'superseded', message: 'The database was deleted meanwhile.' },
  retryable: false,
};

async function databaseOf({ store }: JobWorld, { databaseId, id }: Job): Promise<Database> {
  const database = databaseId === null ? undefined : await findAnyDatabase(store.read, databaseId);
  if (database === undefined) throw new Error(`the job ${id} belongs to no database`);
  return database;
}
