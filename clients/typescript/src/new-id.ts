/** A new ID of 128 bits, as TigerBeetle recommends them: 48 bits of time in milliseconds, 80 random bits. */
export function newId(nowMs: number = Date.now()): bigint {
  const random = crypto.getRandomValues(new Uint8Array(10));
  const low = random.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
  return (BigInt(nowMs) << 80n) | low;
}
