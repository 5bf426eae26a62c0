// The notes that Helm prints after an installation name an address at which a browser keeps its session.
import { beforeAll, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { ensureProgram } from '../../../tools/cluster/binaries.ts';
import { mustRun } from '../../support/shell.ts';

let helm = '';
beforeAll(async () => {
  helm = await ensureProgram('helm');
}, 30 * 60_000);

async function notesOf(api: object): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-notes-'));
  try {
    const file = join(folder, 'values.yaml');
    writeFileSync(file, stringify({ api: { enabled: true, ...api } }));
    const args = ['install', 'ledgerhouse', 'charts/ledgerhouse', '--dry-run=client', '-f', file];
    const text = await mustRun(helm, args, { env: { KUBECONFIG: '/dev/null' } });
    return text.slice(text.indexOf('NOTES:'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const local = 'http://localhost:8080/auth/administrator';

test.each([
  ['', local],
  ['https://ledger.example.com', 'https://ledger.example.com/auth/administrator'],
  ['http://localhost:30080', 'http://localhost:30080/auth/administrator'],
  ['http://10.0.0.1:30080', local],
])('with the public URL %j a browser is sent to %s', async (publicUrl, address) => {
  const notes = await notesOf({ publicUrl });
  expect(notes.match(/https?:\/\/\S+\/auth\/administrator/g)).toEqual([address]);
  const isPlain = publicUrl.startsWith('http://10.');
  expect(notes.includes(`Browsers keep no session at ${publicUrl}`)).toBe(isPlain);
});

test('the notes name the Secret with the bootstrap token', async () => {
  expect(await notesOf({})).toContain('get secret ledgerhouse-bootstrap-token ');
  expect(await notesOf({ bootstrapTokenSecret: 'mine' })).toContain('get secret mine ');
});
