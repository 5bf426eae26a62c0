import { restoreBackup } from '../../archive/restore-backup.ts';
import { forgetMember } from '../../members/own-member.ts';
import { engineRelease } from '../../wire/release.ts';
import { identityFlags, readIdentity } from '../identity.ts';
import type { Verb } from '../verb.ts';
import { resultFlag, tellResult } from './result.ts';
import { storeFlags, withStore } from './store-flags.ts';
import { summaryOf } from './make.ts';
import { findBackup, whichFlags } from './which.ts';

export const restoreFromBackup: Verb = {
  name: 'restore-backup',
  summary: "Make a replica's data file from a backup, verifying all of it. Refuses to overwrite.",
  arguments: ['path'],
  flags: [...storeFlags, ...whichFlags, ...identityFlags, resultFlag],
  run(input) {
    const [to = ''] = input.arguments;
    const identity = readIdentity(input);
    return tellResult(input, async () => {
      const started = performance.now();
      const found = await withStore(input, async (store) => {
        const one = await findBackup(input, store);
        const { record } = one;
        await restoreBackup({ store, record, to, identity, release: engineRelease });
        return one;
      });
      await forgetMember(to);
      return { ...summaryOf(found), seconds: Math.round(performance.now() - started) / 1_000 };
    });
  },
};
