import { expect, test } from '@jest/globals';
import pino from 'pino';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import { EngineWarning, type EngineStatus, type Usage } from '../../domain/engine-status.ts';
import type { Pod } from '../../domain/kinds.ts';
import { engineSays } from '../../test/support/engine/engine-says.ts';
import { VirtualTimers } from '../../test/support/operator/virtual-timers.ts';
import { capacityOf } from './capacity.ts';
import { integrityOf } from './integrity.ts';
import { CapacityWatch } from './capacity-watch.ts';

const mib = 2 ** 20;
const says = (warnings: readonly EngineWarning[], memory: Usage): EngineStatus => ({
  ...engineSays('Builtin', '0.17.9'),
  warnings,
  memory,
  mendedPages: 0,
});
const near = (usedMib: number) =>
  says([EngineWarning.memoryNearLimit], { usedBytes: usedMib * mib, limitBytes: 1_000 * mib });
const full = says([EngineWarning.memoryAtLimit], {
  usedBytes: 1_000 * mib,
  limitBytes: 1_000 * mib,
});
const well = says([], { usedBytes: mib, limitBytes: 1_000 * mib });
const rotten = { ...well, warnings: [EngineWarning.dataDamaged] };
const mended = (mendedPages: number): EngineStatus => ({ ...well, mendedPages });

test('the replica that is worst off decides, and the message says which limit, how much is used and what to do', () => {
  expect(capacityOf('w', new Map([[0, well]]))).toEqual({
    reason: 'Enough',
    message: 'no limit is near',
  });
  const two = new Map([
    [0, near(930)],
    [1, full],
    [2, well],
  ]);
  expect(capacityOf('w', two)).toEqual({
    reason: 'Full',
    message:
      'memory of w-1: 100 % used, about 1000 MiB of 1000 MiB; new records are refused. To go on, choose a larger spec.size',
  });
  expect(capacityOf('w', new Map([[0, near(931)]]))?.message).toContain(
    '92 % used, about 920 MiB of 1000 MiB',
  );
});

test('records at their limit are not told as a lack of memory', () => {
  const numbered = says([EngineWarning.recordsAtLimit], {
    usedBytes: mib,
    limitBytes: 1_000 * mib,
  });
  expect(capacityOf('w', new Map([[0, numbered]]))).toEqual({
    reason: 'Full',
    message:
      'records of w-0: the largest number of records that an engine can hold; new records are refused. To go on, write new records to another database',
  });
});

test('an engine that does not answer says nothing of its capacity', () => {
  expect(capacityOf('w', new Map([[0, { problem: 'silent' }]]))).toBeUndefined();
  expect(capacityOf('w', new Map())).toBeUndefined();
});

test('damage that nobody can mend is told with its replica, and before what another one has mended', () => {
  const three = new Map<number, EngineStatus>([
    [0, mended(1)],
    [1, rotten],
    [2, well],
  ]);
  const told = integrityOf('w', three);
  expect(told).toMatchObject({ reason: 'Damaged' });
  expect(told?.message).toContain('the data file of w-1 is damaged');
  expect(integrityOf('w', new Map([[0, mended(1)]]))).toMatchObject({
    reason: 'Mended',
    message: expect.stringContaining('w-0 has mended a page of its data file'),
  });
});

test('a replica whose file is damaged and that does not answer now is not taken for whole', () => {
  const before = integrityOf('w', new Map([[1, rotten]]));
  const silent = new Map<number, EngineStatus | { problem: string }>([
    [0, well],
    [1, { problem: 'silent' }],
  ]);
  const now = integrityOf('w', silent, { before });
  expect(now).toMatchObject({ reason: 'Damaged', message: before?.message });
  const back = new Map([
    [0, well],
    [1, mended(3)],
  ]);
  expect(integrityOf('w', back, { before: now })).toMatchObject({ reason: 'Mended' });
});

test('a new process of the operator gives no all-clear before every replica has answered, and forgets replicas that are gone', () => {
  const ofThree = (status: EngineStatus): EngineStatus => ({ ...status, replicaCount: 3 });
  const told = { reason: 'Damaged', message: 'the data file of w-2 is damaged' };
  const first = integrityOf('w', new Map([[0, ofThree(well)]]), { told });
  expect(first).toMatchObject(told);
  const two = new Map([[1, ofThree(well)]]);
  expect(integrityOf('w', two, { told, before: first })).toMatchObject(told);
  const all = new Map([0, 1, 2].map((index) => [index, ofThree(well)]));
  expect(integrityOf('w', all, { told, before: first })).toMatchObject({ reason: 'Intact' });
  const before = integrityOf('w', new Map([[4, { ...rotten, replicaCount: 6 }]]));
  expect(integrityOf('w', all, { before })).toMatchObject({ reason: 'Intact' });
});

test('an engine that does not verify its file makes no statement', () => {
  const { mendedPages: _, ...silent } = well;
  expect(integrityOf('w', new Map([[0, silent]]))).toBeUndefined();
  expect(integrityOf('w', new Map([[0, { problem: 'silent' }]]))).toBeUndefined();
});

test('on its way to a limit a database changes its status a few times, not each minute', () => {
  const told = new Set<string>();
  for (let used = 900; used <= 1_000; used += 0.1) {
    told.add(capacityOf('w', new Map([[0, near(used)]]))?.message ?? '');
  }
  expect(told.size).toBeLessThanOrEqual(6);
});

