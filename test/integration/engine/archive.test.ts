/**
 * Continuous archiving by the engine's own commands: a real engine under load, a real archiver, a real S3 server, and a proxy
 * before it that loses answers, cuts them and refuses.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { ArchiveEnds } from '../../../api/backups/archive-ends.ts';
import type { Database } from '../../../api/store/database-record.ts';
import { fetchStatus } from '../../../domain/fetch-status.ts';
import { timeOf } from '../../../domain/moment.ts';
import type { Target } from '../../../domain/recovery.ts';
import { archivedAll, TestArchiver } from '../../support/engine/archiver.ts';
import {
  ArchiveWorld,
  type ArchivedDatabase,
  type WrittenMoment,
} from '../../support/engine/archive-world.ts';
import { engineProgram } from '../../support/engine/engine.ts';
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
  const text = await (await fetch(`http://127.0.0.1:${own.engine.statusPort}/metrics`)).text();
  expect(text).toMatch(/ledgerhouse_archive_failures_total\{reason="StoreFull"\} [1-9]/);
  expect(text).toMatch(/ledgerhouse_archive_lag_seconds 0\n/);
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
