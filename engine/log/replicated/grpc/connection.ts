/**
 * A connection to a gRPC server over HTTP/2 (RFC 9113), without TLS: the server is on the same machine, at a socket of its own. Only what
 * a client needs that makes a few calls at a time: a general implementation took half of an engine's processor time for each
 * block of the log (docs/decisions/0207-calls-of-etcd.md).
 */
import { connect, type Socket } from 'node:net';
import {
  CANCEL,
  FIRST_WINDOW,
  Flag,
  frame,
  FRAME_HEAD_SIZE,
  FRAME_SIZE,
  FrameReader,
  FrameType,
  hasRightSize,
  isAllowed,
  numberFrame,
  PREFACE,
  Setting,
  settingsFrame,
  settingsOf,
  WINDOW_MAX,
  withoutPadding,
} from './frames.ts';
import { decodeHeaders, HeaderError, type Headers } from './hpack.ts';
import { CallStatus, CallStream, type CallHandler, type Outcome } from './stream.ts';

/** Room for received bytes, of each stream and of all together. Few streams are open; a few blocks of room keep each of them moving. */
const WINDOW_BYTES = 8 << 20;
/** Received bytes of which the server is told at once. */
const ACKNOWLEDGED_BYTES = WINDOW_BYTES / 2;
const READ_BYTES = 256 << 10;
const HEADERS_SIZE_MAX = 64 << 10;
/** The last stream of a connection: a fast client gets there within days, and goes on with another connection. */
const STREAM_MAX = 2 ** 31 - 1;

const OPENING = Buffer.concat([
  PREFACE,
  settingsFrame([
    [Setting.headerTableSize, 0],
    [Setting.enablePush, 0],
    [Setting.initialWindowSize, WINDOW_BYTES],
  ]),
  numberFrame(FrameType.windowUpdate, 0, WINDOW_BYTES - FIRST_WINDOW),
]);
const SETTINGS_TAKEN = frame({ type: FrameType.settings, flags: Flag.ack }, Buffer.alloc(0));

