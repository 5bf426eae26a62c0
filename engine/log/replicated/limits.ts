/** Sizes and times of the replicated log. Measurements: docs/decisions/0015-replicated-log.md. */

/** Maximum size of a block in bytes. A block and its transaction stay far below etcd's --max-request-bytes=2097152. */
export const BLOCK_SIZE_MAX = (5 << 20) / 4;

/** Blocks in flight at once: two keep the disks busy, and more blocks of 1 MiB were slower. */
export const BLOCKS_IN_FLIGHT_MAX = 2;

/** Bytes of entries that may wait for a block: as many as four blocks hold. */
export const QUEUED_BYTES_MAX = 4 * BLOCK_SIZE_MAX;
export const QUEUED_ENTRIES_MAX = 16_384;

/**
 * Timeout of one try to commit a block. etcd itself takes 5 s and two elections before it answers that it does not know.
 */
export const APPEND_TIMEOUT_MS = 2000;
/** Timeout of a read, a claim, or a change of a record. */
export const CALL_TIMEOUT_MS = 1000;
export const RETRY = { baseMs: 10, maxMs: 200 };

/** Blocks in one page of a range: 10 MiB. */
export const PAGE_BLOCKS = 8;
/** Range of the pages after the first, in blocks: etcd counts all keys of a range, whatever its limit. */
export const PAGE_WINDOW_BLOCKS = 512;
/** Blocks beyond a gap that a follower keeps. If there are more, it reads them again later. */
export const PENDING_BLOCKS_MAX = 64;
/**
 * Time that a follower waits for a block that fills a gap, which is normal while it is in flight; then it reads the log.
 */
export const GAP_PATIENCE_MS = 1000;

/** A watch without an event for this long is replaced. */
export const QUIET_MS = 5000;

export const STATUS_INTERVAL_MS = 50;
/** A leading engine without a heartbeat for this long counts as silent: the next one claims. */
export const SILENCE_MS = 400;
/** Extra delay of each further engine in the order of claims. */
export const SILENCE_STEP_MS = 200;
/**
 * When the leading engine has been well for this long, the engine beside raft's leader passes raft's lead to its member.
 */
export const ALIGN_AFTER_MS = 5000;

/** Minimum time between two moves of raft's lead. */
export const MOVE_AGAIN_MS = 1000;
/** Maximum time to drain the blocks in flight, and to wait for another replica to lead. */
export const HAND_OVER_MS = 2000;
/** A replica that has handed over does not claim for this long. */
export const ABSTAIN_MS = 5000;

/** A replica that has claimed must take over within this time; otherwise it gives up the lead. */
export const TAKE_OVER_MS = 5000;

/** Maximum number of reads that wait for one fence check. */
export const BARRIERS_MAX = 16_384;

/** Number of blocks after which the leader checks again whether some can be deleted. */
export const TRIM_EVERY_BLOCKS = 64;
/** Bytes of blocks that are kept for replicas that are behind a majority. */
export const RETAINED_BYTES_MAX = 256 << 20;
/** The same as a part of etcd's quota, far below FULL_PART; the smaller bound counts. */
export const RETAINED_PART = 1 / 4;
/** Maximum number of blocks deleted by one transaction: etcd serves nothing else meanwhile. */
export const TRIM_BLOCKS_MAX = 1000;

/** Part of etcd's quota at which no more entries are taken. */
export const FULL_PART = 1 / 2;
