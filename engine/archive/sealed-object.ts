/**
 * An encrypted object: a head, and frames that are authenticated each, with their place. An object that is changed, cut,
 * moved to another key, or made of parts of others is refused. FORMAT.md, "Sealed objects".
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Fields } from '../log/fields.ts';
import { ArchiveError, damaged } from './errors.ts';
import { KEY_BYTES } from './installation-keys.ts';

const MAGIC = 0x434e_454c; // "LENC"
const VERSION = 1;
export const SEALED_HEAD_BYTES = 64;
export const DATA_KEY_ID_BYTES = 16;
const SALT_BYTES = 32;
const TAG_BYTES = 16;
/** Plain bytes of the first frame: the heads that are read alone fit into it. */
const FIRST_BYTES = 512;
/** Plain bytes of the others. */
const FRAME_BYTES = 64 << 10;

export interface DataKey {
  /** In hexadecimal. */
  readonly id: string;
  readonly secret: Uint8Array;
}

export interface SealedHead {
  readonly dataKeyId: string;
  readonly plainSize: number;
  readonly bytes: Uint8Array;
}

const frameCount = (plainSize: number): number =>
  1 + Math.ceil(Math.max(0, plainSize - FIRST_BYTES) / FRAME_BYTES);

/** Offset of a frame in the plain bytes. */
const plainAt = (frame: number): number =>
  frame === 0 ? 0 : FIRST_BYTES + (frame - 1) * FRAME_BYTES;

/** Offset of a frame in the object. */
const sealedAt = (frame: number): number => SEALED_HEAD_BYTES + plainAt(frame) + frame * TAG_BYTES;

export const sealedSize = (plainSize: number): number =>
  SEALED_HEAD_BYTES + plainSize + frameCount(plainSize) * TAG_BYTES;

/** Bytes from an object's beginning that hold the first plain ones. */
export const sealedBeginning = (plainBytes: number): number =>
  sealedAt(frameCount(Math.max(plainBytes, 1)));

export function seal(objectKey: string, { id, secret }: DataKey, plain: Uint8Array): Uint8Array {
  const object = new Uint8Array(sealedSize(plain.length));
  const fields = new Fields(object);
  fields.putU32(0, MAGIC);
  fields.putU32(4, VERSION);
  fields.put(8, Buffer.from(id, 'hex'));
  fields.put(24, randomBytes(SALT_BYTES));
  fields.putU64(56, plain.length);
  const head = object.subarray(0, SEALED_HEAD_BYTES);
  const key = keyOf(secret, head);
  const count = frameCount(plain.length);
  for (let frame = 0; frame < count; frame += 1) {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(frame));
    cipher.setAAD(placeOf(objectKey, head, frame, frame === count - 1));
    const at = sealedAt(frame);
    const bytes = cipher.update(plain.subarray(plainAt(frame), plainAt(frame + 1)));
    cipher.final();
    object.set(bytes, at);
    object.set(cipher.getAuthTag(), at + bytes.length);
  }
  return object;
}

/** Reads the head of an object; `undefined` if it is not a sealed one. */
export function sealedHead(objectKey: string, object: Uint8Array): SealedHead | undefined {
  const fields = new Fields(object);
  if (object.length < 4 || fields.u32(0) !== MAGIC) return undefined;
  if (object.length < SEALED_HEAD_BYTES) throw damaged(objectKey, 'it is cut');
  if (fields.u32(4) !== VERSION) {
    throw new ArchiveError(
      'format_unknown',
      `${objectKey} is sealed in format ${fields.u32(4)}, this release knows ${VERSION}. Use a newer release.`,
      { key: objectKey },
    );
  }
  return {
    dataKeyId: Buffer.from(fields.slice(8, DATA_KEY_ID_BYTES)).toString('hex'),
    plainSize: fields.u64(56),
    bytes: object.slice(0, SEALED_HEAD_BYTES),
  };
}

/**
 * Opens an object, or its first `plainBytes`, of which `object` has the beginning. `storedSize`: bytes of the whole object.
 * Throws ArchiveError that names the key.
 */
export function open(
  objectKey: string,
  head: SealedHead,
  secret: Uint8Array,
  object: Uint8Array,
  storedSize = object.length,
  plainBytes = Infinity,
): Uint8Array {
  if (storedSize !== sealedSize(head.plainSize)) throw damaged(objectKey, 'it is cut');
  const count = frameCount(head.plainSize);
  const needed = Math.min(count, frameCount(Math.min(plainBytes, head.plainSize)));
  const key = keyOf(secret, head.bytes);
  const plain = new Uint8Array(Math.min(plainAt(needed), head.plainSize));
  for (let frame = 0; frame < needed; frame += 1) {
    const at = sealedAt(frame);
    const size = Math.min(plainAt(frame + 1), head.plainSize) - plainAt(frame);
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(frame), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(placeOf(objectKey, head.bytes, frame, frame === count - 1));
    const tag = object.subarray(at + size, at + size + TAG_BYTES);
    if (tag.length < TAG_BYTES) throw damaged(objectKey, 'it is cut');
    decipher.setAuthTag(tag);
    const bytes = decipher.update(object.subarray(at, at + size));
    try {
      decipher.final();
    } catch {
      throw damaged(objectKey, `frame ${frame} of its ${count} is not what was sealed there`);
    }
    plain.set(bytes, plainAt(frame));
  }
  return plain.subarray(0, Math.min(plainBytes, plain.length));
}

/** Each object has a key of its own, so that a frame's number is used once with it. */
const keyOf = (secret: Uint8Array, head: Uint8Array): Uint8Array => {
  const salt = head.subarray(24, 24 + SALT_BYTES);
  return new Uint8Array(hkdfSync('sha256', secret, salt, 'ledgerhouse sealed object', KEY_BYTES));
};

function nonceOf(frame: number): Uint8Array {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32LE(frame);
  return nonce;
}

/** Data that is authenticated with a frame besides its bytes. */
function placeOf(objectKey: string, head: Uint8Array, frame: number, isLast: boolean): Uint8Array {
  const place = Buffer.alloc(5);
  place.writeUInt32LE(frame);
  place[4] = isLast ? 1 : 0;
  return Buffer.concat([head, place, Buffer.from(objectKey)]);
}
