import { expect, test } from '@jest/globals';
import type { EngineStatus } from '../../../domain/engine-status.ts';
import type { Pod } from '../../../domain/kinds.ts';
import { nextPodToRoll } from './rollout.ts';

const now = Date.parse('2026-11-21T10:00:00Z');
type State = 'ready' | 'fresh' | 'starting' | 'broken' | 'stopping';
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
  const since = state === 'fresh' ? '2026-11-21T09:59:58Z' : '2026-11-21T09:00:00Z';
  const isReady = state === 'ready' || state === 'fresh';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `p-${index}`,
      ...(state === 'stopping' ? { deletionTimestamp: '2026-11-21T09:59:00Z' } : {}),
    },
    status: {
      conditions: [
        {
          type: 'Ready',
          status: isReady ? 'True' : 'False',
          lastTransitionTime: since as unknown as Date,
        },
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

function decide(given: readonly Given[], replicas = given.length, growing = false) {
  const pods = given.map((one, index) => podOf(index, one));
  const { next, blocked } = nextPodToRoll(
    pods.filter((_, index) => given[index]?.old),
    {
      nowMs: now,
      replicas,
      pods,
      growing,
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

test('a replica that is not there at all blocks the others', () => {
  expect(decide([old('ready'), old('ready')], 3)).toEqual(['p-0: AllPresent', 'p-1: AllPresent']);
});

test.each(['ready', 'broken'] as const)(
  'a pod that is %s is not replaced when a deleted volume would go with it',
  (state) => {
    expect(decide([old(state, { holdsData: true })])).toEqual(['p-0: VolumeStays']);
  },
);

test('no pod is replaced while volumes are being grown', () => {
  expect(decide([old('ready')], 1, true)).toEqual(['p-0: StorageSettled']);
});
