/**
 * One tunnel: a client's connection to one replica, carried by a WebSocket. Each message of the client is read whole and
 * checked before its first byte goes on; answers pass as they come. Neither side is read while the other one does not take its
 * bytes, so a tunnel holds one message, one chunk of the next, and the sockets' own buffers.
 *
 * A tunnel that ends closes the client's connection at the other end. Clients of the protocol then connect again and repeat
 * their request; the cluster executes it once. A tunnel therefore never needs to carry on where another one ended.
 */
import { connect, type Socket } from 'node:net';
import { sleep, systemTimers } from '../../base/timers.ts';
import { costOf } from '../../engine/wire/cost.ts';
import type { WebSocket } from 'ws';
import { GatewayFailure } from '../gateway/failures.ts';
import type { ImportDanger } from '../gateway/met-expiry.ts';
import type { Engine } from '../gateway/unsafe-request.ts';
import type { Address } from '../../engine/client/client.ts';
import {
  buildEviction,
  Command,
  EvictionHeader,
  EvictionReason,
  RequestHeader,
  type Header,
} from '../../engine/wire/header.ts';
import { MessageReader, type Message, type StreamError } from '../../engine/wire/message-reader.ts';
import { createdTransfers } from '../../engine/wire/imported-post.ts';
import { formatRelease } from '../../engine/wire/release.ts';
import { TunnelEnd, tunnelFrameMax, type TunnelClient, type TunnelNote } from '../client/tunnel.ts';
import type { HeldBytes } from '../http/held-bytes.ts';
import {
  checkMessage,
  type LedgerRights,
  type TunnelOperation,
  type Verdict,
} from './check-message.ts';
import { FrameAllowance } from './frame-allowance.ts';
import type { MessageBudget } from './message-budget.ts';
import { ReplyScanner } from './reply-scanner.ts';

interface TunnelOptions {
  readonly socket: WebSocket;
  readonly address: Address;
  readonly cluster: bigint;
  readonly rights: LedgerRights;
  readonly engine: Engine;
  /** The organization, for the budget. */
  readonly owner: string;
  readonly budget: MessageBudget;
  /** Answers of all tunnels that wait for slow readers. */
  readonly unsent: HeldBytes;
  /** Takes a request from the organization's rate limits. Resolves with the time to wait before it may be sent, in ms. */
  readonly admit: (bytes: number, events: number) => Promise<number>;
  /** Looks whether transfers that are about to be sent on would end the cluster. */
  readonly guard: GuardTransfers;
  /** Records a write that is about to be sent on, with the number of its events. */
  readonly record: RecordWrite;
  readonly events: TunnelEvents;
  readonly times: TunnelTimes;
}

type Refused = Extract<Verdict, { readonly kind: 'refuse' }>;

export type RecordWrite = (
  operation: 'create_accounts' | 'create_transfers',
  events: number,
  body: Uint8Array,
) => Promise<void>;

/** Rejects with a GatewayFailure if the ledger cannot be asked. `signal`: the tunnel has ended. */
export type GuardTransfers = (
  transfers: Uint8Array,
  signal: AbortSignal,
) => Promise<ImportDanger | undefined>;

/** Called synchronously; must not throw. */
interface TunnelEvents {
  readonly onClient: (client: bigint) => void;
  readonly onRequest: (operation: TunnelOperation, message: Message) => void;
  readonly onReply: () => void;
  readonly onNote: (note: TunnelNote) => void;
  readonly onRefused: (operation: TunnelOperation | 'none', note: TunnelNote) => void;
  readonly onBytes: (direction: 'in' | 'out', bytes: number) => void;
}

/** Smaller messages need no room in the budget: they are less than the buffers of a socket. */
const smallMax = 32 * 1024;
/**
 * Answers that wait for a slow reader: above `high` the replica is not read, until `low` is reached. While those of all tunnels exceed
 * their limits, `low` takes the place of `high`.
 */
