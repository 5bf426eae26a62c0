/** The jobs that make, remove and test backups. They run beside any other job of their database. */
import type { Backup } from '../model/backup.ts';
import type { Job, NewJob } from '../model/job.ts';

const making = ['create_resource', 'take_checkpoint', 'copy'] as const;
const removing = ['request_removal', 'await_removal'] as const;
const verifying = ['request_test', 'test_restore'] as const;

const hour = 3_600_000;

type Of = Pick<Backup, 'id' | 'organizationId' | 'databaseId' | 'status'>;

export const makingJob = ({ id, organizationId, databaseId }: Of): NewJob => ({
  organizationId,
  databaseId,
  type: 'backup.create',
  input: { backupId: id },
  steps: making,
  timeoutMs: 12 * hour,
  maxAttempts: 1,
  exclusive: false,
  cancellable: false,
  message: 'The backup is queued.',
});

/** The input has the earlier status: a refused removal restores it. */
export const removingJob = ({ id, organizationId, databaseId, status }: Of): NewJob => ({
  organizationId,
  databaseId,
  type: 'backup.delete',
  input: { backupId: id, status },
  steps: removing,
  timeoutMs: hour,
  maxAttempts: 1,
  exclusive: false,
  cancellable: false,
  message: 'The removal is queued.',
});

/** The input has the time of the request, in whole seconds like a resource's: a test that began before is another one. */
export const verifyingJob = (
  { id, organizationId, databaseId }: Of,
  requestedAt: Date,
): NewJob => ({
  organizationId,
  databaseId,
  type: 'backup.verify',
  input: { backupId: id, requestedAt: `${requestedAt.toISOString().slice(0, 19)}Z` },
  steps: verifying,
  timeoutMs: 12 * hour,
  maxAttempts: 1,
  exclusive: false,
  cancellable: false,
  message: 'The test restore is queued.',
});

export const backupIdOfJob = ({ input }: Job): string =>
  (input as { readonly backupId: string }).backupId;
export const statusBefore = ({ input }: Job): Backup['status'] =>
  (input as { readonly status: Backup['status'] }).status;
export const testRequestedAt = ({ input }: Job): string =>
  (input as { readonly requestedAt: string }).requestedAt;
