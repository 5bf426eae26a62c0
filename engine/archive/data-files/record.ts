/**
 * Records of a backup of data files: one for each replica's file, and the one that makes the backup, written last. FORMAT.md, "Data
 * files".
 */
import { z } from 'zod';
import { decodeDigested, encodeDigested } from '../digested-line.ts';
import { ArchiveError, damaged, missing } from '../errors.ts';
import { unlessMissing } from '../keep-locked.ts';
import {
  fileBackupKey,
  fileBackupsPrefix,
  givenUpKey,
  parseFileBackupKey,
  replicaFileKey,
} from '../keys.ts';
import type { ObjectStore } from '../object-store.ts';
import { parseRecord, RECORD_FORMAT } from '../record.ts';
import { removals } from '../removals.ts';

const count = z.number().int().nonnegative();
const digest = z.string().regex(/^[0-9a-f]{64}$/);
const common = {
  format: z.literal(RECORD_FORMAT),
  databaseId: z.string(),
  backupId: z.string(),
  clusterId: z.string().regex(/^\d{1,39}$/),
  replicaCount: count.min(1),
  /** The backup was made encrypted: this record, and all pieces. */
  sealed: z.literal(true).optional(),
  /** All of it is locked until then, or for longer. */
  lockedUntil: z.iso.datetime().optional(),
  completedAt: z.iso.datetime(),
};

const pieceSchema = z.object({
  offset: count,
  sizeBytes: count.min(1),
  /** Bytes of the object. */
  storedBytes: count,
  sha256: digest,
});

const replicaFileSchema = z.object({
  ...common,
  replicaIndex: count,
  sizeBytes: count,
  /** Digest of the whole file. */
  sha256: digest,
  /** Pieces that are absent are zeros. */
  pieces: z.array(pieceSchema),
});

const fileBackupSchema = z.object({
  ...common,
  /** Newest release of TigerBeetle that wrote a checkpoint of a file. */
  release: z.string(),
  /** By replica. `storedBytes`: of the objects that no earlier one has. */
  files: z.array(
    z.object({ sizeBytes: count, sha256: digest, storedBytes: count, record: digest }),
  ),
});

/** In the place of a record: the backup was given up before anybody completed it, and nobody can any more. */
const givenUpSchema = z.object({
  format: z.literal(RECORD_FORMAT),
  databaseId: z.string(),
  backupId: z.string(),
  givenUpAt: z.iso.datetime(),
});
const outcomeSchema = z.union([fileBackupSchema, givenUpSchema]);

export type StoredPiece = z.infer<typeof pieceSchema>;
export type ReplicaFile = z.infer<typeof replicaFileSchema>;
export type FileBackup = z.infer<typeof fileBackupSchema>;
type Outcome = z.infer<typeof outcomeSchema>;

export interface Found<Entry> {
  readonly key: string;
  readonly record: Entry;
  readonly sha256: string;
}

/** Writes a record. Resolves with the one that counts: an earlier one, if it exists. */
async function write<Entry extends { readonly databaseId: string }>(
  store: ObjectStore,
  key: string,
  record: Entry,
  schema: z.ZodType<Entry>,
): Promise<Found<Entry>> {
  const { bytes, sha256 } = encodeDigested(record);
  if ((await store.create(key, bytes)) === 'created') return { key, record, sha256 };
  return read(store, key, record.databaseId, schema);
}

async function read<Entry extends { readonly databaseId: string }>(
  store: ObjectStore,
  key: string,
  databaseId: string,
  schema: z.ZodType<Entry>,
): Promise<Found<Entry>> {
  const { json, sha256 } = decodeDigested(key, await store.read(key));
  return { key, record: parseRecord(key, json, schema, databaseId), sha256 };
}

export const writeReplicaFile = (store: ObjectStore, record: ReplicaFile) =>
  write(
    store,
    replicaFileKey(record.databaseId, record.backupId, record.replicaIndex),
    record,
    replicaFileSchema,
  );

interface Which {
  readonly databaseId: string;
  readonly backupId: string;
}

const writeOutcome = (store: ObjectStore, outcome: Outcome): Promise<Found<Outcome>> =>
  write(store, fileBackupKey(outcome.databaseId, outcome.backupId), outcome, outcomeSchema);

/** Completes a backup. Rejects with `backup_removed` if the sweep was first, and gave it up. */
export async function writeFileBackup(
  store: ObjectStore,
  record: FileBackup,
): Promise<Found<FileBackup>> {
  const found = await writeOutcome(store, record);
  if (!isMade(found)) throw givenUp(record);
  return found;
}

