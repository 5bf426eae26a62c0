import type { Moment, Target } from '../../../domain/recovery.ts';
import { FIRST_LINE } from '../../archive/log-chains.ts';
import { Archive, momentOfRecord, type MomentPlan } from '../../archive/moments.ts';
import type { ObjectStore, RangedStore } from '../../archive/object-store.ts';
import { restoreBackup } from '../../archive/restore-backup.ts';
import { restoreMoment } from '../../archive/restore-moment.ts';
import type { StateMachine } from '../../ledger/state-machine.ts';
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
import { followsFlags, followsOf, targetFlags, targetOf } from './target.ts';
import { findBackup, whichFlags } from './which.ts';

export const restoreFromBackup: Verb = {
  name: 'restore-backup',
  summary:
    "Make a replica's data file from a backup, or as it was at a moment, verifying all of it. Refuses to overwrite.",
  arguments: ['path'],
  flags: [
    ...storeFlags,
    ...whichFlags,
    ...targetFlags,
    ...followsFlags,
    ...identityFlags,
    resultFlag,
  ],
  run(input) {
    const [to = ''] = input.arguments;
    const identity = readIdentity(input);
    const target = targetOf(input);
    const follows = followsOf(input);
    requireOne(input);
    return tellResult(input, async () => {
      const started = performance.now();
      const made = await withStore(input, async (store) => {
        const databaseId = databaseIdOf(input);
        if (target !== undefined)
          return restoredTo(target, { store, to, identity, databaseId, follows });
        const one = await findBackup(input, store);
        const { record } = one;
        if (follows !== undefined) {
          const moment = momentOfRecord(record);
          const plan = { databaseId, moment, base: one, line: FIRST_LINE, segments: [] };
          return restoredBy(plan, { store, to, identity, databaseId, follows });
        }
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

/** An empty ledger. The limit is for clients' writes; there are none here. Rows of the backup leave memory when it gets short. */
export const ledgerToFill = (): StateMachine =>
  newLedger(Number.MAX_SAFE_INTEGER, {
    rowsLeaveAtBytes: ledgerMemoryLimit(containerMemory()) / 2,
  });

interface MomentInput {
  readonly store: ObjectStore & RangedStore;
  readonly databaseId: string;
  readonly to: string;
  readonly identity: ReplicaIdentity;
  readonly logSizeBytes?: number;
  /** The end of the history whose place the file takes. */
  readonly follows?: Moment | undefined;
}

export async function restoredTo(target: Target, input: MomentInput): Promise<object> {
  const archive = await Archive.read(input.store, input.databaseId);
  return restoredBy(await archive.plan(target), input);
}

async function restoredBy(
  plan: MomentPlan,
  { store, databaseId, to, identity, logSizeBytes, follows }: MomentInput,
): Promise<object> {
  const ledger = ledgerToFill();
  const position = await restoreMoment({
    store,
    plan,
    to,
    identity,
    release: engineRelease,
    follows,
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
