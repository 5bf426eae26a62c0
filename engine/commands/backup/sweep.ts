import { GRACE_MS, LOG_DAYS } from '../../../domain/kept-log.ts';
import type { SweepResult } from '../../../domain/sweep-result.ts';
import { ArchiveError } from '../../archive/errors.ts';
import { examineBoxes } from '../../archive/lock-boxes.ts';
import { agingTime } from '../../archive/object-store.ts';
import type { SealedStore } from '../../archive/sealed-store.ts';
import { removeUnfinished } from '../../archive/data-files/unfinished.ts';
import { sweep } from '../../archive/sweep.ts';
import { sweepLog } from '../../archive/sweep-log.ts';
import { parseInteger } from '../values.ts';
import type { Verb } from '../verb.ts';
import { archives } from './archives.ts';
import { noteResult, resultFlag } from './result.ts';
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
      help: `days of which every moment of an archived log is kept, ${LOG_DAYS} by default`,
    },
    { ...resultFlag, help: 'a file for the sums of all archives' },
  ],
  async run(input) {
    const only = input.flag('database') === undefined ? undefined : databaseIdOf(input);
    const keepMs =
      parseInteger('log-days', input.flag('log-days') ?? String(LOG_DAYS), 1, 36_500) * DAY_MS;
    const { failed } = await noteResult(input, async () => {
      const sums = { archives: 0, failed: 0, removedBytes: 0, waiting: 0, locked: 0 };
      await withStore(input, async (store) => {
        for await (const databaseId of only === undefined ? archives(store) : [only]) {
          const line = await swept(store, databaseId, keepMs);
          add(sums, line);
          process.stdout.write(`${JSON.stringify({ databaseId, ...line })}\n`);
        }
      });
      return sums;
    });
    return failed === 0 ? 0 : 1;
  },
};

type Line = Awaited<ReturnType<typeof swept>>;

function add(sums: { -readonly [Name in keyof SweepResult]: number }, line: Line): void {
  sums.archives += 1;
  if ('error' in line) {
    sums.failed += 1;
    return;
  }
  sums.removedBytes += line.bytes + line.logBytes;
  sums.waiting += line.waiting;
  sums.locked += line.locked;
}

const DAY_MS = 86_400_000;

/** An archive that cannot be swept does not stop the sweep of others. */
async function swept(store: SealedStore, databaseId: string, keepMs: number) {
  try {
    const { keys } = store;
    const encryption = keys && (await examineBoxes(store, databaseId, keys, true));
    const nowMs = await agingTime(store, databaseId);
    const unfinished = await removeUnfinished({ store, databaseId, nowMs });
    const backups = await sweep({ store, databaseId, nowMs, graceMs: GRACE_MS });
    const { segments, bytes: logBytes } = await sweepLog({ store, databaseId, nowMs, keepMs });
    return {
      ...backups,
      unfinished,
      segments,
      logBytes,
      ...(encryption !== undefined && { encryption }),
    };
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    return { error: error.code, message: error.message };
  }
}
