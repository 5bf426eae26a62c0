import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { cutText } from '../../../base/cut-text.ts';
import { proveLog } from '../../archive/prove-log.ts';
import type { SealedStore } from '../../archive/sealed-store.ts';
import type { BackupRecord } from '../../archive/record.ts';
import { verifyBackup } from '../../archive/verify-backup.ts';
import type { StateMachine } from '../../ledger/state-machine.ts';
import { LOG_SIZE_MIN } from '../../log/layout.ts';
import { Executor } from '../../replica/executor.ts';
import { newLedger } from '../../replica/new-ledger.ts';
import { batchSizeLimitProduction } from '../../wire/limits.ts';
import { engineRelease } from '../../wire/release.ts';
import type { Verb } from '../verb.ts';
import { ledgerToFill } from './restore.ts';
import { resultFlag, tellResult } from './result.ts';
import { storeFlags, withStore } from './store-flags.ts';
import { summaryOf } from './make.ts';
import { findBackup, whichFlags } from './which.ts';

export const verify: Verb = {
  name: 'verify-backup',
  summary: 'Restore a backup into memory: every object is verified, and the rows make a ledger.',
  arguments: [],
  flags: [
    ...storeFlags,
    ...whichFlags,
    {
      name: 'scratch',
      value: 'folder',
      help: 'also replay the archived log from the backup before, in a file there of up to three times the bytes of the rows, and compare both',
    },
    {
      name: 'since',
      value: 'name',
      help: 'with --scratch: begin the replay with this earlier backup, which is proven, instead of the one before',
    },
    resultFlag,
  ],
  run(input) {
    return tellResult(input, async () => {
      const started = performance.now();
      const [scratch, since] = [input.flag('scratch'), input.flag('since')];
      return withStore(input, async (store) => {
        const one = await findBackup(input, store);
        await verifyBackup(store, one.record, ledgerToTry());
        const summary = { ...summaryOf(one), seconds: secondsSince(started) };
        if (scratch === undefined) return summary;
        return { ...summary, ...(await proofOf(store, one.record, { scratch, since })) };
      });
    });
  },
};

/** The memory limit is for clients' writes; there are none here. */
const ledgerToTry = (): StateMachine => newLedger(Number.MAX_SAFE_INTEGER, { rowsLeaveAtBytes: 0 });

/** Longest `rpoSeconds` of an archiver, and a part for its request. */
const ARCHIVED_WITHIN_MS = 330_000;
const LOOK_AGAIN_MS = 5_000;

/** Waits while the archiver of a backup that was just made has time. A clock that is wrong makes it no longer. */
function waiting({ completedAt }: BackupRecord): () => Promise<boolean> {
  const untilMs = Math.min(Date.parse(completedAt), Date.now()) + ARCHIVED_WITHIN_MS;
  return async () => {
    if (Date.now() >= untilMs) return false;
    await setTimeout(LOOK_AGAIN_MS);
    return true;
  };
}

const secondsSince = (ms: number): number => Math.round(performance.now() - ms) / 1_000;

/** The termination message of a pod has 4 KiB for all of the result. */
const MESSAGE_MAX = 500;

async function proofOf(
  store: SealedStore,
  record: BackupRecord,
  { scratch, since }: { readonly scratch: string; readonly since: string | undefined },
): Promise<object> {
  const started = performance.now();
  const proof = await proveLog({
    store,
    record,
    since,
    scratch: join(scratch, `verify-backup-${randomBytes(6).toString('hex')}.working`),
    release: engineRelease,
    newReplayer: (identity) =>
      new Executor({ ledger: ledgerToFill(), identity, batchSizeLimit: batchSizeLimitProduction }),
    newLedger: ledgerToTry,
    logSizeBytes: LOG_SIZE_MIN,
    waitForLog: waiting(record),
  });
  if (!('rowsOnly' in proof)) return { ...proof, replaySeconds: secondsSince(started) };
  const { reason, message } = proof.rowsOnly;
  return { rowsOnly: { reason, message: cutText(message, MESSAGE_MAX) } };
}
