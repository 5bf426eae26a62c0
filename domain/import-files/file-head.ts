/**
 * Reads the head of a data file from its first bytes, before an import. It runs in browsers, too, and so does not compute the
 * seals: a copy of the head counts if another one is equal to it. The Job that makes the data file verifies every byte.
 */
import {
  FORMAT_VERSION,
  HEAD_BLOCK_SIZE,
  HEAD_COPIES,
  HEAD_MAGIC,
  headFields,
} from './head-layout.ts';
import {
  beginsLikeTigerBeetle,
  hexOf,
  readTigerBeetleHead,
  TIGERBEETLE_FILE_SIZE_MIN,
  TIGERBEETLE_FORMAT_VERSION,
  TIGERBEETLE_HEAD_SIZE,
  type ChecksumMatches,
  type TigerBeetleHead,
} from './tigerbeetle-head.ts';

/** Bytes at a file's beginning that `readFileHead` needs of any file but TigerBeetle's. */
export const FILE_HEAD_SIZE = HEAD_COPIES * HEAD_BLOCK_SIZE;
/** Bytes that are enough for all files. */
export const FILE_HEAD_SIZE_MAX = TIGERBEETLE_HEAD_SIZE;

/** Bytes that `readFileHead` needs of a file that begins like this. Of TigerBeetle's the first copy may be the damaged one. */
export const headSizeOf = (start: Uint8Array): number =>
  beginsLikeTigerBeetle(start) || readTigerBeetleHead(start) !== undefined
    ? TIGERBEETLE_HEAD_SIZE
    : FILE_HEAD_SIZE;

/** Content of the head of a data file of either engine. */
export interface DataFileHead {
  readonly clusterId: bigint;
  readonly replicaIndex: number;
  readonly replicaCount: number;
  /** Release that wrote the file: major << 16 | minor << 8 | patch. */
  readonly release: number;
  /** The last operation in the file, and its timestamp in nanoseconds. Of TigerBeetle, those of the newest checkpoint. */
  readonly op: number;
  readonly timestamp: bigint;
  /** Hash of the state at that operation, in hex. Of TigerBeetle, the checksum of the superblock, in which replicas differ. */
  readonly stateHash: string;
  /** A whole file has at least as many bytes. */
  readonly endsAfterBytes: number;
}

/** Head of a file of the built-in engine. */
export interface LedgerFileHead extends DataFileHead {
  /** 0 in an exported file: it has no log. */
  readonly logSizeBytes: number;
}

export interface TigerBeetleFileHead extends DataFileHead {
  /** Whether the replica was still fetching a state from others. */
  readonly isSyncing: boolean;
}

export type FileHead =
  | { readonly kind: 'ledger'; readonly head: LedgerFileHead }
  /** The format of a newer release. */
  | { readonly kind: 'newer-format'; readonly formatVersion: number }
  | { readonly kind: 'tigerbeetle'; readonly head: TigerBeetleFileHead }
  /** TigerBeetle's, and these are not all bytes of its head. */
  | { readonly kind: 'tigerbeetle-cut' }
  /** TigerBeetle's, of a program that was not released. */
  | { readonly kind: 'tigerbeetle-development' }
  /** TigerBeetle's, but the copies of its head do not agree. */
  | { readonly kind: 'tigerbeetle-damaged' }
  /** A data file, but no two copies of its head are equal. */
  | { readonly kind: 'damaged' }
  | { readonly kind: 'foreign' };

/**
 * Reads the head in a file's first bytes. Fewer than `headSizeOf` bytes are all of a file that is cut short. `matches` computes the
 * checksums of TigerBeetle's heads, too.
 */
export function readFileHead(bytes: Uint8Array, matches?: ChecksumMatches): FileHead {
  const blocks = Array.from({ length: HEAD_COPIES }, (_, copy) =>
    bytes.subarray(copy * HEAD_BLOCK_SIZE, (copy + 1) * HEAD_BLOCK_SIZE),
  );
  const marked = blocks.filter(hasMagic);
  if (marked.length === 0) return foreignHead(bytes, matches);
  const agreed = marked.filter(
    (block) => marked.filter((other) => isEqual(block, other)).length >= 2,
  );
  let newest: DataView | undefined;
  for (const block of agreed) {
    const fields = new DataView(block.buffer, block.byteOffset, block.byteLength);
    if (newest === undefined || u64(fields, headFields.sequence) > u64(newest, headFields.sequence))
      newest = fields;
  }
  if (newest === undefined) return { kind: 'damaged' };
  const formatVersion = newest.getUint32(headFields.formatVersion, true);
  if (formatVersion > FORMAT_VERSION) return { kind: 'newer-format', formatVersion };
  const head = decode(newest);
  return isPossible(head) ? { kind: 'ledger', head } : { kind: 'damaged' };
}

