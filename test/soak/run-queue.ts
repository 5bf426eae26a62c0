/** How long processes wait for a processor, as the kernel's scheduler counts it. */
import { readFileSync } from 'node:fs';

/** Milliseconds that the main thread of a process was ready to run and did not; 0 where the kernel does not say. */
export function queuedMs(pid: number): number {
  try {
    const [, queuedNs] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
    return Number(queuedNs ?? 0) / 1e6;
  } catch {
    return 0;
  }
}
