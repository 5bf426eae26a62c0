import type { Target } from '../../../domain/recovery.ts';
import { Archive } from '../../archive/moments.ts';
import type { ObjectStore, RangedStore } from '../../archive/object-store.ts';
import { restoreBackup } from '../../archive/restore-backup.ts';
import { restoreMoment } from '../../archive/restore-moment.ts';
import type { ReplicaIdentity } from '../../log/log.ts';
import { forgetMember } from '../../members/own-member.ts';
import { Executor } from '../../replica/executor.ts';
import { newLedger } from '../../replica/new-ledger.ts';
import { ledgerMemoryLimit } from '../../../domain/ledger-memory.ts';
import { containerMemory } from '../../../base/container-memory.ts';
import { batchSizeLimitProduction } from '../../wire/limits.ts';
import { engineRelease } from '../../wire/release.ts';
import { identityFlags, readIdentity } from '../identity.ts';
import { UsageError, type Input, type Verb } from '../verb.ts';
import { resultFlag, tellResult } from './result.ts';
import { databaseIdOf, storeFlags, withStore } from './store-flags.ts';
import { summaryOf } from './make.ts';
import { targetFlags, targetOf } from './target.ts';
import { findBackup, whichFlags } from './which.ts';

export const restoreFromBackup: Verb = {
  name: 'restore-backup',
  summary:
    "Make a replica's data file from a backup, or as it was at a moment, verifying all of it. Refuses to overwrite.",
  arguments: ['path'],
  flags: [...storeFlags, ...whichFlags, ...targetFlags, ...identityFlags, resultFlag],
  run(input) {
    const [to = ''] = input.arguments;
    const identity = readIdentity(input);
    const target = targetOf(input);
    requireOne(input);
    return tellResult(input, async () => {
      const started = performance.now();
      const made = await withStore(input, async (store) => {
        if (target !== undefined)
          return restoredTo(target, { store, to, identity, databaseId: databaseIdOf(input) });
        const one = await findBackup(input, store);
        const { record } = one;
        await restoreBackup({ store, record, to, identity, release: engineRelease });
        return summaryOf(one);
      });
      await forgetMember(to);
      return { ...made, seconds: Math.round(performance.now() - started) / 1_000 };
    });
  },
};

/** Throws if both a backup and a moment are given. */
export function requireOne(input: Input): void {
  if (targetOf(input) === undefined) return;
  if (whichFlags.some(({ name }) => input.flag(name) !== undefined))
    throw new UsageError('give a backup or a moment: the backup before the moment is found');
}

interface MomentInput {
  readonly store: ObjectStore & RangedStore;
  readonly databaseId: string;
  readonly to: string;
  readonly identity: ReplicaIdentity;
  readonly logSizeBytes?: number;
}

export async function restoredTo(
  target: Target,
  { store, databaseId, to, identity, logSizeBytes }: MomentInput,
): Promise<object> {
  const archive = await Archive.read(store, databaseId);
  const plan = await archive.plan(target);
  // The limit is for clients' writes; there are none here. Rows of the backup leave memory when it gets short.
  const ledger = newLedger(Number.MAX_SAFE_INTEGER, {
    rowsLeaveAtBytes: ledgerMemoryLimit(containerMemory()) / 2,
  });
  const position = await restoreMoment({
    store,
    plan,
    to,
    identity,
    release: engineRelease,
    ...(logSizeBytes !== undefined && { logSizeBytes }),
    newReplayer: () => new Executor({ ledger, identity, batchSizeLimit: batchSizeLimitProduction }),
  });
  const { accounts, transfers } = ledger.counts();
  return {
    databaseId,
    ...(plan.base === undefined ? {} : { backupId: plan.base.record.backupId }),
    op: position.op,
    timestamp: String(position.timestamp),
    stateHash: Buffer.from(position.stateHash).toString('hex'),
    accounts,
    transfers,
  };
}
