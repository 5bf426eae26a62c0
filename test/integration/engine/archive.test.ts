/**
 * Continuous archiving by the engine's own commands: a real engine under load, a real archiver, a real S3 server, and a proxy
 * before it that loses answers, cuts them and refuses.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { ArchiveEnds } from '../../../api/backups/archive-ends.ts';
import type { Database } from '../../../api/store/database-record.ts';
import { fetchStatus } from '../../../domain/fetch-status.ts';
import { S3Store } from '../../../engine/archive/s3-store.ts';
import { SealedStore } from '../../../engine/archive/sealed-store.ts';
import { archiveRest } from '../../../engine/archiver/archive-rest.ts';
import { diskStorage } from '../../../engine/log/disk-storage.ts';
import { timeOf } from '../../../domain/moment.ts';
import { OPS_BETWEEN_HISTORIES, type Target } from '../../../domain/recovery.ts';
import { archivedAll, TestArchiver } from '../../support/engine/archiver.ts';
import {
  ArchiveWorld,
  type ArchivedDatabase,
  type WrittenMoment,
} from '../../support/engine/archive-world.ts';
import { engineProgram } from '../../support/engine/engine.ts';
import { connectTo } from '../../support/engine/ledger.ts';
import { eventually, mustRun } from '../../support/shell.ts';
import { passes, type Fault } from '../../support/store/faulty-proxy.ts';

jest.setTimeout(1_800_000);

let world: ArchiveWorld;

beforeAll(async () => {
  world = await ArchiveWorld.start();
});
afterEach(() => world.endTest());
afterAll(() => world?.dispose());

test('an engine lost with its volume comes back from bucket and key alone, to the last archived operation and to any before', async () => {
  world.server.writeCredentials('keys', {
    'access-key-id': 'tester',
    'secret-access-key': 'tester-secret',
    'encryption-keys': `2027 ${randomBytes(32).toString('base64')}\n`,
  });
  const own = await world.database('keys');
  own.archiver();
  for (let count = 1; count <= 20; count += 1) await own.write(count);
  const between = (await own.engine.status()).op;
  await own.write(1_000);
  await own.write(1);
  await archivedAll(own.engine);
  const before = await own.engine.status();
  await own.engine.end('SIGKILL');
  rmSync(own.engine.path);
  const [window, ...more] = await own.windows();
  expect(more).toEqual([]);
  expect(window).toMatchObject({ from: { op: 0 }, to: { op: before.op }, missingOps: 0 });

  const last = await own.restored(`--to-op=${before.op}`);
  const state = { op: before.op, stateHash: before.stateHash };
  expect(last).toMatchObject({ ...state, transfers: 210 + 1_001 });
  expect(await world.running(last)).toEqual({
    ...state,
    debited: 210 + 1_001,
    credited: 210 + 1_001,
  });

  const earlier = await own.restored(`--to-op=${between}`);
  expect(earlier).toMatchObject({ op: between, transfers: 210 });
  expect(await world.running(earlier)).toMatchObject({ op: between, debited: 210, credited: 210 });

  const preview = JSON.parse(
    await mustRun(engineProgram, ['restore-preview', ...own.store, `--to-op=${between}`]),
  ) as { readonly timestamp: string; readonly next: WrittenMoment; readonly later: object };
  // The nanosecond before an operation still has the one before it; its own has it.
  const [of, next] = [BigInt(preview.timestamp), BigInt(preview.next.timestamp)];
  const at = async (timestamp: bigint) =>
    JSON.parse(
      await mustRun(engineProgram, [
        'restore-preview',
        ...own.store,
        `--to-time=${timeOf(timestamp)}`,
      ]),
    ) as { readonly op: number };
  expect(await at(of)).toMatchObject({ op: between });
  expect(await at(next - 1n)).toMatchObject({ op: between });
  expect(await at(next)).toMatchObject({ op: between + 1 });
  for (const segment of readdirSync(own.log))
    expect(readFileSync(join(own.log, segment)).toString('latin1', 0, 4)).toBe('LENC');
  expect(await own.refusal(`--to-time=2999-01-01T00:00:00Z`)).toContain(
    `the last one before is operation ${before.op}`,
  );
});

test('a database at rest costs no request, and a restore begins with the newest backup before the moment', async () => {
  const own = await world.database();
  own.archiver();
  await own.write(10);
  await archivedAll(own.engine);
  await mustRun(engineProgram, [
    'backup',
    ...own.store,
    '--id=base',
    `--status-address=127.0.0.1:${own.engine.statusPort}`,
    own.engine.path,
  ]);
  const base = (await own.engine.status()).op;
  await own.write(10);
  await archivedAll(own.engine);
  // What was begun before may take its time to end; who goes on asking never comes to rest.
  await eventually('no request for three seconds', async () => {
    const { requests } = world.proxy;
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    return world.proxy.requests === requests || undefined;
  });
  const { op, stateHash } = await own.engine.status();
  const preview = JSON.parse(
    await mustRun(engineProgram, ['restore-preview', ...own.store, `--to-op=${op}`]),
  ) as object;
  expect(preview).toMatchObject({ backupId: 'base', operationsToReplay: op - base });
  // The log before the backup is not needed.
  const log = own.log;
  const [first = ''] = readdirSync(log).sort();
  rmSync(join(log, first));
  expect(await own.restored(`--to-op=${op}`)).toMatchObject({ op, stateHash });
  expect(await own.refusal(`--to-op=2`)).toContain('cannot bring back operation 2');
});

test('a database that goes back to an earlier state has both histories in its archive, and can return to the later one', async () => {
  const own = await world.database();
  const archiver = own.archiver();
  await own.write(5);
  const wrongOnesFollow = (await own.engine.status()).op;
  await own.write(100);
  await archivedAll(own.engine);
  await own.engine.end('SIGTERM');
  await archiver.end('SIGTERM');
  const [first] = await own.windows();
  const end = first?.to ?? { op: 0, timestamp: '' };
  rmSync(own.engine.path);
  await own.run(
    'restore-backup',
    `--to-op=${wrongOnesFollow}`,
    `--follows-op=${end.op}`,
    `--follows-timestamp=${end.timestamp}`,
    '--cluster=0',
    '--replica=0',
    '--replica-count=1',
    own.engine.path,
  );
  await own.engine.start();
  expect((await own.engine.status()).op).toBe(end.op + OPS_BETWEEN_HISTORIES);
  own.archiver({ spool: 'of-the-next-pod' });
  const client = connectTo(own.engine.port);
  world.onEnd(async () => client.close());
  await own.write(7, client);
  const { op: last } = await own.engine.status();
  await archivedAll(own.engine);
  const [before, after, ...more] = await own.windows();
  expect(more).toEqual([]);
  expect(before).toEqual(first);
  expect(after).toMatchObject({ to: { op: last }, follows: 'gap' });
  expect(BigInt(after?.to.timestamp ?? '')).toBeGreaterThan(BigInt(end.timestamp));

  const base = await own.backUp('base');
  expect((await own.windows())[1]?.from?.op).toBe(base);
  await own.write(1, client);
  await archivedAll(own.engine);
  const { op: newest } = await own.engine.status();
  expect(await own.restored(`--to-op=${newest}`)).toMatchObject({ transfers: 5 + 7 + 1 });
  expect(await own.restored(`--to-op=${end.op}`)).toMatchObject({ transfers: 5 + 100 });
  const byTime = await own.restored(`--to-timestamp=${end.timestamp}`);
  expect(byTime).toMatchObject({ op: end.op, transfers: 5 + 100 });
  expect(await own.refusal(`--to-op=${end.op + 1}`)).toContain(
    `the last one before is operation ${end.op}`,
  );
  expect(await own.run('verify-backup', scratchOf(own), '--backup=base')).toMatchObject({
    transfers: 5 + 7,
  });
});

const scratchOf = ({ engine }: ArchivedDatabase): string => `--scratch=${engine.folder}`;

test('a test restore replays the log from the beginning, or from the backup before, and leaves nothing behind', async () => {
  const own = await world.database();
  own.archiver();
  await own.write(10);
  const first = await own.backUp('first');
  await own.write(20);
  const second = await own.backUp('second');
  await own.write(1);
  await archivedAll(own.engine);
  const before = readdirSync(own.engine.folder).sort();
  const test = (id: string) => own.run('verify-backup', scratchOf(own), `--backup=${id}`);
  const replay = { seconds: expect.any(Number), replaySeconds: expect.any(Number) };
  expect(await test('first')).toMatchObject({ ...replay, transfers: 10, replayedFrom: 0 });
  expect(await test('second')).toMatchObject({ ...replay, op: second, replayedFrom: first });
  expect(readdirSync(own.engine.folder).sort()).toEqual(before);
});

const once = (fault: Fault, methods: readonly string[]) => {
  const faulted = new Set<string>();
  return (method: string, path: string): Fault => {
    if (!methods.includes(method) || faulted.has(path)) return passes;
    faulted.add(path);
    return fault;
  };
};

test('lost and cut answers, errors, and two archivers at once make one chain without a hole', async () => {
  const own = await world.database();
  const faults: readonly Fault[] = [
    { kind: 'answerLost' },
    { kind: 'status', status: 503, code: 'SlowDown' },
    { kind: 'status', status: 500, code: 'InternalError' },
  ];
  own.archiver();
  const other = own.archiver({ spool: 'other' });
  for (const fault of faults) {
    world.proxy.fault = once(fault, ['PUT', 'GET']);
    for (let count = 0; count < 15; count += 1) {
      await own.write(7);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  world.proxy.reset();
  await other.end('SIGTERM');
  await own.write(7);
  await archivedAll(own.engine);
  const { op, stateHash } = await own.engine.status();
  expect(await own.windows()).toMatchObject([{ from: { op: 0 }, to: { op }, missingOps: 0 }]);
  expect(await own.restored(`--to-op=${op}`)).toMatchObject({ op, stateHash });
});

test('archiver and engine are killed again and again, while the store is away too: nothing is missing', async () => {
  const own = await world.database();
  let archiver = own.archiver();
  for (let round = 0; round < 4; round += 1) {
    await own.write(100);
    if (round === 1) await world.server.stop();
    if (round === 3) await world.server.resume();
    await archiver.end(round % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
    await own.write(100);
    // A clean stop makes a checkpoint, after which the log before it would be free.
    await own.engine.end(round % 2 === 0 ? 'SIGTERM' : 'SIGKILL');
    await own.engine.start();
    archiver = own.archiver();
    await own.write(100);
  }
  await archivedAll(own.engine);
  const { op, stateHash } = await own.engine.status();
  expect(await own.windows()).toMatchObject([{ from: { op: 0 }, to: { op }, missingOps: 0 }]);
  expect(await own.restored(`--to-op=${op}`)).toMatchObject({ op, stateHash });
});

test('a store that refuses, is full or away is named, writes go on, and it heals by itself', async () => {
  const own = await world.database();
  const archiver = own.archiver();
  await own.write(1);
  await archivedAll(own.engine);
  const cases: readonly (readonly [string, Fault])[] = [
    ['StoreRefused', { kind: 'status', status: 403, code: 'RequestTimeTooSkewed' }],
    ['StoreFull', { kind: 'status', status: 507, code: 'InsufficientStorage' }],
    ['StoreUnreachable', { kind: 'status', status: 503, code: 'SlowDown' }],
  ];
  for (const [state, fault] of cases) {
    world.proxy.fault = () => fault;
    await own.write(10);
    const named = await eventually(`${state} is told`, async () => {
      const { archive } = await own.engine.status();
      return archive?.state === state ? archive : undefined;
    });
    expect(named.message).toMatch(/bucket backups at http/);
    expect(named.lagSeconds).toBeGreaterThan(0);
    world.proxy.reset();
    await archivedAll(own.engine);
  }
  await eventually('the metrics say so', async () => {
    const text = await (await fetch(`http://127.0.0.1:${own.engine.statusPort}/metrics`)).text();
    expect(text).toMatch(/ledgerhouse_archive_failures_total\{reason="StoreFull"\} [1-9]/);
    expect(text).toMatch(/ledgerhouse_archive_lag_seconds 0\n/);
    const figure = (name: string) =>
      Number(new RegExp(`^ledgerhouse_archive_${name} (\\S+)$`, 'm').exec(text)?.[1]);
    // Each segment that is in the bucket, once, however often it was tried.
    const stored = readdirSync(own.log).map((name) => statSync(join(own.log, name)).size);
    expect(figure('segments_total')).toBe(stored.length);
    expect(figure('bytes_total')).toBe(stored.reduce((sum, bytes) => sum + bytes, 0));
    expect(figure('put_seconds_total')).toBeGreaterThanOrEqual(figure('put_seconds'));
    expect(figure('put_seconds_total')).toBeGreaterThan(0);
    expect([figure('rpo_seconds'), figure('spool_bytes')]).toEqual([1, 0]);
    return true;
  });
  await archiver.end('SIGTERM');
  await staysWithWrongKeys(own);
});

/** Its pod would not be ready without it, nor would the engine of a new pod begin. */
async function staysWithWrongKeys({ engine, store }: ArchivedDatabase): Promise<void> {
  const path = world.server.writeCredentials('wrong-keys', {
    'access-key-id': 'tester',
    'secret-access-key': 'tester-secret',
    'encryption-keys': '2027 short',
  });
  const flags = store.map((flag) => flag.replace(/^--credentials=.*/, `--credentials=${path}`));
  const archiver = new TestArchiver({ engine, store: flags });
  world.onEnd(() => archiver.end('SIGKILL'));
  archiver.start();
  const { message } = await eventually('the wrong keys are told', async () => {
    const { archive } = await engine.status();
    return archive?.state === 'KeyMissing' ? archive : undefined;
  });
  expect(message).toContain('has no key of 32 bytes after "2027"');
  await archiver.end('SIGTERM');
}

