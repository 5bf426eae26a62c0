import { expect, test } from '@jest/globals';
import type { Condition, DatabaseObject } from '../../domain/custom-resources.ts';
import { turnsOf } from './transitions.ts';

const database = (
  conditions: Readonly<Record<string, Condition['status']>>,
  more: { started?: boolean; suspend?: boolean; reason?: string } = {},
): DatabaseObject => ({
  apiVersion: 'ledgerhouse.dev/v1alpha1',
  kind: 'LedgerDatabase',
  metadata: { name: 'payments' },
  spec: { suspend: more.suspend ?? false, deletionProtection: true, deletionPolicy: 'Retain' },
  status: {
    bootstrapped: true,
    version: more.started === false ? {} : { active: '0.1.0' },
    conditions: Object.entries(conditions).map(([type, status]) => ({
      type,
      status,
      reason: more.reason ?? `${type}Because`,
      message: 'words',
      lastTransitionTime: '2026-11-21T10:00:00Z',
    })),
  },
});
const told = (before: DatabaseObject, after: DatabaseObject) =>
  turnsOf(before, after).map((turn) => `${turn.type} ${turn.reason}`);

test('unchanged conditions are not reported again', () => {
  expect(told(database({ Ready: 'True' }), database({ Ready: 'True' }))).toEqual([]);
});

test('bad news is a warning, good news is not', () => {
  const up = database({ Available: 'True', ReplicasHealthy: 'True' });
  const down = database({ Available: 'False', ReplicasHealthy: 'False' });
  expect(told(up, down)).toEqual(['Warning AvailableBecause', 'Warning ReplicasHealthyBecause']);
  expect(told(down, up)).toEqual(['Normal Available', 'Normal ReplicasHealthy']);
});

test('while a database is being made, missing parts are not reported', () => {
  const nothing = database({}, { started: false });
  const making = database(
    { Available: 'False', Ready: 'False', Stalled: 'False' },
    { started: false },
  );
  expect(told(nothing, making)).toEqual([]);
});

test('a database that is first made is told once, when it is ready', () => {
  const making = database({ Bootstrapped: 'False', Ready: 'False' }, { started: false });
  const formatted = database({ Bootstrapped: 'True', Ready: 'False' }, { started: false });
  const serving = database(
    { Bootstrapped: 'True', Available: 'True', ReplicasHealthy: 'True', Ready: 'False' },
    { started: false },
  );
  const all = { Bootstrapped: 'True', Available: 'True', ReplicasHealthy: 'True' } as const;
  expect(told(making, formatted)).toEqual([]);
  expect(told(formatted, serving)).toEqual([]);
  expect(told(serving, database({ ...all, VersionUpToDate: 'True', Ready: 'True' }))).toEqual([
    'Normal Ready',
  ]);
});

test('a database that was stopped on purpose warns nobody', () => {
  const up = database({ Available: 'True' });
  expect(told(up, database({ Available: 'False' }, { suspend: true }))).toEqual([
    'Normal AvailableBecause',
  ]);
});

test('a stall is told with each new reason, and its end', () => {
  const stalled = (reason: string) => database({ Stalled: 'True' }, { reason });
  expect(told(database({ Stalled: 'False' }), stalled('UnknownSize'))).toEqual([
    'Warning UnknownSize',
  ]);
  expect(told(stalled('UnknownSize'), stalled('UnknownTier'))).toEqual(['Warning UnknownTier']);
  expect(told(stalled('UnknownSize'), stalled('UnknownSize'))).toEqual([]);
  expect(told(stalled('UnknownSize'), database({ Stalled: 'False' }))).toEqual([
    'Normal StalledBecause',
  ]);
});

test('storage that grows by itself is told once, and one that never grew by itself is no news', () => {
  const before = database({ Autogrow: 'True' });
  const grown = {
    ...before,
    status: {
      ...before.status,
      autogrow: { sizeGb: 24, fromGb: 20, usedPercent: 86, at: '2026-11-21T10:00:00Z' },
    },
  };
  expect(turnsOf(before, grown)).toEqual([
    {
      type: 'Normal',
      reason: 'StorageGrows',
      note: 'storage grows from 20 to 24 GiB: 86 % are used',
    },
  ]);
  expect(told(grown, grown)).toEqual([]);
  expect(told(database({}), database({ Autogrow: 'False' }))).toEqual([]);
  expect(told(before, database({ Autogrow: 'False' }))).toEqual(['Normal AutogrowBecause']);
});

test('damage that stays is a warning, its end is told, and each mending, also of what nobody had heard of', () => {
  const says = (status: Condition['status'], reason: string) =>
    database({ DataIntact: status }, { reason });
  const unknown = says('Unknown', 'NotKnown');
  const intact = says('True', 'Intact');
  const damaged = says('False', 'Damaged');
  const mended = says('True', 'Mended');
  expect(told(unknown, intact)).toEqual([]);
  expect(told(intact, damaged)).toEqual(['Warning Damaged']);
  expect(told(damaged, damaged)).toEqual([]);
  expect(told(damaged, intact)).toEqual(['Normal DataIntact']);
  const [condition] = mended.status?.conditions ?? [];
  const more = {
    ...mended,
    status: { ...mended.status, conditions: [{ ...condition!, message: 'two pages' }] },
  };
  expect(told(intact, more)).toEqual(['Normal DataMended']);
  expect(told(damaged, more)).toEqual(['Normal DataMended']);
  expect(told(more, more)).toEqual([]);
  expect(told(more, intact)).toEqual([]);
});
