/**
 * Entries and positions of the log, the same for one replica and for several, and the interface of a single replica's log
 * (file-log.ts). Three and six replicas share a log kept by etcd, with an interface of its own
 * (replicated/replicated-log.ts): there, only committed entries are executed. Both give operations their place alike
 * (engine/replica/orderer.ts).
 *
 * Contract of `ReplicaLog`: an entry is *committed* when it can no longer be lost. The replica may execute an entry before it is
 * committed, but answers nothing that depends on it until then. Entries are committed in op order.
 */
import type { Checkpointed } from '../ledger/checkpoint.ts';

/** One operation in the log. `op` counts from 1 without holes; `timestamp` (ns) rises with it. */
export interface LogEntry {
  readonly op: number;
  readonly timestamp: bigint;
  /** The view (reign) in which the entry was made; never falls. */
  readonly view: number;
  /**
   * The request message that caused it, header (256 bytes) and body, as the client sent it and its checksums cover it.
   * Operations of our own (pulse) carry a header with client 0.
   */
  readonly message: Uint8Array;
}

/** Who a data file belongs to. `clusterId` is a u128. */
export interface ReplicaIdentity {
  readonly clusterId: bigint;
  readonly replicaIndex: number;
  readonly replicaCount: number;
}

/** Where a state stands in a log of several replicas: behind which block of which incarnation. */
export interface LogPlace {
  /** Counts the logs that the database has had, from 1. */
  readonly incarnation: number;
  /** 0: the replica has lost its state and is to fetch one. */
  readonly sequence: number;
  readonly fence: number;
  /** 16 bytes, of the block at `sequence`. */
  readonly seal: Uint8Array;
}

/** What a replica has after opening its log: a state at `op`, from which the entries that follow are to be executed. */
export interface CheckpointPosition {
  /** Last op that the loaded state contains; 0 for a new replica. */
  readonly op: number;
  readonly timestamp: bigint;
  readonly view: number;
  /** 16 bytes: the state machine's hash at `op`. */
  readonly stateHash: Uint8Array;
  /** Absent for a single replica, and where no block of a replicated log is in the state. */
  readonly place?: LogPlace;
}

export interface ReplicaLog {
  readonly identity: ReplicaIdentity;

  /**
   * Loads the newest checkpoint into `state`, then calls `replay` for each committed entry after it, in order.
   * Throws `DataFileError` when what is on disk is corrupt (a torn tail is not: it was never committed).
   */
  recover(state: Checkpointed, replay: (entry: LogEntry) => void): Promise<CheckpointPosition>;

  /**
   * Appends after the last entry. Appends may be issued without waiting for the earlier ones; they are grouped.
   * `committed` is called once, in op order, when the entry is committed. A failed write or fsync is final: `onFailure`
   * is called, no later entry commits, and the process must end (after a failed fsync nobody knows what is on disk).
   */
  append(entry: LogEntry, committed: () => void): void;

  /** Resolves when a read executed after it sees every operation acknowledged before it was called. */
  readBarrier(): Promise<void>;

  /** Bytes of log written since the last checkpoint: the caller checkpoints when it reaches `checkpointAfterBytes`. */
  readonly logBytesSinceCheckpoint: number;
  readonly checkpointAfterBytes: number;

  /**
   * Starts a checkpoint of `state` as it is now (after executing `position.op`, which need not be committed yet) and
   * resolves when it is durable and the log before it is free. Appends go on meanwhile. One at a time.
   *
   * Rejects with StorageFullError when the volume has no room: nothing is lost, call again when there may be room. That
   * call goes on with the changes taken before, so it resolves with the position of then, which is always the one that is
   * durable now; the call after it catches up.
   */
  checkpoint(state: Checkpointed, position: CheckpointPosition): Promise<CheckpointPosition>;

  /**
   * True when only a checkpoint can make room for more entries: the caller appends nothing that it may refuse, and calls
   * `checkpoint` again when there may be room on the volume. There is always room left for what it may not refuse.
   */
  readonly logFull: boolean;

  /**
   * True when not even the small entries fit that are taken while `logFull`: registrations, without which a new client
   * could not read.
   */
  readonly logExhausted: boolean;

  /**
   * True when not even expiries fit, which nobody asks for and no limit may refuse. They have room beyond what registrations
   * leave.
   */
  readonly logPulsesExhausted: boolean;

  /** Bytes the replica's storage takes now and may take. */
  storage(): { readonly usedBytes: number; readonly limitBytes: number };

  /** Commits what was appended and closes the files. */
  close(): Promise<void>;
}
