import { expect, test } from '@jest/globals';
import { healthHandlers, type HealthServices } from './handlers.ts';
import type { WorkersState } from './worker-watch.ts';

const running: WorkersState = {
  status: 'RUNNING',
  alive: 2,
  lastSeenAt: new Date(0),
  problem: null,
};

async function healthOf(more: Partial<HealthServices>) {
  const handlers = healthHandlers({
    store: { ready: true },
    view: { synced: true, operatorAlive: true },
    workers: { state: running },
    ...more,
  });
  const { body } = await handlers.getHealth({} as Parameters<typeof handlers.getHealth>[0]);
  const parts = body.components.map(({ name, status }) => [name, status]);
  return { status: body.status, ...Object.fromEntries(parts) };
}

const allOk = { status: 'OK', store: 'OK', cluster: 'OK', operator: 'OK', worker: 'OK' };

test('a service is OK only when all its parts are', async () => {
  expect(await healthOf({})).toEqual(allOk);
});

test.each<[string, Partial<HealthServices>, object]>([
  [
    'a worker that stopped',
    { workers: { state: { ...running, status: 'STOPPED', alive: 0 } } },
    { worker: 'DOWN' },
  ],
  [
    'workers of which none can work',
    { workers: { state: { ...running, problem: 'the cluster is not known yet' } } },
    { worker: 'DOWN' },
  ],
  [
    'a store that cannot be read, by which nothing is known of workers',
    { workers: { state: { ...running, status: 'UNKNOWN', alive: 0 } } },
    { store: 'DOWN', worker: 'UNKNOWN' },
  ],
  ['a store that is not ready', { store: { ready: false } }, { store: 'DOWN' }],
  [
    'a cluster that is not known, by which nothing is known of the operator',
    { view: { synced: false, operatorAlive: false } },
    { cluster: 'DOWN', operator: 'UNKNOWN' },
  ],
  [
    'an operator that stopped',
    { view: { synced: true, operatorAlive: false } },
    { operator: 'DOWN' },
  ],
])('a degraded service names %s', async (_, services, parts) => {
  expect(await healthOf(services)).toEqual({ ...allOk, status: 'DEGRADED', ...parts });
});
