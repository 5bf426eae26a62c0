/** Ctrl-C at `make up`: what Kubernetes would keep half of is not cut off. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { checkout, eventually } from '../../support/shell.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-interrupted-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a command that may not be cut off ends first, and nothing comes after it', async () => {
  const [began, goOn, ended] = ['began', 'go-on', 'ended'].map((name) => join(folder, name));
  const script = `: > ${began}; until [ -e ${goOn} ]; do sleep 0.1; done; : > ${ended}`;
  const child = spawn(
    process.execPath,
    [join(checkout, 'test/support/interrupted-command.ts'), 'sh', '-c', script],
    // A group of its own, which is what a terminal interrupts.
    { detached: true, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  child.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()));
  const end = once(child, 'close');
  await eventually('it runs', async () => existsSync(began ?? '') || undefined);
  process.kill(-(child.pid ?? 0), 'SIGINT');
  await eventually('it was told', async () => said.includes('interrupted; as said') || undefined);
  expect(child.exitCode).toBeNull();
  expect(existsSync(ended ?? '')).toBe(false);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(child.exitCode).toBeNull();
  spawn('touch', [goOn ?? '']);
  expect(await end).toEqual([130, null]);
  expect(existsSync(ended ?? '')).toBe(true);
});
