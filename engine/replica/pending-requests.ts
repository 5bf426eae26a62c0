/**
 * Requests that are not answered yet at one replica of several, the newest of each client, in the order of their arrival.
 * A backup keeps them for the case that it leads next; the leader until they are executed. Bounded: what does not fit is
 * dropped, and its client repeats it.
 */
import { Header, RequestHeader } from '../wire/header.ts';
import { sessionsMax } from '../wire/limits.ts';
import type { Creations } from '../ledger/state-machine.ts';
import type { ReplySink } from './served-replica.ts';

export interface PendingRequest {
  readonly message: Uint8Array;
  readonly header: RequestHeader;
  readonly arrivedAtMs: number;
  /** Ways to its client, newest last. */
  sinks: readonly ReplySink[];
  /** `waiting`: for a leader, or for room in the log; `ordered`: in the log, not executed; `reading`: for the fence. */
  state: 'waiting' | 'ordered' | 'reading';
  /** It was given to a log or to a leader: it may be executed though whoever leads now does not know it. */
  mayBeLogged: boolean;
  /** Of an ordered request. */
  creations: Creations | undefined;
  /** Under which leader's fence it was forwarded last; Infinity: it came from a peer and is not passed on. */
  forwardedUnder: number;
}

export const PENDING_MAX = 2 * sessionsMax;
export const PENDING_BYTES_MAX = 64 << 20;
const SINKS_MAX = 2;

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

  /** Undefined when it is not kept: there is no room, it is here already, or it is older than what is here. */
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
    };
    this.#byClient.set(header.client, request);
    this.#bytes += message.length;
    return request;
  }

  /** What waits for the request that was executed; later ones of its client stay, older ones go. */
  executed(request: RequestHeader): PendingRequest | undefined {
    const known = this.#byClient.get(request.client);
    if (known === undefined) return undefined;
    const isIt = sameChecksum(known.header.header.checksum, request.header.checksum);
    if (isIt || (request.operation !== 2 && known.header.number <= request.number))
      this.delete(known);
    return isIt ? known : undefined;
  }

  delete(request: PendingRequest): void {
    if (!this.has(request)) return;
    this.#byClient.delete(request.header.client);
    this.#bytes -= request.message.length;
  }

  /** Drops what came before that time: its client has repeated it long since, or is gone. */
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
