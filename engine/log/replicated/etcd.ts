/**
 * The part of etcd that the log needs, as one member serves it. `etcd-client.ts` speaks to a real member; tests bring their
 * own. Names and meanings are those of etcd's API v3 (etcd.io/docs, "etcd API"). Revisions are below 2^53.
 */

export interface CallOptions {
  /** After this time the call rejects with EtcdError `timeout`; the requested change may still happen. */
  readonly timeoutMs: number;
  /** Cancels the call: it rejects with EtcdError `cancelled`; the requested change may still happen. */
  readonly signal?: AbortSignal;
}

export interface KeyValue {
  readonly key: Uint8Array;
  /** Empty if the request was `keysOnly`. */
  readonly value: Uint8Array;
  readonly createRevision: number;
  readonly modRevision: number;
}

export interface Range {
  readonly key: Uint8Array;
  /** First key after the range. If absent, the range is `key` alone. */
  readonly rangeEnd?: Uint8Array;
  /** Maximum number of keys. */
  readonly limit?: number;
  /** Reads as of this revision. If absent, reads everything that any member has committed. */
  readonly revision?: number;
  readonly keysOnly?: boolean;
  /** Reads what this member has applied, without asking the others. It answers without a majority, too. */
  readonly serializable?: boolean;
}

export interface RangeResult {
  readonly kvs: readonly KeyValue[];
  /** True if the limit cut the result short. */
  readonly more: boolean;
}

/** A condition on a key, or on every key of a range. An absent key has revision 0. */
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

/** A transaction. It runs `success` if every condition in `compare` holds, otherwise `failure`, atomically. */
export interface Txn {
  readonly compare: readonly Compare[];
  readonly success: readonly Operation[];
  readonly failure: readonly Operation[];
}

export interface TxnResult {
  readonly revision: number;
  readonly succeeded: boolean;
  /** One result for each operation that ran; the result of a put or a delete is empty. */
  readonly results: readonly RangeResult[];
}

export interface MemberStatus {
  readonly memberId: bigint;
  /** 0n if the member knows of no leader. */
  readonly leaderId: bigint;
  readonly raftTerm: number;
  /** Size of its file, and the part of it that is in use, in bytes. */
  readonly fileBytes: number;
  readonly bytesInUse: number;
  readonly quotaBytes: number;
  readonly isLearner: boolean;
  /** True while the NOSPACE alarm stands: etcd takes no puts until it is disarmed. */
  readonly noSpace: boolean;
  /** True while the CORRUPT alarm stands: etcd refuses everything. */
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
  /** Receives the events in the order of their revisions, without a gap. */
  readonly onEvents: (events: readonly WatchEvent[], revision: number) => void;
  /** Called once, as the last call: the stream broke, or the next revision is compacted. */
  readonly onEnd: (error: EtcdError) => void;
}

export interface Etcd {
  /** Runs a transaction. A transaction that only reads is linearizable unless it names a revision. */
  txn(request: Txn, options: CallOptions): Promise<TxnResult>;
  /** Same as `txn`, on the connection that carries blocks. */
  append(request: Txn, options: CallOptions): Promise<TxnResult>;
  /** Forgets revisions before this one. Repeating it for a forgotten revision is no error. */
  compact(revision: number, options: CallOptions): Promise<void>;
  status(options: CallOptions): Promise<MemberStatus>;
  /** Makes another member raft's leader. Only raft's leader can do this. */
  moveLeader(memberId: bigint, options: CallOptions): Promise<void>;
  /** Rewrites this member's file without its unused part. The member serves nothing meanwhile. */
  defragment(options: CallOptions): Promise<void>;
  /** Disarms the NOSPACE alarm, so that etcd takes puts again. */
  disarmNoSpace(options: CallOptions): Promise<void>;
  /** Starts a watch. The returned function ends it; the handler is not called afterwards. */
  watch(request: WatchRequest, handler: WatchHandler): () => void;
  close(): void;
}

/** One of the cluster's members. */
export interface EtcdMember {
  readonly id: bigint;
  /** Empty until the member has started for the first time. */
  readonly name: string;
  readonly peerUrls: readonly string[];
  /** True if the member receives the log but has no vote. */
  readonly isLearner: boolean;
}

/** The members of the etcd cluster (API v3, service Cluster). Each change resolves with the members after it. */
export interface EtcdMembership {
  /** Returns the members as a majority knows them. */
  members(options: CallOptions): Promise<readonly EtcdMember[]>;
  /** Adds a learner. etcd refuses while too few voting members are up for one more, or while there is a learner already. */
  addLearner(peerUrl: string, options: CallOptions): Promise<readonly EtcdMember[]>;
  /** Removes a member for good: it never takes part again. etcd refuses when a majority would be in danger. */
  removeMember(memberId: bigint, options: CallOptions): Promise<readonly EtcdMember[]>;
  /** Gives a learner a vote. etcd refuses until the learner has nearly all of the log. */
  promoteMember(memberId: bigint, options: CallOptions): Promise<readonly EtcdMember[]>;
}

/**
 * - `timeout`, `unavailable`, `cancelled`, `no_space`: whether a change was made is unknown.
 * - `compacted`: the requested revision is compacted.
 * - `refused`: the request cannot be served, now or later; the message says why.
 */
type EtcdErrorCode = 'timeout' | 'unavailable' | 'cancelled' | 'no_space' | 'compacted' | 'refused';

export class EtcdError extends Error {
  override readonly name = 'EtcdError';
  readonly code: EtcdErrorCode;

  constructor(code: EtcdErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}
