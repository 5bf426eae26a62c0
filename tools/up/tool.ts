/** Runs one of our own tools and writes its output to the log. */
import { spawn } from 'node:child_process';
import { checkout } from '../cluster/config.ts';
import type { Log } from './steps.ts';

/** Returns the tool's stdout. The tool has its own deadlines; the one here is for a machine that hangs. */
export function runTool(
  args: readonly string[],
  log: Log,
  timeoutMs = 40 * 60_000,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...args], {
      cwd: checkout,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
    });
    // Ctrl-C in a terminal reaches both processes; other signals reach only this one.
    const end = () => child.kill('SIGTERM');
    process.once('exit', end);
    let said = '';
    let complained = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      log(chunk.toString());
    });
    child.stderr.on('data', (chunk: Buffer) => {
      complained += chunk.toString();
      log(chunk.toString());
    });
    child.on('error', reject);
    child.on('close', (code) => {
      process.off('exit', end);
      if (code === 0) resolve(said);
      else reject(new Error(complained.trim().split('\n').at(-1) ?? `${args[0]} failed`));
    });
  });
}
