import { expect, test } from '@jest/globals';
import { settle, VirtualTimers } from '../test/support/operator/virtual-timers.ts';
import { LeasedWork } from './leased-work.ts';

const second = 1_000;

function world(more: { readonly measure?: () => Promise<void> } = {}) {
  const timers = new VirtualTimers();
  const due: string[] = [];
  const begun: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const troubles: number[] = [];
  let measured = 0;
  let isAway = false;
  const work = new LeasedWork<string>({
    runsMax: 4,
    leaseMs: 15 * second,
    timers,
    prepare: async () => {
      if (isAway) throw new Error('the store is away');
    },
    take: async (limit, troubled) => (troubled ? [] : due.splice(0, Math.max(0, limit))),
    onTakeFailure: (_, failures) => void troubles.push(failures),
    run: (name) => {
      begun.push(name);
      const end = Promise.withResolvers<void>();
      ends.set(name, end);
      work.abandoning.addEventListener('abort', () => end.resolve());
      return end.promise;
    },
    onFailure: () => {},
    renew: async () => {},
    onRenewFailure: () => {},
    measure: async () => {
      measured += 1;
      await more.measure?.();
    },
    onMeasureFailure: () => {},
  });
  return {
    work,
    timers,
    due,
    begun,
    ends,
    troubles,
    measured: () => measured,
    setAway: (away: boolean) => (isAway = away),
  };
}

test('a measurement that hangs delays no work', async () => {
  const hanging = Promise.withResolvers<void>();
  const { work, timers, due, begun, measured } = world({ measure: () => hanging.promise });
  work.start();
  due.push('a');
  await timers.advance(2 * second);
  due.push('b');
  await timers.advance(2 * second);
  expect([begun, measured()]).toEqual([['a', 'b'], 1]);
  hanging.resolve();
  const stopped = work.stop();
  await timers.advance(60 * second);
  await stopped;
});

test('due work is begun when the loop is woken, and looked for again after trouble', async () => {
  const { work, timers, due, begun, troubles, setAway } = world();
  work.start();
  await settle();
  due.push('a');
  work.wake();
  await settle();
  expect([begun, timers.nowMs()]).toEqual([['a'], 0]);
  setAway(true);
  await timers.advance(5 * second);
  expect(troubles.slice(0, 2)).toEqual([1, 2]);
  setAway(false);
  due.push('b');
  await timers.advance(20 * second);
  expect(begun).toEqual(['a', 'b']);
  const stopped = work.stop();
  await timers.advance(60 * second);
  await stopped;
});

test('at a stop nothing begins, work under way has its time, and what outlasts it is cut off', async () => {
  const { work, timers, due, begun, ends } = world();
  due.push('quick', 'slow');
  work.start();
  await settle();
  let isStopped = false;
  const stopped = work.stop().then(() => (isStopped = true));
  due.push('late');
  ends.get('quick')?.resolve();
  await timers.advance(9 * second);
  expect([work.size, work.abandoning.aborted, isStopped]).toEqual([1, false, false]);
  // The lease is kept until then, and a third of it later the last of its loops ends.
  await timers.advance(6 * second);
  await stopped;
  expect([begun, work.size, timers.pending]).toEqual([['quick', 'slow'], 0, 0]);
});

test('a process that stops ends with its work, and not only when leases would be renewed again', async () => {
  const { work, timers, due, begun, ends } = world();
  due.push('a');
  work.start();
  await timers.advance(100);
  expect(begun).toEqual(['a']);
  let isStopped = false;
  const stopped = work.stop().then(() => (isStopped = true));
  await timers.advance(100);
  expect(isStopped).toBe(false);
  ends.get('a')?.resolve();
  await settle();
  expect(isStopped).toBe(true);
  await stopped;
});
