/** TypeIDs: a prefix and 128 bits in 26 digits of Crockford's base 32 (https://github.com/jetify-com/typeid, version 0.3). */
import { uuidV7 } from '../base/uuid-v7.ts';

const digits = '0123456789abcdefghjkmnpqrstvwxyz';

/** Makes a TypeID from a UUID in its usual form. */
export function typeIdOfUuid(prefix: string, uuid: string): string {
  const hex = uuid.replaceAll('-', '');
  if (!/^[0-9a-f]{32}$/i.test(hex)) throw new RangeError(`not a UUID: ${uuid}`);
  let text = `${prefix}_`;
  // 26 digits hold 130 bits: two zeros come first.
  let bits = 0;
  let count = 2;
  for (let index = 0; index < 32; index += 1) {
    bits = (bits << 4) | Number.parseInt(hex.charAt(index), 16);
    count += 4;
    if (count < 5) continue;
    count -= 5;
    text += digits.charAt(bits >> count);
    bits &= (1 << count) - 1;
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
export const newTypeId = (prefix: string): string => typeIdOfUuid(prefix, uuidV7());

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
