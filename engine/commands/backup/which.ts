/** The backup that a command is about. */
import { findRecord, type FoundRecord } from '../../archive/archive.ts';
import { damaged } from '../../archive/errors.ts';
import type { ObjectStore } from '../../archive/object-store.ts';
import type { Flag, Input } from '../verb.ts';
import { databaseIdOf, parseBackupId } from './store-flags.ts';

export const whichFlags: readonly Flag[] = [
  { name: 'backup', value: 'name', help: "the backup; the database's newest by default" },
  { name: 'sha256', value: 'digest', help: 'the digest that the record must have' },
];

export async function findBackup(input: Input, store: ObjectStore): Promise<FoundRecord> {
  const name = input.flag('backup');
  const backupId = name === undefined ? undefined : parseBackupId('backup', name);
  const found = await findRecord(store, databaseIdOf(input), backupId);
  const sha256 = input.flag('sha256');
  if (sha256 === undefined || sha256 === found.sha256) return found;
  throw damaged(found.key, `its digest is ${found.sha256}, not ${sha256}`);
}
