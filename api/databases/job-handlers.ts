/** The worker's hands on databases: looks at the rows, does what `provision` and `unprovision` say, writes what came of it. */
import type { CatalogSpec } from '../../domain/resources.ts';
import type { JobContext, JobHandler, JobOutcome } from '../jobs/handler.ts';
import type { Job } from '../model/job.ts';
import type { JobHandlers } from '../jobs/worker.ts';
import type { DatabaseWriter } from '../kubernetes/database-writer.ts';
import type { OrganizationNamespaces } from '../kubernetes/organization-namespaces.ts';
import type { Change } from '../store/change.ts';
import type { Database } from '../store/database-record.ts';
import {
  findActiveProfile,
  findAnyDatabase,
  lockDatabase,
  updateActiveProfile,
  updateDatabase,
  type DatabasePatch,
} from '../store/databases.ts';
import type { Store } from '../store/store.ts';
import { tell } from './events.ts';
import { markDeleted } from './mark-deleted.ts';
import { provision, type Look } from './provision.ts';
import { unprovision } from './unprovision.ts';

export interface JobWorld {
  readonly store: Store;
  readonly writer: DatabaseWriter;
  readonly namespaces: OrganizationNamespaces;
  readonly catalog: () => CatalogSpec | undefined;
  readonly nowMs: () => number;
}

export function databaseJobHandlers(world: JobWorld): JobHandlers {
  return {
    'database.create': provisioning(world),
    'database.restore_deleted': provisioning(world),
    'database.delete': {
      run: async (context) => outcomeOf(context, await removing(world, context)),
    },
  };
}

const provisioning = (world: JobWorld): JobHandler => ({
  async run(context) {
    const { job } = context;
    const database = await databaseOf(world, job);
    if (database.deletedAt !== null) return superseded;
    const profile = await findActiveProfile(world.store.read, database.id);
    if (profile === undefined) throw new Error(`${database.id} has no active profile`);
    // A job that had failed is tried again: so is its database.
    if (database.status === 'FAILED') {
      await context.write((change) =>
        written(change, database.id, { status: 'PROVISIONING', statusReason: null }),
      );
    }
    const provider = world.catalog()?.providers.find(({ id }) => id === profile.provider);
    const look = await provision(
      {
        writer: world.writer,
        namespaces: world.namespaces,
        nowMs: world.nowMs,
        place: (placed, kubernetesUid) =>
          context.write(async (change) => {
            const before = await lockDatabase(change, placed.id);
            // The watch may have been quicker, and has told it then.
            if (before === undefined || before.kubernetesUid !== null) return;
            const after = await written(change, placed.id, { kubernetesUid });
            tell(change, 'database.provisioning_started', after, { job });
          }),
        leaves: async (id) => {
          const other = await findAnyDatabase(world.store.read, id);
          return other !== undefined && other.deletedAt !== null;
        },
      },
      { database, profile },
      {
        automatic: provider?.provisioning !== 'MANUAL',
        // One that never served has no data file worth the name.
        fromVolumes: job.type === 'database.restore_deleted' && database.readyAt !== null,
      },
    );
    return outcomeOf(context, look);
  },

  /** What was made goes again; the database is then a deleted one. */
  async cancel(context) {
    const database = await databaseOf(world, context.job);
    if (database.status === 'READY') return { kind: 'succeeded' };
    const look = await removing(world, context);
    if (look.kind === 'done') return { kind: 'canceled' };
    return outcomeOf(context, look);
  },

  async ended(change, job) {
    if (job.status !== 'FAILED' || job.databaseId === null || job.error === null) return;
    const before = await lockDatabase(change, job.databaseId);
    if (before === undefined || before.status !== 'PROVISIONING') return;
    const reason = { code: job.error.code, message: job.error.message };
    const database = await written(change, job.databaseId, {
      status: 'FAILED',
      statusReason: reason,
    });
    await updateActiveProfile(change, job.databaseId, { status: 'FAILED', error: reason });
    tell(change, 'database.failed', database, { job, reason });
  },
});

async function removing(world: JobWorld, context: JobContext): Promise<Look> {
  const database = await databaseOf(world, context.job);
  return unprovision(
    {
      writer: world.writer,
      nowMs: world.nowMs,
      removed: ({ id }) =>
        context.write(async (change) => {
          const before = await lockDatabase(change, id);
          const now = new Date(world.nowMs());
          // Nothing was ever kept of one that was cancelled before it served.
          const times = { deletedAt: now, purgeAt: now };
          if (before !== undefined) await markDeleted(change, before, times, context.job);
        }),
    },
    database,
  );
}

async function outcomeOf(context: JobContext, look: Look): Promise<JobOutcome> {
  if (look.kind === 'failed') {
    return { kind: 'failed', error: { code: look.code, message: look.message }, retryable: true };
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
  return { kind: 'again', afterMs: againInMs };
}

const superseded: JobOutcome = {
  kind: 'failed',
  error: { code: 'superseded', message: 'The database was deleted meanwhile.' },
  retryable: false,
};

async function databaseOf({ store }: JobWorld, { databaseId, id }: Job): Promise<Database> {
  const database = databaseId === null ? undefined : await findAnyDatabase(store.read, databaseId);
  if (database === undefined) throw new Error(`${id} is of no database`);
  return database;
}

async function written(change: Change, id: string, patch: DatabasePatch): Promise<Database> {
  const database = await updateDatabase(change, id, patch);
  if (typeof database === 'string') throw new Error(`it was not written: ${database}`);
  return database;
}
