/** Where a part of the log is, for a reader that has the data file, or the member of etcd, as well: a group there, or a block. */
export interface LogPlaced {
  /** A group's offset from the file's beginning, or a block's sequence. */
  readonly at: number;
  /** Bytes of the group's payload, or of the block as etcd keeps it. */
  readonly bytes: number;
  /** Seal of the group's head, or of the block. */
  readonly seal: Uint8Array;
}

/** The same, with its last entry. */
export interface PlacedEntries extends LogPlaced {
  readonly lastOp: number;
  /** Checksum of the last entry's message. */
  readonly lastChecksum: Uint8Array;
}