/** Writes a release as people do, such as 0.17.9. */
export const releaseText = (release: number): string =>
  `${release >>> 16}.${(release >>> 8) & 0xff}.${release & 0xff}`;

/** Reads what `releaseText` writes; `undefined` for another text. */
export function releaseOfText(text: string): number | undefined {
  const parts = /^(\d{1,5})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number);
  if (parts === undefined) return undefined;
  const [major = 0, minor = 0, patch = 0] = parts;
  return minor > 255 || patch > 255 ? undefined : major * 65_536 + minor * 256 + patch;
}

/** The engines whose data files are imported. */
export type FileEngine = 'Builtin' | 'TigerBeetle';

/** Recommended name of a file. */
export const importFileName = (
  clusterId: bigint | string,
  replicaIndex: number,
  engine: FileEngine = 'Builtin',
): string => `${clusterId}_${replicaIndex}.${engine === 'TigerBeetle' ? 'tigerbeetle' : 'ledger'}`;

/** The head of a data file, and the engine whose file it is; `undefined` for anything else. */
export function dataFileHeadOf(
  read: FileHead | undefined,
): { readonly engine: FileEngine; readonly head: DataFileHead } | undefined {
  if (read?.kind === 'ledger') return { engine: 'Builtin', head: read.head };
  return read?.kind === 'tigerbeetle' ? { engine: 'TigerBeetle', head: read.head } : undefined;
}

function foreignHead(bytes: Uint8Array, matches: ChecksumMatches | undefined): FileHead {
  const found = readTigerBeetleHead(bytes, matches);
  if (found !== undefined && found.formatVersion > TIGERBEETLE_FORMAT_VERSION)
    return { kind: 'newer-format', formatVersion: found.formatVersion };
  if (found !== undefined && found.formatVersion < TIGERBEETLE_FORMAT_VERSION)
    return { kind: 'tigerbeetle-development' };
  if (found !== undefined && isPossibleTigerBeetle(found))
    return { kind: 'tigerbeetle', head: tigerBeetleFileHead(found) };
  if (found === undefined && !beginsLikeTigerBeetle(bytes)) return { kind: 'foreign' };
  return {
    kind: bytes.length < TIGERBEETLE_HEAD_SIZE ? 'tigerbeetle-cut' : 'tigerbeetle-damaged',
  };
}

const isPossibleTigerBeetle = ({
  replicaIndex,
  checkpointOp,
  sizeBytes,
  sequence,
}: TigerBeetleHead): boolean =>
  replicaIndex >= 0 && [checkpointOp, sizeBytes, sequence].every(Number.isSafeInteger);

const tigerBeetleFileHead = ({
  clusterId,
  replicaIndex,
  replicaCount,
  release,
  checkpointOp,
  checkpointTimestamp,
  checksum,
  syncOpMax,
  sizeBytes,
}: TigerBeetleHead): TigerBeetleFileHead => ({
  clusterId,
  replicaIndex,
  replicaCount,
  release,
  op: checkpointOp,
  timestamp: checkpointTimestamp,
  stateHash: checksum,
  endsAfterBytes: Math.max(sizeBytes, TIGERBEETLE_FILE_SIZE_MIN),
  isSyncing: syncOpMax !== 0,
});

function decode(fields: DataView): LedgerFileHead {
  const at = headFields;
  const hash = new Uint8Array(fields.buffer, fields.byteOffset + at.stateHash, 16);
  return {
    clusterId: u64(fields, at.clusterId) | (u64(fields, at.clusterId + 8) << 64n),
    replicaIndex: fields.getUint32(at.replicaIndex, true),
    replicaCount: fields.getUint32(at.replicaCount, true),
    release: fields.getUint32(at.release, true),
    op: Number(u64(fields, at.op)),
    timestamp: u64(fields, at.timestamp),
    stateHash: hexOf(hash),
    logSizeBytes: Number(u64(fields, at.logSizeBytes)),
    endsAfterBytes: Number(u64(fields, at.manifestOffset) + u64(fields, at.manifestSize)),
  };
}

const isPossible = ({ op, logSizeBytes, endsAfterBytes }: LedgerFileHead): boolean =>
  [op, logSizeBytes, endsAfterBytes].every(Number.isSafeInteger);

const u64 = (fields: DataView, at: number): bigint => fields.getBigUint64(at, true);

const hasMagic = (block: Uint8Array): boolean =>
  block.length === HEAD_BLOCK_SIZE && HEAD_MAGIC.every((byte, index) => block[index] === byte);

const isEqual = (a: Uint8Array, b: Uint8Array): boolean =>
  a.every((byte, index) => b[index] === byte);
