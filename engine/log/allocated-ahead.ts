/** Blocks that XFS has allocated ahead of a file that grows. */

/** Bytes of a block in `stat`, whatever the file system's blocks are. */
const STAT_BLOCK = 512;
/** What `statfs` says of XFS. */
const XFS = 0x58465342;

/**
 * Returns the bytes that are allocated beyond a file's end: XFS allocates up to as many again as a growing file has, and gives them to
 * other files, too, when the volume is full. Other file systems count copies of each block as the file's own, which are no room.
 */
export const allocatedAhead = (
  { type }: { readonly type: number },
  { blocks, size }: { readonly blocks: number; readonly size: number },
): number => (type === XFS ? Math.max(0, blocks * STAT_BLOCK - size) : 0);