test('a log that was not kept leaves a gap, which is named, and both sides of it can be had', async () => {
  const own = await world.database();
  const archiver = own.archiver();
  await own.write(10);
  await archivedAll(own.engine);
  const { op: end, stateHash } = await own.engine.status();
  await archiver.end('SIGTERM');
  await own.engine.end('SIGTERM');
  await own.engine.startWith([]);
  await own.write(10);
  await own.write(10);
  await own.engine.end('SIGTERM');
  await own.engine.startWith(['--archive']);
  own.archiver();
  await own.write(10);
  expect(await archivedAll(own.engine)).toMatchObject({ gaps: 1 });
  await mustRun(engineProgram, [
    'backup',
    ...own.store,
    '--id=after',
    `--status-address=127.0.0.1:${own.engine.statusPort}`,
    own.engine.path,
  ]);
  const base = (await own.engine.status()).op;
  await own.write(10);
  await archivedAll(own.engine);
  // The rows of the first backup after the gap are whole, and no log leads to them.
  expect(await own.run('verify-backup', scratchOf(own), '--backup=after')).toMatchObject({
    transfers: 40,
    rowsOnly: { reason: 'NoLog' },
  });
  const now = await own.engine.status();
  const windows = await own.windows();
  expect(windows).toMatchObject([
    { from: { op: 0 }, to: { op: end }, missingOps: 0 },
    { from: { op: base }, to: { op: now.op }, follows: 'gap' },
  ]);
  expect(windows[1]?.missingOps).toBeGreaterThanOrEqual(2);
  expect((await own.restored(`--to-op=${end}`)).stateHash).toBe(stateHash);
  expect((await own.restored(`--to-op=${now.op}`)).stateHash).toBe(now.stateHash);
  const refused = await own.refusal(`--to-op=${end + 1}`);
  expect(refused).toContain(`the last one before is operation ${end}`);
  expect(refused).toContain(`the next one is operation ${base}`);
});

