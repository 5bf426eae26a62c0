import { execFile } from 'node:child_process';
import { ClusterError } from './config.ts';

export class CommandError extends Error {
  override readonly name = 'CommandError';
}

interface RunOptions {
  readonly timeoutMs?: number;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Runs a command to its end and returns its stdout. If it fails, throws `CommandError` with its stderr. */
export function run(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      command,
      [...args],
      {
        timeout: options.timeoutMs ?? 60_000,
        maxBuffer: 64 * 1024 * 1024,
        ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
        env: { ...process.env, ...options.env },
      },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else {
          const why = stderr.trim() || error.message;
          reject(new CommandError(`${command} ${args.join(' ')}: ${why}`, { cause: error }));
        }
      },
    );
    if (options.input !== undefined) child.stdin?.end(options.input);
  });
}

/** Runs a command whose failure only means that there was nothing to do. */
export async function runQuietly(command: string, args: readonly string[]): Promise<string> {
  try {
    return await run(command, args);
  } catch {
    return '';
  }
}

/** Waits until `probe` returns a value, asking every `everyMs`. Throws with the last failure at the deadline. */
export async function waitFor<T>(
  what: string,
  probe: () => Promise<T | undefined>,
  options: { timeoutMs: number; everyMs?: number },
): Promise<T> {
  const deadline = Date.now() + options.timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      const result = await probe();
      if (result !== undefined) return result;
    } catch (error) {
      // Waiting cannot fix a `ClusterError`, so it ends the wait.
      if (error instanceof ClusterError) throw error;
      last = error;
    }
    if (Date.now() > deadline) {
      const why = last instanceof Error ? `: ${last.message}` : '';
      throw new CommandError(`${what} was not there after ${options.timeoutMs / 1000} s${why}`, {
        cause: last,
      });
    }
    await new Promise((resolve) => setTimeout(resolve, options.everyMs ?? 200));
  }
}
