import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from '@jest/globals';
import { checkout } from '../../support/shell.ts';

const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
});

/** Chooses as many ports as a suite with many programs does, says them, and lives on. */
const program = `
const { freePorts } = await import('./tools/cluster/free-ports.ts');
process.stdout.write(JSON.stringify(await freePorts(200)) + '\\n');
setInterval(() => {}, 60_000);`;

async function ports(): Promise<readonly number[]> {
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program];
  const child = spawn(process.execPath, args, {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  // A process that waits for another one's choice says so first.
  for await (const line of createInterface({ input: child.stdout }))
    if (line.startsWith('[')) return JSON.parse(line) as number[];
  throw new Error('the process ended without its ports');
}

test('processes that live at the same time never get the same port, whether or not it is in use', async () => {
  const all = (await Promise.all(Array.from({ length: 6 }, ports))).flat();
  expect(all).toHaveLength(6 * 200);
  expect(new Set(all).size).toBe(all.length);
});