test('a database that goes on from the last backup of its closed file has no gap in its archive, although its archiver had not sent the end', async () => {
  const own = await world.database();
  const archiver = own.archiver();
  await own.write(10);
  await archivedAll(own.engine);
  const sent = (await own.engine.status()).op;
  await archiver.end('SIGKILL');
  for (let request = 0; request < 5; request += 1) await own.write(1);
  const { op: end, stateHash } = await own.engine.status();
  await own.engine.end('SIGTERM');
  const last = await own.run<object>('backup', '--id=last', '--stopped', own.engine.path);
  expect(last).toMatchObject({ op: end, archivedOps: end - sent });
  expect(await own.windows()).toMatchObject([{ from: { op: 0 }, to: { op: end }, missingOps: 0 }]);
  // A moment of those that only the file had, without the backup.
  expect(await own.restored(`--to-op=${end - 2}`)).toMatchObject({ transfers: 13 });
  const identity = ['--cluster=0', '--replica=0', '--replica-count=1'];
  rmSync(own.engine.path);
  await own.run('restore-backup', '--backup=last', ...identity, own.engine.path);
  await own.engine.start();
  own.archiver({ spool: 'next' });
  const client = connectTo(own.engine.port);
  world.onEnd(async () => client.close());
  await own.write(3, client);
  expect(await archivedAll(own.engine)).toMatchObject({ gaps: 0 });
  const now = await own.engine.status();
  expect(await own.windows()).toMatchObject([
    { from: { op: 0 }, to: { op: now.op }, missingOps: 0 },
  ]);
  expect((await own.restored(`--to-op=${now.op}`)).stateHash).toBe(now.stateHash);
  expect((await own.restored(`--to-op=${end}`)).stateHash).toBe(stateHash);
});

