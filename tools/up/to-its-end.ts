/**
 * Runs commands that must not be cut off midway: Ctrl-C does not reach them, and a process that ends because of it waits for
 * them.
 */
import { run } from '../cluster/run.ts';

const running = new Set<Promise<unknown>>();

/** Same as `run`, in a session of its own: a terminal interrupts only the processes of its own session. */
export async function runToItsEnd(
  command: string,
  args: readonly string[],
  options: { readonly timeoutMs: number },
): Promise<string> {
  const end = run('setsid', ['--wait', command, ...args], options);
  running.add(end);
  try {
    return await end;
  } finally {
    running.delete(end);
  }
}

/** Ends the process at an interrupt, as soon as none of those commands runs any more. A second interrupt ends it at once. */
export function endWhenInterrupted(say: string): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      console.error(`\ninterrupted; ${say}`);
      void Promise.allSettled(running).then(() => process.exit(130));
    });
  }
}
