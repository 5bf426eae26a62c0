/**
 * Makes exported data files, one for each replica, of files with accounts and transfers. The ledger is made in a working file first,
 * so that it may be larger than memory. No data file appears if any row has a fault.
 */
import { LOG_SIZE_MIN } from '../log/layout.ts';
import { DataFile } from '../log/data-file.ts';
import { diskStorage } from '../log/disk-storage.ts';
import { createEmpty } from '../log/format-file.ts';
import type { ReplicaIdentity } from '../log/log.ts';
import type { Storage } from '../log/storage.ts';
import type { StateMachine } from '../ledger/state-machine.ts';
import { importRows, type ImportedRows, type RowFiles, type RowsPosition } from './import-rows.ts';

export interface DataFilesOptions {
  readonly files: RowFiles;
  readonly now: bigint;
  readonly ignoresBalances: boolean;
  readonly ledger: StateMachine;
  readonly clusterId: bigint;
  /** Release that writes the files: major << 16 | minor << 8 | patch. */
  readonly release: number;
  /** Paths of the data files, by index of the replica; empty for a trial. */
  readonly to: readonly string[];
  /** Path of the working file, which must not exist. */
  readonly working: string;
  readonly storage?: Storage;
}

export async function makeDataFiles(options: DataFilesOptions): Promise<ImportedRows> {
  const { ledger, clusterId, release, to, working, storage = diskStorage } = options;
  const identity = { clusterId, replicaIndex: 0, replicaCount: Math.max(1, to.length) };
  await createEmpty({ path: working, identity, release, logSizeBytes: LOG_SIZE_MIN, storage });
  try {
    const failed = (error: Error): void => {
      throw error;
    };
    const data = await DataFile.open({ path: working, release, storage, onFailure: failed });
    try {
      await data.load(ledger);
      data.beginCheckpoints({ ring: undefined, pause: () => Promise.resolve() });
      const checkpoint = async ({ op, timestamp }: RowsPosition): Promise<void> => {
        const stateHash = ledger.stateHash();
        await data.checkpoint(ledger, { op, timestamp, view: 0, stateHash });
      };
      const made = await importRows({ ...options, pages: data.pages, checkpoint });
      if (made.report.count > 0 || to.length === 0) return made;
      await checkpoint(made);
      await exportAll(data, identity, to, storage);
      return made;
    } finally {
      await data.close();
    }
  } finally {
    for (const path of [working, `${working}.lock`])
      if (await storage.exists(path)) await storage.remove(path);
  }
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