const unsentBounds = { high: 512 * 1024, low: 64 * 1024 } as const;
const connectMaxMs = 5_000;
/** Bounds in time, ms. Tests give shorter ones. */
export interface TunnelTimes {
  readonly pingEveryMs: number;
  /** Time without an answer to a ping, after which the client or the replica counts as lost. */
  readonly silenceMaxMs: number;
  /** For a large message: from its header to its last byte, and from there until the replica has taken it. */
  readonly messageMaxMs: number;
  /** For answers that wait for a slow reader. */
  readonly takeMaxMs: number;
  /** After a tunnel was ended, for the other end to close it. */
  readonly closeMaxMs: number;
}
export const tunnelTimes: TunnelTimes = {
  pingEveryMs: 20_000,
  silenceMaxMs: 60_000,
  messageMaxMs: 60_000,
  takeMaxMs: 60_000,
  closeMaxMs: 5_000,
};

export class Tunnel {
  readonly #options: TunnelOptions;
  readonly #times: TunnelTimes;
  #engine: Engine;
  #reader: MessageReader;
  readonly #replica: Socket;
  readonly #scanner: ReplyScanner;
  readonly #done = Promise.withResolvers<void>();
  readonly #gone = new AbortController();
  #pinger: NodeJS.Timeout | undefined;
  #closer: NodeJS.Timeout | undefined;
  readonly #retry = () => this.#take(nothing);
  #heardAtMs = performance.now();
  /** A message waits for the organization's rate limit, or for its record. Nothing else is read meanwhile. */
  #isWaiting = false;
  #lacksRoom = false;
  #heldBytes = 0;
  /** Since when bytes of a large message are held, without the time for which it waits for the rate limit. */
  #heldSinceMs = 0;
  /** Since when the replica has not answered a ping of the client. */
  #pingedAtMs: number | undefined;
  /** Since when the replica is not read, because answers wait for a slow reader. */
  #unsentSinceMs: number | undefined;
  #unsentBytes = 0;
  readonly #frames = new FrameAllowance(performance.now());
  #client = 0n;
  #hasToldClient = false;
  #release = 0;
  #ended = false;