test('a backup of a closed file sends nothing behind the archive of a database that is archived no more', async () => {
  const own = await world.database();
  const archiver = own.archiver();
  await own.write(10);
  await archivedAll(own.engine);
  await archiver.end('SIGTERM');
  const { op: end } = await own.engine.status();
  await own.engine.end('SIGTERM');
  await own.engine.startWith([]);
  await own.write(10);
  await own.engine.end('SIGTERM');
  await own.engine.start();
  await own.engine.end('SIGTERM');
  const last = await own.run<object>('backup', '--id=last', '--stopped', own.engine.path);
  expect(last).toMatchObject({
    archivedOps: 0,
    notArchived: expect.stringContaining('ends before'),
  });
  expect((await own.windows())[0]).toMatchObject({ to: { op: end } });
});

test('a last backup of a database that returned to an older state says that the archive lacks its log, also if that goes on farther, or as far', async () => {
  const own = await world.database();
  await own.write(1);
  await own.engine.end('SIGTERM');
  const old = readFileSync(own.engine.path);
  await own.engine.start();
  const archiver = own.archiver();
  for (let request = 0; request < 4; request += 1) await own.write(1);
  await archivedAll(own.engine);
  const { op: archived } = await own.engine.status();
  await archiver.end('SIGTERM');
  await own.engine.end('SIGKILL');
  writeFileSync(own.engine.path, old);
  const foreign = { archivedOps: 0, notArchived: expect.stringContaining('older state') };
  for (const id of ['shorter', 'as-far']) {
    await own.engine.start();
    const least = id === 'as-far' ? archived : 0;
    while ((await own.engine.status()).op < least) await own.write(2);
    const { op } = await own.engine.status();
    await own.engine.end('SIGTERM');
    const last = await own.run<object>('backup', `--id=${id}`, '--stopped', own.engine.path);
    expect({ id, ...last }).toMatchObject({ id, op, ...foreign });
    expect(last).not.toHaveProperty('notArchivedFromOp');
  }
  expect((await own.windows())[0]).toMatchObject({ to: { op: archived } });
});

