/**
 * Message headers: 256 bytes, little-endian. All commands share the same frame; the last 128 bytes are specific to the
 * command.
 *
 *       0 checksum u128 (of bytes 16 … 255)   16 padding       32 checksum_body u128   48 padding
 *      64 nonce u128 (0)                      80 cluster u128  96 size u32            100 epoch u32 (0)
 *     104 view u32    108 release u32        112 protocol u16 (0)   114 command u8    115 replica u8
 *     116 reserved[12]                       128 the command's fields
 *
 * Every padding and reserved byte is zero; a header that breaks a rule of its command is ignored by both sides.
 */
import { checksum, checksumInto, checksumMatches, type GrowingChecksum } from './checksum.ts';
import { headerSize, replicasMax } from './limits.ts';

export const Command = {
  pingClient: 3,
  pongClient: 4,
  request: 5,
  reply: 8,
  eviction: 18,
} as const;

/** Commands that the protocol defines, replica to replica ones included. */
const knownCommands = new Set([
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17, 18, 19, 20, 24,
]);
export const isKnownCommand = (command: number): boolean => knownCommands.has(command);

/** Reason in an eviction message why a session ended. */
export const EvictionReason = {
  noSession: 1,
  clientReleaseTooLow: 2,
  clientReleaseTooHigh: 3,
  invalidRequestOperation: 4,
  invalidRequestBody: 5,
  invalidRequestBodySize: 6,
  sessionTooLow: 7,
  sessionReleaseMismatch: 8,
} as const;
export type EvictionReason = (typeof EvictionReason)[keyof typeof EvictionReason];

/** An unsigned integer below 2^128. */
type U128 = bigint;

/** Reads and writes a header in place. */
export class Header {
  readonly bytes: Uint8Array;
  readonly #view: DataView;

  /** `bytes` begins with the header; later bytes are ignored. */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes.subarray(0, headerSize);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, headerSize);
  }

  static create(): Header {
    return new Header(new Uint8Array(headerSize));
  }

  u8(at: number): number {
    return this.#view.getUint8(at);
  }
  u32(at: number): number {
    return this.#view.getUint32(at, true);
  }
  u64(at: number): bigint {
    return this.#view.getBigUint64(at, true);
  }
  u128(at: number): U128 {
    return this.u64(at) | (this.u64(at + 8) << 64n);
  }
  putU8(at: number, value: number): void {
    this.#view.setUint8(at, value);
  }
  putU32(at: number, value: number): void {
    this.#view.setUint32(at, value, true);
  }
  putU64(at: number, value: bigint): void {
    this.#view.setBigUint64(at, value, true);
  }
  putU128(at: number, value: U128): void {
    this.putU64(at, value & 0xffff_ffff_ffff_ffffn);
    this.putU64(at + 8, value >> 64n);
  }

  get cluster(): U128 {
    return this.u128(80);
  }
  get size(): number {
    return this.u32(96);
  }
  get view(): number {
    return this.u32(104);
  }
  get release(): number {
    return this.u32(108);
  }
  get command(): number {
    return this.u8(114);
  }
  get replica(): number {
    return this.u8(115);
  }

  /** The checksum of this header, 16 bytes. */
  get checksum(): Uint8Array {
    return this.bytes.subarray(0, 16);
  }

  /** Writes both checksums. Call it last, once for each header. */
  seal(body: Uint8Array): void {
    checksumInto(body, this.bytes, 32);
    this.sealHeader();
  }

  /** Writes the header's own checksum. The body's checksum must be in place. */
  sealHeader(): void {
    checksumInto(this.bytes.subarray(16), this.bytes, 0);
  }

  checksumIsRight(): boolean {
    return checksumMatches(this.bytes.subarray(16), this.bytes, 0);
  }

  /** `known` has taken a part of the body already. */
  bodyChecksumIsRight(body: Uint8Array, known?: GrowingChecksum): boolean {
    if (known !== undefined) return known.matches(body, this.bytes, 32);
    return checksumMatches(body, this.bytes, 32);
  }
}

