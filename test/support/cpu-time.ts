const runs = 3;

/**
 * Milliseconds of the processor's time that `work` takes, the least of some runs: what else runs on the machine, and whatever it
 * stands still for, does not count.
 */
export function cpuMsOf(work: () => void): number {
  const each = Array.from({ length: runs }, () => {
    const begun = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(begun);
    return (user + system) / 1_000;
  });
  return Math.min(...each);
}
