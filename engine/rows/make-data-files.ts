/**
 * Makes data files of files with accounts and transfers. The ledger is made in a working file first, so that it may be larger than
 * memory. No data file appears if any row has a fault.
 */
import { diskStorage } from '../log/disk-storage.ts';
import type { DataFile } from '../log/data-file.ts';
import type { ReplicaIdentity } from '../log/log.ts';
import { restoreDataFile } from '../log/restore.ts';
import type { Storage } from '../log/storage.ts';
import { importRows, type ImportedRows, type RowFiles } from './import-rows.ts';
import { inWorkingFile, withoutWorkingFile, type WorkingOptions } from './working-ledger.ts';

export interface LedgerOptions extends WorkingOptions {
  readonly files: RowFiles;
  readonly now: bigint;
  readonly ignoresBalances: boolean;
}

export interface DataFilesOptions extends LedgerOptions {
  readonly clusterId: bigint;
  /** Paths of the data files, by index of the replica; empty for a trial. */
  readonly to: readonly string[];
}

interface ReplicaFileOptions extends LedgerOptions {
  readonly to: string;
  readonly identity: ReplicaIdentity;
  /** Throws if the ledger is not the one that it should be: then no file is made. */
  readonly requireRight: (made: ImportedRows) => void;
}

/** Makes exported data files, one for each replica. */
export async function makeDataFiles(options: DataFilesOptions): Promise<ImportedRows> {
  const { clusterId, to, storage = diskStorage } = options;
  const identity = { clusterId, replicaIndex: 0, replicaCount: Math.max(1, to.length) };
  return withoutWorkingFile(options, () =>
    makeLedger(
      options,
      identity,
      to.length === 0 ? undefined : (data) => exportAll(data, identity, to, storage),
    ),
  );
}

/** Makes one replica's own data file, with an empty log. */
export async function makeReplicaFile(options: ReplicaFileOptions): Promise<ImportedRows> {
  const { identity, to, working, requireRight, storage } = options;
  return withoutWorkingFile(options, async () => {
    const made = await makeLedger(options, identity, () => Promise.resolve());
    requireRight(made);
    // The default size of the log, which the working file has not.
    await restoreDataFile({ from: working, to, ...(storage === undefined ? {} : { storage }) });
    return made;
  });
}

/** Makes the ledger in the working file. `finish` runs if no row has a fault, with everything in the file; absent for a trial. */
function makeLedger(
  options: LedgerOptions,
  identity: ReplicaIdentity,
  finish: ((data: DataFile) => Promise<void>) | undefined,
): Promise<ImportedRows> {
  return inWorkingFile(options, identity, async (data, checkpoint) => {
    const made = await importRows({ ...options, pages: data.pages, checkpoint });
    if (made.report.count > 0 || finish === undefined) return made;
    await checkpoint(made);
    await finish(data);
    return made;
  });
}

/** Exports a file for each replica. If one cannot be made, for instance because the disk is full, none is left. */
async function exportAll(
  data: DataFile,
  identity: ReplicaIdentity,
  to: readonly string[],
  storage: Storage,
): Promise<void> {
  const made: string[] = [];
  try {
    for (const [replicaIndex, path] of to.entries()) {
      await data.exportTo({ path }, { identity: { ...identity, replicaIndex } });
      made.push(path);
    }
  } catch (error) {
    for (const path of made) await storage.remove(path);
    throw error;
  }
}
