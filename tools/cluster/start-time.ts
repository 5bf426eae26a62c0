import { readFileSync } from 'node:fs';

/**
 * When the process started, or undefined when it is not there or is only waiting to be reaped: field 22 of /proc/PID/stat, clock
 * ticks since boot. With it a pid that the kernel has given to somebody else since is never taken for the process that was meant.
 */
export function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name, in parentheses, may hold spaces: count from behind it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
