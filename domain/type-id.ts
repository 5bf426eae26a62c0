/** TypeIDs: a prefix and 128 bits in 26 digits of Crockford's base 32 (https://github.com/jetify-com/typeid, version 0.3). */
import { uuidV7Bytes } from '../base/uuid-v7.ts';

const digits = '0123456789abcdefghjkmnpqrstvwxyz';
/** Two digits for every ten bits. */
const pairs: readonly string[] = Array.from(
  { length: 1_024 },
  (_, bits) => digits.charAt(bits >> 5) + digits.charAt(bits & 31),
);
const pairOf = (bits: number): string => pairs[bits] ?? '';

/** Makes a TypeID from a UUID in its usual form. */
export function typeIdOfUuid(prefix: string, uuid: string): string {
  const hex = uuid.replaceAll('-', '');
  if (!/^[0-9a-f]{32}$/i.test(hex)) throw new RangeError(`not a UUID: ${uuid}`);
  return typeIdOf(prefix, Buffer.from(hex, 'hex'));
}

/** 26 digits hold 130 bits: two zeros come first, so that the first two digits hold the first byte. */
function typeIdOf(prefix: string, bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let text = `${prefix}_${pairOf(view.getUint8(0))}`;
  for (let at = 1; at < bytes.length; at += 5) {
    const high = view.getUint32(at);
    text += pairOf(high >>> 22) + pairOf((high >>> 12) & 1_023) + pairOf((high >>> 2) & 1_023);
    text += pairOf(((high & 3) << 8) | view.getUint8(at + 4));
  }
  return text;
}

/** Whether `text` is a TypeID with this prefix. The first digit holds the upper three bits only. */
export function isTypeId(prefix: string, text: string): boolean {
  return (
    text.startsWith(`${prefix}_`) &&
    /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text.slice(prefix.length + 1))
  );
}

/** Makes a new TypeID, which sorts after those of earlier milliseconds. */
export const newTypeId = (prefix: string): string => typeIdOf(prefix, uuidV7Bytes());

/** Returns the UUID in a TypeID, or `undefined` if `text` is none with this prefix. */
export function uuidOfTypeId(prefix: string, text: string): string | undefined {
  if (!isTypeId(prefix, text)) return undefined;
  let value = 0n;
  for (const digit of text.slice(prefix.length + 1)) {
    value = (value << 5n) | BigInt(digits.indexOf(digit));
  }
  const hex = value.toString(16).padStart(32, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
