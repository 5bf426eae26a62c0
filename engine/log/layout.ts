/** Numbers of the data file, format version 1. FORMAT.md draws them; every integer is little-endian. */
export const FORMAT_VERSION = 1;

/** Everything begins at a multiple of it: a torn write then never touches what was there before it. */
export const BLOCK_SIZE = 4096;

export const SUPERBLOCK_COPIES = 4;
export const MARK_SLOTS = 2;
export const MARKS_OFFSET = SUPERBLOCK_COPIES * BLOCK_SIZE;
/** The log ring begins here; behind it the extents. */
export const LOG_OFFSET = MARKS_OFFSET + MARK_SLOTS * BLOCK_SIZE;

/** A checkpoint's sections are cut into pieces of at most this many bytes, each with a checksum of its own. */
export const PIECE_SIZE_MAX = 4 << 20;

/** One message of the protocol at most, header included. */
export const MESSAGE_SIZE_MAX = 1 << 20;
/** Head and payload of one group; four full messages and their heads fit. */
export const GROUP_SIZE_MAX = (4 << 20) + BLOCK_SIZE;

export const LOG_SIZE_DEFAULT = 256 << 20;
/**
 * The quarter that is kept for what was on its way when the log filled up (`logFull`) then holds a full message and what
 * a group loses that does not fit before the ring's end.
 */
export const LOG_SIZE_MIN = 32 << 20;

/** Sessions of clients (engine/replica); an exported or restored file does not carry it. */
export const SESSIONS_TABLE = 100;
/** Number of the ledger's rules (engine/replica); only where it is above 1. */
export const RULES_TABLE = 101;

export function roundUp(bytes: number): number {
  return Math.ceil(bytes / BLOCK_SIZE) * BLOCK_SIZE;
}