/** Of a request of transfers. */
const eventsMax = 8_189;

/** A closed file with six segments that its archiver has not sent. */
async function closedWithRest() {
  const own = await world.database();
  const archiver = own.archiver();
  await own.write(10);
  await archivedAll(own.engine);
  const sent = (await own.engine.status()).op;
  await archiver.end('SIGKILL');
  // Each is as much as is read at a time.
  for (let request = 0; request < 6; request += 1) await own.write(eventsMax);
  const { op: end, stateHash } = await own.engine.status();
  await own.engine.end('SIGTERM');
  return { own, sent, end, stateHash };
}

test('the rest of a log of which a part is there already is archived whole: an answer was lost, and a run was interrupted', async () => {
  const { own, sent, end, stateHash } = await closedWithRest();
  let segments = 0;
  world.proxy.fault = (method, path) => {
    if (method !== 'PUT' || !path.includes('/log/')) return passes;
    segments += 1;
    // The first one arrives, and is sent again.
    if (segments === 1) return { kind: 'answerLost' };
    return segments <= 3 ? passes : { kind: 'status', status: 403, code: 'AccessDenied' };
  };
  const backUp = (id: string) =>
    own.run<object>('backup', `--id=${id}`, '--stopped', own.engine.path);
  const interrupted = await backUp('interrupted');
  expect(interrupted).toMatchObject({
    op: end,
    archivedOps: 2,
    notArchived: expect.stringContaining('AccessDenied'),
    notArchivedFromOp: sent + 3,
  });
  expect(await own.windows()).toMatchObject([{ to: { op: sent + 2 } }]);
  world.proxy.reset();
  const whole = await backUp('whole');
  expect(whole).toMatchObject({ op: end, archivedOps: end - sent - 2 });
  expect(whole).not.toHaveProperty('notArchived');
  expect(await own.windows()).toMatchObject([{ from: { op: 0 }, to: { op: end }, missingOps: 0 }]);
  expect((await own.restored(`--to-op=${end - 1}`)).transfers).toBe(10 + 5 * eventsMax);
  expect((await own.restored(`--to-op=${end}`)).stateHash).toBe(stateHash);
});

