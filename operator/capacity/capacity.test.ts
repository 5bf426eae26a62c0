import { expect, test } from '@jest/globals';
import pino from 'pino';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import { EngineWarning, type EngineStatus, type Usage } from '../../domain/engine-status.ts';
import type { Pod } from '../../domain/kinds.ts';
import { engineSays } from '../../test/support/engine/engine-says.ts';
import { VirtualTimers } from '../../test/support/operator/virtual-timers.ts';
import { capacityOf } from './capacity.ts';
import { CapacityWatch } from './capacity-watch.ts';

const mib = 2 ** 20;
const says = (warnings: readonly EngineWarning[], memory: Usage): EngineStatus => ({
  ...engineSays('Builtin', '0.17.9'),
  warnings,
  memory,
});
const near = (usedMib: number) =>
  says([EngineWarning.memoryNearLimit], { usedBytes: usedMib * mib, limitBytes: 1_000 * mib });
const full = says([EngineWarning.memoryAtLimit], {
  usedBytes: 1_000 * mib,
  limitBytes: 1_000 * mib,
});
const well = says([], { usedBytes: mib, limitBytes: 1_000 * mib });

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
      const { reason = '', message } = watch.of('u') ?? {};
      looked.push(reason);
      conditions = [{ type: 'CapacityLeft', reason, message }];
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
  await watch.stop();
  expect(asked).toBeGreaterThanOrEqual(30);
  expect(asked).toBeLessThanOrEqual(32);
  expect(looked).toEqual(['Enough', 'Full', 'Enough']);
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
