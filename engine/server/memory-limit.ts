import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';

/** What the process itself needs beside the ledger: V8, buffers of requests and replies, the sessions' replies. */
const reserveBytes = 256 * 2 ** 20;

/** Bytes that the ledger may take: what the container (or the machine) has, less the reserve and an eighth for the rest. */
export function ledgerMemoryLimit(containerBytes: number): number {
  return Math.max(32 * 2 ** 20, Math.floor((containerBytes - reserveBytes) * 0.875));
}

/** The memory limit of the cgroup that the process runs in, version 2 or 1; the machine's memory where there is none. */
export function containerMemory(): number {
  const limits = ['/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes'].map(
    (path) => {
      try {
        // "max", or a number near 2^63, mean no limit.
        const bytes = Number(readFileSync(path, 'utf8').trim());
        return Number.isFinite(bytes) && bytes > 0 ? bytes : Infinity;
      } catch {
        return Infinity;
      }
    },
  );
  return Math.min(totalmem(), ...limits);
}
