/** Requests between replicas: a backup passes on what waits, and the leader's answers come back the same way. */
import type { Timers } from '../../base/timers.ts';
import type { ReplicaIdentity } from '../log/log.ts';
import type { PeerLink } from '../peers/peer-link.ts';
import { buildEviction, Command, Header, ReplyHeader } from '../wire/header.ts';
import { headerSize } from '../wire/limits.ts';
import { shapeOf } from '../wire/operations.ts';
import { engineRelease } from '../wire/release.ts';
import { sameChecksum, type PendingRequests } from './pending-requests.ts';
import type { ReplySink } from './served-replica.ts';
import type { Reply } from './sessions.ts';

const FORWARD_AFTER_MS = 100;

export interface ForwardingOptions {
  readonly identity: ReplicaIdentity;
  readonly peers: PeerLink;
  readonly timers: Timers;
  readonly pending: PendingRequests;
  /** Who leads, as far as this replica knows; undefined when nobody does, or when it leads itself. */
  readonly leader: () => { readonly replica: number; readonly fence: number } | undefined;
  readonly view: () => number;
}

export class Forwarding {
  readonly #options: ForwardingOptions;
  /** Fence of the leader that was known at the last look. */
  #leadSeen = 0;
  /** This replica stops: requests are passed on at once. */
  leaving = false;

  constructor(options: ForwardingOptions) {
    this.#options = options;
  }

  /** Passes on what has waited for a while, and everything when another replica leads now; once to each leader. */
  forwardWaiting(): void {
    const { identity, leader, peers, pending, timers } = this.#options;
    const lead = leader();
    if (lead === undefined || lead.replica === identity.replicaIndex) return;
    const late = timers.nowMs() - FORWARD_AFTER_MS;
    for (const request of pending.all()) {
      if (request.forwardedUnder >= lead.fence || request.state !== 'waiting') continue;
      const isNew = request.arrivedAtMs > late && !this.leaving;
      if (isNew && lead.fence === this.#leadSeen) continue;
      // A leader before this one may have put it into the log.
      if (request.forwardedUnder > 0) request.mayBeLogged = true;
      request.forwardedUnder = lead.fence;
      peers.forward(lead.replica, request.message);
    }
    this.#leadSeen = lead.fence;
  }

  /** Answers to a request that `replica` has passed on. It executes and answers logged requests itself. */
  sinkVia(replica: number): ReplySink {
    const { peers, identity, view } = this.#options;
    return {
      send: ({ header, body }) => {
        if (shapeOf(new ReplyHeader(new Header(header)).operation)?.write !== false) return;
        peers.answer(replica, Buffer.concat([header, body]));
      },
      evict: (client, reason) => {
        const frame = { cluster: identity.clusterId, release: engineRelease, view: view() };
        const from = { ...frame, replica: identity.replicaIndex };
        peers.answer(replica, buildEviction({ ...from, client, reason }));
      },
    };
  }

  /** The leader's answer to a request that was passed on. */
  answered(message: Uint8Array): void {
    const { pending } = this.#options;
    const header = new Header(message);
    if (header.command === Command.eviction) {
      const waiting = pending.get(header.u128(128));
      if (waiting === undefined || waiting.state !== 'waiting') return;
      pending.delete(waiting);
      // The leader has no session for it, perhaps since it was executed: a client takes the refusal of what it sent once as
      // proof that it was not. Asked again, it is refused again.
      if (waiting.mayBeLogged) return;
      const reason = header.u8(255) as Parameters<ReplySink['evict']>[1];
      for (const sink of waiting.sinks) sink.evict(waiting.header.client, reason);
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