  constructor(options: TunnelOptions) {
    this.#options = options;
    this.#engine = options.engine;
    const { socket, address, cluster, times } = options;
    this.#times = times;
    this.#reader = new MessageReader(cluster);
    this.#scanner = new ReplyScanner((header) => this.#answered(header));
    this.#replica = connect({ ...address, noDelay: true, keepAlive: true });
    this.#connectReplica();
    socket.on('message', (data, isBinary) => {
      this.#heard((data as Buffer).length);
      if (isBinary) this.#take(data as Buffer);
      else this.end(TunnelEnd.badStream, 'a tunnel takes binary messages only');
    });
    for (const kind of ['ping', 'pong'] as const) socket.on(kind, () => this.#heard(0));
    // The close that says what is wrong is on its way; a socket that is torn down at once would lose it.
    socket.on('error', () => this.#stopSoon());
    socket.on('close', () => this.#close());
    this.#pinger = setInterval(() => this.#look(), times.pingEveryMs);
  }

  /** Resolves when the tunnel has ended. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  tell(note: TunnelNote): void {
    const { socket, events } = this.#options;
    events.onNote(note);
    if (socket.readyState === socket.OPEN) this.#send(JSON.stringify(note));
  }

  /** Ends the tunnel; answers on their way to the client may be lost. */
  end(code: number, why: string): void {
    if (this.#ended) return;
    const { socket } = this.#options;
    this.#stopSoon();
    // A paused socket would not read the other end's close.
    socket.resume();
    socket.close(code, why.slice(0, reasonMax));
  }

  /** Releases what the tunnel holds. The other end may never answer the close. */
  #stopSoon(): void {
    if (this.#ended) return;
    this.#stop();
    const { socket } = this.#options;
    this.#closer = setTimeout(() => socket.terminate(), this.#times.closeMaxMs);
  }

  #connectReplica(): void {
    const replica = this.#replica;
    const timer = setTimeout(() => {
      this.end(TunnelEnd.replicaUnreachable, 'the replica does not accept connections');
    }, connectMaxMs);
    let isConnected = false;
    replica.once('connect', () => {
      isConnected = true;
      clearTimeout(timer);
    });
    replica.on('data', (chunk) => this.#pass(chunk));
    replica.on('drain', () => this.#take(nothing));
    // `close` follows.
    replica.on('error', () => {});
    replica.once('close', () => {
      clearTimeout(timer);
      if (isConnected) this.end(TunnelEnd.replicaClosed, 'the replica closed the connection');
      else this.end(TunnelEnd.replicaUnreachable, 'the replica cannot be reached');
    });
  }

  /** Counts a frame of the client. One that sends too many is not even told to go, since it would be read until it does. */
  #heard(bytes: number): void {
    this.#heardAtMs = performance.now();
    if (this.#frames.take(bytes, this.#heardAtMs)) return;
    const { socket, events } = this.#options;
    if (!this.#ended) events.onRefused('none', tooManyFrames);
    this.#stop();
    socket.terminate();
  }

  #close(): void {
    this.#stop();
    this.#options.unsent.count(this.#options.owner, -this.#unsentBytes);
    this.#unsentBytes = 0;
    clearTimeout(this.#closer);
    this.#done.resolve();
  }

  /** Releases everything that the tunnel holds. */
  #stop(): void {
    this.#ended = true;
    this.#gone.abort();
    clearInterval(this.#pinger);
    this.#replica.destroy();
    const { budget, owner, cluster } = this.#options;
    budget.forget(this.#retry);
    const held = this.#heldBytes;
    this.#heldBytes = 0;
    this.#reader = new MessageReader(cluster);
    if (held > 0) budget.release(owner, held);
  }

  #look(): void {
    const { socket } = this.#options;
    const nowMs = performance.now();
    const { silenceMaxMs, messageMaxMs, takeMaxMs } = this.#times;
    // A paused socket reads no pongs. It is not silent: its bytes wait here.
    if (socket.isPaused) this.#heardAtMs = nowMs;
    if (this.#isWaiting) this.#heldSinceMs = nowMs;
    // A paused replica is not read.
    if (this.#unsentSinceMs !== undefined) this.#pingedAtMs = undefined;
    if (nowMs - this.#heardAtMs > silenceMaxMs) {
      socket.terminate();
    } else if (nowMs - (this.#unsentSinceMs ?? nowMs) > takeMaxMs) {
      this.end(TunnelEnd.silent, 'the client does not read its answers');
    } else if (nowMs - (this.#pingedAtMs ?? nowMs) > silenceMaxMs) {
      this.end(TunnelEnd.replicaUnreachable, 'the replica does not answer');
    } else if (this.#heldBytes > 0 && nowMs - this.#heldSinceMs > messageMaxMs) {
      if (this.#reader.begunBytes > 0) this.end(TunnelEnd.silent, 'a message came only in part');
      else this.end(TunnelEnd.replicaUnreachable, 'the replica does not take the message');
    } else if (socket.readyState === socket.OPEN) {
      socket.ping();
    }
  }

  /** Takes bytes of the client, or none to go on with those that wait. */
  #take(chunk: Uint8Array): void {
    if (this.#ended) return;
    const { socket, events } = this.#options;
    if (chunk.length > 0) events.onBytes('in', chunk.length);
    this.#lacksRoom = false;
    const error = this.#reader.push(
      chunk,
      (message) => this.#arrived(message),
      () => this.#mayGoOn,
      (header) => this.#mayHold(header.size),
    );
    if (error !== undefined) {
      this.#endBadStream(error);
      return;
    }
    // An ended tunnel reads on for the other end's close.
    if (this.#ended) return;
    if (this.#mayGoOn && !this.#lacksRoom) socket.resume();
    else socket.pause();
  }

  get #mayGoOn(): boolean {
    return (
      !this.#isWaiting &&
      !this.#ended &&
      !this.#replica.writableNeedDrain &&
      this.#unsentSinceMs === undefined
    );
  }

  #mayHold(bytes: number): boolean {
    if (bytes <= smallMax) return true;
    const { budget, owner } = this.#options;
    if (!budget.take(owner, bytes, this.#retry)) {
      this.#lacksRoom = true;
      return false;
    }
    this.#heldBytes += bytes;
    this.#heldSinceMs = performance.now();
    return true;
  }

  #letGo(bytes: number): void {
    if (bytes <= smallMax || this.#heldBytes === 0) return;
    this.#heldBytes -= bytes;
    this.#options.budget.release(this.#options.owner, bytes);
  }

  /** Whether change streams of the database are on now. */
  streams(on: boolean): void {
    if (on !== this.#engine.streams) this.#engine = { ...this.#engine, streams: on };
  }

  #arrived(message: Message): void {
    if (this.#ended) return;
    const { rights, events } = this.#options;
    const verdict = checkMessage(message, rights, this.#engine);
    if (verdict.kind === 'pass') {
      this.#know(message.header);
      if (verdict.operation === undefined) {
        this.#replica.write(message.bytes);
        this.#pingedAtMs ??= performance.now();
        this.#count(message);
      } else this.#forward(message, verdict.operation).catch(() => this.#failed());
      return;
    }
    if (verdict.kind === 'refuse') this.#refuse(message, verdict);
    else this.#letGo(message.bytes.length);
    if (verdict.kind === 'end') {
      this.tell(verdict.note);
      events.onRefused('none', verdict.note);
      this.end(TunnelEnd.badStream, verdict.note.detail);
    } else this.#count(message);
  }

  /** Tells both ends that a request does not go on. */
  #refuse({ header, bytes }: Message, { operation, note, reason }: Omit<Refused, 'kind'>): void {
    this.#letGo(bytes.length);
    this.tell(note);
    this.#options.events.onRefused(operation, note);
    this.#evict(header, reason);
  }

  /** Remembers the client; requests and pings name it at different places. */
  #know(header: Header): void {
    const client = header.u128(header.command === Command.request ? 160 : 128);
    this.#release = header.release;
    if (client === this.#client) return;
    this.#client = client;
    this.#options.events.onClient(client);
  }

  #tellClient(): void {
    if (this.#hasToldClient) return;
    this.#hasToldClient = true;
    const told: TunnelClient = { client: String(this.#client) };
    this.#send(JSON.stringify(told));
  }

  async #forward(message: Message, operation: TunnelOperation): Promise<void> {
    const { events, record } = this.#options;
    const { bytes, body, header } = message;
    const cost = costOf(new RequestHeader(header).operation, body);
    this.#isWaiting = true;
    await this.#admitted(bytes.length, cost);
    if (this.#ended) return;
    if (operation === 'create_transfers' && !(await this.#isSafe(message))) return;
    if (operation === 'create_accounts' || operation === 'create_transfers') {
      await record(operation, cost, body);
    }
    if (this.#ended) return;
    this.#isWaiting = false;
    this.#heldSinceMs = performance.now();
    this.#tellClient();
    events.onRequest(operation, message);
    this.#replica.write(bytes, () => this.#letGo(bytes.length));
    this.#take(nothing);
  }

  /** Whether transfers may go on. If not, both ends have been told, and the next message may come. */
  async #isSafe(message: Message): Promise<boolean> {
    const transfers = createdTransfers(new RequestHeader(message.header).operation, message.body);
    let danger: ImportDanger | undefined;
    try {
      danger = await this.#options.guard(transfers, this.#gone.signal);
    } catch (error) {
      if (!(error instanceof GatewayFailure)) throw error;
      // The client repeats its request over the next tunnel.
      this.end(TunnelEnd.replicaUnreachable, 'the ledger could not be asked for expiries');
    }
    if (this.#ended) return false;
    if (danger === undefined) return true;
    const { detail, advice } = danger;
    this.#refuse(message, {
      operation: 'create_transfers',
      reason: EvictionReason.invalidRequestBody,
      note: {
        code: 'unsafe_request',
        detail: `${detail} Nothing was executed; the client's session has ended. ${advice}`,
      },
    });
    this.#isWaiting = false;
    this.#take(nothing);
    return false;
  }

  /** Charges a message that is not a request to the same limits, since reading and checking it costs as much. */
  #count({ bytes }: Message): void {
    this.#isWaiting = true;
    this.#admitted(bytes.length, 0)
      .then(() => {
        this.#isWaiting = false;
        this.#take(nothing);
      })
      .catch(() => this.#failed());
  }

  /** Resolves when the rate limits of the organization admit a message, or the tunnel has ended. */
  async #admitted(bytes: number, cost: number): Promise<void> {
    const { admit } = this.#options;
    let waitMs = await admit(bytes, cost);
    while (waitMs > 0 && !this.#ended) {
      await sleep(systemTimers, waitMs, this.#gone.signal);
      waitMs = this.#ended ? 0 : await admit(bytes, cost);
    }
  }

  #failed(): void {
    this.end(TunnelEnd.restart, 'the service failed');
  }

  #evict(header: Header, reason: EvictionReason): void {
    const { client } = new RequestHeader(header);
    const { cluster } = this.#options;
    const { view, release } = header;
    this.#send(buildEviction({ cluster, view, release, replica: 0, client, reason }));
  }

  /** Sends to the client. If the client does not read, both directions stop. */
  #send(data: Uint8Array | string): void {
    const { socket, unsent, owner } = this.#options;
    socket.send(data, () => this.#sent());
    this.#countUnsent();
    const { high, low } = unsentBounds;
    const isScarce = unsent.limitReached(owner, 0) !== undefined;
    if (this.#unsentBytes > (isScarce ? low : high)) {
      this.#unsentSinceMs ??= performance.now();
      this.#replica.pause();
    }
  }

  #countUnsent(): void {
    const { socket, unsent, owner } = this.#options;
    const bytes = socket.bufferedAmount;
    unsent.count(owner, bytes - this.#unsentBytes);
    this.#unsentBytes = bytes;
  }

  #sent(): void {
    if (this.#ended) return;
    this.#countUnsent();
    if (this.#unsentSinceMs === undefined || this.#unsentBytes > unsentBounds.low) return;
    this.#unsentSinceMs = undefined;
    this.#replica.resume();
    this.#take(nothing);
  }

  #pass(chunk: Buffer): void {
    const { events } = this.#options;
    if (this.#ended) return;
    this.#pingedAtMs = undefined;
    events.onBytes('out', chunk.length);
    this.#scanner.push(chunk);
    for (let at = 0; at < chunk.length; at += tunnelFrameMax) {
      this.#send(chunk.subarray(at, at + tunnelFrameMax));
    }
  }

  #answered(header: Header): void {
    if (header.command === Command.reply) this.#options.events.onReply();
    if (header.command !== Command.eviction) return;
    this.tell(evictionNote(new EvictionHeader(header).reason, this.#release, header.release));
  }

  #endBadStream(error: StreamError): void {
    const note: TunnelNote =
      error === 'wrong_cluster'
        ? {
            code: 'wrong_cluster',
            detail: `The client uses the cluster ID ${this.#reader.header.cluster}; the database's is ${this.#options.cluster}.`,
          }
        : {
            code: 'not_the_protocol',
            detail: `The bytes are no message of TigerBeetle's client protocol (${error}).`,
          };
    this.tell(note);
    this.#options.events.onRefused('none', note);
    this.end(TunnelEnd.badStream, note.detail);
  }
}

const nothing = new Uint8Array(0);
const tooManyFrames: TunnelNote = {
  code: 'not_the_protocol',
  detail: 'The client sends too many frames of the WebSocket for the bytes in them.',
};
/** Maximum length of a close reason, in bytes (RFC 6455, 5.5). Our reasons are ASCII. */
const reasonMax = 120;

function evictionNote(reason: EvictionReason, client: number, cluster: number): TunnelNote {
  const versions = `The client is of release ${formatRelease(client)}, the cluster of ${formatRelease(cluster)}.`;
  switch (reason) {
    case EvictionReason.clientReleaseTooHigh:
      return { code: 'client_too_new', detail: `${versions} Use an older client.` };
    case EvictionReason.clientReleaseTooLow:
      return { code: 'client_too_old', detail: `${versions} Use a newer client.` };
    case EvictionReason.invalidRequestOperation:
    case EvictionReason.invalidRequestBody:
    case EvictionReason.invalidRequestBodySize:
      return {
        code: 'evicted',
        detail: 'The cluster ended the session, because it got a request that is not valid.',
      };
    case EvictionReason.noSession:
    case EvictionReason.sessionTooLow:
    case EvictionReason.sessionReleaseMismatch:
      return {
        code: 'evicted',
        detail:
          'The cluster ended the session. A cluster has 64; a client that registers beyond them takes the session that was used least recently. Make one client for each process, and a new one now.',
      };
    default:
      return {
        code: 'evicted',
        detail: `The cluster ended the session (reason ${String(reason)}).`,
      };
  }
}
