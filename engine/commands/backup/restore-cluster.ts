import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import {
  checkRestorable,
  restoreCluster,
  type LedgerToFill,
} from '../../cluster-backup/restore-cluster.ts';
import { restoreBackup } from '../../archive/restore-backup.ts';
import type { SealedStore } from '../../archive/sealed-store.ts';
import { LOG_SIZE_MIN } from '../../log/layout.ts';
import { engineRelease } from '../../wire/release.ts';
import type { Input, Verb } from '../verb.ts';
import { clusterFlags, readCluster } from './cluster.ts';
import { ledgerToFill, requireOne, restoredTo } from './restore.ts';
import { resultFlag, tellResult } from './result.ts';
import { databaseIdOf, storeFlags, withStore } from './store-flags.ts';
import { targetFlags, targetOf } from './target.ts';
import { findBackup, whichFlags } from './which.ts';

export const restoreToCluster: Verb = {
  name: 'restore-cluster',
  summary:
    'Fill an empty cluster of TigerBeetle with a backup or a moment, as imported events with their timestamps, and compare every balance. May be run again.',
  arguments: ['folder'],
  flags: [
    ...storeFlags,
    ...whichFlags,
    ...targetFlags,
    ...clusterFlags,
    {
      name: 'drop-timeouts',
      value: undefined,
      help: 'let open pending transfers lose their timeouts, which are refused otherwise',
    },
    {
      name: 'check',
      value: undefined,
      help: 'only say whether a cluster could be filled with it; no cluster is asked',
    },
    resultFlag,
  ],
  run(input) {
    const isCheck = input.flag('check') !== undefined;
    const where = isCheck ? undefined : readCluster(input);
    requireOne(input);
    return tellResult(input, async () => {
      const started = performance.now();
      const done = await withStore(input, async (store) => {
        const { which, makeFile } = await sourceOf(input, store);
        const to = toFill(input, makeFile);
        const filled =
          where === undefined
            ? await checkRestorable({ ...to, nowMs: Date.now() })
            : await restoreCluster({ ...where, ...to });
        return { ...which, ...filled };
      });
      const seconds = Math.round(performance.now() - started) / 1_000;
      return { ...done, seconds };
    });
  },
};

function toFill(input: Input, makeFile: LedgerToFill['makeFile']): LedgerToFill {
  const [folder = ''] = input.arguments;
  return {
    makeFile,
    dropsTimeouts: input.flag('drop-timeouts') !== undefined,
    ledger: ledgerToFill(),
    release: engineRelease,
    working: join(folder, `restore-cluster-${randomBytes(6).toString('hex')}.working`),
  };
}

/** The backup or the moment, and how its data file is made. */
async function sourceOf(
  input: Input,
  store: SealedStore,
): Promise<{ readonly which: object; readonly makeFile: LedgerToFill['makeFile'] }> {
  const logSizeBytes = LOG_SIZE_MIN;
  const target = targetOf(input);
  if (target !== undefined) {
    const databaseId = databaseIdOf(input);
    return {
      which: { databaseId },
      makeFile: (to, identity) =>
        restoredTo(target, { store, databaseId, to, identity, logSizeBytes }),
    };
  }
  const { record } = await findBackup(input, store);
  return {
    which: { backupId: record.backupId },
    makeFile: (to, identity) =>
      restoreBackup({ store, record, to, identity, release: engineRelease, logSizeBytes }),
  };
}
