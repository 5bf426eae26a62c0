/**
 * Entries and positions of the log, the same for one replica and for several, and the interface of a single replica's log
 * (file-log.ts). Three and six replicas share a log kept by etcd, with an interface of its own
 * (replicated/replicated-log.ts): there, only committed entries are executed. Both order operations in the same way
 * (engine/replica/orderer.ts).
 *
 * Contract of `ReplicaLog`: an entry is *committed* when it can no longer be lost. The replica may execute an entry before it is
 * committed, but answers nothing that depends on it until then. Entries are committed in op order.
 */
import type { Checkpointed } from '../ledger/checkpoint.ts';
import type { PageSource } from './page-reader.ts';

/** One operation in the log. `op` counts from 1 without gaps; `timestamp` (ns) rises with it. */
export interface LogEntry {
  readonly op: number;
  readonly timestamp: bigint;
  /** View (reign) in which the entry was made. It never falls. */
  readonly view: number;
  /**
   * The request message that caused the entry: header (256 bytes) and body, exactly as the client sent them, so that the
   * checksums match. Our own operations (pulse) have a header with client 0.
   */
  readonly message: Uint8Array;
}

/** The replica that a data file belongs to. `clusterId` is a u128. */
export interface ReplicaIdentity {
  readonly clusterId: bigint;
  readonly replicaIndex: number;
  readonly replicaCount: number;
}

/** Place of a state in the log of several replicas: the block that it stands behind, and its incarnation. */
export interface LogPlace {
  /** Number of this log among all logs that the database has had, from 1. */
  readonly incarnation: number;
  /** 0 if the replica has no state and must fetch one (without-state.ts). */
  readonly sequence: number;
  readonly fence: number;
  /** Seal of the block at `sequence`, 16 bytes. */
  readonly seal: Uint8Array;
}

/** Position of a checkpoint: the state at `op`, after which the following entries must be executed. */
export interface CheckpointPosition {
  /** Last op that the loaded state contains; 0 for a new replica. */
  readonly op: number;
  readonly timestamp: bigint;
  readonly view: number;
  /** 16 bytes: the state machine's hash at `op`. */
  readonly stateHash: Uint8Array;
  /** Absent for a single replica, and if the state contains no block of a replicated log. */
  readonly place?: LogPlace;
}

export interface ReplicaLog {
  readonly identity: ReplicaIdentity;

  /**
   * Loads the newest checkpoint into `state`, then calls `replay` for each committed entry after it, in order, the next one when what it
   * returns has resolved. Rejects with `DataFileError` if the file is corrupt. A torn tail is not corruption: it was never committed.
   */
  recover(
    state: Checkpointed,
    replay: (entry: LogEntry) => void | Promise<void>,
  ): Promise<CheckpointPosition>;

  /** Pages of the newest checkpoint, also while entries are replayed. */
  readonly pages: PageSource;

  /**
   * Appends after the last entry. Appends need not wait for earlier ones; they are grouped. `committed` is called once, in
   * op order, when the entry is committed. A failed write or fsync is final: `onFailure` is called, no later entry commits,
   * and the process must end, because the content of the disk is unknown after a failed fsync.
   */
  append(entry: LogEntry, committed: () => void): void;

  /** Resolves when a read executed after it sees every operation acknowledged before it was called. */
  readBarrier(): Promise<void>;

  /**
   * Bytes of log written since the last checkpoint. The caller takes a checkpoint when they reach `checkpointAfterBytes`.
   */
  readonly logBytesSinceCheckpoint: number;
  readonly checkpointAfterBytes: number;

  /**
   * Starts a checkpoint of `state` as it is now (after executing `position.op`, which need not be committed yet) and
   * resolves when it is durable and the log before it is free. Appends go on meanwhile. One at a time.
   *
   * Rejects with StorageFullError if the volume has no room: nothing is lost; call again when there may be room. The next
   * call continues with the changes taken before and resolves with their position, which is always the durable one; the
   * call after it catches up.
   */
  checkpoint(state: Checkpointed, position: CheckpointPosition): Promise<CheckpointPosition>;

  /**
   * True when only a checkpoint can make room for more entries. The caller then appends nothing that it may refuse, and
   * calls `checkpoint` again when there may be room on the volume. There is always room for entries that it may not refuse.
   */
  readonly logFull: boolean;

  /**
   * True when not even registrations fit. They are small and are still taken while `logFull`, because a new client could
   * not read without one.
   */
  readonly logExhausted: boolean;

  /**
   * True when not even expiries fit. No client requests them and no limit may refuse them; they have room beyond that for
   * registrations.
   */
  readonly logPulsesExhausted: boolean;

  /** Returns the bytes that the replica's storage takes now and may take. */
  storage(): { readonly usedBytes: number; readonly limitBytes: number };

  /** Commits all appended entries and closes the files. */
  close(): Promise<void>;
}
