/** Memory of a process beside its ledger: V8, buffers of requests and replies, the sessions' replies. */
const reserveBytes = 256 * 2 ** 20;

/** Bytes that the ledger may take: the memory of the container (or machine), less the reserve and an eighth for the rest. */
export function ledgerMemoryLimit(containerBytes: number): number {
  return Math.max(32 * 2 ** 20, Math.floor((containerBytes - reserveBytes) * 0.875));
}