/** Gives a backup up, unless it is completed. Resolves with whether it is given up, now or earlier. */
export async function giveUp(
  store: ObjectStore,
  { databaseId, backupId }: Which,
  givenUpAt: string,
): Promise<boolean> {
  const outcome = { format: RECORD_FORMAT, databaseId, backupId, givenUpAt } as const;
  return !isMade(await writeOutcome(store, outcome));
}

const isMade = (found: Found<Outcome>): found is Found<FileBackup> =>
  !('givenUpAt' in found.record);

const givenUp = ({ databaseId, backupId }: Which): ArchiveError =>
  new ArchiveError(
    'backup_removed',
    `${databaseId}'s backup ${backupId} was not completed for a week, and is given up. Take another one.`,
  );

/** Rejects with `object_missing` if this replica's file was not copied. */
export const readReplicaFile = (
  store: ObjectStore,
  { databaseId, backupId }: Which,
  index: number,
): Promise<Found<ReplicaFile>> =>
  read(store, replicaFileKey(databaseId, backupId, index), databaseId, replicaFileSchema);

/** The file of a replica as the backup's record names it. */
export async function replicaFileOf(
  store: ObjectStore,
  backup: FileBackup,
  index: number,
): Promise<ReplicaFile> {
  const { key, record, sha256 } = await readReplicaFile(store, backup, index);
  if (backup.files[index]?.record !== sha256)
    throw damaged(key, 'it is not the one that the backup names');
  return record;
}

/** `undefined`: there is none, or none yet. Rejects with `backup_removed` if it was given up. */
export async function readFileBackup(
  store: ObjectStore,
  which: Which,
): Promise<Found<FileBackup> | undefined> {
  const found = await readOutcome(store, which);
  if (found === undefined || isMade(found)) return found;
  throw givenUp(which);
}

const readOutcome = (store: ObjectStore, { databaseId, backupId }: Which) =>
  read(store, fileBackupKey(databaseId, backupId), databaseId, outcomeSchema).catch(unlessMissing);

/** Rejects with `backup_removed`. */
export async function requireNotRemoved(
  store: ObjectStore,
  { databaseId, backupId }: Which,
): Promise<void> {
  const removal = (await removals(store, databaseId)).get(backupId);
  if (removal === undefined) return;
  throw new ArchiveError(
    'backup_removed',
    `${databaseId}'s backup ${backupId} was removed at ${removal.removedAt}. Take another one.`,
  );
}

/** Rejects with `backup_removed`, also if the sweep is about to give the backup up (unfinished.ts). */
export async function requireWanted(store: ObjectStore, which: Which): Promise<void> {
  await requireNotRemoved(store, which);
  if (await isThere(store, givenUpKey(which.databaseId, which.backupId))) throw givenUp(which);
}

/** Whether the object exists. It is not read, because the caller may have no key for it. */
export async function isThere(store: ObjectStore, key: string): Promise<boolean> {
  for await (const found of store.list(key)) if (found === key) return true;
  return false;
}

/** Rejects with `backup_removed` or `backup_unknown`. `sha256`: the digest that its record must have. */
export async function findFileBackup(
  store: ObjectStore,
  which: Which,
  sha256?: string,
): Promise<Found<FileBackup>> {
  const { databaseId, backupId } = which;
  await requireNotRemoved(store, which);
  const found = await readFileBackup(store, which);
  if (found === undefined) {
    throw new ArchiveError(
      'backup_unknown',
      `The bucket has no backup ${backupId} of data files of ${databaseId} under this prefix.`,
    );
  }
  if (sha256 !== undefined && sha256 !== found.sha256)
    throw damaged(found.key, `its digest is ${found.sha256}, not ${sha256}`);
  return found;
}

/** All backups of data files that are not removed, in the order of their names. */
export async function* listFileBackups(
  store: ObjectStore,
  databaseId: string,
): AsyncGenerator<Found<FileBackup>> {
  const removed = await removals(store, databaseId);
  for await (const key of store.list(fileBackupsPrefix(databaseId))) {
    const backupId = parseFileBackupKey(key);
    if (backupId === undefined || removed.has(backupId)) continue;
    const found = await readOutcome(store, { databaseId, backupId });
    if (found === undefined) throw missing(key);
    if (isMade(found)) yield found;
  }
}

export const sizeOf = ({ files }: FileBackup): number =>
  files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

/** Bytes of all pieces, each counted once. */
export const storedSizeOf = ({ files }: FileBackup): number =>
  files.reduce((sum, { storedBytes }) => sum + storedBytes, 0);