test('a database is looked at again only when what its engines say has another meaning', async () => {
  const timers = new VirtualTimers();
  let said: EngineStatus = well;
  let asked = 0;
  const looked: string[] = [];
  let conditions: object[] = [];
  const database = () =>
    ({
      metadata: { name: 'payments', uid: 'u' },
      spec: {},
      status: { bootstrapped: true, workload: 'w', conditions },
    }) as unknown as DatabaseObject;
  const pod = {
    metadata: { name: 'w-0' },
    status: { podIP: '10.0.0.1', conditions: [{ type: 'Ready', status: 'True' }] },
  } as unknown as Pod;
  const watch = new CapacityWatch({
    databases: () => [database()],
    podsOf: () => [pod],
    fetchStatus: () => {
      asked += 1;
      return Promise.resolve({ ...said, op: asked });
    },
    onChange: () => {
      const { reason = '', message, integrity } = watch.of('u') ?? {};
      looked.push(`${reason} ${integrity?.reason}`);
      conditions = [
        { type: 'CapacityLeft', reason, message },
        { type: 'DataIntact', reason: integrity?.reason, message: integrity?.message },
      ];
    },
    logger: pino({ level: 'silent' }),
    nowMs: () => timers.wallMs(),
    timers,
  });
  watch.start();
  await timers.advance(10 * 60_000);
  said = full;
  await timers.advance(10 * 60_000);
  said = well;
  await timers.advance(10 * 60_000);
  said = rotten;
  await timers.advance(10 * 60_000);
  said = mended(2);
  await timers.advance(10 * 60_000);
  await watch.stop();
  expect(asked).toBeGreaterThanOrEqual(50);
  expect(asked).toBeLessThanOrEqual(52);
  expect(looked).toEqual([
    'Enough Intact',
    'Full Intact',
    'Enough Intact',
    'Enough Damaged',
    'Enough Mended',
  ]);
});

test('an answer is dated by the clock that dates conditions: storage grows only on an answer of after its last change', async () => {
  const timers = new VirtualTimers();
  const filling = { ...well, storage: { usedBytes: 90 * mib, limitBytes: 100 * mib } };
  const database = {
    metadata: { name: 'payments', uid: 'u' },
    spec: {},
    status: { bootstrapped: true, workload: 'w' },
  } as unknown as DatabaseObject;
  const pod = {
    metadata: { name: 'w-0' },
    status: { podIP: '10.0.0.1', conditions: [{ type: 'Ready', status: 'True' }] },
  } as unknown as Pod;
  const watch = new CapacityWatch({
    databases: () => [database],
    podsOf: () => [pod],
    fetchStatus: () => Promise.resolve(filling),
    onChange: () => {},
    logger: pino({ level: 'silent' }),
    nowMs: () => timers.wallMs(),
    timers,
  });
  const beganMs = timers.wallMs();
  watch.start();
  await timers.advance(3 * 60_000);
  await watch.stop();
  const { usedPart, atMs = 0 } = watch.of('u')?.storage ?? {};
  expect(usedPart).toBe(0.9);
  expect(atMs).toBeGreaterThan(beganMs);
  expect(atMs).toBeLessThanOrEqual(timers.wallMs());
});

test('what the archive of a new database has is known seconds after its archiver knows it; one that never tells is soon asked once a minute', async () => {
  const timers = new VirtualTimers();
  const of = (uid: string) =>
    ({
      metadata: { name: uid, uid },
      spec: { backup: { continuous: { enabled: true, rpoSeconds: 5 } } },
      status: { bootstrapped: true, workload: uid },
    }) as unknown as DatabaseObject;
  const beganMs = timers.wallMs();
  const archive = {
    state: 'Starting',
    gaps: 0,
    spoolBytes: 0,
    leads: true,
    lagSeconds: 0,
  } as const;
  const knows = { ...archive, state: 'Archiving', archivedOp: 7, archivedTimestamp: '7' } as const;
  const asked: Record<string, number> = {};
  let knownAfterMs = Infinity;
  const watch = new CapacityWatch({
    databases: () => [of('restored'), of('silent')],
    podsOf: ({ metadata: { name } }) => [
      {
        metadata: { name: `${name}-0` },
        status: { podIP: name, conditions: [{ type: 'Ready', status: 'True' }] },
      } as unknown as Pod,
    ],
    fetchStatus: (url) => {
      const name = url.includes('restored') ? 'restored' : 'silent';
      asked[name] = (asked[name] ?? 0) + 1;
      const isKnown = name === 'restored' && timers.wallMs() - beganMs >= 9_000;
      return Promise.resolve({ ...well, archive: isKnown ? knows : archive });
    },
    onChange: ({ metadata: { name } }) => {
      if (watch.of(name ?? '')?.archive?.archivedOp === 7)
        knownAfterMs = Math.min(knownAfterMs, timers.wallMs() - beganMs);
    },
    logger: pino({ level: 'silent' }),
    nowMs: () => timers.wallMs(),
    timers,
  });
  watch.start();
  await timers.advance(60 * 60_000);
  await watch.stop();
  expect(knownAfterMs).toBeLessThanOrEqual(15_000);
  expect(asked['restored']).toBeLessThanOrEqual(60 + 5);
  expect(asked['silent']).toBeLessThanOrEqual(60 + 26);
});
