/**
 * Places of the fields in the head of a data file, which engine/log/FORMAT.md describes ("Superblock"): four equal copies of
 * one block at the file's beginning. The engine reads and writes by these numbers; code that only looks at a file uses
 * `file-head.ts`.
 */

/** "LHLEDGER". */
export const HEAD_MAGIC: readonly number[] = [0x4c, 0x48, 0x4c, 0x45, 0x44, 0x47, 0x45, 0x52];
/** The version that is written. */
export const FORMAT_VERSION = 3;
/** The version of copies for others: they have none of the tables that version 3 brought, and older releases read them. */
export const FORMAT_VERSION_OF_COPIES = 2;
/** The oldest version that is read. */
export const FORMAT_VERSION_OLDEST = 1;
export const HEAD_BLOCK_SIZE = 4096;
export const HEAD_COPIES = 4;

/** Offsets in a copy. Integers are little-endian. */
export const headFields = {
  formatVersion: 8,
  seal: 16,
  sealedFrom: 32,
  sequence: 32,
  release: 40,
  clusterId: 48,
  replicaIndex: 64,
  replicaCount: 68,
  op: 72,
  timestamp: 80,
  view: 88,
  stateHash: 96,
  key: 112,
  logSizeBytes: 128,
  logSequence: 136,
  logParent: 144,
  manifestOffset: 160,
  manifestSize: 168,
  manifestSeal: 176,
  placeSequence: 192,
  placeFence: 200,
  placeSeal: 208,
  placeIncarnation: 224,
} as const;
