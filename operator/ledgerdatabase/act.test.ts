import { expect, test } from '@jest/globals';
import { planOf } from '../../test/support/operator/plan-of.ts';
import { SimulatedCluster } from '../../test/support/operator/simulated-cluster.ts';
import { resources } from '../../domain/kinds.ts';
import { buildBackup } from '../manifests/backup.ts';
import { ApiError, type Kube } from '../../base/kube/kube.ts';
import { act, WriteFailed } from './act.ts';
import { Purpose, targetOf, type Action } from './actions.ts';

const { database, owned } = planOf({}).observed;

const noted = async (actions: readonly Action[], refused: (action: Action) => boolean) => {
  const cluster = new SimulatedCluster();
  const done: Action[] = [];
  let current: Action | undefined;
  const refuse = () => {
    if (current !== undefined && refused(current)) {
      throw new ApiError('exceeded quota: storage', { status: 403, reason: 'Forbidden' });
    }
    // An answer with all labels.
    return Promise.resolve(owned.claims[0] as never);
  };
  const kube: Kube = {
    serverTimeMs: () => cluster.serverTimeMs(),
    read: () => Promise.resolve(undefined),
    list: () => Promise.resolve([]),
    create: async () => refuse(),
    apply: async () => refuse(),
    mergePatch: async () => refuse(),
    delete: async () => refuse(),
  };
  const queue = [...actions];
  // `act` makes the writes one after the other: the next write belongs to the next action that it does not leave out.
  const tracked: readonly Action[] = queue.map(
    (action) =>
      new Proxy(action, {
        get(target, field: keyof Action) {
          current = target;
          return target[field];
        },
      }),
  );
  const refusals = await act(kube, database, tracked, (action) => done.push(action));
  return { done: done.map(({ purpose }) => purpose), refusals };
};

const growing = { size: 'lh-40', sizeGb: 5, version: 'old' } as const;

test('a quota that refuses growth keeps nobody from suspending', async () => {
  const { draft } = planOf({
    kind: { engine: 'Builtin', topology: 'single' },
    changes: growing,
    suspend: true,
    set: 'awake',
  });
  const { done, refusals } = await noted(draft.actions, ({ purpose }) => purpose === 'growth');
  expect(refusals).toMatchObject([{ reason: 'ExpansionFailed' }]);
  expect(done).toContain('workload');
});

test('a growth that was refused keeps no upgrade and no broken pod waiting', () => {
  const broken = { pod: 'unpullable', outdated: true } as const;
  const kind = { engine: 'TigerBeetle', topology: 'ha-3' } as const;
  const deleted = planOf({ kind, changes: growing }, { 1: broken }).draft.actions.filter(
    ({ verb }) => verb === 'delete',
  );
  expect(deleted.map((action) => targetOf(action).name)).toEqual(['payments-5e1f0c-1']);
});

test('after a refused write, only the actions that depend on it are left out', async () => {
  const action = (purpose: Purpose): Action => ({
    verb: 'patch',
    purpose,
    guarded: false,
    target: {
      resource: { apiVersion: 'v1', kind: 'X', plural: 'x', namespaced: true },
      name: purpose,
    },
    patch: {},
  });
  const all = Object.values(Purpose).map(action);
  const left = async (refused: Purpose) => {
    const { done, refusals } = await noted(all, ({ purpose }) => purpose === refused);
    expect(refusals).toHaveLength(1);
    return Object.values(Purpose).filter((one) => one !== refused && !done.includes(one));
  };
  const expected: Partial<Record<Purpose, readonly Purpose[]>> = {
    service: ['workload', 'rollout'],
    networkPolicy: ['format', 'fill', 'recovery', 'workload', 'rollout'],
    volume: ['format', 'recovery', 'workload', 'rollout'],
    adoption: ['format', 'workload', 'rollout'],
    store: ['format', 'fill'],
    certificates: ['workload', 'rollout'],
    recovery: ['rollout'],
    workload: ['rollout'],
  };
  for (const purpose of Object.values(Purpose)) {
    expect([purpose, await left(purpose)]).toEqual([purpose, expected[purpose] ?? []]);
  }
});

test('the same failure of the API server has the same words each time', async () => {
  const { draft } = planOf({ surroundings: 'absent' });
  const failing = (port: number) =>
    act(
      {
        create: () =>
          Promise.reject(
            new ApiError(`failed calling webhook: read tcp 10.0.0.1:${port}->10.0.0.2:443: reset`, {
              status: 500,
              reason: 'InternalError',
            }),
          ),
      } as unknown as Kube,
      database,
      draft.actions.filter(({ purpose }) => purpose === 'networkPolicy'),
      () => {},
    ).catch((error: unknown) => (error instanceof WriteFailed ? error.told : undefined));
  const first = await failing(40_001);
  expect(first).toContain('the API server failed at NetworkPolicy payments-5e1f0c');
  expect(await failing(40_002)).toBe(first);
});

test('a backup that the operator makes, before an upgrade for example, is no fault of admission', async () => {
  const { subject } = planOf({}).draft;
  if (subject === undefined) throw new Error('there is a plan');
  const object = buildBackup(subject, 'payments-5e1f0c-pre-12345678', 'PreChange');
  const cluster = new SimulatedCluster();
  cluster.create = () => Promise.resolve(object as never);
  const action: Action = {
    verb: 'create',
    purpose: 'backup',
    guarded: false,
    resource: resources.backup,
    object,
  };
  expect(await act(cluster, database, [action], () => {})).toEqual([]);
});