test('clients do not wait for a slow store for long: what it has not taken in time is told, and the next run sends it', async () => {
  const { own, sent, end } = await closedWithRest();
  const store = new S3Store({
    endpoint: world.server.endpoint,
    region: 'us-east-1',
    bucket: basename(world.server.bucket),
    prefix: 'house/',
    accessKeyId: 'tester',
    secretAccessKey: 'tester-secret',
    forcePathStyle: true,
    patienceMs: 600_000,
  });
  const file = await diskStorage.open(own.engine.path, { writable: false, exclusive: true });
  world.onEnd(async () => {
    store.close();
    await file.close();
  });
  const sealed = new SealedStore(store, undefined);
  // Each look is a minute and a half later.
  let nowMs = 0;
  const slow = () => (nowMs += 90_000);
  const closed = { file, store: sealed, databaseId: own.id };
  expect(await archiveRest({ ...closed, nowMs: slow })).toEqual({
    archivedOps: 2,
    notArchived: 'the store took longer than 3 minutes',
    notArchivedFromOp: sent + 3,
  });
  const rest = { archivedOps: end - sent - 2 };
  expect(await archiveRest({ ...closed, nowMs: () => 0 })).toEqual(rest);
});

test('an engine tells the operation at a time as a restore would find it, also between two, and nothing once its archiver is away', async () => {
  const own = await world.database();
  const archiver = own.archiver();
  for (let segment = 0; segment < 3; segment += 1) {
    for (let request = 0; request < 5; request += 1) await own.write(3);
    await archivedAll(own.engine);
  }
  const { op } = await own.engine.status();
  const ends = new ArchiveEnds({
    fetchStatus,
    statusUrl: () => `http://127.0.0.1:${own.engine.statusPort}/status`,
  });
  const database = {
    id: own.id,
    status: 'READY',
    observed: { addresses: ['127.0.0.1:1'], archiving: { rpoSeconds: 1 } },
  } as unknown as Database;
  // A busy machine may be slower than one question waits.
  const tells = (target: Target) => eventually('it tells', () => ends.momentAt(database, target));
  const last = await tells({ kind: 'op', op });
  const before = await tells({ kind: 'op', op: op - 7 });
  expect([before.op, last.op]).toEqual([op - 7, op]);
  for (const timestamp of [before.timestamp, before.timestamp + 1n, last.timestamp - 1n]) {
    const told = await tells({ kind: 'timestamp', timestamp });
    const found = JSON.parse(
      await mustRun(engineProgram, [
        'restore-preview',
        ...own.store,
        `--to-timestamp=${timestamp}`,
      ]),
    ) as WrittenMoment;
    expect([told.op, String(told.timestamp)]).toEqual([found.op, found.timestamp]);
  }
  expect(await ends.momentAt(database, { kind: 'op', op: op + 1 })).toBeUndefined();
  await archiver.end('SIGKILL');
  expect(await ends.momentAt(database, { kind: 'op', op })).toBeUndefined();
});

