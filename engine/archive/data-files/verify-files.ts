/** A test of a backup of data files: every byte of every file is fetched and compared with its digest. Only TigerBeetle itself can read what is in them. */
import type { ObjectStore } from '../object-store.ts';
import { partsOf } from './piece.ts';
import { replicaFileOf, type FileBackup } from './record.ts';

/** Rejects with ArchiveError that names the object at fault. */
export async function verifyFiles(store: ObjectStore, backup: FileBackup): Promise<void> {
  for (const index of backup.files.keys()) {
    const file = await replicaFileOf(store, backup, index);
    for await (const _ of partsOf(store, file));
  }
}
