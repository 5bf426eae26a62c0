import { verifyFiles } from '../../../archive/data-files/verify-files.ts';
import type { Verb } from '../../verb.ts';
import { resultFlag, tellResult } from '../result.ts';
import { storeFlags, withStore } from '../store-flags.ts';
import { summaryOfFiles } from './complete.ts';
import { findFiles, whichFilesFlags } from './which.ts';

export const verifyFilesVerb: Verb = {
  name: 'verify-files',
  summary: 'Fetch every byte of a backup of data files, and compare it with its digest.',
  arguments: [],
  flags: [...storeFlags, ...whichFilesFlags, resultFlag],
  run(input) {
    return tellResult(input, async () => {
      const started = performance.now();
      const found = await withStore(input, async (store) => {
        const one = await findFiles(input, store);
        await verifyFiles(store, one.record);
        return one;
      });
      const seconds = Math.round(performance.now() - started) / 1_000;
      return { ...summaryOfFiles(found), seconds };
    });
  },
};
