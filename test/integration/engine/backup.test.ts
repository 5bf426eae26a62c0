/**
 * Backups by the engine's own commands: a real engine under load, a real S3 server, and a proxy between the two that loses
 * answers, cuts them and refuses.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { engineProgram, TestEngine } from '../../support/engine/engine.ts';
import {
  connectTo,
  create,
  accountBytes,
  lookupAccounts,
  transferBytes,
} from '../../support/engine/ledger.ts';
import { mustRun, shell } from '../../support/shell.ts';
import { FaultyProxy, passes, type Fault } from '../../support/store/faulty-proxy.ts';
import { BUCKET, S3Server } from '../../support/store/s3-server.ts';
import { removeBackup } from '../../../engine/archive/removals.ts';
import { S3Store } from '../../../engine/archive/s3-store.ts';
import { Client } from '../../../engine/client/client.ts';
import { Operation } from '../../../engine/wire/operations.ts';

jest.setTimeout(1_800_000);

let server: S3Server;
let proxy: FaultyProxy;
let engine: TestEngine;
let databases = 0;
let database = '';
let transfers = 0n;

beforeAll(async () => {
  server = await S3Server.start();
  proxy = await FaultyProxy.start(server.port);
  engine = await TestEngine.create({ cluster: 0n });
  await write(5_000, true);
});
afterEach(() => {
  proxy.reset();
  database = '';
});
afterAll(async () => {
  await proxy?.close();
  await engine?.dispose();
  await server?.dispose();
});

interface Result {
  readonly op: number;
  readonly stateHash: string;
  readonly transfers: number;
  readonly key: string;
  readonly sha256: string;
  readonly newObjects: number;
  readonly newBytes: number;
  readonly seconds: number;
}

/** A database whose archive no other test uses. */
function ownDatabase(): string {
  if (database === '') database = `db_test_${(databases += 1)}`;
  return database;
}

const flags = (): readonly string[] => [...server.flags(ownDatabase(), proxy.url), '--patience=20'];

const backupArgs = (id: string): readonly string[] => [
  'backup',
  ...flags(),
  `--id=${id}`,
  `--status-address=127.0.0.1:${engine.statusPort}`,
  engine.path,
];

const backUp = async (id: string): Promise<Result> =>
  JSON.parse(await mustRun(engineProgram, backupArgs(id))) as Result;

const verify = async (id: string): Promise<Result> =>
  JSON.parse(
    await mustRun(engineProgram, ['verify-backup', ...flags(), `--backup=${id}`]),
  ) as Result;

/** Writes transfers of 1 from account 1 to account 2. */
async function write(count: number, isFirst = false): Promise<void> {
  const client = connectTo(engine.port);
  try {
    if (isFirst) await create(client, Operation.createAccounts, accountBytes([1n, 2n]));
    for (let sent = 0; sent < count; sent += 1_000) {
      const batch = Array.from({ length: Math.min(1_000, count - sent) }, () => ({
        id: (transfers += 1n),
        debit: 1n,
        credit: 2n,
        amount: 1n,
      }));
      await create(client, Operation.createTransfers, transferBytes(batch));
    }
  } finally {
    client.close();
  }
}

test('a backup made while a client writes restores to the very state of its op, and the books balance', async () => {
  const load = { goesOn: true };
  const done = (async () => {
    while (load.goesOn) await write(1_000);
  })();
  const made = await backUp('beside');
  load.goesOn = false;
  await done;
  const to = join(engine.folder, 'restored', 'replica.ledger');
  await mustRun('mkdir', [join(engine.folder, 'restored')]);
  const where = [`--sha256=${made.sha256}`, '--cluster=99', '--replica=0', '--replica-count=1', to];
  await mustRun(engineProgram, ['restore-backup', ...flags(), '--backup=beside', ...where]);
  const restored = await TestEngine.open(join(engine.folder, 'restored'));
  try {
    const status = await restored.status();
    expect(status).toMatchObject({ clusterId: '99', op: made.op, stateHash: made.stateHash });
    const addresses = [{ host: '127.0.0.1', port: restored.port }];
    const client = new Client({ cluster: 99n, addresses, timeoutMs: 60_000 });
    const [debited, credited] = await lookupAccounts(client, [1n, 2n]);
    client.close();
    expect(debited?.debitsPosted).toBe(BigInt(made.transfers));
    expect(credited?.creditsPosted).toBe(BigInt(made.transfers));
  } finally {
    await restored.dispose();
  }
  // Nothing is overwritten.
  const again = await shell(engineProgram, ['restore-backup', ...flags(), ...where]);
  expect(again).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('exists and is not overwritten'),
  });
});

