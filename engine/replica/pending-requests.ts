/**
 * Unanswered requests at one of several replicas, the newest of each client, in the order of arrival. A backup keeps them
 * in case it leads next; the leader keeps them until they are executed. The number is bounded: a request that does not fit
 * is dropped, and its client repeats it.
 */
import { Header, RequestHeader } from '../wire/header.ts';
import { sessionsMax } from '../wire/limits.ts';
import { isRead, Operation } from '../wire/operations.ts';
import type { Creations } from '../ledger/state-machine.ts';
import type { ReplySink } from './served-replica.ts';

export interface PendingRequest {
  readonly message: Uint8Array;
  readonly header: RequestHeader;
  readonly arrivedAtMs: number;
  /** Sinks to the request's client, newest last. */
  sinks: readonly ReplySink[];
  /**
   * `waiting`: for a leader or for room in the log; `ordered`: in the log, not executed; `reading`: waits for the fence
   * check.
   */
  state: 'waiting' | 'ordered' | 'reading';
  /**
   * True if the request was given to a log or to a leader: it may be executed although the present leader does not know it.
   */
  mayBeLogged: boolean;
  /** Records that an ordered request may create. */
  creations: Creations | undefined;
  /** Fence of the leader to which it was forwarded last; Infinity if it came from a peer and is not passed on. */
  forwardedUnder: number;
  /** Number of leaders that have executed it or were asked to. */
  leaders: number;
}

const PENDING_MAX = 2 * sessionsMax;
const PENDING_BYTES_MAX = 64 << 20;
const SINKS_MAX = 2;
/** Number of leaders to which a read is given. If both go away, perhaps because of it, only its client can ask again. */
const READ_LEADERS_MAX = 2;

export class PendingRequests {
  readonly #byClient = new Map<bigint, PendingRequest>();
  #bytes = 0;

  get size(): number {
    return this.#byClient.size;
  }

  all(): readonly PendingRequest[] {
    return [...this.#byClient.values()];
  }

  get(client: bigint): PendingRequest | undefined {
    return this.#byClient.get(client);
  }

  has(request: PendingRequest): boolean {
    return this.#byClient.get(request.header.client) === request;
  }

  /** Returns whether the request is kept here and somebody can receive its answer. */
  isWanted(request: PendingRequest): boolean {
    return this.has(request) && request.sinks.some(({ isOpen }) => isOpen);
  }

  /**
   * Call before a leader executes the request or is asked to. Returns false, and drops the request, if it is a read that was
   * given to enough leaders.
   */
  giveToLeader(request: PendingRequest): boolean {
    if (isRead(request.header.operation) && request.leaders >= READ_LEADERS_MAX) {
      this.delete(request);
      return false;
    }
    request.leaders += 1;
    return true;
  }

  /** Drops waiting reads that nobody waits for any more, and returns them. */
  dropAbandoned(): readonly PendingRequest[] {
    const abandoned = this.all().filter(
      (request) =>
        request.state === 'waiting' && isRead(request.header.operation) && !this.isWanted(request),
    );
    for (const request of abandoned) this.delete(request);
    return abandoned;
  }

  /** Keeps a request. Returns `undefined` if it is not kept: there is no room, it is here already, or a newer one is. */
  put(
    message: Uint8Array,
    sink: ReplySink,
    { nowMs, fromPeer }: { readonly nowMs: number; readonly fromPeer: boolean },
  ): PendingRequest | undefined {
    const header = new RequestHeader(new Header(message));
    const known = this.#byClient.get(header.client);
    if (known !== undefined) {
      if (sameChecksum(known.header.header.checksum, header.header.checksum)) {
        if (!known.sinks.includes(sink)) known.sinks = [...known.sinks, sink].slice(-SINKS_MAX);
        return undefined;
      }
      if (known.state !== 'waiting' || known.header.number >= header.number) return undefined;
      this.delete(known);
    }
    if (this.#byClient.size >= PENDING_MAX || this.#bytes + message.length > PENDING_BYTES_MAX)
      return undefined;
    const request: PendingRequest = {
      message,
      header,
      arrivedAtMs: nowMs,
      sinks: [sink],
      state: 'waiting',
      mayBeLogged: false,
      creations: undefined,
      forwardedUnder: fromPeer ? Infinity : 0,
      leaders: 0,
    };
    this.#byClient.set(header.client, request);
    this.#bytes += message.length;
    return request;
  }

  /** Removes and returns the entry of an executed request. Later requests of its client stay; older ones are dropped. */
  executed(request: RequestHeader): PendingRequest | undefined {
    const known = this.#byClient.get(request.client);
    if (known === undefined) return undefined;
    const isIt = sameChecksum(known.header.header.checksum, request.header.checksum);
    if (isIt || (request.operation !== Operation.register && known.header.number <= request.number))
      this.delete(known);
    return isIt ? known : undefined;
  }

  delete(request: PendingRequest): void {
    if (!this.has(request)) return;
    this.#byClient.delete(request.header.client);
    this.#bytes -= request.message.length;
  }

  /** Drops waiting requests that arrived before `timeMs`: their clients have repeated them long since, or are gone. */
  dropBefore(timeMs: number): void {
    for (const request of this.all()) {
      if (request.state === 'waiting' && request.arrivedAtMs < timeMs) this.delete(request);
    }
  }
}

export function sameChecksum(one: Uint8Array, other: Uint8Array): boolean {
  for (let i = 0; i < 16; i += 1) if (one[i] !== other[i]) return false;
  return true;
}
