/**
 * Writes TigerBeetle's superblock, format version 2, in four copies; engine/log/tigerbeetle-head.ts reads it. Facts:
 * TigerBeetle's `src/vsr/superblock.zig`, release 0.17. Fields that the double does not use are 0.
 */
import { Fields } from '../../engine/log/fields.ts';
import type { ReplicaIdentity } from '../../engine/log/log.ts';
import type { StorageFile } from '../../engine/log/storage.ts';
import { checksum, checksumInto } from '../../engine/wire/checksum.ts';

export interface Superblock {
  readonly identity: ReplicaIdentity;
  readonly sequence: number;
  readonly release: number;
  readonly releaseFormat: number;
  readonly checkpointOp: number;
  readonly syncOpMax: number;
  readonly view: number;
}

/** Bytes of an empty data file: superblock, log, replies and padding. */
export const dataFileSize = 1_141_374_976;

const copies = 4;
const copyDistance = 24_576;
const copySize = 8_192;
const members = 12;
/** Checksum of the constants of upstream's production build; replica ids are derived from it. */
const configChecksum = Buffer.from('fdaf799fc9fedca12ad9450103550779', 'hex');

/** All copies, in the layout at the start of the file. */
export function encodeSuperblock(superblock: Superblock): Uint8Array {
  const bytes = new Uint8Array(copies * copyDistance);
  for (let copy = 0; copy < copies; copy += 1) {
    bytes.set(encodeCopy(superblock, copy), copy * copyDistance);
  }
  return bytes;
}

/** Writes the superblock durably, one copy after the other. */
export async function writeSuperblock(file: StorageFile, superblock: Superblock): Promise<void> {
  for (let copy = 0; copy < copies; copy += 1) {
    await file.writeDurable(encodeCopy(superblock, copy), copy * copyDistance);
  }
}

function encodeCopy(superblock: Superblock, copy: number): Uint8Array {
  const { clusterId, replicaIndex, replicaCount } = superblock.identity;
  const fields = new Fields(new Uint8Array(copySize));
  // Copy index and format version, 16 bits each.
  fields.putU32(32, copy | (2 << 16));
  fields.putU32(36, superblock.releaseFormat);
  fields.putU64(40, superblock.sequence);
  fields.putU128(48, clusterId);
  fields.putU64(320, superblock.checkpointOp);
  fields.putU64(672, dataFileSize);
  fields.putU32(708, superblock.release);
  fields.put(1120, replicaId(clusterId, replicaIndex));
  for (let member = 0; member < members; member += 1) {
    fields.put(1136 + member * 16, replicaId(clusterId, member));
  }
  fields.putU64(1328, superblock.checkpointOp);
  fields.putU64(1344, superblock.syncOpMax);
  fields.putU32(1356, superblock.view);
  fields.putU32(1360, superblock.view);
  fields.putU32(1364, replicaCount);
  checksumInto(fields.bytes.subarray(34), fields.bytes, 0);
  return fields.bytes;
}

/** Id of a replica; always the same for the same cluster and index. */
export function replicaId(clusterId: bigint, index: number): Uint8Array {
  const fields = new Fields(new Uint8Array(33));
  fields.put(0, configChecksum);
  fields.putU128(16, clusterId);
  fields.bytes[32] = index;
  return checksum(fields.bytes);
}
