/**
 * Peers over TCP, on a port of their own: their messages move leadership, stop replicas and hand out the whole ledger. Both
 * ends authenticate (peer-security.ts), and the network admits the database's own pods only.
 *
 * Each replica keeps one connection to each other one and sends on it; it receives on the connections of the others.
 */
import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import type { Timers } from '../../base/timers.ts';
import { PAGE_BYTES, type PageName } from '../ledger/page.ts';
import { MessageReader } from '../wire/message-reader.ts';
import { ask } from './ask.ts';
import { fetchBytes } from './fetch-bytes.ts';
import { FrameKind, frameHead, FrameReader, jsonFrame, jsonOf, PAGE_SIZE_MAX } from './frames.ts';
import type {
  HeardPeer,
  MissingRequest,
  PeerHandler,
  PeerHeartbeat,
  PeerLink,
  Withdrawal,
} from './peer-link.ts';
import {
  encodeHeartbeat,
  encodeWithdrawal,
  floorOf,
  heartbeatOf,
  helloFrame,
  helloOf,
  missingFrame,
  missingOf,
  pagesFrame,
  pagesOf,
  withdrawalOf,
} from './peer-messages.ts';
import type { PeerSecurity } from './peer-security.ts';

export interface PeerAddress {
  readonly host: string;
  readonly port: number;
}

interface TcpLinkOptions {
  readonly clusterId: bigint;
  readonly incarnation: number;
  readonly self: number;
  /** Addresses of all replicas, in order. */
  readonly addresses: readonly PeerAddress[];
  readonly security: PeerSecurity;
  readonly timers: Timers;
  /** Answers a replica's question about the cluster; a rejection is sent as `failure`. Absent: questions are not answered. */
  readonly onQuestion?: (from: number, question: unknown) => Promise<object>;
}

const RECONNECT_MS = 100;
const CONNECT_MAX_MS = 1000;
/** Timeout of the handshake that authenticates both ends, long enough for a busy machine. */
const HANDSHAKE_MAX_MS = 5000;
/** A connection on which nothing arrives for this long is taken for dead. */
const SILENT_MAX_MS = 5000;
/** Timeout of a peer's pages. */
const PAGES_MAX_MS = 10_000;
/** Maximum bytes that wait for a slow peer; further messages to it are dropped. */
const UNSENT_MAX_BYTES = 8 << 20;
/** States and pages that are sent to one peer at a time. A peer mends a few pieces side by side, and fetches one state. */
const SENDS_MAX = 4;

export class TcpLink implements PeerLink {
  readonly #options: TcpLinkOptions;
  readonly #server: Server;
  readonly #incoming = new Set<Socket>();
  readonly #outgoing = new Map<number, Outgoing>();
  readonly #heard = new Map<number, HeardPeer>();
  /** Transfers to each peer that go on now. */
  readonly #sends = new Map<number, number>();
  #handler: PeerHandler | undefined;
  #closed = false;

  constructor(options: TcpLinkOptions) {
    this.#options = options;
    this.#server = options.security.createServer((socket) => this.#accept(socket));
  }