interface ConnectionOptions {
  /** `unix:/path/of/socket` or `host:port`, with an IPv6 address in brackets. */
  readonly target: string;
  readonly streamMax?: number | undefined;
  /** Called when the server has answered for the first time. */
  readonly onReady: () => void;
  /** Called when the connection takes no calls any more. Those that it has go on. */
  readonly onRetired: () => void;
  /** Called when it has ended. */
  readonly onEnded: () => void;
}

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #socket: Socket;
  readonly #reader = new FrameReader();
  readonly #streams = new Map<number, CallStream>();
  #nextStream = 1;
  /** Bytes that the server takes on this connection, and on a new stream. */
  #window = FIRST_WINDOW;
  #streamWindow = FIRST_WINDOW;
  #frameSize = FRAME_SIZE;
  /** Calls that the server takes at once. */
  #callsMax = Infinity;
  #unacknowledged = 0;
  /** Parts of a block of headers that is incomplete. */
  #block: Buffer[] = [];
  #blockEndsStream = false;
  #isReady = false;
  #isOver = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { target } = options;
    const onread = {
      buffer: Buffer.allocUnsafeSlow(READ_BYTES),
      callback: (size: number, bytes: Uint8Array): boolean => {
        this.#take(Buffer.from(bytes.buffer, bytes.byteOffset, size));
        return true;
      },
    };
    this.#socket = connect({ ...addressOf(target), onread });
    this.#socket.setNoDelay(true);
    this.#socket.on('error', (error) => this.#end(`the connection failed: ${error.message}`));
    // No answer can come any more. The socket itself would first wait until the server has read all that was sent.
    this.#socket.on('end', () => this.#end('the server has ended the connection'));
    this.#socket.on('close', () => this.#end('the connection was lost'));
    this.#socket.write(OPENING);
  }

  /** True while the server takes no more calls than are under way. */
  get isFull(): boolean {
    return this.#streams.size >= this.#callsMax;
  }

  /** Sends a call with encoded headers. The returned function cancels it; the handler is not called afterwards. */
  begin(
    headers: Buffer,
    call: {
      readonly message: Uint8Array;
      readonly isOpen: boolean;
      readonly handler: CallHandler;
    },
  ): () => void {
    const stream = new CallStream(this.#nextStream, { ...call, window: this.#streamWindow });
    this.#nextStream += 2;
    this.#streams.set(stream.id, stream);
    const head = { type: FrameType.headers, flags: Flag.endHeaders, stream: stream.id };
    this.#socket.cork();
    this.#socket.write(frame(head, headers));
    this.#send(stream);
    this.#socket.uncork();
    if (this.#nextStream > (this.#options.streamMax ?? STREAM_MAX)) this.#retire();
    return () => {
      if (!this.#streams.delete(stream.id)) return;
      stream.isOver = true;
      this.#write(numberFrame(FrameType.resetStream, stream.id, CANCEL));
      this.#closeIfDone();
    };
  }

  close(reason: string): void {
    this.#end(reason, CallStatus.cancelled);
  }

  #write(bytes: Buffer): void {
    if (!this.#socket.destroyed) this.#socket.write(bytes);
  }

  /** Sends as much of the call as the server takes. */
  #send(stream: CallStream): void {
    const bytes = Math.min(stream.unsentBytes, stream.window, this.#window);
    if (bytes <= 0) return;
    stream.window -= bytes;
    this.#window -= bytes;
    this.#write(stream.nextFrames(bytes, this.#frameSize));
  }

  #take(bytes: Buffer): void {
    const isSound = this.#reader.push(
      bytes,
      (piece, id, isLast, flags) =>
        this.#takeData(piece, id, isLast && (flags & Flag.endStream) !== 0),
      (type, flags, id, payload) => this.#takeFrame(type, flags, id, payload),
    );
    if (!isSound) this.#end('the server sent a frame that is too large');
  }

  /** `taken`: the bytes that count against the room of windows. */
  #takeData(piece: Buffer, id: number, isEnd: boolean, taken = piece.length): void {
    if (this.#isOver) return;
    this.#unacknowledged += taken;
    if (this.#unacknowledged >= ACKNOWLEDGED_BYTES) {
      this.#write(numberFrame(FrameType.windowUpdate, 0, this.#unacknowledged));
      this.#unacknowledged = 0;
    }
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    stream.unacknowledged += taken;
    if (stream.unacknowledged >= ACKNOWLEDGED_BYTES && !isEnd) {
      this.#write(numberFrame(FrameType.windowUpdate, id, stream.unacknowledged));
      stream.unacknowledged = 0;
    }
    const problem = stream.take(piece);
    if (problem !== undefined) {
      this.#write(numberFrame(FrameType.resetStream, id, CANCEL));
      this.#finish(stream, { status: CallStatus.resourceExhausted, details: problem });
    } else if (isEnd) this.#finish(stream, outcomeOf(stream.headers));
  }

  #takeFrame(type: number, flags: number, id: number, payload: Buffer): void {
    if (this.#isOver) return;
    if (!hasRightSize(type, flags, payload.length)) return this.#end('a frame is malformed');
    switch (type) {
      case FrameType.data: {
        const data = withoutPadding(payload, flags & Flag.padded);
        if (data === undefined) return this.#end('a frame is malformed');
        return this.#takeData(data, id, (flags & Flag.endStream) !== 0, payload.length);
      }
      case FrameType.headers:
        this.#blockEndsStream = (flags & Flag.endStream) !== 0;
        return this.#takeHeaders(withoutPadding(payload, flags), flags, id);
      case FrameType.continuation:
        return this.#takeHeaders(payload, flags, id);
      case FrameType.resetStream: {
        const stream = this.#streams.get(id);
        const details = `the server gave up the call (${payload.readUInt32BE(0)})`;
        if (stream !== undefined) this.#finish(stream, unavailable(details));
        return;
      }
      case FrameType.settings:
        if ((flags & Flag.ack) === 0) this.#takeSettings(payload);
        return;
      case FrameType.ping:
        if ((flags & Flag.ack) === 0) this.#write(frame({ type, flags: Flag.ack }, payload));
        return;
      case FrameType.goAway:
        return this.#takeGoAway(payload.readUInt32BE(0));
      case FrameType.windowUpdate:
        return this.#takeWindow(id, payload.readUInt32BE(0));
      default:
      // Nothing that this client needs.
    }
  }

  #takeHeaders(part: Buffer | undefined, flags: number, id: number): void {
    if (part === undefined) return this.#end('headers are malformed');
    this.#block.push(Buffer.from(part));
    // Empty parts count, too.
    const size = this.#block.reduce((sum, { length }) => sum + length + FRAME_HEAD_SIZE, 0);
    if (size > HEADERS_SIZE_MAX) return this.#end('headers are too large');
    if ((flags & Flag.endHeaders) === 0) return;
    const block = Buffer.concat(this.#block);
    this.#block = [];
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    try {
      stream.headers = new Map([...(stream.headers ?? []), ...decodeHeaders(block)]);
    } catch (error) {
      if (!(error instanceof HeaderError)) throw error;
      return this.#end(error.message);
    }
    if (this.#blockEndsStream) this.#finish(stream, outcomeOf(stream.headers));
  }

  #takeSettings(payload: Buffer): void {
    for (const [name, value] of settingsOf(payload)) {
      if (!isAllowed(name, value)) return this.#end('a setting is out of its range');
      if (name === Setting.maxFrameSize) this.#frameSize = value;
      if (name === Setting.maxConcurrentStreams) this.#callsMax = value;
      if (name !== Setting.initialWindowSize) continue;
      for (const stream of this.#streams.values()) stream.window += value - this.#streamWindow;
      this.#streamWindow = value;
    }
    this.#write(SETTINGS_TAKEN);
    if (!this.#isReady) this.#options.onReady();
    this.#isReady = true;
    for (const stream of this.#streams.values()) this.#send(stream);
  }

  #takeWindow(id: number, room: number): void {
    if (id !== 0) {
      const stream = this.#streams.get(id);
      if (stream === undefined) return;
      stream.window += room;
      return this.#send(stream);
    }
    this.#window += room;
    if (this.#window > WINDOW_MAX) return this.#end('the server gives too much room');
    for (const stream of this.#streams.values()) this.#send(stream);
  }

  /** The server takes no more calls, and answers those up to `last`. */
  #takeGoAway(last: number): void {
    this.#retire();
    for (const stream of this.#streams.values())
      if (stream.id > last) this.#finish(stream, unavailable('the server goes away'));
    this.#closeIfDone();
  }

  #retire(): void {
    this.#nextStream = Infinity;
    this.#options.onRetired();
  }

  #finish(stream: CallStream, outcome: Outcome): void {
    if (!this.#streams.delete(stream.id)) return;
    stream.handler.onEnd(outcome);
    this.#closeIfDone();
  }

  /** A connection that takes no calls ends with the last one. */
  #closeIfDone(): void {
    if (this.#nextStream === Infinity && this.#streams.size === 0) this.#end('no call is left');
  }

  #end(details: string, status: number = CallStatus.unavailable): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#socket.destroy();
    this.#options.onEnded();
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    for (const { handler } of streams) handler.onEnd({ status, details });
  }
}

/** Returns where to connect to. */
export function addressOf(target: string): { path: string } | { host: string; port: number } {
  if (target.startsWith('unix:')) return { path: target.slice('unix:'.length) };
  const colon = target.lastIndexOf(':');
  const host = target.slice(0, colon).replace(/^\[(.*)\]$/, '$1');
  return { host, port: Number(target.slice(colon + 1)) };
}

const unavailable = (details: string): Outcome => ({ status: CallStatus.unavailable, details });

/** What the headers say that came before and after the messages. */
function outcomeOf(headers: Headers | undefined): Outcome {
  const status = headers?.get('grpc-status');
  if (status === undefined || !/^\d+$/.test(status))
    return unavailable(`the server answered with HTTP status ${headers?.get(':status') ?? 'none'}`);
  const details = headers?.get('grpc-message') ?? '';
  try {
    return { status: Number(status), details: decodeURIComponent(details) };
  } catch {
    return { status: Number(status), details };
  }
}
