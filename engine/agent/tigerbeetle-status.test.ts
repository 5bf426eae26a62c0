import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseEngineStatus } from '../../domain/parse-engine-status.ts';
import { engineStatusOf, unreadyReason } from './tigerbeetle-status.ts';

const identity = { clusterId: (1n << 128n) - 1n, replicaIndex: 1, replicaCount: 3 };
const storage = { usedBytes: 10, limitBytes: 100 };

const healthy: Readonly<Record<string, number>> = {
  replica_status: 0,
  replica_sync_stage: 0,
  replica_sync_op_max: 0,
  replica_view: 4,
  replica_op: 120,
  replica_commit_min: 118,
  replica_commit_max: 120,
  replica_op_checkpoint: 60,
  release: 4361,
  'message_bus_connections peer=client': 3,
  'message_bus_connections peer=client_likely': 1,
  'value_count_visible tree=Account.timestamp': 5,
  'value_count_visible tree=Transfer.timestamp': 6,
};

const gaugesOf = (values: Readonly<Record<string, number>>, ageMs: number | undefined = 10) => ({
  ageMs,
  gauge: (name: string, tags: Readonly<Record<string, string>> = {}) =>
    values[[name, ...Object.entries(tags).map(([key, value]) => `${key}=${value}`)].join(' ')],
});

test('a healthy replica is ready and says all that it knows', () => {
  const gauges = gaugesOf(healthy);
  expect(unreadyReason(gauges)).toBeUndefined();
  expect(engineStatusOf(identity, gauges, storage)).toEqual({
    engine: 'TigerBeetle',
    version: '0.17.9',
    release: '0.17.9',
    clusterId: '340282366920938463463374607431768211455',
    replicaIndex: 1,
    replicaCount: 3,
    role: 'primary',
    syncing: false,
    syncStage: 0,
    replicaStatus: 0,
    view: 4,
    op: 120,
    commit: 118,
    checkpoint: 60,
    warnings: [],
    storage,
    connections: 4,
    accounts: 5,
    transfers: 6,
  });
});

test.each([
  ['no statistics yet', gaugesOf({}, -1)],
  ['the last statistics are 25 s old', gaugesOf(healthy, 25_001)],
  ['the statistics do not contain replica_status', gaugesOf({})],
  ['replica_status is 1 (view change)', gaugesOf({ ...healthy, replica_status: 1 })],
  ['replica_status is 9', gaugesOf({ ...healthy, replica_status: 9 })],
  [
    'replica_sync_stage is 3 (updating checkpoint)',
    gaugesOf({ ...healthy, replica_sync_stage: 3 }),
  ],
])('%s: not ready, and that is why', (reason, gauges) => {
  const { ageMs, gauge } = gauges;
  expect(unreadyReason({ gauge, ageMs: ageMs === -1 ? undefined : ageMs })).toBe(reason);
});

test.each([
  [{ replica_view: 3 }, { role: 'backup', syncing: false }],
  [{ replica_status: 2 }, { role: 'recovering', syncing: true, replicaStatus: 2 }],
  [{ replica_sync_stage: 1 }, { role: 'primary', syncing: true }],
  [{ replica_sync_op_max: 5 }, { role: 'primary', syncing: true }],
  [{ replica_commit_max: 118 + 64 }, { role: 'primary', syncing: false }],
  [{ replica_commit_max: 118 + 65 }, { role: 'primary', syncing: true }],
])('with %j it is %j', (change, expected) => {
  const status = engineStatusOf(identity, gaugesOf({ ...healthy, ...change }), storage);
  expect(status).toMatchObject(expected);
});

test('a status that would be old, or partly invented, is none', () => {
  const { release: _, ...unreleased } = healthy;
  expect(engineStatusOf(identity, gaugesOf(healthy, 30_000), storage)).toEqual({
    problem: 'the last statistics are 30 s old',
  });
  expect(engineStatusOf(identity, gaugesOf(unreleased), storage)).toEqual({
    problem: 'the statistics do not contain release',
  });
  expect(engineStatusOf(identity, gaugesOf(healthy), undefined)).toEqual({
    problem: 'the data file has not been read yet',
  });
});

test('a volume that is nearly full is warned of', () => {
  const full = { usedBytes: 90, limitBytes: 100 };
  expect(engineStatusOf(identity, gaugesOf(healthy), full)).toMatchObject({
    warnings: ['StorageNearLimit'],
  });
});

test('for any values of the gauges, readers accept the status', () => {
  const value = fc.oneof(fc.nat(), fc.maxSafeInteger(), fc.double());
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom(...Object.keys(healthy)), value),
      fc.integer({ min: 0, max: 60_000 }),
      (change, ageMs) => {
        const said = engineStatusOf(identity, gaugesOf({ ...healthy, ...change }, ageMs), storage);
        if (!('problem' in said)) expect(parseEngineStatus(said)).toEqual(said);
      },
    ),
    {
      examples: [[{ 'message_bus_connections peer=client': Number.MAX_SAFE_INTEGER }, 0]],
    },
  );
});
