import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';

/** Memory limit of the process's cgroup, version 2 or 1; without one, the machine's memory. */
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
