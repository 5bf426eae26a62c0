/** Signals by which people and supervisors end a command. */
import { CliFailure } from './failure.ts';
import { ExitCode } from './exit-code.ts';

export const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Resolves at the first of the signals, for a command that would go on for ever. */
export function untilInterrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of signals) process.once(signal, () => resolve());
  });
}

/**
 * Runs `work` with an abort signal for interruptions of the command; its reason is the failure of the command. A second interruption
 * ends the process at once.
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const end = () => controller.abort(interrupted);
  for (const signal of signals) process.once(signal, end);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of signals) process.removeListener(signal, end);
  }
}

const interrupted = new CliFailure({
  exitCode: ExitCode.Interrupted,
  code: 'interrupted',
  title: 'The command was interrupted',
  detail: 'interrupted',
});
