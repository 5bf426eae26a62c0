/** Frames of HTTP/2 (RFC 9113): u24 bytes of payload, u8 type, u8 flags, u32 stream, the payload. All big-endian. */

export const FRAME_HEAD_SIZE = 9;
/** Payload that either end takes unless it says more. This client does not. */
export const FRAME_SIZE = 16_384;
/** Bytes that either end may send on a stream or a connection before the other one gives room for more. */
export const FIRST_WINDOW = 65_535;
export const WINDOW_MAX = 2 ** 31 - 1;

export const FrameType = {
  data: 0,
  headers: 1,
  resetStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const Flag = {
  endStream: 1,
  ack: 1,
  endHeaders: 4,
  padded: 8,
  priority: 32,
} as const;

export const Setting = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
} as const;

/** Error code of a stream that its client gives up. */
export const CANCEL = 8;

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

interface FrameHead {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly size: number;
}

export function putFrameHead(
  target: Buffer,
  at: number,
  { type, flags, stream, size }: FrameHead,
): void {
  target.writeUIntBE(size, at, 3);
  target[at + 3] = type;
  target[at + 4] = flags;
  target.writeUInt32BE(stream, at + 5);
}

/** Returns a whole frame. */
export function frame(
  { type, flags = 0, stream = 0 }: { type: number; flags?: number; stream?: number },
  payload: Uint8Array,
): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEAD_SIZE + payload.length);
  putFrameHead(bytes, 0, { type, flags, stream, size: payload.length });
  bytes.set(payload, FRAME_HEAD_SIZE);
  return bytes;
}

export function settingsFrame(settings: readonly (readonly [number, number])[]): Buffer {
  const payload = Buffer.alloc(6 * settings.length);
  settings.forEach(([name, value], i) => {
    payload.writeUInt16BE(name, 6 * i);
    payload.writeUInt32BE(value, 6 * i + 2);
  });
  return frame({ type: FrameType.settings }, payload);
}

export function settingsOf(payload: Buffer): (readonly [number, number])[] {
  return Array.from({ length: Math.floor(payload.length / 6) }, (_, i) => [
    payload.readUInt16BE(6 * i),
    payload.readUInt32BE(6 * i + 2),
  ]);
}

const FRAME_SIZE_MAX = 2 ** 24 - 1;

export function isAllowed(setting: number, value: number): boolean {
  if (setting === Setting.maxFrameSize) return value >= FRAME_SIZE && value <= FRAME_SIZE_MAX;
  return setting !== Setting.initialWindowSize || value <= WINDOW_MAX;
}

/** A frame whose payload is one number: the room of a window, or why a stream is reset. */
export function numberFrame(type: number, stream: number, value: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(value);
  return frame({ type, stream }, payload);
}

/** Returns whether a payload has a size that frames of its type may have. */
export function hasRightSize(type: number, flags: number, size: number): boolean {
  switch (type) {
    case FrameType.resetStream:
    case FrameType.windowUpdate:
      return size === 4;
    case FrameType.ping:
      return size === 8;
    case FrameType.goAway:
      return size >= 8;
    case FrameType.settings:
      return (flags & Flag.ack) === 0 ? size % 6 === 0 : size === 0;
    default:
      return true;
  }
}

/** Takes the padding and the priority off the payload of a frame. Returns `undefined` if it is malformed. */
export function withoutPadding(payload: Buffer, flags: number): Buffer | undefined {
  const isPadded = (flags & Flag.padded) !== 0;
  const start = (isPadded ? 1 : 0) + ((flags & Flag.priority) === 0 ? 0 : 5);
  const end = payload.length - (isPadded ? (payload[0] ?? 0) : 0);
  return start > end ? undefined : payload.subarray(start, end);
}

/** Cuts a connection's bytes into frames. What it passes on is valid during the call only. */
export class FrameReader {
  readonly #head = Buffer.alloc(FRAME_HEAD_SIZE);
  readonly #payload = Buffer.alloc(FRAME_SIZE);
  #headFilled = 0;
  #size = 0;
  #left = 0;

  /**
   * `onPiece` gets the payload of a data frame without padding as it comes, and `isLast` with its end. `onFrame` gets every other frame
   * whole. Returns false when a frame is larger than it may be.
   */
  push(
    chunk: Buffer,
    onPiece: (piece: Buffer, stream: number, isLast: boolean, flags: number) => void,
    onFrame: (type: number, flags: number, stream: number, payload: Buffer) => void,
  ): boolean {
    for (let at = 0; at < chunk.length;) {
      if (this.#headFilled < FRAME_HEAD_SIZE) {
        const taken = Math.min(FRAME_HEAD_SIZE - this.#headFilled, chunk.length - at);
        this.#head.set(chunk.subarray(at, at + taken), this.#headFilled);
        this.#headFilled += taken;
        at += taken;
        if (this.#headFilled < FRAME_HEAD_SIZE) break;
        this.#size = this.#head.readUIntBE(0, 3);
        this.#left = this.#size;
        if (this.#size > FRAME_SIZE) return false;
      }
      const piece = chunk.subarray(at, at + Math.min(this.#left, chunk.length - at));
      at += piece.length;
      const filled = this.#size - this.#left;
      this.#left -= piece.length;
      const isLast = this.#left === 0;
      if (isLast) this.#headFilled = 0;
      const [type = 0, flags = 0] = this.#head.subarray(3, 5);
      const stream = this.#head.readUInt32BE(5) & 0x7fff_ffff;
      if (type === FrameType.data && (flags & Flag.padded) === 0) {
        onPiece(piece, stream, isLast, flags);
        continue;
      }
      this.#payload.set(piece, filled);
      if (isLast) onFrame(type, flags, stream, this.#payload.subarray(0, this.#size));
    }
    return true;
  }
}
