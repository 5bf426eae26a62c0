/** One call on a connection: what is still to be sent, and the messages that come. */
import { Flag, FIRST_WINDOW, FRAME_HEAD_SIZE, FrameType, putFrameHead } from './frames.ts';
import type { Headers } from './hpack.ts';

export interface CallHandler {
  /** Receives each message. The caller may keep it. */
  readonly onMessage: (message: Buffer) => void;
  /** Called once, as the last call. */
  readonly onEnd: (outcome: Outcome) => void;
}

export interface Outcome {
  /** Status of gRPC; 0 is success. */
  readonly status: number;
  readonly details: string;
}

/** gRPC's statuses that this client tells by itself. */
export const CallStatus = {
  cancelled: 1,
  deadlineExceeded: 4,
  resourceExhausted: 8,
  unavailable: 14,
} as const;

/** Maximum size of a message that is taken: twice a page of blocks. A healthy member sends no larger one. */
const MESSAGE_SIZE_MAX = 32 << 20;

/** A message's head: u8 compression, always 0 here, and u32 size, big-endian. */
const MESSAGE_HEAD_SIZE = 5;

export class CallStream {
  readonly id: number;
  readonly handler: CallHandler;
  /** Bytes that the other end takes on this stream. */
  window: number;
  /** Bytes that were taken and that the other end does not know of yet. */
  unacknowledged = 0;
  headers: Headers | undefined;
  /** True once the caller wants no more messages. */
  isOver = false;
  readonly #endsAfter: boolean;
  #unsent: Uint8Array[];
  readonly #head = Buffer.alloc(MESSAGE_HEAD_SIZE);
  #filled = 0;
  #message: Buffer | undefined;

  /** Sends `message` and then nothing more, unless it is open. */
  constructor(
    id: number,
    options: {
      readonly message: Uint8Array;
      readonly isOpen: boolean;
      readonly handler: CallHandler;
      readonly window?: number;
    },
  ) {
    const { message, isOpen, handler, window = FIRST_WINDOW } = options;
    const head = Buffer.alloc(MESSAGE_HEAD_SIZE);
    head.writeUInt32BE(message.length, 1);
    this.id = id;
    this.handler = handler;
    this.window = window;
    this.#unsent = [head, message];
    this.#endsAfter = !isOpen;
  }

  get unsentBytes(): number {
    return this.#unsent.reduce((sum, { length }) => sum + length, 0);
  }

  /** Returns frames with the next bytes to send, at most `bytes` of them in frames of at most `frameSize`. */
  nextFrames(bytes: number, frameSize: number): Buffer {
    const size = Math.min(bytes, this.unsentBytes);
    const isWhole = size === this.unsentBytes;
    const frames = Math.ceil(size / frameSize);
    const target = Buffer.allocUnsafe(size + frames * FRAME_HEAD_SIZE);
    let at = 0;
    for (let left = size; left > 0;) {
      const payload = Math.min(left, frameSize);
      left -= payload;
      const flags = left === 0 && isWhole && this.#endsAfter ? Flag.endStream : 0;
      putFrameHead(target, at, { type: FrameType.data, flags, stream: this.id, size: payload });
      at += FRAME_HEAD_SIZE;
      this.#putUnsent(target.subarray(at, at + payload));
      at += payload;
    }
    return target;
  }

  #putUnsent(target: Buffer): void {
    for (let at = 0; at < target.length;) {
      const [first = target] = this.#unsent;
      const part = first.subarray(0, target.length - at);
      target.set(part, at);
      at += part.length;
      if (part.length === first.length) this.#unsent.shift();
      else this.#unsent[0] = first.subarray(part.length);
    }
  }

  /** Takes received bytes and passes on the messages that they complete. Returns what is wrong with them, if anything. */
  take(bytes: Buffer): string | undefined {
    for (let at = 0; at < bytes.length && !this.isOver;) {
      const target = this.#message ?? this.#head;
      const part = bytes.subarray(at, at + target.length - this.#filled);
      target.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled < target.length) break;
      this.#filled = 0;
      if (this.#message === undefined) {
        const size = this.#head.readUInt32BE(1);
        if (this.#head[0] !== 0) return 'a message is compressed';
        if (size > MESSAGE_SIZE_MAX) return `a message of ${size} bytes is too large`;
        this.#message = Buffer.allocUnsafe(size);
        if (size > 0) continue;
      }
      const message = this.#message;
      this.#message = undefined;
      this.handler.onMessage(message);
    }
    return undefined;
  }
}
