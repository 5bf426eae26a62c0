/**
 * The superblock: the file's identity, its newest checkpoint and the place of its log. There are four equal copies at the
 * file's beginning; the valid one with the highest sequence counts. They are written two at a time with a sync between, so
 * that at every instant two copies of one sequence are intact. Layout: FORMAT.md, "Superblock".
 */
import { HEAD_MAGIC, headFields } from '../../domain/import-files/head-layout.ts';
import type { CheckpointPosition, ReplicaIdentity } from './log.ts';
import { CORRUPTION_ADVICE, DataFileError } from './errors.ts';
import { Fields } from './fields.ts';
import { BLOCK_SIZE, FORMAT_VERSION, FORMAT_VERSION_OLDEST, SUPERBLOCK_COPIES } from './layout.ts';
import { seal, SEAL_SIZE, sealMatches, SUPERBLOCK_KEY } from './seal.ts';
import type { ReadableFile, StorageFile } from './storage.ts';

const SUPERBLOCK_MAGIC = Uint8Array.from(HEAD_MAGIC);
/** Offsets of the fields, shared with the check of a file that is to be imported. */
const at = headFields;
/** Offset of a field that releases before it leave zero, and do not look at. */
const INDEX_SUSPECT = 228;

export interface Superblock {
  /** Format version of the checkpoint; the newest one by default. */
  readonly formatVersion?: number;
  readonly sequence: number;
  /** Release that wrote it, in the protocol's form: major << 16 | minor << 8 | patch. */
  readonly release: number;
  readonly identity: ReplicaIdentity;
  readonly position: CheckpointPosition;
  /** Key of all seals in the file but the superblock's. */
  readonly key: Uint8Array;
  /** 0 in an exported file: it has no log. */
  readonly logSizeBytes: number;
  /** Sequence (from 1) of the first group of the log that holds, or will hold, an entry after the checkpoint. */
  readonly logSequence: number;
  /** Head seal of the group before `logSequence`; zeros if there is none. */
  readonly logParent: Uint8Array;
  readonly manifest: { readonly offset: number; readonly size: number; readonly seal: Uint8Array };
  /** Whether damage was found in derived tables: the next start verifies them completely. */
  readonly isIndexSuspect?: boolean;
}

export function encodeSuperblock(superblock: Superblock): Uint8Array {
  const fields = new Fields(new Uint8Array(BLOCK_SIZE));
  const { identity, position, manifest } = superblock;
  fields.put(0, SUPERBLOCK_MAGIC);
  fields.putU32(at.formatVersion, superblock.formatVersion ?? FORMAT_VERSION);
  fields.putU64(at.sequence, superblock.sequence);
  fields.putU32(at.release, superblock.release);
  fields.putU128(at.clusterId, identity.clusterId);
  fields.putU32(at.replicaIndex, identity.replicaIndex);
  fields.putU32(at.replicaCount, identity.replicaCount);
  fields.putU64(at.op, position.op);
  fields.putBig64(at.timestamp, position.timestamp);
  fields.putU32(at.view, position.view);
  fields.put(at.stateHash, position.stateHash);
  fields.put(at.key, superblock.key);
  fields.putU64(at.logSizeBytes, superblock.logSizeBytes);
  fields.putU64(at.logSequence, superblock.logSequence);
  fields.put(at.logParent, superblock.logParent);
  fields.putU64(at.manifestOffset, manifest.offset);
  fields.putU64(at.manifestSize, manifest.size);
  fields.put(at.manifestSeal, manifest.seal);
  const { place } = position;
  if (place !== undefined) {
    fields.putU64(at.placeSequence, place.sequence);
    fields.putU64(at.placeFence, place.fence);
    fields.put(at.placeSeal, place.seal);
    fields.putU32(at.placeIncarnation, place.incarnation);
  }
  fields.putU32(INDEX_SUSPECT, superblock.isIndexSuspect === true ? 1 : 0);
  fields.put(at.seal, superblockSeal(fields.bytes));
  return fields.bytes;
}

function superblockSeal(block: Uint8Array): Uint8Array {
  return seal(SUPERBLOCK_KEY, block.subarray(0, at.seal), block.subarray(at.sealedFrom));
}

