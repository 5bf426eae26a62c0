/** Data files: made so that a kill at any point does no harm, and checked before an engine opens them. */
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  agentProgram,
  doubleWith,
  endAllProcesses,
  identityFlags,
  TestProcess,
  type Identity,
} from '../../support/engine/agent.ts';
import { engineProgram } from '../../support/engine/engine.ts';
import { shell } from '../../support/shell.ts';

const engines = ['Builtin', 'TigerBeetle'] as const;
type EngineName = (typeof engines)[number];

const root = mkdtempSync(join(tmpdir(), 'ledgerhouse-agent-'));
const own: Identity = { cluster: 77n, replica: 1, count: 3 };
let folder = '';
let path = '';

beforeEach(() => {
  folder = mkdtempSync(join(root, 'volume-'));
  path = join(folder, '77_1.data');
});

afterAll(async () => {
  await endAllProcesses();
  rmSync(root, { recursive: true, force: true });
});

const formatOf = (engine: EngineName, file: string, identity = own) =>
  engine === 'Builtin'
    ? [engineProgram, 'format', ...identityFlags(identity), '--log-size=32MiB', file]
    : doubleWith(['format', ...identityFlags(identity), file]);

const agentWith = (verb: string, engine: EngineName, identity = own) => [
  agentProgram,
  verb,
  `--path=${path}`,
  ...(verb === 'prepare' ? [] : [...identityFlags(identity), `--engine=${engine}`]),
];

/** The steps of a Job that formats; each must end well before the next begins. */
const stepsOf = (engine: EngineName) => [
  agentWith('prepare', engine),
  formatOf(engine, `${path}.partial`),
  agentWith('install', engine),
];

const runStep = ([program = '', ...args]: readonly string[]) => shell(program, args);

async function makeDataFile(engine: EngineName): Promise<void> {
  for (const step of stepsOf(engine)) expect(await runStep(step)).toMatchObject({ code: 0 });
}

const check = async (engine: EngineName, identity = own) =>
  (await runStep(agentWith('check', engine, identity))).code;

test.each(engines)('%s: format, install, check, and once more changes nothing', async (engine) => {
  await makeDataFile(engine);
  expect(await check(engine)).toBe(0);
  expect(readdirSync(folder)).toEqual(['77_1.data']);
  const before = statSync(path);
  await makeDataFile(engine);
  expect(await check(engine)).toBe(0);
  expect(readdirSync(folder)).toEqual(['77_1.data']);
  const after = statSync(path);
  expect([after.ino, after.mtimeMs, after.size]).toEqual([before.ino, before.mtimeMs, before.size]);
});

test('install tells the state of the file that is there, once more too; of a TigerBeetle file it tells none', async () => {
  const said = join(folder, 'said');
  for (const engine of engines) {
    rmSync(path, { force: true });
    await makeDataFile(engine);
    writeFileSync(said, '');
    const install = [...agentWith('install', engine), `--termination-log=${said}`];
    expect(await runStep(install)).toMatchObject({ code: 0 });
    const words = readFileSync(said, 'utf8');
    if (engine === 'TigerBeetle') expect(words).toBe('');
    else expect(JSON.parse(words)).toEqual({ state: expect.stringMatching(/^0\/[0-9a-f]{32}$/) });
    rmSync(said);
  }
});

test.each(engines)('%s: a Job killed while the engine formats is run again', async (engine) => {
  for (const [prepare, format] of [stepsOf(engine), stepsOf(engine)]) {
    await runStep(prepare ?? []);
    const formatting = new TestProcess(format ?? []);
    while (readdirSync(folder).length === 0 && formatting.child.exitCode === null) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await formatting.end('SIGKILL');
    // An incomplete file is never taken for a data file.
    const { code } = await runStep(agentWith('install', engine));
    expect([0, 10, 12]).toContain(code);
    if (code !== 0) expect(existsSync(path)).toBe(false);
    rmSync(path, { force: true });
  }
  await makeDataFile(engine);
  expect(await check(engine)).toBe(0);
  expect(readdirSync(folder)).toEqual(['77_1.data']);
});

