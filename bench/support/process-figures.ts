/** Memory and processor time of a process, from /proc. */
import { readFileSync } from 'node:fs';

export interface Memory {
  readonly residentMib: number;
  /** Peak memory, in MiB. */
  readonly peakMib: number;
}

export function memoryOf(pid: number): Memory {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mebibytes = (name: string) =>
    Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) / 1024);
  return { residentMib: mebibytes('VmRSS'), peakMib: mebibytes('VmHWM') };
}

/** Linux counts in hundredths of a second on every architecture that Node runs on. */
const ticksPerSecond = 100;

/** Processor time since it started, user's and system's. */
export function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The command's name, in parentheses, may hold spaces: count from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
