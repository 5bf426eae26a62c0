/** Constants of the data file, format version 3. FORMAT.md shows the layout; every integer is little-endian. */
import {
  FORMAT_VERSION,
  FORMAT_VERSION_OF_COPIES,
  FORMAT_VERSION_OLDEST,
  HEAD_BLOCK_SIZE,
  HEAD_COPIES,
} from '../../domain/import-files/head-layout.ts';

export { FORMAT_VERSION, FORMAT_VERSION_OF_COPIES, FORMAT_VERSION_OLDEST };

/** Everything begins at a multiple of this size, so that a torn write never damages the bytes before it. */
export const BLOCK_SIZE = HEAD_BLOCK_SIZE;

export const SUPERBLOCK_COPIES = HEAD_COPIES;
export const MARK_SLOTS = 2;
export const MARKS_OFFSET = SUPERBLOCK_COPIES * BLOCK_SIZE;
/** Offset of the log ring; the extents follow it. */
export const LOG_OFFSET = MARKS_OFFSET + MARK_SLOTS * BLOCK_SIZE;

/** A checkpoint's sections are cut into pieces of at most this many bytes, each with a checksum of its own. */
export const PIECE_SIZE_MAX = 4 << 20;

/** Maximum size of a protocol message, header included. */
export const MESSAGE_SIZE_MAX = 1 << 20;
/** Maximum size of one group's head and payload; four full messages and their heads fit. */
export const GROUP_SIZE_MAX = (4 << 20) + BLOCK_SIZE;

export const LOG_SIZE_DEFAULT = 256 << 20;
/**
 * In a ring of this size, the quarter kept for entries in flight when the log is full (`logFull`) holds a full message and
 * the bytes lost when a group does not fit before the ring's end.
 */
export const LOG_SIZE_MIN = 32 << 20;

/** Table of client sessions (engine/replica); an exported or restored file does not contain it. */
export const SESSIONS_TABLE = 100;
/** Table with the number of the ledger's rules (engine/replica); present only if it is above 1. */
export const RULES_TABLE = 101;
/** Table with the last pause of writes, which may be over (engine/replica); an exported or restored file does not contain it. */
export const PAUSE_TABLE = 102;

/** Whether a table is about the clients of one cluster, which another ledger with the same rows does not have. */
export const isOfClients = (table: number): boolean =>
  table === SESSIONS_TABLE || table === PAUSE_TABLE;

export function roundUp(bytes: number): number {
  return Math.ceil(bytes / BLOCK_SIZE) * BLOCK_SIZE;
}
