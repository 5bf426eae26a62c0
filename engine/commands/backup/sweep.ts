import { ArchiveError } from '../../archive/errors.ts';
import { examineBoxes } from '../../archive/lock-boxes.ts';
import { agingTime } from '../../archive/object-store.ts';
import type { SealedStore } from '../../archive/sealed-store.ts';
import { removeUnfinished } from '../../archive/data-files/unfinished.ts';
import { GRACE_MS, sweep } from '../../archive/sweep.ts';
import { sweepLog } from '../../archive/sweep-log.ts';
import { parseInteger } from '../values.ts';
import type { Verb } from '../verb.ts';
import { archives } from './archives.ts';
import { bucketFlags, databaseIdOf, withStore } from './store-flags.ts';

export const sweepVerb: Verb = {
  name: 'sweep-backups',
  summary:
    'Delete the objects of backups that were removed a day ago or earlier, and the log before the days that are kept.',
  arguments: [],
  flags: [
    ...bucketFlags,
    {
      name: 'database',
      value: 'id',
      help: 'the ID of the only database to sweep; all in the bucket by default',
    },
    {
      name: 'log-days',
      value: 'days',
      help: 'days of which every moment of an archived log is kept, 7 by default',
    },
  ],
  async run(input) {
    const only = input.flag('database') === undefined ? undefined : databaseIdOf(input);
    const keepMs = parseInteger('log-days', input.flag('log-days') ?? '7', 1, 36_500) * DAY_MS;
    let failed = 0;
    await withStore(input, async (store) => {
      for await (const databaseId of only === undefined ? archives(store) : [only]) {
        const line = await swept(store, databaseId, keepMs);
        if ('error' in line) failed += 1;
        process.stdout.write(`${JSON.stringify({ databaseId, ...line })}\n`);
      }
    });
    return failed === 0 ? 0 : 1;
  },
};

const DAY_MS = 86_400_000;

/** An archive that cannot be swept does not stop the sweep of others. */
async function swept(store: SealedStore, databaseId: string, keepMs: number): Promise<object> {
  try {
    const { keys } = store;
    const encryption = keys && (await examineBoxes(store, databaseId, keys, true));
    const nowMs = await agingTime(store, databaseId);
    const unfinished = await removeUnfinished({ store, databaseId, nowMs });
    const backups = await sweep({ store, databaseId, nowMs, graceMs: GRACE_MS });
    const segments = await sweepLog({ store, databaseId, nowMs, keepMs });
    return { ...backups, unfinished, segments, ...(encryption !== undefined && { encryption }) };
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    return { error: error.code, message: error.message };
  }
}
