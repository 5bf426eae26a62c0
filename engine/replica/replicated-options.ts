/** Everything that one replica of three or six stands on. */
import type { Timers } from '../../base/timers.ts';
import type { StateMachine } from '../ledger/state-machine.ts';
import type { DataFile } from '../log/data-file.ts';
import type { ReplicaIdentity } from '../log/log.ts';
import type { ReplicatedLogError } from '../log/replicated/errors.ts';
import type { Etcd } from '../log/replicated/etcd.ts';
import type { Role } from '../log/replicated/replicated-log.ts';
import type { PeerLink } from '../peers/peer-link.ts';
import type { HaltedError } from './halted-error.ts';

export interface ReplicatedReplicaOptions {
  readonly identity: ReplicaIdentity;
  /** Counts the logs that the database has had, from 1: a restore or an import begins another. */
  readonly incarnation: number;
  /** Different for each process. */
  readonly nonce: string;
  /** Opens the data file; called again when another file has taken its place. */
  readonly openFile: () => Promise<DataFile>;
  /**
   * Replaces the data file by the state that another replica gives. `receive` writes what comes; `closeOld` closes the file
   * before the new one takes its place. Rejects when nothing whole came; the file is then as it was, or marked as lost
   * (replaceDataFile).
   */
  readonly replaceFile: (
    receive: (write: (bytes: Uint8Array) => Promise<void>) => Promise<void>,
    closeOld: () => Promise<void>,
  ) => Promise<void>;
  readonly newLedger: () => StateMachine;
  readonly etcd: Etcd;
  readonly peers: PeerLink;
  readonly timers: Timers;
  readonly random: () => number;
  /** Bytes of a request's body that clients are granted. */
  readonly batchSizeLimit: number;
  /** Lets other work through while a checkpoint is written; the last piece took so long. */
  readonly pause: (tookMs: number) => Promise<void>;
  /** Bytes of log after which a checkpoint is due; tests set less. */
  readonly checkpointAfterBytes?: number;
  readonly retainedBytesMax?: number;
  /** A checkpoint or a fetch failed; it is tried again. */
  readonly onCheckpointError: (error: unknown) => void;
  /** This replica serves no more, until somebody looks after it. */
  readonly onHalted: (error: HaltedError | ReplicatedLogError) => void;
  readonly onRole: (role: Role) => void;
}
