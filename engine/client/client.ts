/**
 * A client of the protocol: it registers a session, sends one request at a time, repeats it until it is answered, and follows
 * the cluster's view. Unlike the official clients it never ends its process: a wrong reply is an error, and requests have
 * deadlines. A sent request stays in flight past its deadline, because only its answer lets the session go on.
 */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import {
  buildPingClient,
  buildRequest,
  Command,
  EvictionHeader,
  evictionIsWellFormed,
  EvictionReason,
  Header,
  pongClientIsWellFormed,
  ReplyHeader,
  RequestHeader,
} from '../wire/header.ts';
import { MessageReader, type StreamError } from '../wire/message-reader.ts';
import { Operation } from '../wire/operations.ts';
import { engineRelease } from '../wire/release.ts';
import {
  ClientClosedError,
  ClientEvictedError,
  QueueFullError,
  RequestDeadlineError,
  RequestWithdrawnError,
  WrongReplyError,
} from './errors.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

interface ClientOptions {
  readonly cluster: bigint;
  /** Addresses in the order of replica indexes. */
  readonly addresses: readonly Address[];
  /** Default timeout of a request. */
  readonly timeoutMs?: number;
  /** Maximum number of requests that wait behind the one in flight. */
  readonly queueMax?: number;
  readonly events?: ClientEvents;
}

/** Callbacks for changes between requests. They are called synchronously and must not throw. */
interface ClientEvents {
  /** Called when readiness changes: `ready` means that the session exists and a replica is connected. */
  readonly onReady?: (ready: boolean) => void;
  /** A connection could not be made, was lost, or received bytes that break the protocol. The client reconnects. */
  readonly onLinkFailure?: (failure: LinkFailure) => void;
  /** The client cannot be used any more. Called before its requests are rejected. */
  readonly onEnd?: (error: Error) => void;
}

export interface LinkFailure {
  readonly reason: 'connection_failed' | 'connection_closed' | StreamError;
  readonly detail: string;
}

interface SubmitOptions {
  readonly timeoutMs?: number;
  /** Checksum of the body (16 bytes), if the caller already knows it. */
  readonly bodyChecksum?: Uint8Array;
}

export interface Reply {
  readonly body: Uint8Array;
  /**
   * The cluster's time of the request: what it did before is in the answer, and what it does later has a later time. Our own engine
   * answers a read with the time of the last operation before it.
   */
  readonly timestamp: bigint;
}

interface Pending {
  readonly operation: number;
  readonly body: Uint8Array;
  readonly bodyChecksum: Uint8Array | undefined;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
  timer: NodeJS.Timeout | undefined;
  sent: boolean;
}

/** A request without an answer is sent again after this time, then at growing intervals. */
const retryFirstMs = 600;
const retryMaxMs = 2_000;
/**
 * Maximum silence of a replica that is asked repeatedly and pinged. After it the connection is taken for dead: the machine or
 * pod is gone without closing it. The kernel would try for a quarter of an hour.
 */
const silenceMaxMs = 4_000;
const connectMaxMs = 3_000;
const reconnectMs = { first: 50, max: 1_000 } as const;
const pingEveryMs = 30_000;

