/**
 * Calls of a gRPC server. The connection is made when it is first needed, and again when it is lost. A call that is made right after a
 * failed attempt to connect fails at once; the callers try again.
 */
import { backoffMs } from '../../../../base/backoff.ts';
import { Connection } from './connection.ts';
import { encodeHeaders } from './hpack.ts';
import { CallStatus, type CallHandler, type Outcome } from './stream.ts';

const RECONNECT = { baseMs: 50, maxMs: 500 };

interface CallLimits {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export class GrpcError extends Error {
  override readonly name = 'GrpcError';
  /** Status of gRPC. */
  readonly code: number;

  constructor(path: string, { status, details }: Outcome) {
    super(`${path}: ${details}`);
    this.code = status;
  }
}

export class Channel {
  readonly #target: string;
  readonly #streamMax: number | undefined;
  /** The connection that takes new calls. */
  #connection: Connection | undefined;
  /** With those that only finish the calls that they have. */
  readonly #connections = new Set<Connection>();
  #failures = 0;
  #connectFromMs = 0;
  #isClosed = false;
  /** Encoded headers, by path and timeout. */
  readonly #headers = new Map<string, Buffer>();

  /** `streamMax`: the last stream of a connection, by default that of the protocol. */
  constructor(target: string, { streamMax }: { readonly streamMax?: number } = {}) {
    this.#target = target;
    this.#streamMax = streamMax;
  }

  /** Makes a call with one message either way. Rejects with GrpcError. */
  call(path: string, message: Uint8Array, { timeoutMs, signal }: CallLimits): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      let answer: Buffer | undefined;
      const end = (outcome: Outcome): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', cancel);
        if (outcome.status === 0 && answer !== undefined) resolve(answer);
        else if (outcome.status === 0) reject(new GrpcError(path, noAnswer));
        else reject(new GrpcError(path, outcome));
      };
      let giveUp = (): void => undefined;
      const stop = (status: number, details: string): void => {
        giveUp();
        end({ status, details });
      };
      const cancel = (): void => stop(CallStatus.cancelled, 'the call was cancelled');
      const late = (): void =>
        stop(CallStatus.deadlineExceeded, `no answer within ${timeoutMs} ms`);
      const timer = setTimeout(late, timeoutMs);
      if (signal?.aborted === true) return cancel();
      signal?.addEventListener('abort', cancel);
      const handler = { onMessage: (got: Buffer) => void (answer = got), onEnd: end };
      giveUp = this.#begin(this.#headersOf(path, timeoutMs), { message, isOpen: false, handler });
    });
  }

  /** Begins a call in which the server sends messages until one end stops. The returned function ends it. */
  stream(path: string, message: Uint8Array, handler: CallHandler): () => void {
    return this.#begin(this.#headersOf(path), { message, isOpen: true, handler });
  }

  /** Calls that are under way end as cancelled. */
  close(): void {
    this.#isClosed = true;
    for (const connection of this.#connections) connection.close('the client was closed');
  }

  #begin(headers: Buffer, call: Parameters<Connection['begin']>[1]): () => void {
    const connection = this.#connected();
    if (connection?.isFull === false) return connection.begin(headers, call);
    let isOver = false;
    const status = this.#isClosed ? CallStatus.cancelled : CallStatus.unavailable;
    const details =
      connection === undefined
        ? 'there is no connection'
        : 'the server takes no more calls at once';
    // Not within the caller's own call, which must return first.
    queueMicrotask(() => {
      if (!isOver) call.handler.onEnd({ status, details });
    });
    return () => (isOver = true);
  }

  #connected(): Connection | undefined {
    if (this.#connection !== undefined || this.#isClosed) return this.#connection;
    if (performance.now() < this.#connectFromMs) return undefined;
    this.#failures += 1;
    const waitMs = backoffMs(this.#failures, RECONNECT, Math.random);
    this.#connectFromMs = performance.now() + waitMs;
    const retire = (): void => {
      if (this.#connection === connection) this.#connection = undefined;
    };
    const connection = new Connection({
      target: this.#target,
      streamMax: this.#streamMax,
      onReady: () => {
        this.#failures = 0;
        this.#connectFromMs = 0;
      },
      onRetired: retire,
      onEnded: () => {
        retire();
        this.#connections.delete(connection);
      },
    });
    this.#connection = connection;
    this.#connections.add(connection);
    return connection;
  }

  #headersOf(path: string, timeoutMs?: number): Buffer {
    const name = `${path} ${timeoutMs ?? ''}`;
    const known = this.#headers.get(name);
    if (known !== undefined) return known;
    const made = encodeHeaders([
      [':method', 'POST'],
      [':scheme', 'http'],
      [':path', path],
      [':authority', 'localhost'],
      ['te', 'trailers'],
      ['content-type', 'application/grpc'],
      ...(timeoutMs === undefined ? [] : [['grpc-timeout', `${Math.ceil(timeoutMs)}m`] as const]),
    ]);
    this.#headers.set(name, made);
    return made;
  }
}

const noAnswer: Outcome = { status: CallStatus.unavailable, details: 'there was no answer' };