/** Decodes one copy. Returns `undefined` if its bytes are damaged. Throws for an unknown format version. */
function decodeCopy(block: Uint8Array): Superblock | undefined {
  const fields = new Fields(block);
  if (block.length < BLOCK_SIZE || !hasMagic(block)) return undefined;
  if (!sealMatches(superblockSeal(block), fields.slice(at.seal, SEAL_SIZE))) return undefined;
  const version = fields.u32(at.formatVersion);
  if (version < FORMAT_VERSION_OLDEST || version > FORMAT_VERSION) {
    throw new DataFileError(
      'unknown_format_version',
      `The data file has format version ${version}, this release knows ${FORMAT_VERSION_OLDEST} to ${FORMAT_VERSION}. Use the release that wrote it, or a newer one.`,
    );
  }
  return {
    formatVersion: version,
    sequence: fields.u64(at.sequence),
    release: fields.u32(at.release),
    identity: {
      clusterId: fields.u128(at.clusterId),
      replicaIndex: fields.u32(at.replicaIndex),
      replicaCount: fields.u32(at.replicaCount),
    },
    position: {
      op: fields.u64(at.op),
      timestamp: fields.big64(at.timestamp),
      view: fields.u32(at.view),
      stateHash: fields.slice(at.stateHash, 16).slice(),
      ...decodePlace(fields),
    },
    key: fields.slice(at.key, 16).slice(),
    logSizeBytes: fields.u64(at.logSizeBytes),
    logSequence: fields.u64(at.logSequence),
    logParent: fields.slice(at.logParent, SEAL_SIZE).slice(),
    manifest: {
      offset: fields.u64(at.manifestOffset),
      size: fields.u64(at.manifestSize),
      seal: fields.slice(at.manifestSeal, SEAL_SIZE).slice(),
    },
    isIndexSuspect: fields.u32(INDEX_SUSPECT) !== 0,
  };
}

/** Decodes the place. Incarnations count from 1, so a file with incarnation 0 has no place. */
function decodePlace(fields: Fields): Pick<CheckpointPosition, 'place'> {
  const incarnation = fields.u32(at.placeIncarnation);
  if (incarnation === 0) return {};
  const [sequence, fence] = [fields.u64(at.placeSequence), fields.u64(at.placeFence)];
  return {
    place: { incarnation, sequence, fence, seal: fields.slice(at.placeSeal, SEAL_SIZE).slice() },
  };
}

function hasMagic(block: Uint8Array): boolean {
  return SUPERBLOCK_MAGIC.every((byte, index) => block[index] === byte);
}

/** Returns the newest superblock in a file's first 16 KiB. Fewer bytes are enough if they hold an intact copy. */
export function readHead(head: Uint8Array): { superblock: Superblock; wholeCopies: number } {
  let newest: Superblock | undefined;
  let wholeCopies = 0;
  let magicSeen = false;
  for (let copy = 0; copy < SUPERBLOCK_COPIES; copy += 1) {
    const block = head.subarray(copy * BLOCK_SIZE, (copy + 1) * BLOCK_SIZE);
    magicSeen ||= hasMagic(block);
    const superblock = decodeCopy(block);
    if (!superblock) continue;
    wholeCopies += 1;
    if (!newest || superblock.sequence > newest.sequence) newest = superblock;
  }
  if (newest) return { superblock: newest, wholeCopies };
  if (!magicSeen) {
    throw new DataFileError(
      'not_a_data_file',
      'The file is not a data file of this engine (no part of its head is valid).',
      { offset: 0 },
    );
  }
  throw new DataFileError(
    'superblock_corrupt',
    `No copy of the superblock is whole. ${CORRUPTION_ADVICE}`,
    { offset: 0 },
  );
}

export async function readSuperblock(file: ReadableFile): Promise<Superblock> {
  const head = new Uint8Array(SUPERBLOCK_COPIES * BLOCK_SIZE);
  const length = await file.read(head, 0);
  return readHead(head.subarray(0, length)).superblock;
}

/** Writes all copies, durably. Everything that they refer to must be durable already. */
export async function writeSuperblock(file: StorageFile, superblock: Superblock): Promise<void> {
  const block = encodeSuperblock(superblock);
  for (let copy = 0; copy < SUPERBLOCK_COPIES; copy += 1) {
    await file.write(block, copy * BLOCK_SIZE);
    if (copy % 2 === 1) await file.sync();
  }
}

/** Rewrites each copy that is old after a crash, or damaged. It writes one at a time, with a sync after each. */
export async function repairSuperblock(file: StorageFile, newest: Superblock): Promise<void> {
  const expected = encodeSuperblock(newest);
  const copy = new Uint8Array(BLOCK_SIZE);
  for (let index = 0; index < SUPERBLOCK_COPIES; index += 1) {
    await file.read(copy, index * BLOCK_SIZE);
    if (Buffer.compare(copy, expected) === 0) continue;
    await file.write(expected, index * BLOCK_SIZE);
    await file.sync();
  }
}
