/** A machine whose clock is behind that of the operator. A program stands for kubectl: it says when a test began, and keeps the request. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { LedgerBackup } from '../../domain/custom-resources.ts';
import { isVerificationDue } from '../../operator/ledgerbackup/verify-due.ts';
import { shell } from '../../test/support/shell.ts';

let folder = '';
const request = () => join(folder, 'request');

const source = (node: string) => `#!${node}
const [, , verb] = process.argv;
const { readFileSync, writeFileSync } = require('node:fs');
if (verb === 'patch') writeFileSync(${JSON.stringify(request())}, process.argv.at(-1));
else process.stdout.write(readFileSync(${JSON.stringify(join(folder, 'object'))}));
`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubectl-'));
  writeFileSync(join(folder, 'kubectl'), source(process.execPath));
  chmodSync(join(folder, 'kubectl'), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ['has just begun', -1_000],
  ['began ten minutes ahead of this clock', 600_000],
  ['began a year ahead, since a clock was wrong', 365 * 86_400_000],
])('a test restore that is asked for after one that %s is made', async (_, aheadMs) => {
  const startedAt = new Date(Date.now() + aheadMs).toISOString();
  const conditions = [{ type: 'Succeeded', status: 'True', reason: 'Succeeded', message: '' }];
  const status = { conditions, verification: { startedAt, completedAt: startedAt, passed: true } };
  const backup = {
    metadata: { name: 'before', namespace: 'org-a' },
    spec: { database: 'a' },
    status,
  };
  writeFileSync(join(folder, 'object'), JSON.stringify(backup));
  const asked = await shell(
    resolve('bin/kubectl-ledgerhouse'),
    ['backup', 'verify', 'before', '--no-wait'],
    { env: { PATH: `${folder}:${process.env['PATH']}` } },
  );
  expect(asked).toMatchObject({ code: 0, stderr: '' });
  const { spec } = JSON.parse(readFileSync(request(), 'utf8')) as Pick<LedgerBackup, 'spec'>;
  const requested = { ...backup, spec: { ...backup.spec, ...spec } } as unknown as LedgerBackup;
  const around = {
    backups: [],
    schedules: [],
    databases: [],
    nowMs: Date.now() + Math.min(aheadMs, 600_000),
  };
  expect(isVerificationDue(requested, around)).toBe(true);
});
