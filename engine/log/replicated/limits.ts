/** Sizes and times of the replicated log. What was measured with them: docs/decisions/0015-replicated-log.md. */

/** etcd is started with --max-request-bytes=2097152; a block and its transaction stay far below. */
export const BLOCK_SIZE_MAX = (5 << 20) / 4;

/** Blocks on their way at once: two keep the disks busy, and more of 1 MiB were slower. */
export const BLOCKS_IN_FLIGHT_MAX = 2;

/** Entries that wait for a block: as many bytes as four blocks hold. */
export const QUEUED_BYTES_MAX = 4 * BLOCK_SIZE_MAX;
export const QUEUED_ENTRIES_MAX = 16_384;

/** One try to commit a block. etcd itself would take 5 s and two elections before it says that it does not know. */
export const APPEND_TIMEOUT_MS = 2000;
/** A read, a claim, a change of a record. */
export const CALL_TIMEOUT_MS = 1000;
export const RETRY = { baseMs: 10, maxMs: 200 };

/** Blocks that one page of a range holds: 10 MiB. */
export const PAGE_BLOCKS = 8;
/** How far the pages after the first look: etcd counts all keys of a range, whatever its limit. */
export const PAGE_WINDOW_BLOCKS = 512;
/** Blocks beyond a gap that a follower keeps; it reads them again when there are more. */
export const PENDING_BLOCKS_MAX = 64;
/** A gap is normal while a block is on its way; after this long the follower looks for itself. */
export const GAP_PATIENCE_MS = 1000;

/** A watch that has told nothing for so long is replaced. */
export const QUIET_MS = 5000;

export const STATUS_INTERVAL_MS = 50;
/** A leading engine that is not heard of for so long is silent: the next one claims. */
export const SILENCE_MS = 400;
/** The one after the next claims so much later, and so on. */
export const SILENCE_STEP_MS = 200;
/** The engine beside raft's leader hands that over to the leading engine's member when it has been well for so long. */
export const ALIGN_AFTER_MS = 5000;

/** Raft's lead is passed on at most so often. */
export const MOVE_AGAIN_MS = 1000;
/** Draining the blocks on their way, and waiting for somebody else to lead, take at most so long. */
export const HAND_OVER_MS = 2000;
/** Who has handed over does not claim for so long. */
export const ABSTAIN_MS = 5000;

/** Who has claimed and cannot take over within this time lets others. */
export const TAKE_OVER_MS = 5000;

/** Reads that wait for one fence check. */
export const BARRIERS_MAX = 16_384;

/** Blocks are kept for a replica that was heard of so recently. */
export const REMEMBERED_MS = 60_000;
/** And so long for one that said last that it loads: it may say nothing for a while, and what it loads takes minutes. */
export const REMEMBERED_LOADING_MS = 600_000;
/** The leader looks this often, in blocks, whether some can be deleted. */
export const TRIM_EVERY_BLOCKS = 64;
/** Bytes of blocks that are kept for replicas which are behind a majority. */
export const RETAINED_BYTES_MAX = 256 << 20;
/** And at most this part of etcd's quota, far below the one from which on no entries are taken (FULL_PART). */
export const RETAINED_PART = 1 / 4;
/** Blocks deleted by one transaction: etcd serves nothing else meanwhile. */
export const TRIM_BLOCKS_MAX = 1000;

/** Of the quota: at this part of it no more entries are taken. */
export const FULL_PART = 1 / 2;
