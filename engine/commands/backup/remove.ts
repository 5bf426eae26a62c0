import { recordKeys } from '../../archive/archive.ts';
import { removeBackup } from '../../archive/removals.ts';
import { required } from '../values.ts';
import type { Verb } from '../verb.ts';
import { resultFlag, tellResult } from './result.ts';
import { databaseIdOf, parseBackupId, storeFlags, withStore } from './store-flags.ts';

export const removeVerb: Verb = {
  name: 'remove-backup',
  summary: 'Note in the bucket that a backup is removed; sweep-backups deletes its objects later.',
  arguments: [],
  flags: [...storeFlags, { name: 'backup', value: 'name', help: 'the backup' }, resultFlag],
  run(input) {
    const databaseId = databaseIdOf(input);
    const backupId = parseBackupId('backup', required(input.flag('backup'), 'backup'));
    return tellResult(input, async () => {
      const removedAt = new Date().toISOString();
      return withStore(input, async (store) => {
        const note = await removeBackup(store, databaseId, { backupId, removedAt });
        return { databaseId, ...note, left: (await recordKeys(store, databaseId)).length };
      });
    });
  },
};
