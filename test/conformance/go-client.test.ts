/**
 * The suite that ships in the official Go client's module, unmodified. It formats and starts `../../../tigerbeetle` itself,
 * on port 3000 of the loopback; a shim at that path is our engine.
 */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { goProgram } from '../../tools/cluster/binaries.ts';
import { engineProgram } from '../support/engine/engine.ts';
import { mustRun, shell } from '../support/shell.ts';

/** Both are mostly the compiler's, on a machine that has compiled nothing of it yet. */
const [downloadMaxMs, testsMaxMs] = [600_000, 1_200_000];
jest.setTimeout(downloadMaxMs + testsMaxMs + 60_000);
const module = 'github.com/tigerbeetle/tigerbeetle-go@v0.17.9';
let folder = '';

const go = await goProgram().catch(() => undefined);
const missing = go === undefined || (await shell('cc', ['--version'])).code !== 0;
if (missing) process.stderr.write('skipped: the Go client needs Go and a C compiler\n');

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-go-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

(missing ? test.skip : test)('all tests of tigerbeetle-go pass', async () => {
  const { Dir } = JSON.parse(
    await mustRun(go ?? '', ['mod', 'download', '-json', module], { timeoutMs: downloadMaxMs }),
  ) as {
    Dir: string;
  };
  const copy = join(folder, 'src/clients/go');
  mkdirSync(copy, { recursive: true });
  cpSync(Dir, copy, { recursive: true });
  await mustRun('chmod', ['-R', 'u+w', copy]);
  const shim = join(folder, 'tigerbeetle');
  writeFileSync(shim, `#!/bin/sh\nexec ${engineProgram} "$@"\n`);
  chmodSync(shim, 0o755);
  const { code, stdout, stderr } = await shell(
    'sh',
    ['-c', 'cd "$0" && exec "$1" test -count=1 -v ./...', copy, go ?? ''],
    { timeoutMs: testsMaxMs, env: { CGO_ENABLED: '1' } },
  );
  const said = stdout + stderr;
  const top = said.match(/^--- (PASS|FAIL): \S+/gm) ?? [];
  expect({ code, top: top.length, said: code === 0 ? '' : said.slice(-4000) }).toMatchObject({
    code: 0,
    said: '',
  });
  // Two tests with 18 parts against the engine, seven of the client alone.
  expect(top).toHaveLength(9);
  expect(said.match(/^ {4}--- PASS/gm)?.length).toBeGreaterThanOrEqual(18);
});
