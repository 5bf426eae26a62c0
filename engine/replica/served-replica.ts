/** A replica as the server has it, whether it is the only one or one of several. */
import type { ReplicaRole } from '../../domain/engine-status.ts';
import type { StateMachine } from '../ledger/state-machine.ts';
import type { CheckpointPosition } from '../log/log.ts';
import type { EvictionReason } from '../wire/header.ts';
import type { Reply, SessionTable } from './sessions.ts';

/** Where answers to a client go. */
export interface ReplySink {
  send(reply: Reply): void;
  evict(client: bigint, reason: EvictionReason): void;
}

/** A replica's clock beside the time that the cluster agrees on. */
export interface ClockStanding {
  /** Whether this replica may give timestamps. */
  readonly agrees: boolean;
  /** How far its clock is ahead of the agreed time, ms; undefined while too few replicas are heard. */
  readonly offsetMs: number | undefined;
}

/** The standing of the clock that a single replica has: there is no other one. */
export const onlyClock: ClockStanding = { agrees: true, offsetMs: 0 };

/** How a replica stands to the others, for the status. */
export interface ReplicaStanding {
  readonly role: ReplicaRole;
  /** It holds less than the others. */
  readonly syncing: boolean;
  /** New writes are refused because storage is at its limit. */
  readonly logFull: boolean;
  /** Why it takes no part in serving clients; undefined when it does. */
  readonly unready: string | undefined;
  /** It has stopped for good, until somebody looks after it. */
  readonly halted: boolean;
  readonly clock: ClockStanding;
}

export interface ServedReplica {
  readonly sessions: SessionTable;
  readonly ledger: StateMachine;
  readonly position: CheckpointPosition;
  readonly committedOp: number;
  readonly checkpointOp: number;
  /** The last view that is known here; never falls. */
  readonly view: number;
  /** Whether it tells clients that their session is gone; only one of several may. */
  readonly evicts: boolean;
  /** False while requests that create anything are refused: memory or storage is at its limit. */
  readonly acceptsWrites: boolean;
  /** Requests executed since the start, by operation code. */
  readonly requests: ReadonlyMap<number, number>;
  /** Create requests that were refused because a limit was reached. */
  readonly refused: number;

  /** Loads what is durable. Returns how many entries of the log in the data file were replayed. */
  recover(): Promise<number>;
  /** Takes a request message (header and body, checksums verified). */
  receive(message: Uint8Array, sink: ReplySink): void;
  /** To be called every 100 ms: expires what is due, and begins a checkpoint when one is. */
  tick(): void;
  /** Makes what was executed until now part of a checkpoint. Rejects when there is no room for it. */
  checkpointNow(): Promise<void>;
  standing(): ReplicaStanding;
  /** Answers what was taken, writes a checkpoint and closes the log. */
  stop(): Promise<void>;
}

/** What the largest request would need, for asking whether there is room for it. */
export const fullBatch = new Uint8Array(8190 * 128);
