/** Format of peers' messages on a connection: u32 bytes of payload (little-endian), u8 kind, the payload. */
import { messageSizeMax } from '../wire/limits.ts';

/**
 * - `hello`, first on every connection, JSON: the sender and its database.
 * - `heartbeat`, JSON; `request`, `answer`: a message of the client protocol.
 * - `withdraw`, JSON: the client of a forwarded read has gone.
 * - `question`, JSON (engine/members/questions.ts); answered with `end`, JSON, or `failure`.
 * - `fetch`, JSON; answered with `page`s, bytes, and `end` (JSON: how many bytes) or `failure` (JSON: why).
 * - `rows`, JSON: names of pages of rows; answered like `fetch`, with those of them that the peer has. Older releases do not answer.
 * - `missing`, JSON: the pages that are here already; answered like `fetch`, with a state without them (log/send-missing.ts). A peer's heartbeat
 *   says whether it answers.
 */
export const FrameKind = {
  hello: 1,
  heartbeat: 2,
  request: 3,
  answer: 4,
  fetch: 5,
  page: 6,
  end: 7,
  failure: 8,
  question: 9,
  withdraw: 10,
  rows: 11,
  missing: 12,
} as const;

export const PAGE_SIZE_MAX = 1 << 20;
const PAYLOAD_MAX = Math.max(PAGE_SIZE_MAX, messageSizeMax);
const HEAD_SIZE = 5;

export function frameHead(kind: number, size: number): Buffer {
  const head = Buffer.alloc(HEAD_SIZE);
  head.writeUInt32LE(size, 0);
  head.writeUInt8(kind, 4);
  return head;
}

/** Returns a whole frame with a JSON payload. */
export function jsonFrame(kind: number, value: object): Buffer {
  const payload = Buffer.from(JSON.stringify(value));
  return Buffer.concat([frameHead(kind, payload.length), payload]);
}

export const jsonOf = (payload: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(payload).toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
};

/** Cuts a stream into frames; memory is bounded by one payload. */
export class FrameReader {
  readonly #head = new Uint8Array(HEAD_SIZE);
  #payload: Uint8Array | undefined;
  #filled = 0;

  /** Returns false when the stream breaks the format: the connection must be closed. A payload has memory of its own. */
  push(chunk: Uint8Array, onFrame: (kind: number, payload: Uint8Array) => void): boolean {
    for (let at = 0; at < chunk.length;) {
      const target = this.#payload ?? this.#head;
      const taken = Math.min(target.length - this.#filled, chunk.length - at);
      target.set(chunk.subarray(at, at + taken), this.#filled);
      this.#filled += taken;
      at += taken;
      if (this.#filled < target.length) break;
      this.#filled = 0;
      if (this.#payload === undefined) {
        const size = new DataView(this.#head.buffer).getUint32(0, true);
        if (size > PAYLOAD_MAX) return false;
        this.#payload = new Uint8Array(size);
        if (size > 0) continue;
      }
      const payload = this.#payload;
      this.#payload = undefined;
      onFrame(this.#head[4] ?? 0, payload);
    }
    return true;
  }
}
