/**
 * The worker's part of imports of rows: it has the operator try them, and takes the result over. Every step finds what an earlier
 * one did, by any worker.
 */
import { importResourceName } from '../../domain/names.ts';
import type { ImportObject } from '../../domain/custom-resources.ts';
import type { ImportWriter } from '../kubernetes/import-writer.ts';
import type { OrganizationNamespaces } from '../kubernetes/organization-namespaces.ts';
import { systemAuthor } from '../model/actor.ts';
import type { Import } from '../model/import.ts';
import type { RowsReport, UploadedRows } from '../model/rows-import.ts';
import type { Change } from '../store/change.ts';
import type { CheckingImport } from '../store/import-work.ts';
import { endImport, lockImport, updateImport } from '../store/imports.ts';
import type { Store } from '../store/store.ts';
import { tellImport } from './import-events.ts';
import { failedTrial, readReport } from './rows-report.ts';
import type { StagingStore } from './staging-store.ts';
import { toldOfTrial } from './told.ts';

export interface TrialWorld {
  readonly store: Store;
  readonly staging: StagingStore;
  readonly imports: ImportWriter;
  readonly namespaces: OrganizationNamespaces;
  readonly now: () => Date;
}

/** Longer than a Job may take, and a wait for others before. */
const hoursMax = 24;

/** Begins the trial of an import that is CHECKING, or takes its result. */
export async function tryImport(
  world: TrialWorld,
  { id, organizationId, namespace, uploaded, sizeBytes }: CheckingImport,
  signal: AbortSignal,
): Promise<void> {
  const { store, imports, namespaces, now } = world;
  const place = { namespace, name: importResourceName(id) };
  const found = await imports.read(place);
  const report = found && (await reportOf(world, id, found, signal));
  // The upload may have taken days.
  const completedMs = Number(BigInt(uploaded.now) / 1_000_000n);
  const isLate = now().getTime() - completedMs > hoursMax * 3_600_000;
  if (report === undefined && !isLate) {
    if (found !== undefined) return;
    await namespaces.ensure(namespace, organizationId);
    await imports.create(place, { importId: id, sizeBytes, rows: specOf(uploaded) });
    return;
  }
  // Also of a trial that could never begin, for instance because its namespace belongs to somebody else.
  const end = report ?? failedTrial(`The trial did not end within a day. ${toldOfTrial(found)}`);
  await store.change(systemAuthor('imports'), (change) => take(change, id, end));
}

const specOf = ({
  accounts,
  transfers,
  partSizeBytes,
  now,
  ignoreBalances,
}: UploadedRows): ImportObject['spec']['rows'] => ({
  accounts,
  ...(transfers !== undefined && { transfers }),
  partSizeBytes,
  now,
  ignoreBalances,
});

/** `undefined`: the trial goes on. */
async function reportOf(
  { staging }: TrialWorld,
  id: string,
  found: ImportObject,
  signal: AbortSignal,
): Promise<RowsReport | undefined> {
  const { status } = found;
  if (status?.completedAt === undefined) return undefined;
  const isTold = status.conditions?.[0]?.status === 'True';
  if (!isTold) return failedTrial(`The trial could not be made. ${toldOfTrial(found)}`);
  const report = await readReport(staging, id, signal);
  // The result that the operator read from the Job decides: objects in the bucket may have been exchanged since.
  const isSame =
    report?.accounts === status.accounts &&
    report?.transfers === status.transfers &&
    report?.faultCount === status.faultCount &&
    (report?.state ?? undefined) === status.state;
  if (report !== undefined && isSame) return report;
  return failedTrial('The report of the trial is not in the store as it was written.');
}

async function take(change: Change, id: string, report: RowsReport): Promise<void> {
  const found = await lockImport(change, id);
  if (found?.status !== 'CHECKING') return;
  if (report.faultCount === 0) {
    tellImport(
      change,
      'import.validated',
      await updateImport(change, id, { status: 'READY', report }),
    );
    return;
  }
  await updateImport(change, id, { report });
  const ended: Import = await endImport(change, id, 'FAULTY');
  const [first] = report.faults;
  tellImport(change, 'import.failed', ended, {
    error: {
      code: first?.code ?? 'rows_faulty',
      message:
        `${report.faultCount === 1 ? 'There is 1 fault.' : `There are ${report.faultCount} faults.`} ${first?.detail ?? ''}`.slice(
          0,
          500,
        ),
    },
  });
}
