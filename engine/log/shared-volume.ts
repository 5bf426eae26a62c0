/**
 * Sharing of the volume of one of several replicas between its data file and an etcd member. A member that cannot write
 * ends, and nothing can be read when a majority of them has ended. So the replica holds back instead.
 *
 * At times the member takes its quota again: for its own log, which is cut only every 30 s, for a file that it gets from
 * another member, and when it rewrites its own file.
 */
const mib = 2 ** 20;
const gib = 2 ** 30;

/**
 * Returns the member's quota, an eighth of the volume. At half of the quota the replica takes no more entries
 * (replicated/limits.ts). At least 256 MiB, with which a replica can work, and at most 2 GiB, beyond which etcd gains
 * nothing.
 */
export const quotaBytes = (volumeBytes: number): number =>
  Math.min(Math.max(Math.floor(volumeBytes / 8 / mib) * mib, 256 * mib), 2 * gib);

/** Returns the bytes that the data file leaves free when it grows. */
export const spareBytes = (volumeBytes: number): number => quotaBytes(volumeBytes);

/** Returns the free bytes below which no new events are taken, because the log also takes them. */
export const leastBytes = (volumeBytes: number): number => quotaBytes(volumeBytes) / 2;
