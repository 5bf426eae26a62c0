import type { Refusal } from '../model/refusal.ts';
import { expect, test } from '@jest/globals';
import type { LedgerView } from '../store/database-record.ts';
import { VirtualTimers } from '../../test/support/operator/virtual-timers.ts';
import { LedgerTargets, type LedgerTarget } from './targets.ts';

const view = (
  status = 'READY',
  addresses: readonly string[] = ['10.0.0.1:3001', '[fd00::1]:3001'],
) =>
  ({
    database: {
      id: 'db_1',
      name: 'payments',
      status,
      clusterId: '7',
      version: 4,
      observed: { addresses, engineVersion: '0.1.0' },
    },
    profile: { engine: 'Builtin', engineVersion: '0.0.9' },
    activeJobId: null,
    streams: false,
  }) as unknown as LedgerView;

function targets(answer: () => Promise<LedgerView | undefined>) {
  const timers = new VirtualTimers();
  let asked = 0;
  const one = new LedgerTargets(() => {
    asked += 1;
    return answer();
  }, timers);
  return { one, timers, asked: () => asked };
}

test('a database that is READY has a target, whatever its health', async () => {
  const { one } = targets(() => Promise.resolve(view()));
  expect(await one.resolve('org_1', 'db_1')).toEqual({
    databaseId: 'db_1',
    name: 'payments',
    cluster: 7n,
    version: 4,
    addresses: [
      { host: '10.0.0.1', port: 3001 },
      { host: 'fd00::1', port: 3001 },
    ],
    engine: 'Builtin',
    engineVersion: '0.1.0',
    streams: false,
    again: expect.any(Function),
  });
});

test('a target looks again where its database is', async () => {
  let answer: LedgerView | undefined = view();
  const { one, timers } = targets(() => Promise.resolve(answer));
  const target = (await one.resolve('org_1', 'db_1')) as LedgerTarget;
  const look = async () => {
    await timers.advance(1_000);
    return target.again?.();
  };
  answer = view('READY', ['10.0.0.9:3001']);
  expect(await look()).toMatchObject({ addresses: [{ host: '10.0.0.9', port: 3001 }] });
  // Another shape has no addresses yet.
  answer = view('READY', []);
  expect(await look()).toBeUndefined();
});

test.each(['PROVISIONING', 'SUSPENDED', 'FAILED', 'DELETING'])(
  'one that is %s is refused with what to do',
  async (status) => {
    const { one } = targets(() => Promise.resolve(view(status)));
    expect(await one.resolve('org_1', 'db_1')).toMatchObject({
      code: 'database_not_ready',
      occasion: { members: { databaseStatus: status } },
    });
  },
);

test.each([
  ['PROVISIONING', { retryAfterSeconds: 5 }],
  ['FAILED', { retryable: false }],
  ['SUSPENDED', { retryable: false }],
  ['DELETING', { retryable: false }],
  ['READY', { retryAfterSeconds: 1 }],
])(
  'whether waiting helps with one that is %s and has no addresses is told',
  async (status, told) => {
    const { one } = targets(() => Promise.resolve(view(status, [])));
    const { occasion } = (await one.resolve('org_1', 'db_1')) as Refusal;
    expect({
      ...(occasion.retryAfterSeconds && { retryAfterSeconds: occasion.retryAfterSeconds }),
      ...(occasion.retryable !== undefined && { retryable: occasion.retryable }),
    }).toEqual(told);
  },
);

test('one that is deleted, or another organization’s, is not there', async () => {
  const deleted = targets(() => Promise.resolve(view('DELETED')));
  const none = targets(() => Promise.resolve(undefined));
  for (const { one } of [deleted, none]) {
    expect(await one.resolve('org_1', 'db_1')).toMatchObject({ code: 'database_not_found' });
  }
});

test('many requests ask the store once a second', async () => {
  const { one, timers, asked } = targets(() => Promise.resolve(view()));
  await Promise.all(Array.from({ length: 100 }, () => one.resolve('org_1', 'db_1')));
  expect(asked()).toBe(1);
  await one.resolve('org_2', 'db_1');
  expect(asked()).toBe(2);
  await timers.advance(1_000);
  await one.resolve('org_1', 'db_1');
  expect(asked()).toBe(3);
});

test('a store that is away is asked again by the next request', async () => {
  let away = true;
  const { one } = targets(() =>
    away ? Promise.reject(new Error('away')) : Promise.resolve(view()),
  );
  await expect(one.resolve('org_1', 'db_1')).rejects.toThrow('away');
  away = false;
  expect(await one.resolve('org_1', 'db_1')).toMatchObject({ databaseId: 'db_1' });
});
