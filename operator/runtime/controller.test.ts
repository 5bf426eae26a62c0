import { expect, test } from '@jest/globals';
import pino from 'pino';
import { settle, VirtualTimers } from '../../test/support/operator/virtual-timers.ts';
import { Controller, type ControllerOptions, type Key } from './controller.ts';
import { ApiError } from '../../base/kube/kube.ts';
import { LostLeadership } from '../../base/kube/lost-leadership.ts';
import { createOperatorMetrics } from './operator-metrics.ts';

function controllerOf(
  reconcile: ControllerOptions['reconcile'],
  options: Partial<ControllerOptions> = {},
) {
  const timers = new VirtualTimers();
  const metrics = createOperatorMetrics({ kinds: ['Thing'], watched: [] });
  const lines: string[] = [];
  let lost = 0;
  const controller = new Controller({
    kind: 'Thing',
    reconcile,
    logger: pino({ base: null, timestamp: false }, { write: (line) => void lines.push(line) }),
    metrics,
    onLostLeadership: () => (lost += 1),
    timers,
    random: () => 1,
    ...options,
  });
  const count = async (result: string) =>
    Number(
      (await metrics.registry.text()).match(
        new RegExp(`reconcile_total\\{kind="Thing",result="${result}"\\} (\\d+)`),
      )?.[1],
    );
  return { controller, timers, count, lines, lost: () => lost };
}

const key: Key = { namespace: 'ns', name: 'one' };

test('a key comes as it was given, and again when the outcome says so', async () => {
  const seen: (Key & { atMs: number })[] = [];
  const { controller, timers, count } = controllerOf((given) => {
    seen.push({ ...given, atMs: timers.nowMs() });
    return Promise.resolve(seen.length === 1 ? { requeueAfterMs: 5_000 } : {});
  });
  controller.enqueue(key);
  controller.enqueueAfter({ namespace: undefined, name: 'wide' }, 60_000);
  await timers.advance(100_000);
  expect(seen).toEqual([
    { ...key, atMs: 0 },
    { ...key, atMs: 5_000 },
    { namespace: undefined, name: 'wide', atMs: 60_000 },
  ]);
  expect([await count('requeue'), await count('success')]).toEqual([1, 2]);
});

test('a failure is logged once with its reconcile, counted, and tried again ever later', async () => {
  const at: number[] = [];
  const { controller, timers, count, lines } = controllerOf(() => {
    at.push(timers.nowMs());
    return at.length <= 3 ? Promise.reject(new Error('broken')) : Promise.resolve({});
  });
  controller.enqueue(key);
  await timers.advance(1_000);
  expect(at).toEqual([0, 5, 15, 35]);
  expect([await count('error'), await count('success')]).toEqual([3, 1]);
  expect(lines).toHaveLength(3);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    kind: 'Thing',
    namespace: 'ns',
    name: 'one',
    reconcileId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    failures: 1,
    msg: 'reconcile failed',
    err: { message: 'broken' },
  });
});

test('a reconcile that throws before it returns is a failure like any other', async () => {
  const { controller, timers, count } = controllerOf(() => {
    throw new Error('at once');
  });
  controller.enqueue(key);
  await timers.advance(4);
  expect(await count('error')).toBe(1);
});

test('a conflict is no error: it is tried again soon', async () => {
  const at: number[] = [];
  const { controller, timers, count, lines } = controllerOf(() => {
    at.push(timers.nowMs());
    return at.length === 1
      ? Promise.reject(new ApiError('moved', { status: 409, reason: 'Conflict' }))
      : Promise.resolve({});
  });
  controller.enqueue(key);
  await timers.advance(1_000);
  expect(at).toEqual([0, 50]);
  expect([await count('conflict'), await count('error')]).toEqual([1, 0]);
  expect(lines).toEqual([]);
});

test('the API server decides how long to wait when it says so', async () => {
  const at: number[] = [];
  const { controller, timers } = controllerOf(() => {
    at.push(timers.nowMs());
    const busy = { status: 429, reason: 'TooManyRequests', retryAfterMs: 7_000 };
    return at.length === 1 ? Promise.reject(new ApiError('busy', busy)) : Promise.resolve({});
  });
  controller.enqueue(key);
  await timers.advance(10_000);
  expect(at).toEqual([0, 7_000]);
});

test('without the lease nothing more is worked on', async () => {
  let runs = 0;
  const { controller, timers, count, lost } = controllerOf(() => {
    runs += 1;
    return Promise.reject(new LostLeadership());
  });
  controller.enqueue(key);
  await settle();
  controller.enqueue({ ...key, name: 'two' });
  await timers.advance(100_000);
  expect([runs, lost(), await count('stopped')]).toEqual([1, 1, 1]);
});

test('a reconcile is aborted at its deadline, keeps its key until it ends, and shows when it never does', async () => {
  let runs = 0;
  let end = () => {};
  let aborted = false;
  const { controller, timers } = controllerOf(
    (_, { signal }) => {
      runs += 1;
      signal.addEventListener('abort', () => (aborted = true));
      return new Promise((resolve) => {
        end = () => resolve({});
      });
    },
    { timeoutMs: 1_000 },
  );
  controller.enqueue(key);
  await timers.advance(999);
  expect(aborted).toBe(false);
  await timers.advance(1);
  expect(aborted).toBe(true);
  controller.enqueue(key);
  await timers.advance(3_999);
  expect(controller.stuck()).toBeUndefined();
  await timers.advance(100);
  expect(controller.stuck()).toBe('a reconcile of Thing goes on for 5 s');
  expect(runs).toBe(1);
  end();
  await settle();
  expect(runs).toBe(2);
});

test('stopping waits, then aborts, then waits again', async () => {
  let abortedAtMs = 0;
  const { controller, timers, lines } = controllerOf(
    (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          abortedAtMs = timers.nowMs();
          reject(signal.reason as Error);
        });
      }),
  );
  controller.enqueue(key);
  await settle();
  const stopped = controller.stop(10_000);
  await timers.advance(10_000);
  expect(await stopped).toBe(true);
  expect(abortedAtMs).toBe(5_000);
  expect(lines).toEqual([]);
});
