/**
 * Puts what another replica has sent in the place of a replica's own data file. On a volume that has room for one of them
 * but not for both, the old one is given up first: it cannot bring the replica forward any more, and is put down as lost, so
 * that a start in between goes on with this.
 */
import { diskStorage } from './disk-storage.ts';
import { StorageFullError } from './errors.ts';
import { planCopy } from './export.ts';
import { createEmpty, writeZeros } from './format-file.ts';
import { LOG_OFFSET, LOG_SIZE_MIN, roundUp } from './layout.ts';
import type { StoredCheckpoint } from './load.ts';
import type { ReplicaIdentity } from './log.ts';
import { readManifest, readPiece, type StoredSection } from './manifest.ts';
import { spareBytes } from './shared-volume.ts';
import { isFull, type Storage, type StorageFile } from './storage.ts';
import { readHead, writeSuperblock } from './superblock.ts';

export interface ReplaceOptions {
  readonly path: string;
  /** Whose file it becomes. */
  readonly identity: ReplicaIdentity;
  readonly incarnation: number;
  /** That makes the file which says that the old one is lost. */
  readonly release: number;
  readonly storage?: Storage;
  /** Writes an exported file of another replica of the same cluster, in order. Called again after the old file was given up. */
  readonly receive: (write: (bytes: Uint8Array) => Promise<void>) => Promise<void>;
  /** Closes the old file; called when the new one is whole, verified and durable, or has no room beside it. */
  readonly closeOld: () => Promise<void>;
}

/** There would be room without the old file. */
class NoRoomBeside extends Error {}

/**
 * Rejects when nothing whole came. The old file is then as it was, and open; or it is put down as lost, and closed. With
 * StorageFullError when the new one has no room without the old one either, which then is as it was.
 */
export async function replaceDataFile(options: ReplaceOptions): Promise<void> {
  const { path, storage = diskStorage, closeOld } = options;
  const fetched = fetchedOf(path);
  try {
    await fetchBeside(fetched, options, storage);
  } catch (error) {
    if (!(error instanceof NoRoomBeside)) throw error;
    await closeOld();
    await putDownAsLost(options, storage);
    await fetchBeside(fetched, options, storage);
  }
  await closeOld();
  await storage.replace(fetched, path);
}

/** Removes what a process left that was killed at it. */
export async function removeUnfinished(path: string, storage = diskStorage): Promise<void> {
  for (const left of [fetchedOf(path), lostOf(path)]) await removeIfThere(storage, left);
}

async function putDownAsLost(
  { path, identity, incarnation, release }: ReplaceOptions,
  storage: Storage,
): Promise<void> {
  const lost = lostOf(path);
  await removeIfThere(storage, lost);
  const logSizeBytes = LOG_SIZE_MIN;
  await createEmpty({ path: lost, identity, release, logSizeBytes, lostIn: incarnation, storage });
  await storage.replace(lost, path);
}

/** The file is whole, verified and durable when it resolves, and not there when it rejects. */
async function fetchBeside(path: string, options: ReplaceOptions, storage: Storage): Promise<void> {
  await removeIfThere(storage, path);
  const file = await storage.create(path);
  try {
    // First of all, so that the file has no hole, and its size says what it takes.
    await writeZeros(file, 0, LOG_OFFSET + LOG_SIZE_MIN);
    const sent = await receiveExtents(file, options, storage);
    await finish(file, sent, options.identity);
  } catch (error) {
    await file.close();
    await removeIfThere(storage, path);
    throw isFull(error) ? noRoom(error) : error;
  }
  await file.close();
}

/** What is sent, as its beginning says; the sections where they stand now. */
type Sent = Pick<StoredCheckpoint, 'superblock' | 'sections'>;

/** Everything that comes behind the head goes where it belongs. Looks for room once it knows how much is to come. */
async function receiveExtents(
  file: StorageFile,
  { path, receive }: ReplaceOptions,
  storage: Storage,
): Promise<Sent> {
  const head = new Uint8Array(LOG_OFFSET);
  let at = 0;
  let sent: Sent | undefined;
  await receive(async (bytes) => {
    head.set(bytes.subarray(0, Math.max(0, LOG_OFFSET - at)), Math.min(at, LOG_OFFSET));
    const rest = bytes.subarray(Math.max(0, LOG_OFFSET - at));
    if (rest.length > 0) await file.write(rest, Math.max(at, LOG_OFFSET) + LOG_SIZE_MIN);
    at += bytes.length;
    if (sent !== undefined || !isListed(head, at)) return;
    sent = await readSent(file, head);
    await findRoom(endOf(sent.sections) - (await file.size()), path, storage);
  });
  return sent ?? readSent(file, head);
}

/** Whether the head and the list of all that follows are among the first `at` bytes. */
function isListed(head: Uint8Array, at: number): boolean {
  if (at < LOG_OFFSET) return false;
  const { offset, size } = readHead(head).superblock.manifest;
  return at >= offset + size;
}

async function findRoom(bytes: number, path: string, storage: Storage): Promise<void> {
  const { sizeBytes, freeBytes } = await storage.volume(path);
  const lacking = bytes - (freeBytes - spareBytes(sizeBytes));
  if (lacking <= 0) return;
  const old = await storage.open(path, { writable: false, exclusive: false });
  const given = (await old.size()) - (LOG_OFFSET + LOG_SIZE_MIN);
  await old.close();
  throw given >= lacking ? new NoRoomBeside() : noRoom();
}

async function readSent(file: StorageFile, head: Uint8Array): Promise<Sent> {
  const { superblock } = readHead(head);
  const { manifest } = superblock;
  const moved = { ...manifest, offset: manifest.offset + LOG_SIZE_MIN };
  return { superblock, sections: await readManifest(file, { ...superblock, manifest: moved }) };
}

const endOf = (sections: readonly StoredSection[]): number =>
  sections
    .flatMap(({ pieces }) => pieces)
    .reduce((end, { offset, size }) => Math.max(end, offset + roundUp(size)), 0) + LOG_SIZE_MIN;

/** Makes the replica's file of what came: verified, with a log, and with its own name in its head. */
async function finish(file: StorageFile, sent: Sent, identity: ReplicaIdentity): Promise<void> {
  const copy = planCopy(sent, { identity, logSizeBytes: LOG_SIZE_MIN, sameCluster: true });
  // An exported file is laid out as the copy of it is, so that everything stands where it is to be.
  for (const { pieces } of copy.sections)
    for (const piece of pieces) await readPiece(file, sent.superblock.key, piece);
  await file.write(copy.manifest, copy.superblock.manifest.offset);
  await file.sync();
  await writeSuperblock(file, copy.superblock);
}

async function removeIfThere(storage: Storage, path: string): Promise<void> {
  if (await storage.exists(path)) await storage.remove(path);
}

const fetchedOf = (path: string): string => `${path}.fetched`;
const lostOf = (path: string): string => `${path}.lost`;

const noRoom = (cause?: unknown): StorageFullError =>
  new StorageFullError(
    "The volume has no room for another replica's state. Make the volume larger; it is fetched then.",
    { cause },
  );
