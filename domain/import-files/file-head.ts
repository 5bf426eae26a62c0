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

/** Bytes at a file's beginning that `readFileHead` needs. */
export const FILE_HEAD_SIZE = HEAD_COPIES * HEAD_BLOCK_SIZE;

export interface LedgerFileHead {
  readonly clusterId: bigint;
  readonly replicaIndex: number;
  readonly replicaCount: number;
  /** Release that wrote the file: major << 16 | minor << 8 | patch. */
  readonly release: number;
  /** The last operation in the file, and its timestamp in nanoseconds. */
  readonly op: number;
  readonly timestamp: bigint;
  /** Hash of the state at that operation, in hex. */
  readonly stateHash: string;
  /** 0 in an exported file: it has no log. */
  readonly logSizeBytes: number;
  /** A whole file is longer than this. */
  readonly endsAfterBytes: number;
}

export type FileHead =
  | { readonly kind: 'ledger'; readonly head: LedgerFileHead }
  /** The format of a newer release. */
  | { readonly kind: 'newer-format'; readonly formatVersion: number }
  | { readonly kind: 'tigerbeetle' }
  /** A data file, but no two copies of its head are equal. */
  | { readonly kind: 'damaged' }
  | { readonly kind: 'foreign' };

/** Reads the head in a file's first bytes. Fewer than `FILE_HEAD_SIZE` bytes are all of a file that is cut short. */
export function readFileHead(bytes: Uint8Array): FileHead {
  const blocks = Array.from({ length: HEAD_COPIES }, (_, copy) =>
    bytes.subarray(copy * HEAD_BLOCK_SIZE, (copy + 1) * HEAD_BLOCK_SIZE),
  );
  const marked = blocks.filter(hasMagic);
  if (marked.length === 0) return { kind: isTigerBeetle(bytes) ? 'tigerbeetle' : 'foreign' };
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

/** Recommended name of an exported file. */
export const importFileName = (clusterId: bigint | string, replicaIndex: number): string =>
  `${clusterId}_${replicaIndex}.ledger`;

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
    stateHash: Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join(''),
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

/**
 * Whether it looks like the first copy of TigerBeetle's superblock: checksum, 16 zeros, copy 0, a small version of the format,
 * a count of replicas. TigerBeetle's own programs verify the checksum.
 */
function isTigerBeetle(bytes: Uint8Array): boolean {
  if (bytes.length < 8192) return false;
  const fields = new DataView(bytes.buffer, bytes.byteOffset, 8192);
  const zeros = bytes.subarray(16, 32).every((byte) => byte === 0);
  const checksum = bytes.subarray(0, 16).some((byte) => byte !== 0);
  const version = fields.getUint16(34, true);
  const count = fields.getUint8(1364);
  return (
    zeros &&
    checksum &&
    fields.getUint16(32, true) === 0 &&
    version >= 1 &&
    version <= 64 &&
    count >= 1 &&
    count <= 6
  );
}
