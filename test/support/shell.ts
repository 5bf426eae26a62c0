import { execFile } from 'node:child_process';
import { join } from 'node:path';

export const checkout = join(import.meta.dirname, '../..');

/** The environment of a program of ours that is to see nothing else of ours: where Node finds what it compiled before is half of its start. */
export const bareEnvironment: Readonly<Record<string, string | undefined>> = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
};

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in the checkout to its end, whatever its status. */
export function shell(
  command: string,
  args: readonly string[],
  options: { env?: Record<string, string>; timeoutMs?: number } = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      command,
      [...args],
      {
        cwd: checkout,
        env: { ...process.env, ...options.env },
        timeout: options.timeoutMs ?? 300_000,
        maxBuffer: 64 * 1024 * 1024,
      },
      (error, stdout, stderr) => {
        const code = typeof error?.code === 'number' ? error.code : error === null ? 0 : 1;
        resolve({ code, stdout, stderr });
      },
    );
  });
}

/** The same, for commands that must succeed: throws with what they said otherwise. */
export async function mustRun(
  command: string,
  args: readonly string[],
  options: { env?: Record<string, string>; timeoutMs?: number } = {},
): Promise<string> {
  const ended = await shell(command, args, options);
  if (ended.code !== 0) {
    throw new Error(
      `${command} ${args.join(' ')} ended with ${ended.code}: ${ended.stderr}${ended.stdout}`,
    );
  }
  return ended.stdout;
}

/**
 * Calls `probe` until it returns something other than undefined or false, and returns that. Throws with the last failure at the deadline, which
 * only ends waits that hang: the machine may be ten times slower than usual.
 */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined>,
  timeoutMs = 180_000,
): Promise<T> {
  const began = Date.now();
  const deadline = began + timeoutMs;
  let last = '';
  while (Date.now() < deadline) {
    try {
      const result = await probe();
      if (result !== undefined && result !== false) return result;
    } catch (error) {
      last = `: ${error instanceof Error ? error.message : 'something that is no error was thrown'}`;
    }
    // What takes long is asked more rarely: many probes start a process.
    const pauseMs = Math.min(1_000, Math.max(200, (Date.now() - began) / 20));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  throw new Error(`${what}: not within ${timeoutMs / 1000} s${last}`);
}
