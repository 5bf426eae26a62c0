/**
 * Forwarding of requests between replicas: a backup passes waiting requests on, and the leader's answers come back the same
 * way.
 */
import type { Timers } from '../../base/timers.ts';
import type { ReplicaIdentity } from '../log/log.ts';
import type { HeardPeer, PeerLink, Withdrawal } from '../peers/peer-link.ts';
import {
  buildEviction,
  Command,
  EvictionHeader,
  type EvictionReason,
  Header,
  ReplyHeader,
} from '../wire/header.ts';
import { headerSize } from '../wire/limits.ts';
import { isRead } from '../wire/operations.ts';
import { engineRelease } from '../wire/release.ts';
import { sameChecksum, type PendingRequests } from './pending-requests.ts';
import type { ReplySink } from './served-replica.ts';
import type { Reply } from './sessions.ts';

const FORWARD_AFTER_MS = 100;
/** A replica that was not heard for this long waits for no answer: its process or its connection has ended. */
const SILENT_MAX_MS = 5000;

interface ForwardingOptions {
  readonly identity: ReplicaIdentity;
  readonly peers: PeerLink;
  readonly timers: Timers;
  readonly pending: PendingRequests;
  /** Returns the known leader, or `undefined` if there is none or this replica leads itself. */
  readonly leader: () => { readonly replica: number; readonly fence: number } | undefined;
  readonly view: () => number;
}

export class Forwarding {
  readonly #options: ForwardingOptions;
  /** Fence of the leader known at the last look. */
  #leadSeen = 0;
  /** True while this replica stops: requests are passed on at once. */
  leaving = false;

  constructor(options: ForwardingOptions) {
    this.#options = options;
  }

  /** Passes on requests that have waited for a while, or all of them if the leader has changed; once to each leader. */
  forwardWaiting(): void {
    const { identity, leader, peers, pending, timers } = this.#options;
    const lead = leader();
    if (lead === undefined || lead.replica === identity.replicaIndex) return;
    const late = timers.nowMs() - FORWARD_AFTER_MS;
    for (const request of pending.all()) {
      if (request.forwardedUnder >= lead.fence || request.state !== 'waiting') continue;
      const isNew = request.arrivedAtMs > late && !this.leaving;
      if (isNew && lead.fence === this.#leadSeen) continue;
      if (!pending.giveToLeader(request)) continue;
      // An earlier leader may have put the request into the log.
      if (request.forwardedUnder > 0) request.mayBeLogged = true;
      request.forwardedUnder = lead.fence;
      peers.forward(lead.replica, request.message);
    }
    this.#leadSeen = lead.fence;
  }

  /** Drops reads whose clients have gone, and tells the leader that was asked, which may be executing them. */
  withdrawAbandoned(): void {
    const { leader, peers, pending } = this.#options;
    const lead = leader();
    for (const { header, forwardedUnder } of pending.dropAbandoned()) {
      if (lead === undefined || lead.fence !== forwardedUnder) continue;
      const request = Buffer.from(header.header.checksum).toString('hex');
      peers.withdraw(lead.replica, { client: header.client, request });
    }
  }

  /** Handles that the client of a read forwarded by `replica` has gone. */
  withdrawn(replica: number, { client, request }: Withdrawal): void {
    const known = this.#options.pending.get(client);
    if (known === undefined) return;
    if (!sameChecksum(known.header.header.checksum, Buffer.from(request, 'hex'))) return;
    for (const sink of known.sinks)
      if (sink instanceof PeerSink && sink.replica === replica) sink.close();
  }

  /**
   * Returns the sink for answers to a request that `replica` has passed on. That replica answers logged requests itself.
   */
  sinkVia(replica: number): ReplySink {
    return new PeerSink(replica, this.#options);
  }

  /** Handles the leader's answer to a request that was passed on. */
  answered(message: Uint8Array): void {
    const { pending } = this.#options;
    const header = new Header(message);
    if (header.command === Command.eviction) {
      const { client, reason } = new EvictionHeader(header);
      const waiting = pending.get(client);
      if (waiting === undefined || waiting.state !== 'waiting') return;
      pending.delete(waiting);
      // The leader has no session for the request, perhaps because it was executed. A client that sent it once takes a
      // refusal as proof that it was not executed. If the client asks again, it is refused again.
      if (waiting.mayBeLogged) return;
      for (const sink of waiting.sinks) sink.evict(client, reason, header.view);
      return;
    }
    const reply = new ReplyHeader(header);
    const waiting = pending.get(reply.client);
    if (waiting === undefined) return;
    if (!sameChecksum(waiting.header.header.checksum, reply.requestChecksum)) return;
    pending.delete(waiting);
    const answer: Reply = {
      header: message.subarray(0, headerSize),
      body: message.subarray(headerSize),
    };
    for (const sink of waiting.sinks) sink.send(answer);
  }
}

/** Sink of a request's answer by way of the replica that has passed the request on. */
class PeerSink implements ReplySink {
  readonly replica: number;
  readonly #options: ForwardingOptions;
  readonly #madeAtMs: number;
  /** The heartbeat that told which process of the replica waits for the answer. */
  #first: HeardPeer | undefined;
  #isClosed = false;

  constructor(replica: number, options: ForwardingOptions) {
    this.replica = replica;
    this.#options = options;
    this.#madeAtMs = options.timers.nowMs();
  }

  /** False once nobody can receive the answer: the client has gone, or the replica's process has ended. */
  get isOpen(): boolean {
    if (this.#isClosed) return false;
    const { peers, timers } = this.#options;
    const peer = peers.all().find(({ replica }) => replica === this.replica);
    const heardAtMs = Math.max(peer?.heardAtMs ?? 0, this.#madeAtMs);
    if (peer !== undefined && peer.heardAtMs >= this.#madeAtMs) this.#first ??= peer;
    const isAnother = this.#first !== undefined && this.#first.startedMs !== peer?.startedMs;
    this.#isClosed = isAnother || timers.nowMs() - heardAtMs > SILENT_MAX_MS;
    return !this.#isClosed;
  }

  close(): void {
    this.#isClosed = true;
  }

  send({ header, body }: Reply): void {
    if (!isRead(new ReplyHeader(new Header(header)).operation)) return;
    this.#options.peers.answer(this.replica, Buffer.concat([header, body]));
  }

  evict(client: bigint, reason: EvictionReason, heard: number): void {
    const { identity, peers, view: own } = this.#options;
    const { clusterId: cluster, replicaIndex } = identity;
    const view = Math.max(own(), heard);
    const frame = { cluster, release: engineRelease, view, replica: replicaIndex };
    peers.answer(this.replica, buildEviction({ ...frame, client, reason }));
  }
}
