/** The command behind `--exec`. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Context } from '../context.ts';
import { usageFailure } from '../failure.ts';
import { signals } from '../interruption.ts';

/** Shells report a process that a signal ended with this number added. */
const signalExit = 128;

/** Runs the command and resolves with its exit status. Signals to this process go on to the command. */
export function runCommand(
  [program, ...args]: readonly [string, ...string[]],
  variables: Readonly<Record<string, string>>,
  { environment }: Context,
): Promise<number> {
  const child = spawn(program, args, {
    stdio: 'inherit',
    env: { ...environment.inherited, ...variables },
  });
  // A terminal sends SIGINT to the command, too; this process must outlive it.
  const pass = (signal: NodeJS.Signals) => {
    if (signal !== 'SIGINT') child.kill(signal);
  };
  for (const signal of signals) process.on(signal, pass);
  return new Promise<number>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const { code } = error;
      reject(usageFailure(`the command ${program} cannot be run (${code ?? error.message})`));
    });
    child.once('exit', (code, signal) => {
      resolve(code ?? signalExit + (signal === null ? 0 : constants.signals[signal]));
    });
  }).finally(() => {
    for (const signal of signals) process.off(signal, pass);
  });
}
