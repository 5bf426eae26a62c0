/** Ending a command that would go on for ever. */
export const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Resolves at the first of the signals by which people and supervisors end a program. */
export function untilInterrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of signals) process.once(signal, () => resolve());
  });
}
