/**
 * Messages between the engines of one database. Safety does not depend on them: a lost message is repeated or was not needed.
 * The log itself is replicated by etcd.
 */
import type { PageName } from '../ledger/page.ts';
import type { HeldRanges } from '../log/page-ranges.ts';
import type { Heartbeat, Peer, Peers } from '../log/replicated/peers.ts';

export interface PeerHeartbeat extends Heartbeat {
  /** Hash of the state at `op`: 32 hexadecimal digits. */
  readonly stateHash: string;
  /** The sender's clock, ms since the UNIX epoch. */
  readonly wallMs: number;
  /** The newest rules of the ledger that the sender can execute. Absent from releases that know rules 1 alone. */
  readonly rules?: number | undefined;
  /** When the sender's process began, ms since the UNIX epoch by its own clock. Absent from older releases. */
  readonly startedMs?: number | undefined;
  /** True if the sender answers `fetchMissing`. Absent from older releases. */
  readonly sendsMissing?: boolean | undefined;
}

export interface HeardPeer extends Peer {
  readonly stateHash: string;
  /** The peer's clock when it sent this, ms since the UNIX epoch. It was sent shortly before `heardAtMs`. */
  readonly wallMs: number;
  readonly rules?: number | undefined;
  readonly startedMs?: number | undefined;
  readonly sendsMissing?: boolean | undefined;
}

/** A request for a state with the block before `floor`, without the pages that are held. */
export interface MissingRequest {
  readonly floor: number;
  readonly held: HeldRanges;
}

/** A forwarded read whose client has gone. */
export interface Withdrawal {
  readonly client: bigint;
  /** The request's checksum: 32 hexadecimal digits. */
  readonly request: string;
}

/** Handlers of peers' messages. They must not throw. */
export interface PeerHandler {
  heard(peer: HeardPeer): void;
  /** A client's request, whole and verified, that `from` received while it did not lead. */
  forwarded(from: number, message: Uint8Array): void;
  /** The client of a read that `from` forwarded has gone. */
  withdrawn(from: number, withdrawal: Withdrawal): void;
  /** The leader's answer to a forwarded request: a message to the client, a reply or an eviction. */
  answered(message: Uint8Array): void;
  /**
   * Writes a data file of this replica that holds at least the block before `floor`, for another replica of the cluster.
   * Rejects when it has none.
   */
  sendState(floor: number, write: (bytes: Uint8Array) => Promise<void>): Promise<void>;
  /** Like `sendState`, but writes the state without the pages of rows that the other one holds (log/send-missing.ts). */
  sendMissing(
    floor: number,
    held: HeldRanges,
    write: (bytes: Uint8Array) => Promise<void>,
  ): Promise<void>;
  /** Writes those of the pages of rows that this replica has, for another one whose are damaged. */
  sendPages(pages: readonly PageName[], write: (bytes: Uint8Array) => Promise<void>): Promise<void>;
}

export interface PeerLink extends Peers {
  all(): readonly HeardPeer[];
  begin(handler: PeerHandler): void;
  /** Sends the heartbeat to all other replicas. */
  beat(heartbeat: PeerHeartbeat): void;
  forward(replica: number, message: Uint8Array): void;
  /** Tells the leader that the client of a forwarded read has gone. A leader of an older release finishes the read. */
  withdraw(replica: number, withdrawal: Withdrawal): void;
  answer(replica: number, message: Uint8Array): void;
  /** Passes on the bytes that the peer's `sendState` writes, in order. Rejects if they are incomplete. */
  fetchState(
    replica: number,
    floor: number,
    write: (bytes: Uint8Array) => Promise<void>,
  ): Promise<void>;
  /** Like `fetchState`, of what the peer's `sendMissing` writes. Only a peer that says so in its heartbeat answers. */
  fetchMissing(
    replica: number,
    want: MissingRequest,
    write: (bytes: Uint8Array) => Promise<void>,
  ): Promise<void>;
  /** Resolves with the pages that the peer's `sendPages` writes for these, at most `PAGES_MAX`. A peer of an older release has none. */
  fetchPages(replica: number, pages: readonly PageName[]): Promise<readonly Uint8Array[]>;
  close(): void;
}
