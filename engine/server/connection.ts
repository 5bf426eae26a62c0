/**
 * One client's connection: bytes in, whole messages to the replica, answers out. A stream that is out of step is closed
 * without a message; a header that breaks a rule of the protocol is ignored.
 *
 * No request is taken while answers wait to be sent. A client that pipelines requests and reads nothing therefore costs one
 * answer and one chunk of requests, and its further requests are not executed.
 */
import type { Socket } from 'node:net';
import type { ReplySink, ServedReplica } from '../replica/served-replica.ts';
import type { Reply } from '../replica/sessions.ts';
import {
  buildEviction,
  buildPongClient,
  Command,
  EvictionReason,
  Header,
  PingClientHeader,
  pingClientIsWellFormed,
  ReplyHeader,
  RequestHeader,
} from '../wire/header.ts';
import { MessageReader, type Message, type StreamError } from '../wire/message-reader.ts';
import { engineRelease } from '../wire/release.ts';
import type { ReplicaIdentity } from '../log/log.ts';
import type { AskedLookup, CheckLookups } from './check-lookups.ts';
import type { ClientLimits, CloseReason } from './client-limits.ts';

interface ConnectionOptions {
  readonly socket: Socket;
  readonly replica: Pick<ServedReplica, 'receive' | 'sessions' | 'view' | 'evicts'>;
  readonly identity: ReplicaIdentity;
  readonly limits: ClientLimits;
  readonly checkLookups: CheckLookups;
  /**
   * Called when the connection's client is known, before `client` says so: an older connection of the same client must be closed.
   */
  readonly onClient: (client: bigint, connection: Connection) => void;
  readonly onStreamError: (error: StreamError) => void;
  readonly onClosed: (reason: CloseReason) => void;
  /** Called when `heldBytes` may have grown. */
  readonly onHeld: () => void;
  /** Called when a request was answered, with its operation and the time since its arrival. */
  readonly onAnswered: (operation: number, ms: number) => void;
}

