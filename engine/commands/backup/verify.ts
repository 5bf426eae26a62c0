import { verifyBackup } from '../../archive/verify-backup.ts';
import { newLedger } from '../../replica/new-ledger.ts';
import type { Verb } from '../verb.ts';
import { resultFlag, tellResult } from './result.ts';
import { storeFlags, withStore } from './store-flags.ts';
import { summaryOf } from './make.ts';
import { findBackup, whichFlags } from './which.ts';

export const verify: Verb = {
  name: 'verify-backup',
  summary: 'Restore a backup into memory: every object is verified, and the rows make a ledger.',
  arguments: [],
  flags: [...storeFlags, ...whichFlags, resultFlag],
  run(input) {
    return tellResult(input, async () => {
      const started = performance.now();
      const found = await withStore(input, async (store) => {
        const one = await findBackup(input, store);
        // The memory limit is for clients' writes; there are none here.
        await verifyBackup(
          store,
          one.record,
          newLedger(Number.MAX_SAFE_INTEGER, { rowsLeaveAtBytes: 0 }),
        );
        return one;
      });
      return { ...summaryOf(found), seconds: Math.round(performance.now() - started) / 1_000 };
    });
  },
};
