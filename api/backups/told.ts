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

/** Words for reasons of `rowsOnly`, whose messages are for administrators: they quote the store and the cluster. */
const rowsOnlyWords: Readonly<Partial<Record<string, string>>> = {
  NoLog:
    'The archived log does not lead from an earlier backup, or from the beginning, to this one.',
  OtherHistory:
    'The archived log is that of another history: the database returned to an older state.',
  BaseDamaged: 'The earlier backup with which the replay begins is damaged.',
  KeyMissing: 'The log is encrypted, and its key is not there.',
  NotPossible: 'The installation could not replay the log.',
  TooLong: 'The replay of the log did not end in the time that it had.',
};

/** Why the rows alone were tested, as tenants may read it. */
export const rowsOnlyTold = ({ reason }: Condition): { code: string; message: string } => ({
  code: reason,
  message: rowsOnlyWords[reason] ?? 'The log was not replayed.',
});
