/**
 * Makes a new ledger ID like TigerBeetle's clients: 48 bits of milliseconds above 80 random bits. Later IDs are larger, which
 * suits the engine's trees. One process makes only one, so the last one is not remembered.
 */
export function newLedgerId(wallMs: number, random: Uint8Array): string {
  const noise =
    random.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n) & ((1n << 80n) - 1n);
  return ((BigInt(wallMs) << 80n) | noise).toString();
}
