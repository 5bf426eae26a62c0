/** The jobs that create, restore and delete databases, as they are queued. */
import type { NewJob } from '../model/job.ts';
import type { Database } from '../store/database-record.ts';

const provisioningSteps = [
  'create_resource',
  'prepare_volumes',
  'start_replicas',
  'serve',
] as const;
export type ProvisioningStep = (typeof provisioningSteps)[number];

const deletionSteps = ['delete_resource', 'await_removal'] as const;

const minute = 60_000;

type Of = Pick<Database, 'id' | 'organizationId'>;

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

/** `purgeAt`: time of the volumes' purge if the restore is cancelled before it touched them. */
export const restoration = (database: Of, purgeAt: Date | null): NewJob => ({
  ...creation(database),
  input: { purgeAt: purgeAt?.toISOString() ?? null },
  type: 'database.restore_deleted',
  message: 'The restoration is queued.',
});

export const deletion = ({ id, organizationId }: Of): NewJob => ({
  organizationId,
  databaseId: id,
  type: 'database.delete',
  input: {},
  steps: deletionSteps,
  timeoutMs: 30 * minute,
  maxAttempts: 10,
  cancellable: false,
  message: 'The deletion is queued.',
});
