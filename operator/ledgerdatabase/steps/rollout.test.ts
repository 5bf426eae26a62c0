import { expect, test } from '@jest/globals';
import pino from 'pino';
import { ReplicaRole, type EngineStatus } from '../../../domain/engine-status.ts';
import type { Pod } from '../../../domain/kinds.ts';
import { engineSays } from '../../../test/support/engine/engine-says.ts';
import { disorder, name, namespace } from '../../../test/support/operator/disordered-database.ts';
import { recipeOf } from '../../../test/support/operator/plan-of.ts';
import { environmentIn } from '../../../test/support/operator/simulated-environment.ts';
import { reconcileDatabase } from '../reconcile.ts';
import { nextPodToRoll } from './rollout.ts';

const now = Date.parse('2026-11-21T10:00:00Z');
/** `hung`: not ready for two minutes. `down`: not ready for an hour. `homeless`: no node has room for it for an hour. */
type State =
  | 'ready'
  | 'fresh'
  | 'starting'
  | 'hung'
  | 'down'
  | 'homeless'
  | 'broken'
  | 'stopping'
  | 'stuck';

const sinceOf: Readonly<Partial<Record<State, string>>> = {
  fresh: '2026-11-21T09:59:58Z',
  starting: '2026-11-21T09:59:30Z',
  hung: '2026-11-21T09:58:00Z',
};
const stopsAt: Readonly<Partial<Record<State, string>>> = {
  stopping: '2026-11-21T09:59:00Z',
  stuck: '2026-11-21T09:30:00Z',
};
interface Given {
  readonly state: State;
  readonly old: boolean;
  readonly role?: 'primary' | 'backup';
  readonly syncing?: boolean;
  readonly silent?: boolean;
  /** The pod's volume is being deleted. */
  readonly holdsData?: boolean;
}

function podOf(index: number, { state }: Given): Pod {
  const since = sinceOf[state] ?? '2026-11-21T09:00:00Z';
  const stops = stopsAt[state];
  const isReady = state === 'ready' || state === 'fresh';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `p-${index}`,
      ...(stops === undefined ? {} : { deletionTimestamp: stops }),
    },
    status: {
      conditions: [
        {
          type: 'Ready',
          status: isReady ? 'True' : 'False',
          lastTransitionTime: since as unknown as Date,
        },
        ...(state === 'homeless'
          ? [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }]
          : []),
      ],
      ...(state === 'broken'
        ? {
            containerStatuses: [
              {
                name: 'engine',
                image: '',
                imageID: '',
                ready: false,
                restartCount: 3,
                state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } },
              },
            ],
          }
        : {}),
    },
  };
}

/** Quorum of either engine after the loss of a leader. */
const quorums: Readonly<Record<number, number>> = { 1: 0, 3: 2, 6: 4 };

function decide(
  given: readonly Given[],
  { replicas = given.length, growing = false, recovering = false } = {},
) {
  const pods = given.map((one, index) => podOf(index, one));
  const { next, blocked } = nextPodToRoll(
    pods.filter((_, index) => given[index]?.old),
    {
      nowMs: now,
      replicas,
      needed: quorums[replicas] ?? 0,
      pods,
      growing,
      recovering,
      holdsData: (pod) => given[pods.indexOf(pod)]?.holdsData === true,
      statusOf(pod) {
        const one = given[pods.indexOf(pod)];
        if (one === undefined || one.silent === true) return undefined;
        const { role = 'backup', syncing = false } = one;
        return { role, syncing } as unknown as EngineStatus;
      },
    },
  );
  return next?.metadata.name ?? blocked.map((row) => `${row.pod}: ${row.predicate}`);
}

const old = (state: State, more: Partial<Given> = {}): Given => ({ state, old: true, ...more });
const new_ = (state: State, more: Partial<Given> = {}): Given => ({ state, old: false, ...more });

test.each<[string, readonly Given[], string | string[]]>([
  ['one replica', [old('ready')], 'p-0'],
  [
    'the primary comes last',
    [old('ready', { role: 'primary' }), old('ready'), old('ready')],
    'p-1',
  ],
  [
    'the primary, when only it is left',
    [old('ready', { role: 'primary' }), new_('ready'), new_('ready')],
    'p-0',
  ],
  [
    'one is starting',
    [old('ready'), new_('starting'), old('ready')],
    ['p-0: OthersReady', 'p-2: OthersReady'],
  ],
  [
    'one has only just become ready',
    [old('ready'), new_('fresh'), new_('ready')],
    ['p-0: OthersSettled'],
  ],
  [
    'one catches up',
    [old('ready'), new_('ready', { syncing: true }), new_('ready')],
    ['p-0: OthersCaughtUp'],
  ],
  [
    'one does not answer',
    [old('ready'), new_('ready', { silent: true }), new_('ready')],
    ['p-0: OthersAnswer'],
  ],
  [
    'one is stopping',
    [old('ready'), old('stopping'), old('ready')],
    ['p-0: NoneStopping', 'p-2: NoneStopping', 'p-1: AlreadyStopping'].sort(),
  ],
  ['a broken one may always be replaced', [old('ready'), old('broken'), new_('starting')], 'p-1'],
  [
    'a broken one of the new revision blocks the rest',
    [old('ready'), new_('broken'), old('ready')],
    ['p-0: OthersReady', 'p-2: OthersReady'],
  ],
  [
    'one that starts on the old revision waits for the others',
    [old('starting'), new_('starting'), new_('ready')],
    ['p-0: OthersReady'],
  ],
])('a rollout: %s', (_, given, expected) => {
  const decided = decide(given);
  expect(Array.isArray(decided) ? decided.sort() : decided).toEqual(expected);
});

