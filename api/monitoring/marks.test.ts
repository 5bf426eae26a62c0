import { expect, test } from '@jest/globals';
import type { EngineStatus } from '../../domain/engine-status.ts';
import { leaderOf, marksOf } from './marks.ts';
import { answerOf, type ReplicaAnswer } from './replica-reading.ts';

const at = new Date('2026-11-21T02:03:00Z');

const answers = (
  ...rows: readonly (readonly [
    index: number,
    startedAt: number,
    status: Pick<EngineStatus, 'role' | 'view'> & { version?: string },
  ])[]
): ReadonlyMap<number, ReplicaAnswer> =>
  new Map(
    rows.map(([index, startedAt, { role, view, version = '1.0.0' }]) => [
      index,
      answerOf(
        0,
        { role, view, version, storage: { usedBytes: 1, limitBytes: 2 } } as EngineStatus,
        [{ name: 'ledgerhouse_engine_start_time_seconds', labels: {}, value: startedAt }],
      ),
    ]),
  );

const backup = { role: 'backup', view: 1 } as const;
const primary = { role: 'primary', view: 1 } as const;

test('another leader is a failover, once', () => {
  const before = answers([0, 10, primary], [1, 10, backup]);
  const now = answers([1, 10, { role: 'primary', view: 2 }]);
  expect(marksOf('db_1', at, now, before, 0)).toEqual([
    {
      databaseId: 'db_1',
      at,
      kind: 'FAILOVER',
      replica: 1,
      detail: expect.stringContaining('1 leads'),
    },
  ]);
  expect(marksOf('db_1', at, now, now, 1)).toEqual([]);
});

test('a leader that was cut off and still believes to lead does not lead', () => {
  const now = answers([0, 10, primary], [1, 10, { role: 'primary', view: 5 }], [2, 10, backup]);
  expect(leaderOf(now)).toBe(1);
  expect(leaderOf(answers([0, 10, backup]))).toBeUndefined();
});

test('a new process is a restart, and one of another version an upgrade', () => {
  const before = answers([0, 10, primary], [1, 10, backup]);
  const now = answers([0, 20, primary], [1, 30, { ...backup, version: '1.1.0' }]);
  expect(marksOf('db_1', at, now, before, 0).map(({ kind, replica }) => [kind, replica])).toEqual([
    ['RESTART', 0],
    ['UPGRADE', 1],
  ]);
});

test('a replica that is seen for the first time leaves no mark', () => {
  expect(marksOf('db_1', at, answers([0, 10, primary]), new Map(), undefined)).toEqual([]);
});
