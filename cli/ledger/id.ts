/**
 * A new ledger ID, as TigerBeetle's clients make them: 48 bits of milliseconds above 80 random bits, so that IDs made later are
 * larger, which the engine's trees like. One process makes one, hence nothing here remembers the last.
 */
export function newLedgerId(wallMs: number, random: Uint8Array): string {
  const noise =
    random.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n) & ((1n << 80n) - 1n);
  return ((BigInt(wallMs) << 80n) | noise).toString();
}