/** Fields common to every header that we make. */
interface Frame {
  readonly cluster: U128;
  readonly view: number;
  readonly release: number;
  readonly replica: number;
}

function frame(command: number, size: number, { cluster, view, release, replica }: Frame): Header {
  const header = Header.create();
  header.putU128(80, cluster);
  header.putU32(96, size);
  header.putU32(104, view);
  header.putU32(108, release);
  header.putU8(114, command);
  header.putU8(115, replica);
  return header;
}

const nothing = new Uint8Array(0);

export function buildPingClient(options: {
  cluster: U128;
  release: number;
  client: U128;
  session: bigint;
  monotonic: bigint;
}): Uint8Array {
  const header = frame(Command.pingClient, headerSize, { ...options, view: 0, replica: 0 });
  header.putU128(128, options.client);
  header.putU64(144, options.monotonic);
  header.putU64(152, options.session);
  header.seal(nothing);
  return header.bytes;
}

export function buildPongClient(options: Frame & { monotonic: bigint }): Uint8Array {
  const header = frame(Command.pongClient, headerSize, options);
  header.putU64(128, options.monotonic);
  header.seal(nothing);
  return header.bytes;
}

export function buildEviction(
  options: Frame & { client: U128; reason: EvictionReason },
): Uint8Array {
  const header = frame(Command.eviction, headerSize, options);
  header.putU128(128, options.client);
  header.putU8(255, options.reason);
  header.seal(nothing);
  return header.bytes;
}

interface RequestFields {
  readonly cluster: U128;
  readonly view: number;
  readonly release: number;
  readonly client: U128;
  readonly session: bigint;
  readonly request: number;
  readonly operation: number;
  /** `context` of the previous reply, 16 bytes; zero for a register request. */
  readonly parent: Uint8Array;
}

/** Builds the header of a request. `bodyChecksum` may be given if it is known. */
export function buildRequest(
  fields: RequestFields,
  body: Uint8Array,
  bodyChecksum?: Uint8Array,
): Uint8Array {
  const header = frame(Command.request, headerSize + body.length, { ...fields, replica: 0 });
  header.bytes.set(fields.parent, 128);
  header.putU128(160, fields.client);
  header.putU64(176, fields.session);
  header.putU32(192, fields.request);
  header.putU8(196, fields.operation);
  header.bytes.set(bodyChecksum ?? checksum(body), 32);
  header.sealHeader();
  return header.bytes;
}

interface ReplyFields extends Frame {
  /** The answered request. The reply repeats its release, client, number, operation and checksum. */
  readonly request: RequestHeader;
  readonly op: number;
  readonly timestamp: bigint;
}

/**
 * Builds the header of a reply. Its context, the next request's `parent`, is the checksum of the header with a context of
 * zero, so that it stays the same when a reply is sent again.
 */
export function buildReply(fields: ReplyFields, body: Uint8Array): Uint8Array {
  const header = frame(Command.reply, headerSize + body.length, fields);
  header.bytes.set(fields.request.header.checksum, 128);
  header.putU128(192, fields.request.client);
  header.putU64(208, BigInt(fields.op));
  header.putU64(216, BigInt(fields.op));
  header.putU64(224, fields.timestamp);
  header.putU32(232, fields.request.number);
  header.putU8(236, fields.request.operation);
  checksumInto(body, header.bytes, 32);
  checksumInto(header.bytes.subarray(16), header.bytes, 160);
  header.sealHeader();
  return header.bytes;
}

/** A request as a replica reads it. */
export class RequestHeader {
  readonly header: Header;
  #client: U128 | undefined;

  constructor(header: Header) {
    this.header = header;
  }
  get parent(): Uint8Array {
    return this.header.bytes.subarray(128, 144);
  }
  get client(): U128 {
    this.#client ??= this.header.u128(160);
    return this.#client;
  }
  get session(): bigint {
    return this.header.u64(176);
  }
  get timestamp(): bigint {
    return this.header.u64(184);
  }
  get number(): number {
    return this.header.u32(192);
  }
  get operation(): number {
    return this.header.u8(196);
  }