test('a flipped byte, a missing and a foreign object are refused by their keys; another database cannot archive there', async () => {
  const own = await world.database();
  own.archiver();
  for (let segment = 0; segment < 3; segment += 1) {
    await own.write(50);
    await archivedAll(own.engine);
  }
  const { op } = await own.engine.status();
  const log = own.log;
  const names = readdirSync(log).sort();
  expect(names.length).toBeGreaterThanOrEqual(3);
  const path = join(log, names[1] ?? '');
  const whole = readFileSync(path);
  for (let at = 0; at < whole.length; at += Math.ceil(whole.length / 5)) {
    const bytes = Buffer.from(whole);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    expect(await own.refusal(`--to-op=${op}`)).toContain(names[1]);
  }
  writeFileSync(path, whole.subarray(0, whole.length - 10));
  expect(await own.refusal(`--to-op=${op}`)).toContain(names[1]);
  rmSync(path);
  expect(await own.refusal(`--to-op=${op}`)).toContain(`${names[1]} is not in the bucket`);

  const other = await world.database();
  const thief = new TestArchiver({ engine: other.engine, store: own.store, cluster: 1n }).start();
  world.onEnd(() => thief.end('SIGKILL'));
  await other.write(1);
  const told = await eventually('the foreign archive is named', async () => {
    const { archive } = await other.engine.status();
    return archive?.state === 'ArchiveForeign' ? archive : undefined;
  });
  expect(told.message).toContain('is the archive of another cluster');
});

test('a database that returned to an older state does not write behind its archive', async () => {
  const own = await world.database();
  await own.engine.end('SIGTERM');
  const old = readFileSync(own.engine.path);
  await own.engine.start();
  const archiver = own.archiver();
  await own.write(10);
  await archivedAll(own.engine);
  await archiver.end('SIGTERM');
  await own.engine.end('SIGKILL');
  writeFileSync(own.engine.path, old);
  await own.engine.start();
  own.archiver();
  const told = await eventually('it is told', async () => {
    const { archive } = await own.engine.status();
    return archive?.state === 'ArchiveForeign' ? archive : undefined;
  });
  expect(told.message).toContain('older state');
});
