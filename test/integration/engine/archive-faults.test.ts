/**
 * What goes wrong with an archive beyond single lost answers (archive.test.ts, backup.test.ts): a real engine, real archivers, a real
 * S3 server, and a proxy before it.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { removeBackup } from '../../../engine/archive/removals.ts';
import { S3Store } from '../../../engine/archive/s3-store.ts';
import { ArchiveWorld, type ArchivedDatabase } from '../../support/engine/archive-world.ts';
import { archivedAll } from '../../support/engine/archiver.ts';
import { engineProgram } from '../../support/engine/engine.ts';
import {
  fillUp,
  makeRoom,
  mayMount,
  mountVolume,
  unmountVolume,
} from '../../support/engine/small-volume.ts';
import { eventually, shell } from '../../support/shell.ts';
import { passes } from '../../support/store/faulty-proxy.ts';
import { BUCKET } from '../../support/store/s3-server.ts';

jest.setTimeout(1_800_000);

let world: ArchiveWorld;

beforeAll(async () => {
  // As with an archiver of an earlier release, or one that may not read the data file.
  world = await ArchiveWorld.start({ readsFile: false });
});
afterEach(() => world.endTest());
afterAll(() => world?.dispose());

/** The state of the engine; nothing is written meanwhile. */
async function stateOf({ engine }: ArchivedDatabase) {
  const { op, stateHash } = await engine.status();
  return { op, stateHash };
}

/** One window from the first operation to the engine's last one, whose end is restored to the engine's very state. */
async function expectWhole(own: ArchivedDatabase): Promise<void> {
  await archivedAll(own.engine);
  const state = await stateOf(own);
  const to = { op: state.op };
  expect(await own.windows()).toMatchObject([{ from: { op: 0 }, to, missingOps: 0 }]);
  expect(await own.restored(`--to-op=${state.op}`)).toMatchObject(state);
}

const toldState = (own: ArchivedDatabase, state: string) =>
  eventually(`${state} is told`, async () => {
    const { archive } = await own.engine.status();
    return archive?.state === state ? archive : undefined;
  });

const segmentsOf = ({ log }: ArchivedDatabase): readonly string[] => readdirSync(log).sort();
const firstOpOf = (segment: string): number => Number.parseInt(segment, 16);

test('each write arrives twice at the store: one chain, and nothing is doubled', async () => {
  const own = await world.database();
  world.proxy.fault = (method) => (method === 'PUT' ? { kind: 'twice' } : passes);
  own.archiver();
  for (let segment = 0; segment < 3; segment += 1) {
    await own.write(20);
    await archivedAll(own.engine);
  }
  await own.backUp('twice');
  await expectWhole(own);
  expect(await own.run('verify-backup', '--backup=twice')).toMatchObject({ transfers: 60 });
});

test('an archiver that is frozen with a write under way, and wakes after another one has gone on, changes nothing', async () => {
  const own = await world.database();
  const frozen = own.archiver();
  await own.write(5);
  await archivedAll(own.engine);
  let letGo = (): void => undefined;
  const free = new Promise<void>((resolve) => (letGo = resolve));
  const late = new Promise<void>((resolve) => {
    world.proxy.before = async (method, path) => {
      if (method !== 'PUT' || !path.includes('/log/')) return;
      world.proxy.before = undefined;
      frozen.signal('SIGSTOP');
      resolve();
      await free;
    };
  });
  await own.write(7);
  await late;
  own.archiver({ spool: 'other' });
  for (let segment = 0; segment < 2; segment += 1) {
    await own.write(9);
    await archivedAll(own.engine);
  }
  const before = segmentsOf(own).map((name) => readFileSync(join(own.log, name)));
  letGo();
  frozen.signal('SIGCONT');
  await own.write(11);
  await expectWhole(own);
  const after = segmentsOf(own).map((name) => readFileSync(join(own.log, name)));
  expect(after.slice(0, before.length)).toEqual(before);
});