  /** Returns whether the fields follow the protocol; a request that breaks a rule is ignored. */
  isWellFormed(): boolean {
    const { header } = this;
    return (
      frameIsWellFormed(header) &&
      header.replica === 0 &&
      allZero(header.bytes, 144, 160) &&
      allZero(header.bytes, 197, 200) &&
      allZero(header.bytes, 204, 256) &&
      this.client !== 0n &&
      // A register request begins a session: it has no number, session or parent yet.
      (this.operation === 2
        ? this.number === 0 && this.session === 0n && allZero(header.bytes, 128, 144)
        : this.number !== 0 && this.session !== 0n)
    );
  }
}

/** A reply as a client reads it. */
export class ReplyHeader {
  readonly header: Header;

  constructor(header: Header) {
    this.header = header;
  }
  get requestChecksum(): Uint8Array {
    return this.header.bytes.subarray(128, 144);
  }
  get context(): Uint8Array {
    return this.header.bytes.subarray(160, 176);
  }
  get client(): U128 {
    return this.header.u128(192);
  }
  get op(): bigint {
    return this.header.u64(208);
  }
  get commit(): bigint {
    return this.header.u64(216);
  }
  get timestamp(): bigint {
    return this.header.u64(224);
  }
  get request(): number {
    return this.header.u32(232);
  }
  get operation(): number {
    return this.header.u8(236);
  }

  isWellFormed(): boolean {
    const { header } = this;
    return (
      frameIsWellFormed(header) &&
      allZero(header.bytes, 144, 160) &&
      allZero(header.bytes, 176, 192) &&
      allZero(header.bytes, 237, 256) &&
      header.release !== 0 &&
      this.client !== 0n &&
      this.op === this.commit &&
      this.op !== 0n &&
      this.timestamp !== 0n
    );
  }
}

/** A client's ping as a replica reads it. */
export class PingClientHeader {
  readonly header: Header;

  constructor(header: Header) {
    this.header = header;
  }
  get client(): U128 {
    return this.header.u128(128);
  }
  get monotonic(): bigint {
    return this.header.u64(144);
  }
  get session(): bigint {
    return this.header.u64(152);
  }
}

/** The end of a session as a client reads it. */
export class EvictionHeader {
  readonly header: Header;

  constructor(header: Header) {
    this.header = header;
  }
  get client(): U128 {
    return this.header.u128(128);
  }
  get reason(): EvictionReason {
    return this.header.u8(255) as EvictionReason;
  }
}

/** Returns whether a client's ping follows the protocol. */
export function pingClientIsWellFormed(header: Header): boolean {
  return (
    frameIsWellFormed(header) &&
    header.size === headerSize &&
    header.view === 0 &&
    header.replica === 0 &&
    header.release !== 0 &&
    new PingClientHeader(header).client !== 0n &&
    allZero(header.bytes, 160, 256)
  );
}

export function pongClientIsWellFormed(header: Header): boolean {
  return (
    frameIsWellFormed(header) &&
    header.size === headerSize &&
    header.release !== 0 &&
    header.replica < replicasMax &&
    allZero(header.bytes, 136, 256)
  );
}

export function evictionIsWellFormed(header: Header): boolean {
  return (
    frameIsWellFormed(header) &&
    header.size === headerSize &&
    header.release !== 0 &&
    new EvictionHeader(header).client !== 0n &&
    allZero(header.bytes, 144, 255) &&
    header.u8(255) !== 0
  );
}

/** Checks the padding, nonce, epoch, protocol version and reserved bytes of the frame. */
function frameIsWellFormed({ bytes }: Header): boolean {
  return (
    allZero(bytes, 16, 32) &&
    allZero(bytes, 48, 80) &&
    allZero(bytes, 100, 104) &&
    allZero(bytes, 112, 114) &&
    allZero(bytes, 116, 128)
  );
}

function allZero(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    if (bytes[at] !== 0) return false;
  }
  return true;
}
