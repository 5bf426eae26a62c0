/**
 * What the engines of one database say to each other. Nothing of it is needed for safety: what is lost is said again, or
 * was not needed. The log itself goes by way of etcd.
 */
import type { Heartbeat, Peer, Peers } from '../log/replicated/peers.ts';

export interface PeerHeartbeat extends Heartbeat {
  /** 32 hexadecimal digits, of the state at `op`. */
  readonly stateHash: string;
  /** The sender's clock, ms since the UNIX epoch. */
  readonly wallMs: number;
  /** The newest rules of the ledger that the sender can execute. Absent from releases that know rules 1 alone. */
  readonly rules?: number | undefined;
}

export interface HeardPeer extends Peer {
  readonly stateHash: string;
  /** The peer's clock when it sent this, ms since the UNIX epoch: at `heardAtMs`, less the way here. */
  readonly wallMs: number;
  readonly rules?: number | undefined;
}

/** What comes from peers. Nothing of it may throw. */
export interface PeerHandler {
  heard(peer: HeardPeer): void;
  /** A client's request, whole and verified, that `from` took while it did not lead. */
  forwarded(from: number, message: Uint8Array): void;
  /** What a leader answers to a request that was forwarded to it: a message to the client, a reply or an eviction. */
  answered(message: Uint8Array): void;
  /**
   * Writes a data file of this replica that holds at least the block before `floor`, for another replica of the cluster.
   * Rejects when it has none.
   */
  sendState(floor: number, write: (bytes: Uint8Array) => Promise<void>): Promise<void>;
}

export interface PeerLink extends Peers {
  all(): readonly HeardPeer[];
  begin(handler: PeerHandler): void;
  /** To all others. */
  beat(heartbeat: PeerHeartbeat): void;
  forward(replica: number, message: Uint8Array): void;
  answer(replica: number, message: Uint8Array): void;
  /** Gives what the peer's `sendState` writes, in order. Rejects when it does not come whole. */
  fetchState(
    replica: number,
    floor: number,
    write: (bytes: Uint8Array) => Promise<void>,
  ): Promise<void>;
  close(): void;
}
