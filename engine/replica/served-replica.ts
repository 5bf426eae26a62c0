/** Interface of a replica for the server, for a single replica and for one of several. */
import type { ReplicaRole } from '../../domain/engine-status.ts';
import type { StateBytes } from './state-transfer.ts';
import type { StateMachine } from '../ledger/state-machine.ts';
import type { CheckpointPosition } from '../log/log.ts';
import type { ReignCounts } from '../log/replicated/reasons.ts';
import type { EvictionReason } from '../wire/header.ts';
import type { Reply, SessionTable } from './sessions.ts';

/** Receiver of the answers to a client. */
export interface ReplySink {
  /** False once nobody receives the answer any more. */
  readonly isOpen: boolean;
  send(reply: Reply): void;
  /** `view` is the last one that the client has heard of: it ignores an eviction with an earlier one. */
  evict(client: bigint, reason: EvictionReason, view: number): void;
}

/** A replica's clock relative to the time that the cluster agrees on. */
export interface ClockStanding {
  /** True if this replica may give timestamps. */
  readonly agrees: boolean;
  /** Offset of its clock from the agreed time, in ms, positive if it is ahead; `undefined` while too few replicas send heartbeats. */
  readonly offsetMs: number | undefined;
}

/** Clock standing of a single replica, which has no other clock to compare with. */
export const onlyClock: ClockStanding = { agrees: true, offsetMs: 0 };

/** Standing of a replica relative to the others, for the status. */
export interface ReplicaStanding {
  readonly role: ReplicaRole;
  /** The field `replicaStatus` of the status (domain/engine-status.ts). */
  readonly replicaStatus: number;
  /** True if it holds less than the others. */
  readonly syncing: boolean;
  /** True if new writes are refused because storage is at its limit. */
  readonly logFull: boolean;
  /** Reason why it does not serve clients; `undefined` if it does. */
  readonly unready: string | undefined;
  /** True if it has stopped until an operator acts. */
  readonly halted: boolean;
  readonly clock: ClockStanding;
}

export interface ServedReplica {
  readonly sessions: SessionTable;
  readonly ledger: StateMachine;
  readonly position: CheckpointPosition;
  readonly committedOp: number;
  readonly checkpointOp: number;
  /** Last view known here; it never falls. */
  readonly view: number;
  /** True if it may tell clients that their session is gone; only one of several replicas may. */
  readonly evicts: boolean;
  /** False while requests that create anything are refused: memory or storage is at its limit. */
  readonly acceptsWrites: boolean;
  /** True while an entry of the log has paused writes. */
  readonly writesPaused: boolean;
  /** Requests executed since the start, by operation code. */
  readonly requests: ReadonlyMap<number, number>;
  /** Create requests that were refused because a limit was reached. */
  readonly refused: number;
  /** Reigns since the start; `undefined` for a single replica. */
  readonly reigns: ReignCounts | undefined;
  /** Bytes of other replicas' states since the start; `undefined` for a single replica. */
  readonly stateBytes: StateBytes | undefined;

  /** Loads the durable state. Returns the number of log entries in the data file that were replayed. */
  recover(): Promise<number>;
  /** Takes a request message (header and body, checksums verified). */
  receive(message: Uint8Array, sink: ReplySink): void;
  /** Expires due transfers and begins a due checkpoint. Call it every 100 ms. */
  tick(): void;
  /** Takes a checkpoint that contains everything executed until now. Rejects if there is no room for it. */
  checkpointNow(): Promise<void>;
  standing(): ReplicaStanding;
  /** Answers the requests that were taken, writes a checkpoint and closes the log. */
  stop(): Promise<void>;
}

/** Body of the largest request, for checking whether there is room for it. */
export const fullBatch = new Uint8Array(8190 * 128);
