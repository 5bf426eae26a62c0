/**
 * Backs up a cluster of TigerBeetle, or any that speaks its protocol, in the archive format of the built-in engine: its ledger is made
 * again in a working file, compared with the cluster, and backed up from there. Programs that read other backups read these, too.
 */
import { ArchiveError } from '../archive/errors.ts';
import { makeBackup, type MadeBackup } from '../archive/make-backup.ts';
import type { ObjectStore } from '../archive/object-store.ts';
import { diskStorage } from '../log/disk-storage.ts';
import { StorageFullError } from '../log/errors.ts';
import { isFull } from '../log/storage.ts';
import { LedgerTooLarge } from '../rows/row-executor.ts';
import { inWorkingFile, withoutWorkingFile, type WorkingOptions } from '../rows/working-ledger.ts';
import { ClusterReader, type ClusterReaderOptions } from './cluster-reader.ts';
import { readLedger } from './read-ledger.ts';

export interface ClusterBackupOptions extends WorkingOptions, ClusterReaderOptions {
  readonly store: ObjectStore;
  readonly databaseId: string;
  readonly backupId: string;
  readonly full: boolean;
  /** Whether the store encrypts. */
  readonly seals: boolean;
  readonly now: () => Date;
}

export function backUpCluster(options: ClusterBackupOptions): Promise<MadeBackup> {
  const { cluster, addresses, working, ledger, storage = diskStorage } = options;
  const identity = { clusterId: cluster, replicaIndex: 0, replicaCount: addresses.length };
  return withoutWorkingFile(options, async () => {
    const reader = new ClusterReader(options);
    try {
      await inWorkingFile(options, identity, async ({ pages }, checkpoint) => {
        await checkpoint(await readLedger({ reader, ledger, pages, checkpoint }));
      });
    } catch (error) {
      throw asProblem(error);
    } finally {
      reader.close();
    }
    const file = await storage.open(working, { writable: false, exclusive: false });
    try {
      return await makeBackup({ ...options, file, opMin: 0 });
    } finally {
      await file.close();
    }
  });
}

function asProblem(error: unknown): unknown {
  if (error instanceof LedgerTooLarge)
    return new ArchiveError(
      'ledger_too_large',
      'The ledger needs more memory, or more rows, than a backup through the protocol has. No backup was made.',
      { cause: error },
    );
  if (isFull(error) || error instanceof StorageFullError)
    return new ArchiveError(
      'no_room',
      'The folder of the working file has no room left for the ledger. No backup was made.',
      { cause: error },
    );
  return error;
}
