/** The backup of data files that a command is about. */
import { findFileBackup, type FileBackup, type Found } from '../../../archive/data-files/record.ts';
import type { ObjectStore } from '../../../archive/object-store.ts';
import { required } from '../../values.ts';
import type { Flag, Input } from '../../verb.ts';
import { databaseIdOf, parseBackupId } from '../store-flags.ts';

export const whichFilesFlags: readonly Flag[] = [
  { name: 'backup', value: 'name', help: 'the backup of data files' },
  { name: 'sha256', value: 'digest', help: 'the digest that its record must have' },
];

export function findFiles(input: Input, store: ObjectStore): Promise<Found<FileBackup>> {
  const backupId = parseBackupId('backup', required(input.flag('backup'), 'backup'));
  const databaseId = databaseIdOf(input);
  return findFileBackup(store, { databaseId, backupId }, input.flag('sha256'));
}
