/** Dependencies and settings of one replica of three or six. */
import type { Timers } from '../../base/timers.ts';
import type { StateMachine } from '../ledger/state-machine.ts';
import type { DataFile } from '../log/data-file.ts';
import type { DataFileError } from '../log/errors.ts';
import type { ReplicaIdentity } from '../log/log.ts';
import type { Block } from '../log/replicated/block.ts';
import type { ReplicatedLogError } from '../log/replicated/errors.ts';
import type { Etcd } from '../log/replicated/etcd.ts';
import type { Role } from '../log/replicated/replicated-log.ts';
import type { PeerLink } from '../peers/peer-link.ts';
import type { HaltedError } from './halted-error.ts';
import type { StateTransfer } from './state-transfer.ts';

export interface ReplicatedReplicaOptions {
  readonly identity: ReplicaIdentity;
  /** Number of this log among all logs of the database, from 1: a restore or an import begins a new one. */
  readonly incarnation: number;
  /** Random value, different for each process. */
  readonly nonce: string;
  /** Opens the data file. Called again when another file has replaced it. */
  readonly openFile: () => Promise<DataFile>;
  /**
   * Replaces the data file by the state that another replica sends. `receive` writes the received bytes; `closeOld` closes
   * the old file before the new one replaces it. Rejects if no complete state came; the file is then unchanged or marked as
   * lost (replaceDataFile).
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
  /** Maximum size of a request's body that clients may send, in bytes. */
  readonly batchSizeLimit: number;
  /** Lets other work run while a checkpoint is written; `tookMs` is the time that the last piece took. */
  readonly pause: (tookMs: number) => Promise<void>;
  /** Bytes of log after which a checkpoint is due; tests set a smaller value. */
  readonly checkpointAfterBytes?: number;
  readonly retainedBytesMax?: number;
  /** Takes note of the log's blocks for an archive; `neededFrom` is the first one that the archive needs, if there is an archive. */
  readonly archived?: { committed(block: Block): void; readonly neededFrom: number | undefined };
  /** Called when a checkpoint or a fetch failed; it is tried again. */
  readonly onCheckpointError: (error: unknown) => void;
  /** Called when pages of the index could not be read to be merged; that is tried again. */
  readonly onMergeError?: (error: unknown) => void;
  /** Called when another replica's state has taken the place of this one's. */
  readonly onStateTaken?: (taken: StateTransfer) => void;
  /** Called when the data file is damaged beyond pages of rows, so that another replica's state is to replace it. */
  readonly onStateDamaged?: (error: DataFileError) => void;
  /** Called when this replica stops serving until an operator acts. */
  readonly onHalted: (error: HaltedError | ReplicatedLogError) => void;
  readonly onRole: (role: Role) => void;
}
