/**
 * What the log needs of etcd, as one member serves it: `etcd-client.ts` speaks to a real one, tests bring their own.
 * Names and meanings are those of etcd's API v3 (etcd.io/docs, "etcd API"). Revisions are below 2^53.
 */

export interface CallOptions {
  /** The call rejects with EtcdError `timeout` after it; what it asked for may happen all the same. */
  readonly timeoutMs: number;
  /** Gives the call up: it rejects with EtcdError `cancelled`; what it asked for may happen all the same. */
  readonly signal?: AbortSignal;
}

export interface KeyValue {
  readonly key: Uint8Array;
  /** Empty when only keys were asked for. */
  readonly value: Uint8Array;
  readonly createRevision: number;
  readonly modRevision: number;
}

export interface Range {
  readonly key: Uint8Array;
  /** The first key behind the range; absent: `key` alone. */
  readonly rangeEnd?: Uint8Array;
  /** Keys at most. */
  readonly limit?: number;
  /** As of this revision; absent: now, whatever any member has committed. */
  readonly revision?: number;
  readonly keysOnly?: boolean;
  /** As of what this member has applied, without asking the others: it answers without a majority, too. */
  readonly serializable?: boolean;
}

export interface RangeResult {
  readonly kvs: readonly KeyValue[];
  /** The limit cut it short. */
  readonly more: boolean;
}

/** A condition on a key, or on every key of a range. A key that is not there has revision 0. */
export interface Compare {
  readonly key: Uint8Array;
  readonly rangeEnd?: Uint8Array;
  readonly target: 'createRevision' | 'modRevision';
  readonly is: 'equal' | 'less';
  readonly revision: number;
}

export type Operation =
  | ({ readonly do: 'range' } & Range)
  | { readonly do: 'put'; readonly key: Uint8Array; readonly value: Uint8Array }
  | { readonly do: 'delete'; readonly key: Uint8Array; readonly rangeEnd?: Uint8Array };

/** When all of `compare` holds, `success`, otherwise `failure`: at once and as a whole. */
export interface Txn {
  readonly compare: readonly Compare[];
  readonly success: readonly Operation[];
  readonly failure: readonly Operation[];
}

export interface TxnResult {
  readonly revision: number;
  readonly succeeded: boolean;
  /** One for each operation that ran; of a put or a delete it is empty. */
  readonly results: readonly RangeResult[];
}

export interface MemberStatus {
  readonly memberId: bigint;
  /** 0n: it knows of no leader. */
  readonly leaderId: bigint;
  readonly raftTerm: number;
  /** Bytes of its file, and of what is in use of it. */
  readonly fileBytes: number;
  readonly bytesInUse: number;
  readonly quotaBytes: number;
  readonly isLearner: boolean;
  /** An alarm stands: etcd takes no puts before it is disarmed. */
  readonly noSpace: boolean;
  /** An alarm stands: etcd refuses everything. */
  readonly corrupt: boolean;
}

export interface WatchEvent {
  readonly deleted: boolean;
  readonly kv: KeyValue;
}

export interface WatchRequest {
  readonly key: Uint8Array;
  readonly rangeEnd: Uint8Array;
  readonly startRevision: number;
}

export interface WatchHandler {
  /** Events in the order of their revisions, none left out. */
  readonly onEvents: (events: readonly WatchEvent[], revision: number) => void;
  /** Called once, and nothing after it: the stream broke, or what it would tell is compacted. */
  readonly onEnd: (error: EtcdError) => void;
}

export interface Etcd {
  /** Reads and changes. Reads alone are linearizable unless a revision is named. */
  txn(request: Txn, options: CallOptions): Promise<TxnResult>;
  /** As `txn`, on the connection that carries blocks. */
  append(request: Txn, options: CallOptions): Promise<TxnResult>;
  /** Forgets revisions before this one. One that is forgotten already is no error. */
  compact(revision: number, options: CallOptions): Promise<void>;
  status(options: CallOptions): Promise<MemberStatus>;
  /** Makes another member raft's leader. Only raft's leader can be asked. */
  moveLeader(memberId: bigint, options: CallOptions): Promise<void>;
  /** Rewrites this member's file without what is not in use. It serves nothing meanwhile. */
  defragment(options: CallOptions): Promise<void>;
  /** Lets puts in again after there was no space. */
  disarmNoSpace(options: CallOptions): Promise<void>;
  /** The result ends it: nothing is called afterwards. */
  watch(request: WatchRequest, handler: WatchHandler): () => void;
  close(): void;
}

/** One of the cluster's members. */
export interface EtcdMember {
  readonly id: bigint;
  /** Empty until the member has started for the first time. */
  readonly name: string;
  readonly peerUrls: readonly string[];
  /** It takes the log and has no vote. */
  readonly isLearner: boolean;
}

/** Who belongs to the cluster (API v3, service Cluster). Each change resolves with the members after it. */
export interface EtcdMembership {
  /** As a majority has it. */
  members(options: CallOptions): Promise<readonly EtcdMember[]>;
  /** etcd refuses while too few voting members are there for one more, or while there is a learner already. */
  addLearner(peerUrl: string, options: CallOptions): Promise<readonly EtcdMember[]>;
  /** For good: that member never takes part again. etcd refuses when a majority would be in danger. */
  removeMember(memberId: bigint, options: CallOptions): Promise<readonly EtcdMember[]>;
  /** Gives a learner its vote. etcd refuses until it has nearly all of the log. */
  promoteMember(memberId: bigint, options: CallOptions): Promise<readonly EtcdMember[]>;
}

/**
 * - `timeout`, `unavailable`, `cancelled`, `no_space`: whether a change was made is unknown.
 * - `compacted`: the revision asked for is no longer there.
 * - `refused`: the request cannot be served, now or later; the message says why.
 */
export type EtcdErrorCode =
  | 'timeout'
  | 'unavailable'
  | 'cancelled'
  | 'no_space'
  | 'compacted'
  | 'refused';

export class EtcdError extends Error {
  override readonly name = 'EtcdError';
  readonly code: EtcdErrorCode;

  constructor(code: EtcdErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}