test.each(engines)('%s: killed at any moment, a Job’s next run ends well', async (engine) => {
  let installed: number | undefined;
  // The three steps take about a second.
  for (let killAfterMs = 50; killAfterMs < 1_500; killAfterMs += 120) {
    const deadline = Date.now() + killAfterMs;
    for (const step of stepsOf(engine)) {
      const running = new TestProcess(step);
      const timer = setTimeout(
        () => running.child.kill('SIGKILL'),
        Math.max(0, deadline - Date.now()),
      );
      const code = await running.ended;
      clearTimeout(timer);
      if (code !== 0) {
        // Killed, or it found what the kill before it had left: never a refusal of its own file.
        expect([null, 1, 137]).toContain(code);
        break;
      }
    }
    if (!existsSync(path)) continue;
    expect(await check(engine)).toBe(0);
    installed ??= statSync(path).ino;
    expect(statSync(path).ino).toBe(installed);
  }
  await makeDataFile(engine);
  expect(await check(engine)).toBe(0);
  expect(readdirSync(folder)).toEqual(['77_1.data']);
});

test.each(engines)('%s: killed between the two names, install goes on', async (engine) => {
  expect(await runStep(formatOf(engine, `${path}.partial`))).toMatchObject({ code: 0 });
  linkSync(`${path}.partial`, path);
  expect(await runStep(agentWith('install', engine))).toMatchObject({ code: 0 });
  expect(readdirSync(folder)).toEqual(['77_1.data']);
  expect(await check(engine)).toBe(0);
});

test('prepare removes only the files that it knows', async () => {
  const leftovers = [
    '77_1.data.partial',
    '77_1.data.partial.0123456789ab.tmp',
    // A restore to a moment and one of rows make the ledger in a file beside it, and were killed.
    '77_1.data.partial.replay',
    '77_1.data.partial.replay.lock',
    '77_1.data.partial.replay.0123456789ab.tmp',
    '77_1.data.partial.working',
    '77_1.data.partial.working.lock',
    '77_1.data.partial.working.0123456789ab.tmp',
    'fs_supports_direct_io-0123456789abcdef',
  ];
  const others = [
    '77_1.data',
    '77_1.data.lock',
    '77_1.data.0123456789ab.tmp',
    '77_1.data.partial.old',
    '77_2.data.partial',
    'fs_supports_direct_io-mine',
  ];
  for (const name of [...leftovers, ...others]) writeFileSync(join(folder, name), '');
  // TigerBeetle's probe is empty; what is not is somebody's.
  const full = 'fs_supports_direct_io-00000000000000aa';
  writeFileSync(join(folder, full), 'x');
  mkdirSync(join(folder, 'lost+found'));
  expect((await runStep(agentWith('prepare', 'Builtin'))).code).toBe(0);
  expect(readdirSync(folder).sort()).toEqual([...others, full, 'lost+found'].sort());
  expect((await runStep(agentWith('prepare', 'Builtin'))).code).toBe(0);
});

test.each(engines)('%s: another replica’s file is refused by every verb', async (engine) => {
  const foreign = { ...own, replica: 2 };
  expect(await runStep(formatOf(engine, `${path}.partial`, foreign))).toMatchObject({ code: 0 });
  const refused = await runStep(agentWith('install', engine));
  expect(refused).toMatchObject({ code: 11 });
  expect(refused.stderr).toContain('it belongs to another replica: replica=2; expected replica=1');
  expect(readdirSync(folder)).toEqual(['77_1.data.partial']);

  expect((await runStep(agentWith('install', engine, foreign))).code).toBe(0);
  const bytes = () => readFileSync(path).subarray(0, 100_000);
  const before = bytes();
  expect(await check(engine)).toBe(11);
  expect(await check(engine, { ...foreign, cluster: 78n })).toBe(11);
  expect(await check(engine === 'Builtin' ? 'TigerBeetle' : 'Builtin', foreign)).toBe(11);
  // A Job for the wrong replica leaves the file that is there as it is.
  await runStep(formatOf(engine, `${path}.partial`));
  expect((await runStep(agentWith('install', engine))).code).toBe(11);
  expect(bytes().equals(before)).toBe(true);
  expect(existsSync(`${path}.partial`)).toBe(true);
});

