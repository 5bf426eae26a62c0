import { expect, test } from '@jest/globals';
import type { Capacity } from '../capacity/capacity.ts';
import { planOf } from '../../test/support/operator/plan-of.ts';
import { withFailure } from './results.ts';
import { sameMeaning, statusOf } from './status.ts';

const single = planOf({ kind: { engine: 'Builtin', topology: 'single' } });
const given = (capacity: Capacity | undefined, observed = single.observed) => {
  const { conditions = [] } = statusOf({ ...observed, capacity }, single.draft);
  return (type: string) => conditions.find((one) => one.type === type);
};
const full = { reason: 'Full', message: 'memory of p-0: 100 % used' } as const;

test('a database that is full is available and not ready, and says which limit', () => {
  const condition = given(full);
  expect(condition('CapacityLeft')).toMatchObject({ status: 'False', ...full });
  expect(condition('Ready')).toMatchObject({
    status: 'False',
    reason: 'CapacityFull',
    message: full.message,
  });
  expect(condition('Available')?.status).toBe('True');
  expect(condition('Reconciling')?.status).toBe('False');
  expect(condition('Stalled')?.status).toBe('False');
});

test('a database near a limit is ready', () => {
  const condition = given({ reason: 'NearLimit', message: 'memory of p-0: 92 % used' });
  expect(condition('CapacityLeft')).toMatchObject({ status: 'True', reason: 'NearLimit' });
  expect(condition('Ready')?.status).toBe('True');
});

test('an operator that has not asked yet keeps the report of the operator before it', () => {
  const { observed, draft } = single;
  const status = statusOf({ ...observed, capacity: full }, draft);
  const later = { ...observed, database: { ...observed.database, status } };
  expect(given(undefined, later)('CapacityLeft')).toMatchObject({ status: 'False', ...full });
  expect(given(undefined)('CapacityLeft')).toMatchObject({ status: 'Unknown', reason: 'NotKnown' });
});

test('a damaged data file is a condition of its own, which a later operator keeps; the database serves', () => {
  const integrity = {
    reason: 'Damaged',
    message: 'the data file of p-0',
    files: new Map(),
  } as const;
  const damaged = { reason: 'Enough', message: 'no limit is near', integrity } as const;
  const condition = given(damaged);
  const said = { status: 'False', reason: 'Damaged', message: integrity.message };
  expect(condition('DataIntact')).toMatchObject(said);
  expect(condition('Ready')?.status).toBe('True');
  const { observed, draft } = single;
  const status = statusOf({ ...observed, capacity: damaged }, draft);
  const later = { ...observed, database: { ...observed.database, status } };
  expect(given(undefined, later)('DataIntact')).toMatchObject(said);
  expect(given(full)('DataIntact')).toMatchObject({ status: 'Unknown', reason: 'NotKnown' });
});

test('an op that moves gives a status no other meaning; a role does', () => {
  const status = statusOf(single.observed, single.draft);
  const [row] = status.members ?? [];
  if (row === undefined) throw new Error('there is no row');
  expect(sameMeaning(status, { ...status, members: [{ ...row, op: 99 }] })).toBe(true);
  expect(sameMeaning(status, { ...status, members: [{ ...row, role: 'backup' }] })).toBe(false);
  expect(sameMeaning(status, undefined)).toBe(false);
});

test('a write that failed is told in Ready, also where nothing else is wrong', () => {
  const { observed, draft } = planOf({ kind: { engine: 'Builtin', topology: 'single' } });
  const failure = 'the API server failed at NetworkPolicy p: failed calling webhook "x"';
  const rows = statusOf(observed, withFailure(draft, failure)).conditions;
  const condition = (type: string) => rows?.find((one) => one.type === type);
  const told = { reason: 'WriteFailed', message: failure };
  expect(condition('Ready')).toMatchObject({ status: 'False', ...told });
  expect(condition('Reconciling')).toMatchObject({ status: 'True', ...told });
  expect(condition('Available')?.status).toBe('True');
});
