/**
 * Message that each replica sends to all others every 50 ms (the link itself is not part of the log). It decides only which
 * replica tries to lead and when; no guarantee depends on it.
 */
export interface Heartbeat {
  readonly replica: number;
  /** ID of the etcd member beside the replica; `undefined` while the member does not answer. */
  readonly memberId: bigint | undefined;
  /** Last op that the replica has taken from the log. */
  readonly op: number;
  /** Fence under which the replica leads or is about to; `undefined` if it does not. */
  readonly fence: number | undefined;
  /** Fence under which the replica led until it gave up the lead, if it did. */
  readonly leftFence?: number | undefined;
  /** True if the replica has all committed blocks except those in flight, and can take the lead. */
  readonly canLead: boolean;
  /**
   * True while the replica loads its data file or fetches another replica's; afterwards it takes part. Absent means false.
   */
  readonly loading?: boolean | undefined;
  /** True if the replica's clock may give timestamps. Replicas of older releases do not send it. */
  readonly clockAgrees?: boolean | undefined;
}

export interface Peer extends Heartbeat {
  /** Time of its last heartbeat, by this process's `Timers.nowMs`. */
  readonly heardAtMs: number;
}

export interface Peers {
  /** Returns the newest heartbeat of each other replica that has sent one. */
  all(): readonly Peer[];
}