test('the next backup sends only what is new', async () => {
  const first = await backUp('first');
  const second = await backUp('second');
  expect(second).toMatchObject({ newObjects: 0, newBytes: 0, stateHash: first.stateHash });
  await write(10);
  const third = await backUp('third');
  expect(third.newObjects).toBe(1);
  expect((await verify('first')).stateHash).toBe(first.stateHash);
  expect((await verify('third')).transfers).toBe(first.transfers + 10);
  const listed = await mustRun(engineProgram, ['backups', ...flags()]);
  expect(listed.trim().split('\n')).toHaveLength(3);
});

const once = (fault: Fault, methods: readonly string[]) => {
  const faulted = new Set<string>();
  return (method: string, path: string): Fault => {
    if (!methods.includes(method) || faulted.has(path)) return passes;
    faulted.add(path);
    return fault;
  };
};

test.each<[string, Fault]>([
  ['answers are lost', { kind: 'answerLost' }],
  ['the store is busy', { kind: 'status', status: 503, code: 'SlowDown' }],
  ['the store has an error', { kind: 'status', status: 500, code: 'InternalError' }],
  ['answers are cut', { kind: 'answerCut' }],
])('%s, once for each object: the backup is whole and made once', async (_, fault) => {
  proxy.fault = once(fault, ['PUT', 'GET']);
  const made = await backUp('b');
  proxy.fault = once(fault, ['GET']);
  expect((await verify('b')).stateHash).toBe(made.stateHash);
  proxy.reset();
  const found = await mustRun(engineProgram, ['backups', ...flags()]);
  expect(found.trim().split('\n')).toHaveLength(1);
});

