/** The archive of one database in a store: its identity, and its backups. */
import { readFileBackup } from './data-files/record.ts';
import { ArchiveError } from './errors.ts';
import { archiveKey, parseRecordKey, recordKey, recordsPrefix } from './keys.ts';
import type { ObjectStore } from './object-store.ts';
import { decodeRecord, encodeRecord, type BackupRecord } from './record.ts';
import { removals } from './removals.ts';

const ARCHIVE_FORMAT = 1;

export interface FoundRecord {
  readonly key: string;
  readonly record: BackupRecord;
  readonly sha256: string;
}

/**
 * Makes the archive of a database, or finds it. Either way it writes an existing key: a store that accepts this would overwrite
 * backups, and is refused. Rejects with `archive_foreign` if another cluster's backups are there.
 */
export async function openArchive(
  store: ObjectStore,
  databaseId: string,
  clusterId: bigint,
): Promise<void> {
  await store.locks?.prove();
  const key = archiveKey(databaseId);
  const head = { format: ARCHIVE_FORMAT, databaseId, clusterId: String(clusterId) };
  const bytes = Buffer.from(`${JSON.stringify(head)}\n`);
  await store.create(key, bytes);
  if ((await store.create(key, bytes)) === 'created') {
    throw new ArchiveError(
      'store_overwrites',
      `The store wrote ${key} a second time, although it was asked not to (If-None-Match). Backups in it could be overwritten: use a store with conditional writes.`,
      { key },
    );
  }
  const found = Buffer.from(await store.read(key));
  if (found.equals(bytes)) return;
  throw new ArchiveError(
    'archive_foreign',
    `${key} is the archive of another cluster or of another format: ${found.toString('utf8').slice(0, 200).trim()}. Give this database another bucket or prefix.`,
    { key },
  );
}

export interface RecordKey {
  readonly key: string;
  readonly op: number;
  readonly backupId: string;
}

/** Keys of a database's backups, without the removed ones, in the order of their ops. */
export async function recordKeys(
  store: ObjectStore,
  databaseId: string,
): Promise<readonly RecordKey[]> {
  const removed = await removals(store, databaseId);
  const all = await allRecordKeys(store, databaseId);
  return all.filter(({ backupId }) => !removed.has(backupId));
}

/** Like `recordKeys`, with removed backups whose objects still exist. */
export async function allRecordKeys(
  store: ObjectStore,
  databaseId: string,
): Promise<readonly RecordKey[]> {
  const found = [];
  for await (const key of store.list(recordsPrefix(databaseId))) {
    const parsed = parseRecordKey(key);
    if (parsed !== undefined) found.push({ key, ...parsed });
  }
  return found;
}

export async function readRecord(
  store: ObjectStore,
  databaseId: string,
  key: string,
): Promise<FoundRecord> {
  return { key, ...decodeRecord(key, await store.read(key), databaseId) };
}

/** The record of a backup; of the newest one if none is named. Rejects with `backup_unknown`, `backup_removed` or `backup_of_files`. */
export async function findRecord(
  store: ObjectStore,
  databaseId: string,
  backupId: string | undefined,
): Promise<FoundRecord> {
  const all = await recordKeys(store, databaseId);
  const found = all.findLast((one) => backupId === undefined || one.backupId === backupId);
  if (found !== undefined) return readRecord(store, databaseId, found.key);
  const removal = (await removals(store, databaseId)).get(backupId ?? '');
  if (removal !== undefined) {
    throw new ArchiveError(
      'backup_removed',
      `${databaseId}'s backup ${backupId} was removed at ${removal.removedAt}. Restore another one.`,
    );
  }
  if (backupId !== undefined) await requireRows(store, { databaseId, backupId });
  const newest = all.at(-1)?.backupId;
  throw new ArchiveError(
    'backup_unknown',
    newest === undefined
      ? `The bucket has no backup of ${databaseId} under this prefix.`
      : `${databaseId} has no backup ${backupId}; its newest of ${all.length} is ${newest}.`,
  );
}

/** A backup of data files has no rows. Rejects with `backup_of_files`. */
async function requireRows(
  store: ObjectStore,
  which: { readonly databaseId: string; readonly backupId: string },
): Promise<void> {
  const found = await readFileBackup(store, which);
  if (found === undefined) return;
  const { replicaCount, clusterId } = found.record;
  throw new ArchiveError(
    'backup_of_files',
    `Backup ${which.backupId} of ${which.databaseId} has data files, which become a database of TigerBeetle of ${replicaCount === 1 ? 'one replica' : `${replicaCount} replicas`} only: set spec.engine to TigerBeetle, and spec.bootstrap.backup.clusterId to "${clusterId}". By hand: restore-file.`,
    { key: found.key },
  );
}

/**
 * Writes a record, which makes the backup. Resolves with the record that counts: an earlier one of this backup, if it exists.
 */
export async function writeRecord(store: ObjectStore, record: BackupRecord): Promise<FoundRecord> {
  const { databaseId, op, backupId } = record;
  const key = recordKey(databaseId, op, backupId);
  const { bytes, sha256 } = encodeRecord(record);
  if ((await store.create(key, bytes)) === 'created') return { key, record, sha256 };
  return readRecord(store, databaseId, key);
}