test('a store that is away until nothing more can wait leaves one gap, which is named; writes went on, and both sides can be had', async () => {
  const own = await world.database();
  own.archiver({ flags: ['--spool-limit=64KiB'] });
  await own.write(10);
  await archivedAll(own.engine);
  await world.server.stop();
  await own.write(10);
  const { message } = await toldState(own, 'StoreUnreachable');
  expect(message).toContain('does not answer');
  // More than the engine keeps for an archive.
  for (let batch = 0; batch < 160; batch += 1) await own.write(8_000);
  // A checkpoint that ended later would take from the log what the archiver is about to read: a second gap.
  const checkpoint = `http://127.0.0.1:${own.engine.statusPort}/checkpoint`;
  expect((await fetch(checkpoint, { method: 'POST' })).status).toBe(200);
  await world.server.resume();
  await own.write(10);
  expect(await archivedAll(own.engine)).toMatchObject({ gaps: 1 });
  const base = await own.backUp('after');
  await own.write(10);
  await archivedAll(own.engine);
  const now = await stateOf(own);
  const [before, after, ...more] = await own.windows();
  expect(more).toEqual([]);
  expect(before).toMatchObject({ from: { op: 0 }, missingOps: 0 });
  expect(after).toMatchObject({ from: { op: base }, to: { op: now.op }, follows: 'gap' });
  expect(after?.missingOps).toBeGreaterThan(0);
  const last = before?.to.op ?? 0;
  expect(await own.restored(`--to-op=${last}`)).toMatchObject({ op: last });
  expect(await own.restored(`--to-op=${now.op}`)).toMatchObject(now);
  expect(await own.refusal(`--to-op=${last + 1}`)).toContain(`the next one is operation ${base}`);
});

test('segments that waited on a volume that is lost are read again from the engine', async () => {
  const own = await world.database();
  const archiver = own.archiver();
  await own.write(10);
  await archivedAll(own.engine);
  await world.server.stop();
  for (let segment = 0; segment < 2; segment += 1) {
    await own.write(10);
    const sealed = segment + 1;
    await eventually('a segment waits', async () =>
      readdirSync(archiver.spool).length > sealed ? true : undefined,
    );
  }
  await archiver.end('SIGKILL');
  rmSync(archiver.spool, { recursive: true });
  await world.server.resume();
  own.archiver({ spool: 'of-the-next-pod' });
  await own.write(10);
  await expectWhole(own);
});