test.each<[string, Fault, RegExp]>([
  [
    'refuses',
    { kind: 'status', status: 403, code: 'AccessDenied' },
    /refused the request \(403 AccessDenied/,
  ],
  ['is full', { kind: 'status', status: 507, code: 'InsufficientStorage' }, /takes no more/],
  ['is silent', { kind: 'silence' }, /does not answer/],
  ['has no such bucket', { kind: 'status', status: 404, code: 'NoSuchBucket' }, /does not exist/],
  ['finds the clock wrong', { kind: 'status', status: 403, code: 'RequestTimeTooSkewed' }, /clock/],
])('a store that %s is named, and the engine goes on', async (_, fault, message) => {
  proxy.fault = () => fault;
  const result = join(engine.folder, 'result');
  const args = [...backupArgs('b').slice(0, -1), '--patience=2', `--result=${result}`, engine.path];
  const ended = await shell(engineProgram, args);
  expect(ended.code).toBe(1);
  expect(ended.stderr).toMatch(message);
  expect(ended.stderr.trim().split('\n')).toHaveLength(1);
  expect(JSON.parse(readFileSync(result, 'utf8'))).toMatchObject({ error: expect.any(String) });
  await write(10);
});

test('a wrong secret, and a real bucket that is not there, are named', async () => {
  const wrong = { 'access-key-id': 'tester', 'secret-access-key': 'no' };
  const folder = server.writeCredentials('wrong', wrong);
  const args = backupArgs('b').map((arg) =>
    arg.replace(/^--credentials=.*/, `--credentials=${folder}`),
  );
  expect((await shell(engineProgram, args)).stderr).toMatch(/refused the request \(403 Signature/);
  const elsewhere = backupArgs('b').map((arg) => arg.replace('s3://backups', 's3://nowhere'));
  expect((await shell(engineProgram, elsewhere)).stderr).toMatch(/nowhere .*does not exist/);
});

test('killed at any request, a backup is made by the next try, and there is none before', async () => {
  // On a slow machine a backup makes some requests more than once, and so one has more of them than another.
  let isKilled = true;
  for (let last = 1; isKilled; last += 1) {
    database = '';
    proxy.reset();
    isKilled = false;
    let isRecorded = false;
    const child = spawn(engineProgram, backupArgs('b'), { stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    proxy.before = async (method, path) => {
      isRecorded ||= method === 'PUT' && path.includes(`/${ownDatabase()}/backups/`);
      if (proxy.requests < last) return;
      isKilled = true;
      child.kill('SIGKILL');
      await ended;
    };
    await ended;
    proxy.reset();
    const before = await mustRun(engineProgram, ['backups', ...flags()]);
    if (!isRecorded) expect(before).toBe('');
    const made = await backUp('b');
    expect((await verify('b')).sha256).toBe(made.sha256);
  }
});

test('a flipped byte in the bucket is named, and nothing is restored', async () => {
  const made = await backUp('b');
  const rows = join(server.bucket, 'house', ownDatabase(), 'rows/0002');
  const [name = ''] = readdirSync(rows);
  const bytes = readFileSync(join(rows, name));
  bytes[bytes.length >> 1]! ^= 1;
  writeFileSync(join(rows, name), bytes);
  const to = join(engine.folder, 'never.ledger');
  const identity = ['--cluster=1', '--replica=0', '--replica-count=1'];
  const ended = await shell(engineProgram, ['restore-backup', ...flags(), ...identity, to]);
  expect(ended).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`rows/0002/${name}: its compressed rows are damaged`),
  });
  expect(readdirSync(engine.folder).filter((file) => file.startsWith('never'))).toEqual([]);
  rmSync(join(server.bucket, 'house', made.key));
  const none = await shell(engineProgram, ['verify-backup', ...flags()]);
  expect(none.stderr).toMatch(/has no backup/);
});

test('a removed backup is refused, and the sweep takes from the bucket what only it needs, whatever the store answers', async () => {
  await backUp('first');
  await write(10);
  const second = await backUp('second');
  await write(10);
  await backUp('third');
  const removing = ['remove-backup', ...flags(), '--backup=third'];
  expect(JSON.parse(await mustRun(engineProgram, removing))).toMatchObject({
    backupId: 'third',
    left: 2,
  });
  const refused = await shell(engineProgram, ['verify-backup', ...flags(), '--backup=third']);
  expect(refused.stderr).toMatch(/backup third was removed at .*Restore another one/);
  const sums = join(server.folder, 'sums.json');
  const sweepNow = () => shell(engineProgram, ['sweep-backups', ...flags(), `--result=${sums}`]);
  const summed = () => JSON.parse(readFileSync(sums, 'utf8')) as { readonly removedBytes: number };
  const bytesOf = (names: readonly string[]) =>
    names.reduce((sum, name) => sum + statSync(join(rows, name)).size, 0);
  expect(JSON.parse((await sweepNow()).stdout)).toMatchObject({ emptied: 0, waiting: 1 });
  const store = new S3Store({
    endpoint: `http://127.0.0.1:${server.port}`,
    region: 'us-east-1',
    bucket: BUCKET,
    prefix: 'house/',
    accessKeyId: 'tester',
    secretAccessKey: 'tester-secret',
    forcePathStyle: true,
    patienceMs: 120_000,
  });
  // Removed long ago, as the remover's clock says, which may be wrong.
  const removedAt = '2020-01-01T00:00:00.000Z';
  await removeBackup(store, ownDatabase(), { backupId: 'first', removedAt });
  store.close();
  expect(JSON.parse((await sweepNow()).stdout)).toMatchObject({ emptied: 0, waiting: 2 });
  // The store says so, too. The third one is noted as removed today.
  server.age(join(ownDatabase(), 'removed'), 2);
  const rows = join(server.bucket, 'house', ownDatabase(), 'rows/0002');
  const objects = () => readdirSync(rows);
  const before = objects();
  const bytesBefore = bytesOf(before);
  proxy.fault = (method) =>
    method === 'DELETE' ? { kind: 'status', status: 403, code: 'AccessDenied' } : passes;
  const denied = await sweepNow();
  expect([denied.code, JSON.parse(denied.stdout)]).toMatchObject([1, { error: 'store_refused' }]);
  expect(summed()).toEqual({ archives: 1, failed: 1, removedBytes: 0, waiting: 0, locked: 0 });
  expect(objects()).toEqual(before);
  proxy.fault = once({ kind: 'answerLost' }, ['DELETE', 'PUT']);
  const swept = await sweepNow();
  expect(JSON.parse(swept.stdout)).toMatchObject({ emptied: 1, chunks: 1, waiting: 1 });
  expect(objects()).toHaveLength(before.length - 1);
  const removedBytes = bytesBefore - bytesOf(objects());
  expect(removedBytes).toBeGreaterThan(0);
  expect(summed()).toEqual({ archives: 1, failed: 0, removedBytes, waiting: 1, locked: 0 });
  proxy.reset();
  expect((await verify('second')).stateHash).toBe(second.stateHash);
});

test('with keys beside the credentials the archive is encrypted; keys are replaced, and missed by name', async () => {
  const keyOf = (name: string) => `${name} ${randomBytes(32).toString('base64')}`;
  const [old, next] = [keyOf('2026'), keyOf('2027')];
  const credentials = { 'access-key-id': 'tester', 'secret-access-key': 'tester-secret' };
  const withKeys = async (keys: readonly string[], args: readonly string[]) => {
    const files = { ...credentials, 'encryption-keys': `${keys.join('\n')}\n` };
    const path = server.writeCredentials(`keys-${keys.join().length}`, files);
    const own = args.map((arg) => arg.replace(/^--credentials=.*/, `--credentials=${path}`));
    return JSON.parse(await mustRun(engineProgram, own)) as Record<string, unknown>;
  };
  const made = await withKeys([old], backupArgs('sealed'));
  expect(made).toMatchObject({ encrypted: true });
  const archive = join(server.bucket, 'house', ownDatabase());
  const objects = () => readdirSync(archive, { recursive: true }).map(String);
  const records = objects().filter((name) => name.endsWith('.ndjson'));
  expect(readFileSync(join(archive, records.join())).includes('stateHash')).toBe(false);
  const verifying = ['verify-backup', ...flags(), '--backup=sealed'];
  for (const args of [verifying, backupArgs('another')]) {
    const refused = await shell(engineProgram, args);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/opens with the key "2026" \([0-9a-f]{16}\)/);
  }
  // Rotation writes a box, and nothing else; then the old key is not needed.
  const before = objects();
  expect(await withKeys([next, old], ['sweep-backups', ...flags()])).toMatchObject({
    encryption: { dataKeys: 1, boxesMade: 1, stillNeeded: [] },
  });
  const added = objects().filter((name) => !before.includes(name));
  expect(added).toEqual([expect.stringMatching(/^keys\//)]);
  expect(await withKeys([next], verifying)).toMatchObject({ stateHash: made['stateHash'] });
});

test('with object lock the store itself keeps what a backup needs, for later backups too; a bucket without it is refused', async () => {
  const access = { accessKeyId: server.accessKeyId, secretAccessKey: server.secretAccessKey };
  const how = { endpoint: server.endpoint, region: 'us-east-1', forcePathStyle: true };
  const client = new S3Client({ ...how, credentials: access });
  const stored = { ...how, ...access, bucket: 'locked', prefix: 'house/', patienceMs: 120_000 };
  const store = new S3Store({ ...stored, lock: { mode: 'GOVERNANCE', days: 100 } });
  try {
    await client.send(
      new CreateBucketCommand({ Bucket: 'locked', ObjectLockEnabledForBucket: true }),
    );
    const locking = (lock: string, args: readonly string[], bucket = 'locked') => {
      const path = server.writeCredentials(`lock-${lock}`, {
        'access-key-id': server.accessKeyId,
        'secret-access-key': server.secretAccessKey,
        'object-lock': `${lock}\n`,
      });
      return args.map((arg) =>
        arg
          .replace(/^--credentials=.*/, `--credentials=${path}`)
          .replace(`s3://${BUCKET}/`, `s3://${bucket}/`),
      );
    };
    const run = async (lock: string, args: readonly string[]) =>
      JSON.parse(await mustRun(engineProgram, locking(lock, args))) as Result & {
        readonly lockedUntil?: string;
      };
    const refused = await shell(
      engineProgram,
      locking('GOVERNANCE 10', backupArgs('plain'), BUCKET),
    );
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`bucket ${BUCKET} has no object lock`);
    expect(existsSync(join(server.bucket, 'house', ownDatabase()))).toBe(false);

    const began = Date.now();
    const daysOf = (time = '') => (Date.parse(time) - began) / 86_400_000;
    const first = await run('GOVERNANCE 10', backupArgs('locked'));
    expect(daysOf(first.lockedUntil)).toBeCloseTo(15, 1);
    // Whoever may delete hides an object, and no more than that.
    const Key = `house/${first.key}`;
    await store.remove(first.key);
    const where = { Bucket: 'locked' };
    const { Versions: [version] = [], DeleteMarkers: [mark] = [] } = await client.send(
      new ListObjectVersionsCommand({ ...where, Prefix: Key }),
    );
    const deletion = (VersionId = '') => new DeleteObjectCommand({ ...where, Key, VersionId });
    await expect(client.send(deletion(version?.VersionId))).rejects.toThrow('object lock');
    await client.send(deletion(mark?.VersionId));

    const verifying = ['verify-backup', ...flags(), '--backup=locked'];
    expect(await run('GOVERNANCE 10', verifying)).toMatchObject({ stateHash: first.stateHash });
    // A later backup locks for longer what it needs of the earlier one; a shorter time takes nothing back.
    const second = await run('COMPLIANCE 100', backupArgs('longer'));
    expect(daysOf(second.lockedUntil)).toBeCloseTo(150, 1);
    expect(second.newBytes).toBeLessThan(first.newBytes);
    const third = await run('GOVERNANCE 1', backupArgs('shorter'));
    expect(daysOf(third.lockedUntil)).toBeCloseTo(1.5, 1);
    const held: string[] = [];
    for await (const key of store.list(`${ownDatabase()}/rows/`)) held.push(key);
    for (const key of held) expect(daysOf(await store.locks?.lasting(key))).toBeGreaterThan(149);
  } finally {
    store.close();
    client.destroy();
  }
});

test('a stopped replica is backed up from its file, and only a closed one', async () => {
  const stopped = await TestEngine.create({ cluster: 0n });
  try {
    const args = ['backup', ...flags(), '--id=cold', '--stopped', stopped.path];
    expect((await shell(engineProgram, args)).stderr).toMatch(/Another process has .* open/);
    await stopped.end('SIGTERM');
    const made = JSON.parse(await mustRun(engineProgram, args)) as Result;
    expect(made.transfers).toBe(0);
  } finally {
    await stopped.dispose();
  }
});

test.each([
  [['--store=http://x'], /s3:\/\/BUCKET/],
  [['--endpoint=localhost'], /http\(s\)/],
  [['--id=Ü'], /--id is/],
  [['--patience=0'], /--patience/],
  [['--stopped'], /give the state of the file/],
])('%s is refused with what to do', async (more, message) => {
  const ended = await shell(engineProgram, [...backupArgs('b').slice(0, -1), ...more, engine.path]);
  expect(ended.code).toBe(1);
  expect(ended.stderr).toMatch(message);
});

test('an exported file in the bucket becomes a database with everything that was written before, and one that is cut short does not', async () => {
  const exported = join(engine.folder, 'exported.ledger');
  await mustRun(engineProgram, [
    'export',
    `--status-address=127.0.0.1:${engine.statusPort}`,
    exported,
  ]);
  const folder = join(server.bucket, 'house', 'import-files', 'one');
  mkdirSync(folder, { recursive: true });
  const bytes = readFileSync(exported);
  writeFileSync(join(folder, '0_0.ledger'), bytes);
  const bucket = flags().filter((flag) => !flag.startsWith('--database='));
  const args = (to: string) => [
    'restore-import',
    ...bucket,
    '--import=one',
    '--from-cluster=0',
    '--cluster=98',
    '--replica=0',
    '--replica-count=1',
    to,
  ];
  mkdirSync(join(engine.folder, 'imported'));
  // The store's answers break off now and then.
  proxy.fault = (_method, _path, count) => (count % 3 === 0 ? { kind: 'answerCut' } : passes);
  await mustRun(engineProgram, args(join(engine.folder, 'imported', 'replica.ledger')));
  proxy.reset();
  const imported = await TestEngine.open(join(engine.folder, 'imported'));
  try {
    expect(await imported.status()).toMatchObject({ clusterId: '98' });
    const addresses = [{ host: '127.0.0.1', port: imported.port }];
    const client = new Client({ cluster: 98n, addresses, timeoutMs: 60_000 });
    const [debited, credited] = await lookupAccounts(client, [1n, 2n]);
    client.close();
    expect(debited?.debitsPosted).toBe(transfers);
    expect(credited?.creditsPosted).toBe(transfers);
  } finally {
    await imported.dispose();
  }
  writeFileSync(join(folder, '0_0.ledger'), bytes.subarray(0, bytes.length - 4_096));
  const never = join(engine.folder, 'never-imported.ledger');
  const ended = await shell(engineProgram, args(never));
  expect(ended).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('import-files/one/0_0.ledger: it is cut short'),
  });
  expect(existsSync(never)).toBe(false);
  const elsewhere = args(never).map((arg) => (arg === '--import=one' ? '--import=two' : arg));
  const none = await shell(engineProgram, elsewhere);
  expect(none.stderr).toContain('import-files/two/0_0.ledger: there is no such object');
});
