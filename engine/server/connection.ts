/**
 * One client's connection: bytes in, whole messages to the replica, answers out. What a message deserves is the protocol's
 * to say: a stream that is out of step is closed without a word, a header that breaks a rule is ignored.
 */
import type { Socket } from 'node:net';
import type { ReplySink, ServedReplica } from '../replica/served-replica.ts';
import type { Reply } from '../replica/sessions.ts';
import {
  buildEviction,
  buildPongClient,
  Command,
  EvictionReason,
  pingClientIsWellFormed,
  type Header,
} from '../wire/header.ts';
import { MessageReader, type StreamError } from '../wire/message-reader.ts';
import { engineRelease } from '../wire/release.ts';
import type { ReplicaIdentity } from '../log/log.ts';

/** A client that does not read its answers is not read from either, beyond this many bytes; two full replies. */
const unsentBytesMax = 2 * 1024 * 1024;

export interface ConnectionOptions {
  readonly socket: Socket;
  readonly replica: Pick<ServedReplica, 'receive' | 'sessions' | 'view' | 'evicts'>;
  readonly identity: ReplicaIdentity;
  /** The connection's client is known: an older connection of the same client is to be closed. */
  readonly onClient: (client: bigint, connection: Connection) => void;
  readonly onStreamError: (error: StreamError) => void;
}

export class Connection implements ReplySink {
  readonly #options: ConnectionOptions;
  readonly #reader: MessageReader;
  #client = 0n;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#reader = new MessageReader(options.identity.clusterId);
    const { socket } = options;
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 5_000);
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('drain', () => socket.resume());
  }

  get client(): bigint {
    return this.#client;
  }

  send(reply: Reply): void {
    const { socket } = this.#options;
    if (socket.destroyed) return;
    socket.cork();
    socket.write(reply.header);
    if (reply.body.length > 0) socket.write(reply.body);
    socket.uncork();
    this.#slowDown();
  }

  evict(client: bigint, reason: EvictionReason): void {
    this.#write(buildEviction({ ...this.#frame(), client, reason }));
  }

  close(): void {
    this.#options.socket.destroy();
  }

  #take(chunk: Uint8Array): void {
    const error = this.#reader.push(chunk, ({ header, bytes }) => this.#dispatch(header, bytes));
    if (error === undefined) return;
    this.#options.onStreamError(error);
    this.close();
  }

  #dispatch(header: Header, bytes: Uint8Array): void {
    switch (header.command) {
      case Command.request:
        this.#isFrom(header.u128(160));
        this.#options.replica.receive(bytes, this);
        return;
      case Command.pingClient:
        if (pingClientIsWellFormed(header)) this.#pong(header);
        return;
      default:
      // What replicas say to each other means nothing here: ignored, as the protocol has it for valid headers.
    }
  }

  #pong(ping: Header): void {
    const client = ping.u128(128);
    this.#isFrom(client);
    const session = ping.u64(152);
    const { replica } = this.#options;
    if (session !== 0n && replica.evicts && replica.sessions.get(client) === undefined) {
      this.evict(client, EvictionReason.noSession);
      return;
    }
    this.#write(buildPongClient({ ...this.#frame(), monotonic: ping.u64(128 + 16) }));
  }

  #isFrom(client: bigint): void {
    if (client === 0n || client === this.#client) return;
    this.#client = client;
    this.#options.onClient(client, this);
  }

  #frame() {
    const { identity, replica } = this.#options;
    return {
      cluster: identity.clusterId,
      view: replica.view,
      release: engineRelease,
      replica: identity.replicaIndex,
    };
  }

  #write(bytes: Uint8Array): void {
    if (!this.#options.socket.destroyed) this.#options.socket.write(bytes);
    this.#slowDown();
  }

  #slowDown(): void {
    const { socket } = this.#options;
    if (socket.writableLength > unsentBytesMax) socket.pause();
  }
}
