/**
 * The suite that ships in the official Go client's module, unmodified. It formats and starts `../../../tigerbeetle` itself,
 * on port 3000 of the loopback; a shim at that path is our engine, or a tunnel to it.
 */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { goProgram } from '../../tools/cluster/binaries.ts';
import { TunnelWorld, tunnelDatabaseId } from '../support/api/tunnel-world.ts';
import { engineProgram } from '../support/engine/engine.ts';
import { freePorts } from '../../tools/cluster/free-ports.ts';
import { checkout, mustRun, shell } from '../support/shell.ts';

/** Both are mostly the compiler's, on a machine that has compiled nothing of it yet. */
const [downloadMaxMs, testsMaxMs] = [600_000, 1_200_000];
jest.setTimeout(downloadMaxMs + testsMaxMs + 60_000);
const module = 'github.com/tigerbeetle/tigerbeetle-go@v0.17.9';
let folder = '';
let world: TunnelWorld | undefined;
/** File with the process ID of the engine behind the tunnel. */
let enginePid = '';

const go = await goProgram().catch(() => undefined);
const missing = go === undefined || (await shell('cc', ['--version'])).code !== 0;
if (missing) process.stderr.write('skipped: the Go client needs Go and a C compiler\n');

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-go-'));
});
afterAll(async () => {
  await world?.stop();
  if (existsSync(enginePid)) process.kill(Number(readFileSync(enginePid, 'utf8')), 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the suite with this program in the place of TigerBeetle. */
async function suite(name: string, shim: string) {
  const { Dir } = JSON.parse(
    await mustRun(go ?? '', ['mod', 'download', '-json', module], { timeoutMs: downloadMaxMs }),
  ) as {
    Dir: string;
  };
  const place = join(folder, name);
  const copy = join(place, 'src/clients/go');
  mkdirSync(copy, { recursive: true });
  cpSync(Dir, copy, { recursive: true });
  await mustRun('chmod', ['-R', 'u+w', copy]);
  const program = join(place, 'tigerbeetle');
  writeFileSync(program, `#!/bin/sh\n${shim}`);
  chmodSync(program, 0o755);
  const { code, stdout, stderr } = await shell(
    'sh',
    ['-c', 'cd "$0" && exec "$1" test -count=1 -v ./...', copy, go ?? ''],
    { timeoutMs: testsMaxMs, env: { ...world?.environment('full'), CGO_ENABLED: '1' } },
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
}

const maybe = missing ? test.skip : test;

maybe('all tests of tigerbeetle-go pass', () => suite('direct', `exec ${engineProgram} "$@"\n`));

maybe(
  'they also pass through the tunnel, while API processes are killed one after the other',
  async () => {
    const [port = 0] = await freePorts(1);
    world = await TunnelWorld.start({ addresses: [`127.0.0.1:${port}`], processes: 2 });
    enginePid = join(folder, 'engine.pid');
    const end = world.replacing(2_000);
    await suite(
      'tunnel',
      `
[ "$1" = start ] || exec ${engineProgram} "$@"
for file; do :; done # the last argument
[ ! -f ${enginePid} ] || kill -9 "$(cat ${enginePid})"
${engineProgram} start --addresses=${port} "$file" > /dev/null 2>&1 &
echo $! > ${enginePid}
exec ${checkout}/bin/ledgerhouse connect ${tunnelDatabaseId} --port 3000
`,
    );
    expect(await end()).toBeGreaterThanOrEqual(2);
  },
);