export class Connection implements ReplySink {
  readonly #options: ConnectionOptions;
  readonly #reader: MessageReader;
  #client = 0n;
  #heardAtMs = performance.now();
  #heard = false;
  #begunAtMs: number | undefined;
  #unsentSinceMs: number | undefined;
  /** A client waits for each answer, so the next answer belongs to this lookup. */
  #lookup: AskedLookup | undefined;
  /** The newest request without an answer. */
  #asked: { readonly number: number; readonly atMs: number } | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#reader = new MessageReader(options.identity.clusterId);
    const { socket } = options;
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 5_000);
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('drain', () => {
      this.#unsentSinceMs = undefined;
      this.#take(new Uint8Array(0));
    });
  }

  get client(): bigint {
    return this.#client;
  }

  get isOpen(): boolean {
    return !this.#options.socket.destroyed;
  }

  /** Whether a whole message has arrived. */
  get hasSpoken(): boolean {
    return this.#heard;
  }

  /** When the last whole message arrived; before the first one, when the connection was made. */
  get heardAtMs(): number {
    return this.#heardAtMs;
  }

  /** Bytes of answers that wait for the client to read. */
  get unsentBytes(): number {
    return this.#options.socket.writableLength;
  }

  /** Since when some answers have been waiting at every moment. */
  get unsentSinceMs(): number | undefined {
    return this.#unsentSinceMs;
  }

  /** Memory that an incomplete message holds. */
  get begunBytes(): number {
    return this.#reader.begunBytes;
  }

  get begunAtMs(): number | undefined {
    return this.#begunAtMs;
  }

  /** Why the connection must be closed at this time; `undefined` if it need not be. */
  overdue(nowMs: number): CloseReason | undefined {
    const { handshakeMs, messageMs, idleMs, takeMs } = this.#options.limits;
    if (nowMs - (this.#unsentSinceMs ?? nowMs) > takeMs) return 'answers_not_taken';
    if (nowMs - (this.#begunAtMs ?? nowMs) > messageMs) return 'message_timeout';
    const silentMs = nowMs - this.#heardAtMs;
    if (!this.#heard && silentMs > handshakeMs) return 'handshake_timeout';
    return silentMs > idleMs && this.#unsentSinceMs === undefined ? 'idle' : undefined;
  }

  send(reply: Reply): void {
    const { socket } = this.#options;
    if (socket.destroyed) return;
    socket.cork();
    socket.write(reply.header);
    if (reply.body.length > 0) socket.write(reply.body);
    socket.uncork();
    this.#answered(new ReplyHeader(new Header(reply.header)));
    this.#sent();
    if (this.#lookup === undefined) return;
    this.#options.checkLookups.answered(this.#lookup, socket.remoteAddress);
    this.#lookup = undefined;
  }

  #answered({ request, operation }: ReplyHeader): void {
    if (this.#asked?.number !== request) return;
    this.#options.onAnswered(operation, performance.now() - this.#asked.atMs);
    this.#asked = undefined;
  }

  evict(client: bigint, reason: EvictionReason, view = 0): void {
    const frame = this.#frame();
    const heard = Math.max(frame.view, view);
    this.#write(buildEviction({ ...frame, view: heard, client, reason }));
  }

  close(reason?: CloseReason): void {
    const { socket, onClosed } = this.#options;
    if (socket.destroyed) return;
    socket.destroy();
    if (reason !== undefined) onClosed(reason);
  }

  /** Processes a chunk, or an empty one to go on with waiting bytes. */
  #take(chunk: Uint8Array): void {
    const { socket, onStreamError, onHeld } = this.#options;
    const maySend = (): boolean => !socket.writableNeedDrain && !socket.destroyed;
    const begunBefore = this.begunBytes;
    const error = this.#reader.push(chunk, (message) => this.#arrived(message), maySend);
    if (error !== undefined) {
      onStreamError(error);
      this.close();
      return;
    }
    this.#begunAtMs = this.begunBytes === 0 ? undefined : (this.#begunAtMs ?? performance.now());
    if (maySend()) socket.resume();
    else socket.pause();
    if (this.begunBytes > begunBefore) onHeld();
  }

  #arrived(message: Message): void {
    this.#heard = true;
    this.#heardAtMs = performance.now();
    this.#begunAtMs = undefined;
    this.#dispatch(message);
  }

  #dispatch(message: Message): void {
    const { header, bytes } = message;
    switch (header.command) {
      case Command.request: {
        const { client, number } = new RequestHeader(header);
        this.#isFrom(client);
        // A repeated request has waited since it first came.
        if (this.#asked?.number !== number) this.#asked = { number, atMs: this.#heardAtMs };
        this.#lookup = this.#options.checkLookups.askedBy(message);
        this.#options.replica.receive(bytes, this);
        return;
      }
      case Command.pingClient:
        if (pingClientIsWellFormed(header)) this.#pong(new PingClientHeader(header));
        return;
      default:
      // Messages between replicas mean nothing here. The protocol ignores valid headers that it does not expect.
    }
  }

  #pong({ client, session, monotonic }: PingClientHeader): void {
    this.#isFrom(client);
    const { replica } = this.#options;
    if (session !== 0n && replica.evicts && replica.sessions.get(client) === undefined) {
      this.evict(client, EvictionReason.noSession);
      return;
    }
    this.#write(buildPongClient({ ...this.#frame(), monotonic }));
  }

  #isFrom(client: bigint): void {
    if (client === 0n || client === this.#client) return;
    this.#options.onClient(client, this);
    this.#client = client;
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
    this.#sent();
  }

  /** Called after each write. Answers to requests that were taken before may come while others wait. */
  #sent(): void {
    const { socket, limits, onHeld } = this.#options;
    if (!socket.writableNeedDrain) return;
    this.#unsentSinceMs ??= performance.now();
    if (this.unsentBytes > limits.unsentBytesMax) this.close('too_many_unsent_bytes');
    else onHeld();
  }
}
