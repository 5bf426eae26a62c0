/**
 * The volume of one of several replicas has the data file and a member of etcd on it, which ends where it cannot write, and
 * nothing can be read any more when a majority has. So the replica is the one that holds back.
 *
 * The member takes as much again as its quota at times: for its own log, which is cut only every 30 s, for a file that it
 * gets from another member, and when it rewrites its own.
 */
const mib = 2 ** 20;
const gib = 2 ** 30;

/**
 * The member's quota, an eighth of the volume: half of it is where the replica takes no more (replicated/limits.ts). From
 * 256 MiB, with which a replica can go on, to 2 GiB, beyond which etcd gains nothing.
 */
export const quotaBytes = (volumeBytes: number): number =>
  Math.min(Math.max(Math.floor(volumeBytes / 8 / mib) * mib, 256 * mib), 2 * gib);

/** Bytes that the data file leaves free when it grows. */
export const spareBytes = (volumeBytes: number): number => quotaBytes(volumeBytes);

/** With fewer bytes free no new events are taken: what is logged takes them too. */
export const leastBytes = (volumeBytes: number): number => quotaBytes(volumeBytes) / 2;
