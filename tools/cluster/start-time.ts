import { readFileSync } from 'node:fs';

/**
 * Start time of a process in clock ticks since boot (field 22 of /proc/PID/stat); `undefined` if it does not exist or only waits
 * to be reaped. With it, a pid that the kernel has reused is never mistaken for the intended process.
 */
export function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name, in parentheses, may contain spaces: count the fields after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