test('check writes its finding as one line of JSON, where Kubernetes reads it', async () => {
  const log = join(folder, 'termination-log');
  const verb = [...agentWith('check', 'Builtin'), `--termination-log=${log}`];
  expect((await runStep(verb)).code).toBe(10);
  // The agent creates no file, not even the log.
  expect(readdirSync(folder)).toEqual([]);
  writeFileSync(log, 'what was there before, and is longer than what comes'.repeat(20));
  expect((await runStep(verb)).code).toBe(10);
  expect(JSON.parse(readFileSync(log, 'utf8'))).toEqual({
    reason: 'DataFileMissing',
    message: `${path} does not exist`,
  });
  expect(readFileSync(log, 'utf8')).not.toContain('\n');

  await runStep(formatOf('Builtin', path));
  writeFileSync(log, '');
  expect((await runStep(verb)).code).toBe(0);
  expect(readFileSync(log, 'utf8')).toBe('');
  truncateSync(path, 1_000_000);
  expect((await runStep(verb)).code).toBe(12);
  expect(JSON.parse(readFileSync(log, 'utf8'))).toMatchObject({ reason: 'DataFileDamaged' });
  expect(readdirSync(folder).sort()).toEqual(['77_1.data', 'termination-log']);
});

test('a volume that is not mounted is not a missing file: nobody may recover over it', async () => {
  const log = join(folder, 'termination-log');
  writeFileSync(log, '');
  path = join(folder, 'not-mounted', '77_1.data');
  const verb = [...agentWith('check', 'Builtin'), `--termination-log=${log}`];
  expect((await runStep(verb)).code).toBe(1);
  expect(JSON.parse(readFileSync(log, 'utf8'))).toMatchObject({ reason: 'Failed' });
});

test('install with nothing to install says that the data file is missing', async () => {
  const ended = await runStep(agentWith('install', 'Builtin'));
  expect(ended).toMatchObject({ code: 10 });
  expect(ended.stderr).toContain('77_1.data.partial does not exist');
});

test('an etcd member gets its configuration if its data file is whole, and none if its votes are lost', async () => {
  const log = join(folder, 'termination-log');
  const output = join(folder, 'etcd.json');
  const verb = [
    agentProgram,
    'etcd-config',
    `--path=${path}`,
    ...identityFlags(own),
    `--etcd-folder=${join(folder, 'etcd')}`,
    '--peers=https://r0:2380,https://r1:2380,https://r2:2380',
    '--listen=https://0.0.0.0:2380',
    '--health=http://0.0.0.0:2381',
    '--socket=/etcd/client.sock',
    '--certificates=/certs',
    '--common-name=uid',
    '--memory=512MiB',
    `--output=${output}`,
    `--termination-log=${log}`,
  ];
  const reason = () => (JSON.parse(readFileSync(log, 'utf8')) as { reason: string }).reason;
  writeFileSync(log, '');
  expect([(await runStep(verb)).code, reason()]).toEqual([10, 'DataFileMissing']);
  expect(existsSync(output)).toBe(false);

  await runStep(formatOf('Builtin', path));
  expect((await runStep(verb)).code).toBe(0);
  const config = JSON.parse(readFileSync(output, 'utf8')) as Record<string, unknown>;
  expect([config['name'], config['initial-cluster-state']]).toEqual(['r1', 'new']);

  // As the engine notes it once it has seen its member.
  writeFileSync(`${path}.member`, '1 4711\n');
  writeFileSync(log, '');
  expect([(await runStep(verb)).code, reason()]).toEqual([13, 'LogMemberMissing']);
});

test('a mistake in the command line is told with what to do', async () => {
  const ended = await shell(agentProgram, ['check', '--paht=/x']);
  expect(ended).toMatchObject({ code: 1 });
  expect(ended.stderr).toBe(
    'ledger-agent: check has no flag --paht; did you mean --path?; see: ledger-agent check --help\n',
  );
  expect((await shell(agentProgram, ['--help'])).stdout).toContain('prepare');
});
