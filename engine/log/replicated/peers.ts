/**
 * What replicas tell each other, by whatever way (the link itself is not the log's): each sends its own heartbeat to all
 * others every 50 ms. It decides only who tries to lead and when; no promise rests on it.
 */
export interface Heartbeat {
  readonly replica: number;
  /** Of the etcd member beside it; undefined while that does not answer. */
  readonly memberId: bigint | undefined;
  /** Last op that it has taken from the log. */
  readonly op: number;
  /** Under which fence it leads, or is about to; undefined: it does not. */
  readonly fence: number | undefined;
  /** The fence under which it led until it gave the lead up, if it did. */
  readonly leftFence?: number | undefined;
  /** It has all that is committed, but for what is on its way, and takes the lead if it must. */
  readonly canLead: boolean;
  /** It loads its data file or fetches another replica's, and takes part afterwards. Absent: it does not. */
  readonly loading?: boolean | undefined;
  /** Its clock is one that may give timestamps. Absent from replicas of older releases, which do not say. */
  readonly clockAgrees?: boolean | undefined;
}

export interface Peer extends Heartbeat {
  /** When it was last heard of, by this process's `Timers.nowMs`. */
  readonly heardAtMs: number;
}

export interface Peers {
  /** The newest heartbeat of each other replica that was ever heard of. */
  all(): readonly Peer[];
}
