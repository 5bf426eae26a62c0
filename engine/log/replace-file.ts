/**
 * Replaces a replica's data file by the state that another replica sends. On a volume with room for only one of them, the
 * old file is given up first, but not before the whole state has been sent once, verified and dropped: a sender that fails or whose
 * state is damaged costs nothing then. The old file is replaced by one marked as lost, so that a start in between resumes the fetch.
 */
import { diskStorage } from './disk-storage.ts';
import { StorageFullError } from './errors.ts';
import { planCopy } from './export.ts';
import { createEmpty, writeZeros } from './format-file.ts';
import { LOG_OFFSET, LOG_SIZE_MIN } from './layout.ts';
import type { StoredCheckpoint } from './load.ts';
import type { ReplicaIdentity } from './log.ts';
import { piecesEnd, readManifest, readPiece } from './manifest.ts';
import { spareBytes } from './shared-volume.ts';
import { isFull, type Storage, type StorageFile } from './storage.ts';
import { StreamedCheckpoint } from './streamed-checkpoint.ts';
import { readHead, writeSuperblock } from './superblock.ts';
import { placeWithoutState } from './without-state.ts';

interface ReplaceOptions {
  readonly path: string;
  /** Identity of the replica that the file is for. */
  readonly identity: ReplicaIdentity;
  readonly incarnation: number;
  /** Release that is written into the file that marks the old one as lost. */
  readonly release: number;
  readonly storage?: Storage;
  /**
   * Writes an exported file of another replica of the same cluster, in order. Called again before the old file is given up, and after it.
   */
  readonly receive: (write: (bytes: Uint8Array) => Promise<void>) => Promise<void>;
  /** Closes the old file. Called when the new one is whole, verified and durable, or has no room beside the old one. */
  readonly closeOld: () => Promise<void>;
}

/** There is no room beside the old file, but there would be without it. */
class NoRoomBeside extends Error {}

/**
 * Replaces the data file. Rejects if no complete state came: the old file is then unchanged and open, or marked as lost and
 * closed. Rejects with StorageFullError if the new file has no room even without the old one, which then is unchanged.
 */
export async function replaceDataFile(options: ReplaceOptions): Promise<void> {
  const { path, storage = diskStorage, closeOld } = options;
  const fetched = fetchedOf(path);
  try {
    await fetchBeside(fetched, options, storage);
  } catch (error) {
    if (!(error instanceof NoRoomBeside)) throw error;
    await seeWhole(options);
    await closeOld();
    await putDownAsLost(options, storage);
    await fetchBeside(fetched, options, storage);
  }
  await closeOld();
  await storage.replace(fetched, path);
}

/** Removes the files of a replacement during which the process was killed. */
export async function removeUnfinished(path: string, storage = diskStorage): Promise<void> {
  for (const left of [fetchedOf(path), lostOf(path)]) await removeIfThere(storage, left);
}

/** Resolves if the whole state comes, every part of it verified. Nothing of it is kept. */
async function seeWhole({ receive }: ReplaceOptions): Promise<void> {
  const sent = new StreamedCheckpoint();
  await receive((bytes) => sent.take(bytes));
  await sent.end();
}

async function putDownAsLost(
  { path, identity, incarnation, release }: ReplaceOptions,
  storage: Storage,
): Promise<void> {
  const lost = lostOf(path);
  await removeIfThere(storage, lost);
  const logSizeBytes = LOG_SIZE_MIN;
  const place = placeWithoutState(incarnation, 'lost');
  await createEmpty({ path: lost, identity, release, logSizeBytes, place, storage });
  await storage.replace(lost, path);
}

/** Fetches the new file. It is whole, verified and durable when this resolves, and absent when this rejects. */
async function fetchBeside(path: string, options: ReplaceOptions, storage: Storage): Promise<void> {
  await removeIfThere(storage, path);
  const file = await storage.create(path);
  try {
    // This comes first, so that the file has no hole and its size equals the room that it takes.
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

/** The sent checkpoint as described by its head, with the present places of its sections. */
type Sent = Pick<StoredCheckpoint, 'superblock' | 'sections'>;

/** Writes everything after the head to its final place. Looks for room as soon as the size of the rest is known. */
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
    await findRoom(piecesEnd(sent.sections) + LOG_SIZE_MIN - (await file.size()), path, storage);
  });
  return sent ?? readSent(file, head);
}

/** Returns whether the first `at` bytes contain the head and the manifest. */
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

/** Turns the received bytes into the replica's file: verified, with a log, and with the replica's identity in its head. */
async function finish(file: StorageFile, sent: Sent, identity: ReplicaIdentity): Promise<void> {
  const copy = planCopy(sent, { identity, logSizeBytes: LOG_SIZE_MIN, sameCluster: true });
  // An exported file has the same layout as its copy, so everything is already in its final place.
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
