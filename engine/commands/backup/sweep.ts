import { ArchiveError } from '../../archive/errors.ts';
import type { S3Store } from '../../archive/s3-store.ts';
import { GRACE_MS, sweep } from '../../archive/sweep.ts';
import type { Verb } from '../verb.ts';
import { bucketFlags, databaseIdOf, withStore } from './store-flags.ts';

export const sweepVerb: Verb = {
  name: 'sweep-backups',
  summary:
    'Delete the objects of backups that were removed a day ago or earlier, and that no other backup needs.',
  arguments: [],
  flags: [
    ...bucketFlags,
    {
      name: 'database',
      value: 'id',
      help: 'the ID of the only database to sweep; all in the bucket by default',
    },
  ],
  async run(input) {
    const only = input.flag('database') === undefined ? undefined : databaseIdOf(input);
    let failed = 0;
    await withStore(input, async (store) => {
      for await (const databaseId of only === undefined ? archives(store) : [only]) {
        const line = await swept(store, databaseId);
        if ('error' in line) failed += 1;
        process.stdout.write(`${JSON.stringify({ databaseId, ...line })}\n`);
      }
    });
    return failed === 0 ? 0 : 1;
  },
};

/** An archive that cannot be swept does not stop the sweep of others. */
async function swept(store: S3Store, databaseId: string): Promise<object> {
  try {
    return await sweep({ store, databaseId, nowMs: Date.now(), graceMs: GRACE_MS });
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    return { error: error.code, message: error.message };
  }
}

/** Folders whose names are no database's are not ours. */
async function* archives(store: S3Store): AsyncIterable<string> {
  for await (const folder of store.folders()) if (/^[a-z0-9_]{1,64}$/.test(folder)) yield folder;
}
