import { examineBoxes } from '../../archive/lock-boxes.ts';
import { UsageError, type Verb } from '../verb.ts';
import { archives } from './archives.ts';
import { bucketFlags, databaseIdOf, withStore } from './store-flags.ts';

export const backupKeys: Verb = {
  name: 'backup-keys',
  summary:
    'Say which encryption keys the archives in a bucket need, one line of JSON each; with --rewrap, make the first key open all of them.',
  arguments: [],
  flags: [
    ...bucketFlags,
    {
      name: 'database',
      value: 'id',
      help: 'the ID of the only database to look at; all in the bucket by default',
    },
    {
      name: 'rewrap',
      value: undefined,
      help: 'put data keys that open with earlier keys into boxes of the first one; no object is written again',
    },
  ],
  async run(input) {
    const only = input.flag('database') === undefined ? undefined : databaseIdOf(input);
    const rewrap = input.flag('rewrap') !== undefined;
    await withStore(input, async (store) => {
      const { keys } = store;
      if (keys === undefined)
        throw new UsageError('put the file encryption-keys into the folder of --credentials');
      for await (const databaseId of only === undefined ? archives(store) : [only]) {
        const report = await examineBoxes(store, databaseId, keys, rewrap);
        process.stdout.write(`${JSON.stringify({ databaseId, ...report })}\n`);
      }
    });
    return 0;
  },
};
