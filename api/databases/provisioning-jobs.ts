/** The jobs that create, restore and delete databases. */
import type { Job, NewJob } from '../model/job.ts';
import type { Database } from '../store/database-record.ts';

const provisioningSteps = [
  'create_resource',
  'prepare_volumes',
  'start_replicas',
  'serve',
] as const;
/** Steps for a database that is filled once its replicas run. */
const fillingSteps = [
  'create_resource',
  'prepare_volumes',
  'start_replicas',
  'fill',
  'serve',
] as const;
export type ProvisioningStep = (typeof fillingSteps)[number];

const deletionSteps = ['delete_resource', 'await_removal'] as const;

const minute = 60_000;

type Of = Pick<Database, 'id' | 'organizationId'>;

/** Deadline of work with a backup: a large backup takes long to fetch and to store. */
const backupTimeoutMs = 12 * 60 * minute;

export const creation = ({ id, organizationId }: Of): NewJob => ({
  organizationId,
  databaseId: id,
  type: 'database.create',
  input: {},
  steps: provisioningSteps,
  timeoutMs: 30 * minute,
  maxAttempts: 3,
  cancellable: true,
  message: 'Provisioning is queued.',
});

/** Creation of a database that begins with a backup. */
export const restorationFromBackup = (database: Of): NewJob => ({
  ...creation(database),
  timeoutMs: backupTimeoutMs,
  message: 'The restore is queued.',
});

/** Creation of a database of TigerBeetle that begins with a backup: it is filled through its protocol. */
export const fillingFromBackup = (database: Of): NewJob => ({
  ...restorationFromBackup(database),
  steps: fillingSteps,
});

/** Creation of a database that begins with imported files, which may be as large as a backup. */
export const importation = (database: Of): NewJob => ({
  ...creation(database),
  timeoutMs: backupTimeoutMs,
  message: 'The import is queued.',
});

/** `purgeAt`: time of the volumes' purge if the restore is cancelled before it touched them. */
export const restoration = (database: Of, purgeAt: Date | null): NewJob => ({
  ...creation(database),
  input: { purgeAt: purgeAt?.toISOString() ?? null },
  type: 'database.restore_deleted',
  message: 'The restoration is queued.',
});

/** `finalBackup`: the volumes are deleted after a backup, which may take as long as a restore. */
export const deletion = ({ id, organizationId }: Of, finalBackup: boolean): NewJob => ({
  organizationId,
  databaseId: id,
  type: 'database.delete',
  input: finalBackup ? { finalBackup } : {},
  steps: deletionSteps,
  timeoutMs: finalBackup ? backupTimeoutMs : 30 * minute,
  maxAttempts: 10,
  cancellable: false,
  message: 'The deletion is queued.',
});

export const wantsFinalBackup = ({ input }: Pick<Job, 'input'>): boolean =>
  (input as { readonly finalBackup?: boolean }).finalBackup === true;