test('credentials that the store no longer takes are named; a pod with the new ones goes on without a gap', async () => {
  const own = await world.database();
  const archiver = own.archiver();
  await own.write(10);
  await archivedAll(own.engine);
  await world.server.takeOnly('another-secret');
  try {
    await own.write(10);
    const { message } = await toldState(own, 'StoreRefused');
    expect(message).toMatch(
      /bucket backups at http.* refused the request \(403 SignatureDoesNotMatch/,
    );
    await own.write(10);
    await archiver.end('SIGTERM');
    const path = world.server.writeCredentials('rotated', {
      'access-key-id': world.server.accessKeyId,
      'secret-access-key': 'another-secret',
    });
    const store = own.store.map((flag) =>
      flag.replace(/^--credentials=.*/, `--credentials=${path}`),
    );
    own.archiver({ store });
    await own.write(10);
    await archivedAll(own.engine);
    const state = await stateOf(own);
    expect(await own.restored(`--to-op=${state.op}`, store)).toMatchObject(state);
  } finally {
    await world.server.takeOnly(world.server.secretAccessKey);
  }
  await expectWhole(own);
});

/** A module that puts the clock of its process an hour ahead. */
const AHEAD = `
  const { now } = Date;
  const Real = Date;
  globalThis.Date = class extends Real {
    constructor(...given) {
      if (given.length === 0) super(now() + 3_600_000);
      else super(...given);
    }
    static now() {
      return now() + 3_600_000;
    }
  };
`;

test('a clock that is an hour off is named by the store, writes go on, and it heals by itself', async () => {
  const own = await world.database();
  own.archiver({
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(AHEAD)}` },
  });
  await own.write(10);
  const { message } = await toldState(own, 'StoreRefused');
  expect(message).toMatch(/RequestTimeTooSkewed: .*this machine's clock/);
  await own.write(10);
  await expectWhole(own);
});

test('a bucket that is full on its disk is named, writes go on, and it heals once there is room', async () => {
  if (!mayMount()) return;
  const full = await ArchiveWorld.start();
  mountVolume(full.server.bucket, 8 * 2 ** 20);
  try {
    const own = await full.database();
    own.archiver();
    await own.write(10);
    await archivedAll(own.engine);
    fillUp(full.server.bucket, 0);
    await own.write(2_000);
    const { message } = await toldState(own, 'StoreFull');
    expect(message).toContain('takes no more');
    await own.write(2_000);
    makeRoom(full.server.bucket);
    await expectWhole(own);
  } finally {
    await full.endTest();
    await full.server.stop();
    unmountVolume(full.server.bucket);
    await full.dispose();
  }
});

test('the first operation, and the first and last of each segment, come back exactly; what is not there is refused with the nearest', async () => {
  const own = await world.database();
  own.archiver();
  const states = new Map<number, { op: number; stateHash: string }>();
  const note = async () => {
    const state = await stateOf(own);
    states.set(state.op, state);
  };
  await note();
  for (let segment = 0; segment < 3; segment += 1) {
    for (let request = 0; request < 4; request += 1) {
      await own.write(3);
      await note();
    }
    await archivedAll(own.engine);
  }
  const firsts = segmentsOf(own).map(firstOpOf);
  expect(firsts.length).toBeGreaterThanOrEqual(3);
  const { op: end } = await stateOf(own);
  const edges = new Set([1, ...firsts, ...firsts.slice(1).map((op) => op - 1), end]);
  for (const op of edges) {
    const known = states.get(op);
    expect(await own.restored(`--to-op=${op}`)).toMatchObject(known ?? { op });
  }
  // Most of them are operations of this test, whose states are known.
  expect([...edges].filter((op) => states.has(op)).length).toBeGreaterThan(edges.size / 2);
  const nearest = `the last one before is operation ${end}`;
  expect(await own.refusal(`--to-op=${end + 1}`)).toContain(nearest);
  expect(await own.refusal('--to-time=2999-01-01T00:00:00Z')).toContain(nearest);
});

test('a segment of another database, of another place or without its bytes is refused by its key, and all before it can be had', async () => {
  const own = await world.database();
  own.archiver();
  const other = await world.database();
  other.archiver();
  for (let segment = 0; segment < 3; segment += 1) {
    for (const one of [own, other]) {
      await one.write(5);
      await archivedAll(one.engine);
    }
  }
  const { op } = await stateOf(own);
  const names = segmentsOf(own);
  const [first = '', second = '', third = ''] = names;
  const path = join(own.log, second);
  const kept = join(own.engine.folder, 'kept');
  copyFileSync(path, kept);
  const [firstOfOther = ''] = segmentsOf(other);
  const whole = readFileSync(kept);
  const wrong: readonly (readonly [string, () => void])[] = [
    ['of another database', () => copyFileSync(join(other.log, firstOfOther), path)],
    ['of an earlier place', () => copyFileSync(join(own.log, first), path)],
    ['of a later place', () => copyFileSync(join(own.log, third), path)],
    ['empty', () => writeFileSync(path, '')],
    ['cut', () => writeFileSync(path, whole.subarray(0, whole.length >> 1))],
    ['longer', () => writeFileSync(path, Buffer.concat([whole, Buffer.from([0])]))],
    ['gone', () => rmSync(path)],
  ];
  const before = firstOpOf(second) - 1;
  for (const [how, deed] of wrong) {
    deed();
    expect([how, await own.refusal(`--to-op=${op}`)]).toEqual([
      how,
      expect.stringContaining(second),
    ]);
  }
  expect(await own.restored(`--to-op=${before}`)).toMatchObject({ op: before });
  renameSync(kept, path);
  await expectWhole(own);
});

test('a restore that has begun reads on while its backup is removed and the sweep runs', async () => {
  const own = await world.database();
  own.archiver();
  await own.write(50);
  await archivedAll(own.engine);
  const base = await own.backUp('base');
  await own.write(50);
  await archivedAll(own.engine);
  const wanted = await stateOf(own);
  await own.write(50);
  await archivedAll(own.engine);
  await own.backUp('newer');
  let swept: Promise<void> | undefined;
  const removeAndSweep = async () => {
    await own.run('remove-backup', '--backup=base');
    await own.run('sweep-backups', '--log-days=1');
  };
  world.proxy.before = async (method, path) => {
    if (method === 'GET' && path.includes('/rows/')) await (swept ??= removeAndSweep());
  };
  // On a slow machine a request waits longer than its deadline, and is made again.
  const found = await own.restored(`--to-op=${wanted.op}`);
  expect(swept).toBeDefined();
  await swept;
  expect(found).toMatchObject({ ...wanted, backupId: 'base' });
  expect(base).toBeLessThan(wanted.op);
});

test('a sweep that is killed at each delete leaves every backup that stays whole, and is ended by the next one', async () => {
  const own = await world.database();
  for (let backup = 0; backup < 3; backup += 1) {
    await own.write(20);
    await own.backUp(`b${backup}`);
  }
  const store = new S3Store({
    endpoint: world.server.endpoint,
    region: 'us-east-1',
    bucket: BUCKET,
    prefix: 'house/',
    accessKeyId: world.server.accessKeyId,
    secretAccessKey: world.server.secretAccessKey,
    forcePathStyle: true,
    patienceMs: 120_000,
  });
  const removedAt = '2020-01-01T00:00:00.000Z';
  for (const backupId of ['b0', 'b1']) await removeBackup(store, own.id, { backupId, removedAt });
  store.close();
  world.server.age(join(own.id, 'removed'), 2);
  // What a killed sweep has deleted, the next one deletes again: it comes one object further.
  let kills = 0;
  for (;;) {
    const child = spawn(engineProgram, ['sweep-backups', ...own.store], { stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    let deletes = 0;
    world.proxy.before = async (method) => {
      if (method !== 'DELETE') return;
      deletes += 1;
      if (deletes <= kills) return;
      child.kill('SIGKILL');
      await ended;
    };
    await ended;
    world.proxy.before = undefined;
    expect(await own.run('verify-backup', '--backup=b2')).toMatchObject({ transfers: 60 });
    if (deletes <= kills) break;
    kills += 1;
  }
  expect(kills).toBeGreaterThan(1);
  expect(await own.run('sweep-backups')).toMatchObject({ emptied: 0, chunks: 0, waiting: 2 });
});

test('keys that are replaced twice: the newest alone opens all that was written before, and without it the key is named', async () => {
  const keyOf = (name: string) => `${name} ${randomBytes(32).toString('base64')}`;
  const [first, second, third] = [keyOf('2026'), keyOf('2027'), keyOf('2028')];
  const files = (name: string, keys: readonly string[]) => {
    world.server.writeCredentials(name, {
      'access-key-id': world.server.accessKeyId,
      'secret-access-key': world.server.secretAccessKey,
      'encryption-keys': `${keys.join('\n')}\n`,
    });
    return name;
  };
  const own = await world.database(files('one', [first]));
  const withKeys = (name: string, keys: readonly string[]) =>
    own.store.map((flag) =>
      flag.replace(
        /^--credentials=.*/,
        `--credentials=${join(world.server.folder, files(name, keys))}`,
      ),
    );
  const states: { readonly op: number; readonly stateHash: string }[] = [];
  const archiveOnce = async (store: readonly string[]) => {
    const archiver = own.archiver({ store });
    await own.write(20);
    await archivedAll(own.engine);
    states.push(await stateOf(own));
    await archiver.end('SIGTERM');
  };
  await archiveOnce(own.store);
  for (const [name, keys] of [
    ['two', [second, first]],
    ['three', [third, second]],
  ] as const) {
    const store = withKeys(name, keys);
    await archiveOnce(store);
    const sweep = await shell(engineProgram, ['sweep-backups', ...store]);
    expect(JSON.parse(sweep.stdout)).toMatchObject({ encryption: { stillNeeded: [] } });
  }
  const newest = withKeys('newest', [third]);
  for (const state of states)
    expect(await own.restored(`--to-op=${state.op}`, newest)).toMatchObject(state);
  const { op } = await stateOf(own);
  const wrong = withKeys('wrong', [keyOf('2028')]);
  expect(await own.refusal(`--to-op=${op}`, wrong)).toMatch(/the key "2028" \([0-9a-f]{16}\)/);
  rmSync(join(world.server.folder, 'wrong', 'encryption-keys'));
  expect(await own.refusal(`--to-op=${op}`, wrong)).toMatch(/"2028"/);
});
