/** What the plugin prints of objects whose text others have written. A program stands for kubectl and answers byte by byte. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { shell } from '../../test/support/shell.ts';

const message = 'gr\u00fc\u00dfe \u001b]0;another title\u0007\u001b[2K';
const object = {
  metadata: { name: 'payments', namespace: 'org-a' },
  spec: { database: 'payments' },
  status: { conditions: [{ type: 'Ready', status: 'False', reason: 'Said', message }] },
};
let folder = '';

/** Writes the answer in two pieces, the first of which ends within a character. */
const source = (node: string) => `#!${node}
const [, , verb, , name] = process.argv;
const isLost = name === 'lost';
const out = isLost ? process.stderr : process.stdout;
const bytes = Buffer.from(isLost ? ${JSON.stringify(message)} : ${JSON.stringify(JSON.stringify(object))});
const end = bytes.indexOf(0xc3) + 1;
out.write(bytes.subarray(0, end), () =>
  setTimeout(() => out.write(bytes.subarray(end), () => process.exit(isLost ? 1 : 0)), 100));
`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubectl-'));
  writeFileSync(join(folder, 'kubectl'), source(process.execPath));
  chmodSync(join(folder, 'kubectl'), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

const plugin = (...args: string[]) =>
  shell(resolve('bin/kubectl-ledgerhouse'), args, {
    env: { PATH: `${folder}:${process.env['PATH']}` },
  });

test('no text of an object or of an error reaches the terminal with control characters, and every letter stays whole', async () => {
  const shown = 'gr\u00fc\u00dfe \ufffd]0;another title\ufffd\ufffd[2K';
  expect((await plugin('status', 'payments')).stdout).toContain(shown);
  expect((await plugin('backup', 'show', 'payments')).stdout).toContain(shown);
  expect(await plugin('status', 'lost')).toMatchObject({ code: 1, stderr: `${shown}\n` });
});
