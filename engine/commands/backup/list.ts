import { readRecord, recordKeys } from '../../archive/archive.ts';
import { listFileBackups } from '../../archive/data-files/record.ts';
import type { Verb } from '../verb.ts';
import { summaryOfFiles } from './data-files/complete.ts';
import { summaryOf } from './make.ts';
import { databaseIdOf, storeFlags, withStore } from './store-flags.ts';

export const backups: Verb = {
  name: 'backups',
  summary:
    'List the backups of a database in a bucket, one line of JSON each, oldest first; those of data files come last.',
  arguments: [],
  flags: storeFlags,
  async run(input) {
    const databaseId = databaseIdOf(input);
    await withStore(input, async (store) => {
      for (const { key } of await recordKeys(store, databaseId)) {
        const found = await readRecord(store, databaseId, key);
        process.stdout.write(`${JSON.stringify(summaryOf(found))}\n`);
      }
      for await (const found of listFileBackups(store, databaseId))
        process.stdout.write(`${JSON.stringify(summaryOfFiles(found))}\n`);
    });
    return 0;
  },
};
