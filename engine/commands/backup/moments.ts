import { written } from '../../../domain/recovery.ts';
import { Archive, type MomentPlan } from '../../archive/moments.ts';
import { TableId } from '../../ledger/checkpoint-tables.ts';
import type { FoundRecord } from '../../archive/archive.ts';
import { UsageError, type Verb } from '../verb.ts';
import { resultFlag, tellResult } from './result.ts';
import { databaseIdOf, storeFlags, withStore } from './store-flags.ts';
import { targetFlags, targetOf } from './target.ts';

export const recoveryWindows: Verb = {
  name: 'recovery-windows',
  summary:
    'List the moments to which a bucket can restore a database: runs without a break, oldest first.',
  arguments: [],
  flags: [...storeFlags, resultFlag],
  run(input) {
    const databaseId = databaseIdOf(input);
    return tellResult(input, () =>
      withStore(input, async (store) => {
        const archive = await Archive.read(store, databaseId);
        const windows = archive.windows.map(({ from, to, follows, missingOps }) => ({
          ...(from === undefined ? {} : { from: written(from) }),
          to: written(to),
          follows,
          missingOps,
        }));
        return { databaseId, windows };
      }),
    );
  },
};

export const restorePreview: Verb = {
  name: 'restore-preview',
  summary: 'Preview a restore to a moment; nothing is made.',
  arguments: [],
  flags: [...storeFlags, ...targetFlags, resultFlag],
  run(input) {
    const databaseId = databaseIdOf(input);
    const target = targetOf(input);
    if (target === undefined)
      throw new UsageError('give the moment: --to-time, --to-timestamp or --to-op');
    return tellResult(input, () =>
      withStore(input, async (store) => {
        const archive = await Archive.read(store, databaseId);
        return { databaseId, ...(await previewOf(archive, await archive.plan(target))) };
      }),
    );
  },
};

async function previewOf(archive: Archive, plan: MomentPlan): Promise<object> {
  const { moment, base, segments } = plan;
  const next = await archive.after(plan);
  const mark = await archive.markBefore(plan);
  const counted = mark ?? countsOf(base);
  const newest = archive.newestMark;
  return {
    ...written(moment),
    ...(next === undefined ? {} : { next: written(next) }),
    ...(base === undefined ? {} : { backupId: base.record.backupId }),
    operationsToReplay: moment.op - (base?.record.op ?? 0),
    segments: segments.length,
    // Counts are known at marks only; the operation may be a little later.
    counted: { op: counted.op, accounts: counted.accounts, transfers: counted.transfers },
    ...(newest === undefined || newest.op < moment.op
      ? {}
      : {
          later: {
            operations: newest.op - moment.op,
            accounts: newest.accounts - counted.accounts,
            transfers: newest.transfers - counted.transfers,
          },
        }),
    gaps: archive.windows
      .filter(({ missingOps }) => missingOps > 0)
      .map(({ missingOps, from, to }) => ({ missingOps, before: written(from ?? to) })),
  };
}

function countsOf(base: FoundRecord | undefined): {
  readonly op: number;
  readonly accounts: number;
  readonly transfers: number;
} {
  const rowsOf = (id: number) => base?.record.tables.find(({ table }) => table === id)?.rowCount;
  return {
    op: base?.record.op ?? 0,
    accounts: rowsOf(TableId.accounts) ?? 0,
    transfers: rowsOf(TableId.transfers) ?? 0,
  };
}
