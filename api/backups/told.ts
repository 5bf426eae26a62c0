/** The part of a condition that tenants may read. Pure. */
import { BackupReason, VerifiedReason } from '../../domain/conditions.ts';

interface Condition {
  readonly reason: string;
  readonly message: string;
}

/**
 * Reasons whose messages are for administrators only: endpoint, bucket and words of the store, and the installation's nodes.
 */
const ofTheInstallation: Readonly<Partial<Record<string, string>>> = {
  [BackupReason.Delayed]: 'Its Job has not succeeded yet, and is tried again.',
  [BackupReason.StoreUnreachable]: 'The store of backups does not answer.',
  [BackupReason.StoreRefused]: 'The store of backups refuses the requests.',
  [BackupReason.StoreFull]: 'The store of backups is full.',
  [BackupReason.StoreOverwrites]: 'The store of backups cannot be used: it overwrites objects.',
  [BackupReason.KeyMissing]: 'The archive is encrypted, and its key is not there.',
  [BackupReason.ArchiveForeign]: 'The store has another archive in the place of this one.',
  [VerifiedReason.NotScheduled]:
    'No node had room for the test restore, which is made again in an hour.',
  [VerifiedReason.NotStarted]: 'The test restore did not start, and is made again in an hour.',
};

/** The condition's message. If that is for administrators, its reason in words, and the place of the message. */
export function toldOf({ reason, message }: Condition, resourceName: string): string {
  const words = ofTheInstallation[reason];
  return words === undefined
    ? message
    : `${words} The operators of the service find out more at the LedgerBackup ${resourceName}.`;
}