  /** Listens for peers and returns the port. */
  async listen({ host, port }: PeerAddress): Promise<number> {
    this.#server.listen({ host, port, exclusive: true });
    await once(this.#server, 'listening');
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : port;
  }

  all(): readonly HeardPeer[] {
    return [...this.#heard.values()];
  }

  begin(handler: PeerHandler): void {
    this.#handler = handler;
    const { self, addresses, security, timers } = this.#options;
    const hello = this.#hello();
    for (const [replica, address] of addresses.entries()) {
      if (replica !== self)
        this.#outgoing.set(replica, new Outgoing({ address, security, hello, timers }));
    }
  }

  beat(heartbeat: PeerHeartbeat): void {
    const payload = Buffer.from(encodeHeartbeat(heartbeat));
    const silentSinceMs = this.#options.timers.nowMs() - SILENT_MAX_MS;
    for (const [replica, outgoing] of this.#outgoing) {
      outgoing.send(FrameKind.heartbeat, payload);
      // The peer may no longer hear us: writing to a machine that is gone looks like success.
      if ((this.#heard.get(replica)?.heardAtMs ?? 0) < silentSinceMs) outgoing.renew(silentSinceMs);
    }
  }

  forward(replica: number, message: Uint8Array): void {
    this.#outgoing.get(replica)?.send(FrameKind.request, message);
  }

  withdraw(replica: number, withdrawal: Withdrawal): void {
    const payload = Buffer.from(encodeWithdrawal(withdrawal));
    this.#outgoing.get(replica)?.send(FrameKind.withdraw, payload);
  }

  answer(replica: number, message: Uint8Array): void {
    this.#outgoing.get(replica)?.send(FrameKind.answer, message);
  }

  fetchState(
    replica: number,
    floor: number,
    write: (bytes: Uint8Array) => Promise<void>,
  ): Promise<void> {
    const request = jsonFrame(FrameKind.fetch, { floor });
    return this.#fetch(replica, { request, write });
  }

  fetchMissing(
    replica: number,
    want: MissingRequest,
    write: (bytes: Uint8Array) => Promise<void>,
  ): Promise<void> {
    return this.#fetch(replica, { request: missingFrame(want), write });
  }

  async fetchPages(replica: number, pages: readonly PageName[]): Promise<readonly Uint8Array[]> {
    const sent: Uint8Array[] = [];
    let room = pages.length * PAGE_BYTES;
    const write = async (bytes: Uint8Array): Promise<void> => {
      room -= bytes.length;
      if (room < 0) throw new Error('the peer sends more than was asked for');
      sent.push(bytes);
    };
    const request = pagesFrame(pages);
    const limits = { firstMaxMs: PAGES_MAX_MS, wholeMaxMs: PAGES_MAX_MS };
    await this.#fetch(replica, { request, write, ...limits });
    return sent;
  }

  async #fetch(
    replica: number,
    what: Pick<Parameters<typeof fetchBytes>[0], 'request' | 'write' | 'firstMaxMs' | 'wholeMaxMs'>,
  ): Promise<void> {
    const address = this.#options.addresses[replica];
    if (address === undefined) throw new Error(`there is no replica ${replica}`);
    const { security } = this.#options;
    await fetchBytes({ address, security, hello: this.#hello(), ...what });
  }

  /** Asks a replica a question. Rejects when it does not answer. */
  ask(replica: number, question: object): Promise<unknown> {
    const address = this.#options.addresses[replica];
    if (address === undefined) return Promise.reject(new Error(`there is no replica ${replica}`));
    const { security } = this.#options;
    return ask({ address, security, hello: this.#hello(), question });
  }

  close(): void {
    this.#closed = true;
    this.#server.close();
    for (const outgoing of this.#outgoing.values()) outgoing.close();
    for (const socket of this.#incoming) socket.destroy();
  }

  #hello(): Buffer {
    const { clusterId, incarnation, self } = this.#options;
    return helloFrame({ cluster: String(clusterId), incarnation, replica: self });
  }

  #accept(socket: Socket): void {
    if (this.#closed || this.#handler === undefined) {
      socket.destroy();
      return;
    }
    const handler = this.#handler;
    const reader = new FrameReader();
    let from: number | undefined;
    this.#incoming.add(socket);
    socket.setNoDelay(true);
    socket.setTimeout(SILENT_MAX_MS, () => socket.destroy());
    socket.on('error', () => undefined);
    socket.on('close', () => this.#incoming.delete(socket));
    socket.on('data', (chunk) => {
      const isOurs = reader.push(chunk, (kind, payload) => {
        if (this.#closed || socket.destroyed) return;
        if (from === undefined) {
          from = kind === FrameKind.hello ? this.#known(payload) : undefined;
          if (from === undefined) socket.destroy();
          return;
        }
        this.#take(handler, { from, kind, payload, socket });
      });
      if (!isOurs) socket.destroy();
    });
  }

  /** Index of the replica that sent this `hello`; `undefined` unless it is another replica of this database. */
  #known(payload: Uint8Array): number | undefined {
    const { clusterId, incarnation, self, addresses } = this.#options;
    const hello = helloOf(jsonOf(payload));
    if (hello?.cluster !== String(clusterId) || hello.incarnation !== incarnation) return undefined;
    return hello.replica < addresses.length && hello.replica !== self ? hello.replica : undefined;
  }

  #take(
    handler: PeerHandler,
    {
      from,
      kind,
      payload,
      socket,
    }: { from: number; kind: number; payload: Uint8Array; socket: Socket },
  ): void {
    switch (kind) {
      case FrameKind.heartbeat: {
        const heartbeat = heartbeatOf(jsonOf(payload));
        if (heartbeat?.replica === from) this.#hear(handler, heartbeat);
        return;
      }
      case FrameKind.request:
      case FrameKind.answer:
        new MessageReader(this.#options.clusterId).push(payload, ({ bytes }) => {
          if (kind === FrameKind.request) handler.forwarded(from, bytes);
          else handler.answered(bytes);
        });
        return;
      case FrameKind.withdraw: {
        const withdrawal = withdrawalOf(jsonOf(payload));
        if (withdrawal !== undefined) handler.withdrawn(from, withdrawal);
        return;
      }
      case FrameKind.fetch: {
        const floor = floorOf(jsonOf(payload));
        if (floor === undefined) socket.destroy();
        else void this.#send(from, socket, (write) => handler.sendState(floor, write));
        return;
      }
      case FrameKind.missing: {
        const want = missingOf(jsonOf(payload));
        if (want === undefined) socket.destroy();
        else
          void this.#send(from, socket, (write) =>
            handler.sendMissing(want.floor, want.held, write),
          );
        return;
      }
      case FrameKind.rows: {
        const pages = pagesOf(jsonOf(payload));
        if (pages === undefined) socket.destroy();
        else void this.#send(from, socket, (write) => handler.sendPages(pages, write));
        return;
      }
      case FrameKind.question: {
        const { onQuestion } = this.#options;
        if (onQuestion === undefined) socket.destroy();
        else void answer(() => onQuestion(from, jsonOf(payload)), socket);
        return;
      }
      default:
      // An unknown kind, perhaps of a later release: ignored.
    }
  }

  /** Sends what a peer asked for. One that asks for too much at a time is refused, and asks again or asks another one. */
  async #send(from: number, socket: Socket, write: Sending): Promise<void> {
    const sends = this.#sends.get(from) ?? 0;
    if (sends >= SENDS_MAX) {
      const refuse = (): Promise<void> =>
        Promise.reject(new Error(`${SENDS_MAX} other requests of this replica are being answered`));
      await sendBytes(socket, refuse);
      return;
    }
    this.#sends.set(from, sends + 1);
    await sendBytes(socket, write);
    this.#sends.set(from, (this.#sends.get(from) ?? 1) - 1);
  }

  #hear(handler: PeerHandler, heartbeat: PeerHeartbeat): void {
    const peer = { ...heartbeat, heardAtMs: this.#options.timers.nowMs() };
    this.#heard.set(heartbeat.replica, peer);
    handler.heard(peer);
  }
}

async function answer(find: () => Promise<object>, socket: Socket): Promise<void> {
  // The asker's timeout applies instead.
  socket.setTimeout(0);
  let kind: number = FrameKind.end;
  let said: object;
  try {
    said = await find();
  } catch (error) {
    kind = FrameKind.failure;
    said = { reason: error instanceof Error ? error.message : String(error) };
  }
  socket.end(jsonFrame(kind, said));
}

/** Writes what is sent, piece by piece. */
type Sending = (take: (piece: Uint8Array) => Promise<void>) => Promise<void>;

/** Never rejects. */
async function sendBytes(socket: Socket, write: Sending): Promise<void> {
  // The peer sends nothing more. The transfer may take any time while it makes progress.
  socket.setTimeout(0);
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  let bytes = 0;
  const send = async (kind: number, payload: Uint8Array): Promise<void> => {
    gone.signal.throwIfAborted();
    socket.write(frameHead(kind, payload.length));
    // The payload may be memory that is used again, so it is copied.
    if (!socket.write(Buffer.from(payload))) {
      const stuck = setTimeout(() => socket.destroy(), SILENT_MAX_MS * 2);
      await once(socket, 'drain', { signal: gone.signal }).finally(() => clearTimeout(stuck));
    }
  };
  try {
    await write(async (piece) => {
      for (let at = 0; at < piece.length; at += PAGE_SIZE_MAX)
        await send(FrameKind.page, piece.subarray(at, at + PAGE_SIZE_MAX));
      bytes += piece.length;
    });
    await send(FrameKind.end, Buffer.from(JSON.stringify({ bytes })));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    await send(FrameKind.failure, Buffer.from(JSON.stringify({ reason }))).catch(() => undefined);
  } finally {
    socket.end();
  }
}

interface OutgoingOptions {
  readonly address: PeerAddress;
  readonly security: PeerSecurity;
  readonly hello: Buffer;
  readonly timers: Timers;
}

/** The connection on which this replica sends to one other; made again whenever it breaks. */
class Outgoing {
  readonly #options: OutgoingOptions;
  #socket: Socket | undefined;
  /** The peer is authenticated and has received `hello`. */
  #ready = false;
  #timer: NodeJS.Timeout | undefined;
  #connectedAtMs = 0;
  #closed = false;

  constructor(options: OutgoingOptions) {
    this.#options = options;
    this.#connect();
  }

  /** Drops the message when there is no connection, or when too many bytes wait for the peer. */
  send(kind: number, payload: Uint8Array): void {
    const socket = this.#socket;
    if (socket === undefined || !this.#ready || socket.destroyed) return;
    if (socket.writableLength > UNSENT_MAX_BYTES) return;
    socket.cork();
    socket.write(frameHead(kind, payload.length));
    socket.write(payload);
    socket.uncork();
  }

  /** Reconnects, unless the connection is newer than `sinceMs`. */
  renew(sinceMs: number): void {
    if (this.#connectedAtMs < sinceMs) this.#socket?.destroy();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    // The last messages still arrive, if the peer reads.
    if (this.#ready) this.#socket?.destroySoon();
    else this.#socket?.destroy();
  }

  #connect(): void {
    const { address, security, hello, timers } = this.#options;
    this.#ready = false;
    const socket = security.connect(address, () => {
      clearTimeout(late);
      socket.write(hello);
      this.#ready = true;
    });
    this.#connectedAtMs = timers.nowMs();
    this.#socket = socket;
    let late = setTimeout(() => socket.destroy(), CONNECT_MAX_MS);
    socket.once('connect', () => {
      clearTimeout(late);
      if (!this.#ready) late = setTimeout(() => socket.destroy(), HANDSHAKE_MAX_MS);
    });
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    // The peer sends nothing on this connection; reading only notices its end.
    socket.resume();
    socket.on('close', () => {
      clearTimeout(late);
      this.#ready = false;
      if (!this.#closed) this.#timer = setTimeout(() => this.#connect(), RECONNECT_MS);
    });
  }
}