test('a pod that is not ready for long is replaced without asking for a quorum, one at a time', () => {
  expect(decide([old('hung'), old('hung'), old('hung')])).toBe('p-0');
  expect(decide([old('stopping'), old('hung'), old('hung')])).toEqual([
    'p-0: AlreadyStopping',
    'p-1: NoneStopping',
    'p-2: NoneStopping',
  ]);
  expect(decide([new_('starting'), old('hung'), old('hung')])).toBe('p-1');
});

const five = (one: Given): readonly Given[] => Array.from({ length: 5 }, () => one);

test.each<[string, Given]>([
  ['that no node has room for', new_('homeless')],
  ['whose node is gone', old('stuck')],
  ['whose pod may not be replaced', old('down', { holdsData: true })],
])('one of six replicas that is down, %s, blocks no rollout', (_, down) => {
  expect(decide([down, ...five(old('ready'))])).toBe('p-1');
});

test('a replica that is down does not block a rollout whose revision works on another', () => {
  expect(decide([new_('down'), new_('ready'), ...five(old('ready')).slice(1)])).toBe('p-2');
});

test('a bad revision takes one replica and not two, however long it is broken', () => {
  const decided = decide([new_('down'), ...five(old('ready'))]);
  expect(decided).toEqual([1, 2, 3, 4, 5].map((index) => `p-${index}: OthersReady`));
});

test('no replica is replaced without which no quorum would remain', () => {
  const two = [new_('homeless'), old('stuck'), ...five(old('ready')).slice(1)];
  expect(decide(two)).toContain('p-2: OthersReady');
  expect(decide([new_('homeless'), old('ready'), old('ready')])).toEqual([
    'p-1: OthersReady',
    'p-2: OthersReady',
  ]);
});

test('a replica that was replaced just now, or is made again from the others, is waited for', () => {
  const others = five(old('ready')).slice(1);
  expect(decide([new_('homeless'), new_('starting'), ...others])).toContain('p-2: OthersReady');
  const made = decide([new_('homeless'), ...five(old('ready'))], { recovering: true });
  expect(made).toContain('p-1: OthersReady');
});

test('a replica that is not there at all blocks the others', () => {
  expect(decide([old('ready'), old('ready')], { replicas: 3 })).toEqual([
    'p-0: AllPresent',
    'p-1: AllPresent',
  ]);
});

test.each(['ready', 'broken'] as const)(
  'a pod that is %s is not replaced when a deleted volume would go with it',
  (state) => {
    expect(decide([old(state, { holdsData: true })])).toEqual(['p-0: VolumeStays']);
  },
);

test('no pod is replaced while volumes are being grown', () => {
  expect(decide([old('ready')], { growing: true })).toEqual(['p-0: StorageSettled']);
});

/** Restarts one replica of three, of which the first does not answer the first questions. Returns which one, and how long was waited for answers. */
async function restarted(silentFor: number, roles: readonly ReplicaRole[]) {
  const outdated = { outdated: true };
  const cluster = disorder(recipeOf({}, { 0: outdated, 1: outdated, 2: outdated }));
  const deleted: string[] = [];
  cluster.onWrite = ({ verb, kind, name: of }) => {
    if (verb === 'delete' && kind === 'Pod') deleted.push(of);
  };
  let asked = 0;
  let pausedMs = 0;
  const environment = environmentIn(cluster, {
    fetchStatus(url) {
      const index = [0, 1, 2].find((one) => url.includes(`10.1.0.${one + 1}:`)) ?? 0;
      if (index === 0 && (asked += 1) <= silentFor) return Promise.reject(new Error('too slow'));
      return Promise.resolve(engineSays('TigerBeetle', '0.17.8', roles[index]));
    },
  });
  const pause = (ms: number) => {
    pausedMs += ms;
    return Promise.resolve();
  };
  const logger = pino({ level: 'silent' });
  await reconcileDatabase({ ...environment, pause }, { namespace, name }, logger);
  return { deleted: deleted.map((of) => Number(of.at(-1))), pausedMs };
}
const { primary, backup } = ReplicaRole;

test('a primary that gives no status for a moment is not restarted before a replica that follows', async () => {
  const { deleted, pausedMs } = await restarted(5, [primary, backup, backup]);
  expect(deleted).toEqual([1]);
  expect(pausedMs).toBeGreaterThan(0);
});

test('a replica that never says what it is does not block the rollout', async () => {
  const { deleted } = await restarted(Infinity, [primary, backup, backup]);
  expect(deleted).toEqual([0]);
});

test('nobody waits for the answer of a silent replica when another one says that it leads', async () => {
  const { deleted, pausedMs } = await restarted(Infinity, [backup, primary, backup]);
  expect(deleted).toEqual([0]);
  expect(pausedMs).toBe(0);
});