export class Client {
  readonly #options: ClientOptions;
  #links: readonly Link[];
  /** Set while the cluster has other addresses, and a former one is still connected. */
  #moved: readonly Address[] | undefined;
  #id = randomId();
  #session = 0n;
  #number = 0;
  #view = 0;
  #release = engineRelease;
  #parent: Uint8Array = new Uint8Array(16);
  #queue: Pending[] = [];
  #current: Pending | undefined;
  #inFlight: { readonly header: Header; readonly body: Uint8Array } | undefined;
  /** The withdrawn request, whose number the one in flight has taken. */
  #withdrawn: Header | undefined;
  #retry: NodeJS.Timeout | undefined;
  #retries = 0;
  #sends = 0;
  /** The session sent a request more than once, or two with one number: a copy may still be on its way. */
  #hasCopies = false;
  readonly #pinger: NodeJS.Timeout;
  #failed: Error | undefined;
  #ready = false;
  /** Maximum size of a request's body, granted by the cluster; 0 until the session exists. */
  batchSizeLimit = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#links = this.#linksTo(options.addresses);
    this.#pinger = setInterval(() => this.#ping(), pingEveryMs);
    this.#pinger.unref();
    this.#begin({ operation: Operation.register, body: new Uint8Array(256) });
  }

  /** Sends a request and returns the reply's body. Requests are executed in the order of the calls. */
  async submit(
    operation: number,
    body: Uint8Array,
    options: SubmitOptions = {},
  ): Promise<Uint8Array> {
    return (await this.ask(operation, body, options)).body;
  }

  /** The same, with the time of the request. */
  ask(operation: number, body: Uint8Array, options: SubmitOptions = {}): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#failed !== undefined) {
        reject(this.#failed);
        return;
      }
      if (this.#queue.length >= (this.#options.queueMax ?? 256)) {
        reject(new QueueFullError('too many requests wait; send fewer at once'));
        return;
      }
      const pending: Pending = {
        operation,
        body,
        bodyChecksum: options.bodyChecksum,
        resolve,
        reject,
        timer: undefined,
        sent: false,
      };
      const timeoutMs = options.timeoutMs ?? this.#options.timeoutMs ?? 10_000;
      pending.timer = setTimeout(() => this.#expire(pending), timeoutMs);
      this.#queue.push(pending);
      this.#next();
    });
  }

  /**
   * Withdraws the request in flight: another one, which must change nothing, takes its number. A cluster executes one request
   * of each number, so an answer to the other proves that the first was not executed and never will be; `submit` then rejects
   * with a RequestWithdrawnError. An answer to the first resolves `submit` as usual.
   */
  withdraw(operation: number, body: Uint8Array): void {
    if (this.#current === undefined || this.#inFlight === undefined) return;
    if (this.#withdrawn !== undefined || this.#failed !== undefined) return;
    this.#withdrawn = this.#inFlight.header;
    this.#hasCopies = true;
    this.#begin({ operation, body });
  }

  /**
   * The cluster has moved to these addresses with its state. The session and the request in flight go on there as soon as nothing
   * is connected at the former ones. The request keeps its number, so that it is executed once, wherever it arrives.
   */
  follow(addresses: readonly Address[]): void {
    this.#moved = addresses;
    this.#move();
  }

  /** Ends the client. Waiting requests are rejected; the session stays in the cluster until it is evicted. */
  close(): void {
    this.#fail(new ClientClosedError('the client was closed'));
  }

  /** Whether the client has a session and a connected replica: a request would be sent at once. */
  get ready(): boolean {
    return this.#ready;
  }

  #linksTo(addresses: readonly Address[]): readonly Link[] {
    return addresses.map(
      (address) =>
        new Link(address, this.#options.cluster, {
          onConnect: () => {
            this.#transmit();
            this.#tellReady();
          },
          onFailure: (failure) => {
            this.#tellReady();
            this.#options.events?.onLinkFailure?.(failure);
            this.#move();
          },
          onMessage: (header, body) => this.#onMessage(header, body),
        }),
    );
  }

  #move(): void {
    const addresses = this.#moved;
    if (addresses === undefined || this.#failed !== undefined) return;
    if (this.#links.some((link) => link.isOpen)) return;
    this.#moved = undefined;
    // A cluster that goes on from a backup begins with the backup's view, and refuses a session with that.
    this.#view = 0;
    for (const link of this.#links) link.close();
    this.#links = this.#linksTo(addresses);
  }

  #tellReady(): void {
    const ready =
      this.#failed === undefined && this.#session !== 0n && this.#links.some((link) => link.isOpen);
    if (ready === this.#ready) return;
    this.#ready = ready;
    this.#options.events?.onReady?.(ready);
  }

  #next(): void {
    if (this.#inFlight !== undefined || this.#failed !== undefined) return;
    const pending = this.#queue.shift();
    if (pending === undefined) return;
    pending.sent = true;
    this.#current = pending;
    this.#begin(pending);
  }

  #begin(request: {
    operation: number;
    body: Uint8Array;
    bodyChecksum?: Uint8Array | undefined;
  }): void {
    const bytes = buildRequest(
      {
        cluster: this.#options.cluster,
        view: this.#view,
        release: this.#release,
        client: this.#id,
        session: this.#session,
        request: this.#number,
        operation: request.operation,
        parent: this.#parent,
      },
      request.body,
      request.bodyChecksum,
    );
    this.#inFlight = { header: new Header(bytes), body: request.body };
    this.#retries = 0;
    this.#sends = 0;
    this.#transmit();
  }

  /** Sends the request in flight to the believed primary and, when repeating, to another replica too. */
  #transmit(): void {
    const { header, body } = this.#inFlight ?? {};
    if (header === undefined || body === undefined || this.#failed !== undefined) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(
      () => {
        this.#retries += 1;
        for (const link of this.#links) link.leaveIfDead();
        // A replica that is only slow answers the ping.
        if (this.#retries > 1) this.#ping();
        this.#transmit();
      },
      Math.min(retryFirstMs * 2 ** this.#retries, retryMaxMs),
    );
    if (this.#links.some((link) => link.isOpen)) this.#sends += 1;
    if (this.#sends > 1 && this.#session !== 0n) this.#hasCopies = true;
    const primary = this.#view % this.#links.length;
    this.#links[primary]?.send(header.bytes, body);
    if (this.#links.length > 1 && this.#retries > 0) {
      const other = (primary + 1 + (this.#retries % (this.#links.length - 1))) % this.#links.length;
      this.#links[other]?.send(header.bytes, body);
    }
  }

  /**
   * Pings without the session, because a cluster then never answers with an eviction. An eviction would look like a refusal
   * of the request in flight, which the cluster may be executing at that moment.
   */
  #ping(): void {
    const bytes = buildPingClient({
      cluster: this.#options.cluster,
      release: this.#release,
      client: this.#id,
      session: 0n,
      monotonic: BigInt(Math.round(performance.now() * 1e6)),
    });
    for (const link of this.#links) link.send(bytes, new Uint8Array(0));
  }

  #onMessage(header: Header, body: Uint8Array): void {
    switch (header.command) {
      case Command.reply:
        this.#onReply(new ReplyHeader(header), body);
        return;
      case Command.pongClient:
        if (pongClientIsWellFormed(header)) this.#view = Math.max(this.#view, header.view);
        return;
      case Command.eviction:
        if (
          evictionIsWellFormed(header) &&
          new EvictionHeader(header).client === this.#id &&
          header.view >= this.#view
        ) {
          this.#onEviction(new EvictionHeader(header));
        }
        return;
      default:
    }
  }

  #onReply(reply: ReplyHeader, body: Uint8Array): void {
    const inFlight = this.#inFlight?.header;
    if (!reply.isWellFormed() || reply.client !== this.#id || inFlight === undefined) return;
    const withdrawn = this.#withdrawn;
    const answersFirst = withdrawn !== undefined && answers(reply, withdrawn);
    const sent = answersFirst ? withdrawn : inFlight;
    // A second answer to a request that was repeated: it was answered already.
    if (reply.request < new RequestHeader(sent).number) return;
    const wrong = whatIsWrong(reply, sent, body);
    if (wrong !== undefined) {
      this.#fail(new WrongReplyError(`the server's reply is wrong: ${wrong}`));
      return;
    }
    clearTimeout(this.#retry);
    this.#view = Math.max(this.#view, reply.header.view);
    this.#parent = reply.context.slice();
    this.#number += 1;
    this.#inFlight = undefined;
    this.#withdrawn = undefined;
    if (reply.operation === Operation.register) {
      this.#session = reply.commit;
      this.batchSizeLimit = new DataView(body.buffer, body.byteOffset).getUint32(0, true);
    }
    const done = this.#current;
    this.#current = undefined;
    clearTimeout(done?.timer);
    // Sends the next request before the caller looks at this answer.
    this.#next();
    this.#tellReady();
    if (withdrawn === undefined || answersFirst)
      done?.resolve({ body, timestamp: reply.timestamp });
    else done?.reject(new RequestWithdrawnError('the request was withdrawn; it was not executed'));
  }

  /** A cluster of an older release reports its release: the session starts again with that release. */
  #onEviction({ header, reason }: EvictionHeader): void {
    if (
      reason === EvictionReason.clientReleaseTooHigh &&
      this.#session === 0n &&
      header.release < this.#release
    ) {
      this.#release = header.release;
      this.#id = randomId();
      this.#begin({ operation: Operation.register, body: new Uint8Array(256) });
      return;
    }
    this.#fail(new ClientEvictedError(reason, !this.#hasCopies));
  }

  #expire(pending: Pending): void {
    if (pending.sent) {
      // The request stays in flight: only its answer lets the session go on.
      pending.reject(new RequestDeadlineError('unknown'));
      return;
    }
    this.#queue = this.#queue.filter((other) => other !== pending);
    pending.reject(new RequestDeadlineError('not_executed'));
  }

  #fail(error: Error): void {
    if (this.#failed !== undefined) return;
    this.#failed = error;
    clearInterval(this.#pinger);
    clearTimeout(this.#retry);
    for (const link of this.#links) link.close();
    this.#tellReady();
    this.#options.events?.onEnd?.(error);
    for (const pending of [this.#current, ...this.#queue]) {
      clearTimeout(pending?.timer);
      pending?.reject(error);
    }
    this.#queue = [];
  }
}

function whatIsWrong(reply: ReplyHeader, sent: Header, body: Uint8Array): string | undefined {
  const { number, operation } = new RequestHeader(sent);
  if (reply.request !== number) return 'it answers a request that was not sent';
  if (reply.operation !== operation) return 'it answers another operation';
  if (reply.header.release !== sent.release) return 'it speaks another release';
  if (!answers(reply, sent)) return 'it answers a request with another checksum';
  if (reply.operation === Operation.register && body.length !== 64)
    return 'a registration has 64 bytes';
  return undefined;
}

const answers = (reply: ReplyHeader, sent: Header): boolean =>
  reply.requestChecksum.every((byte, i) => byte === sent.checksum[i]);

function randomId(): bigint {
  const id = randomBytes(16).readBigUInt64LE(0) | (randomBytes(8).readBigUInt64LE(0) << 64n);
  return id === 0n ? 1n : id;
}

interface LinkEvents {
  readonly onConnect: () => void;
  readonly onFailure: (failure: LinkFailure) => void;
  readonly onMessage: (header: Header, body: Uint8Array) => void;
}

/** The connection to one replica, which is made again whenever it is lost. */
class Link {
  readonly #address: Address;
  readonly #cluster: bigint;
  readonly #events: LinkEvents;
  #socket: Socket;
  #attempts = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  /** When the first message was sent after which nothing was received. */
  #unansweredSinceMs: number | undefined;

  constructor(address: Address, cluster: bigint, events: LinkEvents) {
    this.#address = address;
    this.#cluster = cluster;
    this.#events = events;
    this.#socket = this.#connect();
  }

  get isOpen(): boolean {
    return this.#socket.readyState === 'open';
  }

  /** Sends the message if connected. Otherwise drops it, because the request is repeated anyway. */
  send(header: Uint8Array, body: Uint8Array): void {
    const socket = this.#socket;
    if (!this.isOpen) return;
    this.#unansweredSinceMs ??= performance.now();
    socket.cork();
    socket.write(header);
    if (body.length > 0) socket.write(body);
    socket.uncork();
  }

  /** Reconnects when nothing is received any more. */
  leaveIfDead(): void {
    const silentMs = performance.now() - (this.#unansweredSinceMs ?? performance.now());
    if (this.isOpen && silentMs > silenceMaxMs) {
      this.#socket.destroy(new Error(`nothing came for ${Math.floor(silentMs / 1_000)} s`));
    }
  }

  get #name(): string {
    return `${this.#address.host}:${this.#address.port}`;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#socket.destroy();
  }

  #connect(): Socket {
    const reader = new MessageReader(this.#cluster);
    let failure: LinkFailure | undefined;
    this.#unansweredSinceMs = undefined;
    const socket = connect({
      ...this.#address,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 5_000,
    });
    const inVain = setTimeout(
      () => socket.destroy(new Error(`no connection within ${connectMaxMs / 1_000} s`)),
      connectMaxMs,
    );
    socket.on('connect', () => {
      clearTimeout(inVain);
      this.#attempts = 0;
      this.#events.onConnect();
    });
    socket.on('data', (chunk) => {
      this.#unansweredSinceMs = undefined;
      const error = reader.push(chunk, ({ header, body }) => this.#events.onMessage(header, body));
      if (error === undefined) return;
      failure = { reason: error, detail: `${this.#name} does not speak the protocol (${error})` };
      socket.destroy();
    });
    // The error is reported when the connection closes; then it is made again, and requests have deadlines.
    socket.on('error', ({ message }) => {
      failure ??= { reason: 'connection_failed', detail: `${this.#name}: ${message}` };
    });
    socket.on('close', () => {
      clearTimeout(inVain);
      if (this.#closed) return;
      this.#events.onFailure(
        failure ?? { reason: 'connection_closed', detail: `${this.#name} closed the connection` },
      );
      // The client may have left this address at that.
      if (this.#closed) return;
      const delay = Math.min(reconnectMs.first * 2 ** this.#attempts, reconnectMs.max);
      this.#attempts += 1;
      this.#timer = setTimeout(
        () => {
          this.#socket = this.#connect();
        },
        delay * (0.5 + Math.random() / 2),
      );
    });
    return socket;
  }
}
