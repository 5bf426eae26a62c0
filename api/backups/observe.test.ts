import { expect, test } from '@jest/globals';
import type { LedgerBackup } from '../../domain/custom-resources.ts';
import { observe, statusWithoutResource } from './observe.ts';

type Status = NonNullable<LedgerBackup['status']>;
type Condition = NonNullable<Status['conditions']>[number];

const condition = (type: string, status: Condition['status'], reason: string): Condition => ({
  type,
  status,
  reason,
  message: `${reason} it is`,
  lastTransitionTime: '2026-11-21T02:03:04Z',
});
const backup = (status: Status = {}, spec: Partial<LedgerBackup['spec']> = {}): LedgerBackup => ({
  apiVersion: 'ledgerhouse.dev/v1alpha1',
  kind: 'LedgerBackup',
  metadata: { name: 'one', uid: 'uid-1', resourceVersion: '7' },
  spec: {
    database: 'payments',
    type: 'Manual',
    protected: false,
    reclaimPolicy: 'Delete',
    removeRequested: false,
    ...spec,
  },
  status,
});
const at = '2026-11-21T02:03:04Z';
const ended = { startedAt: at, completedAt: at };

test('a backup waits, runs, succeeds or fails as its resource says, and says why it does not go on', () => {
  const waiting = condition('Succeeded', 'Unknown', 'StoreNotConfigured');
  const cases: readonly (readonly [Status, string, string | undefined])[] = [
    [{}, 'QUEUED', undefined],
    [{ conditions: [waiting] }, 'QUEUED', 'StoreNotConfigured'],
    [
      { startedAt: at, conditions: [condition('Succeeded', 'Unknown', 'Running')] },
      'RUNNING',
      'Running',
    ],
    [
      { ...ended, conditions: [condition('Succeeded', 'True', 'Completed')] },
      'SUCCEEDED',
      undefined,
    ],
    [
      { ...ended, conditions: [condition('Succeeded', 'False', 'StoreFull')] },
      'FAILED',
      'StoreFull',
    ],
  ];
  for (const [status, expected, code] of cases) {
    const seen = observe(backup(status));
    expect([seen.status, seen.statusReason?.code]).toEqual([expected, code]);
  }
  expect(observe(backup(ended, { removeRequested: true })).status).toBe('DELETING');
});

test('the last test restore is told apart: going on, passed, failed, and one that could not be made', () => {
  const verdict = (verification: NonNullable<Status['verification']>) =>
    observe(backup({ ...ended, verification })).verification?.status;
  expect(verdict({ startedAt: at })).toBe('RUNNING');
  expect(verdict({ startedAt: at, completedAt: at, passed: true, seconds: 2 })).toBe('PASSED');
  expect(verdict({ startedAt: at, completedAt: at, passed: false })).toBe('FAILED');
  expect(verdict({ startedAt: at, completedAt: at })).toBe('UNKNOWN');
  expect(observe(backup(ended)).verification).toBeNull();
});

test('a test restore says what it proved: the log up to the backup, or the rows alone and why, in words for tenants', () => {
  const done = { startedAt: at, completedAt: at, passed: true, seconds: 2 };
  const of = (verification: object, status: Status = {}) =>
    observe(backup({ ...ended, ...status, verification: { ...done, ...verification } }))
      .verification;
  const replayed = { replayedFrom: 7, replaySeconds: 1.5 };
  expect(of(replayed, { lastReplayedAt: at })).toMatchObject({
    ...replayed,
    lastReplayedAt: '2026-11-21T02:03:04.000Z',
    rowsOnly: null,
  });
  const said = 'bucket vault at http://10.0.0.7:9000: exceeded quota';
  for (const reason of [
    'NoLog',
    'OtherHistory',
    'BaseDamaged',
    'KeyMissing',
    'NotPossible',
    'TooLong',
    'New',
  ]) {
    const seen = of({ rowsOnly: { reason, message: said } });
    expect(seen).toMatchObject({
      status: 'PASSED',
      replayedFrom: null,
      replaySeconds: null,
      lastReplayedAt: null,
      rowsOnly: { code: reason, message: expect.stringMatching(/^The .*\.$/) },
    });
    expect(JSON.stringify(seen)).not.toMatch(/vault|quota/);
  }
  // The API server checks only the form of a time.
  expect(of(replayed, { lastReplayedAt: '2027-02-30T00:00:00+24:61' })?.lastReplayedAt).toBeNull();
});

test('the store’s own answer, with its endpoint and bucket, is for administrators: tenants get the reason and the name', () => {
  const said = 'bucket vault at http://10.0.0.7:9000 refused the request (403 AccessDenied)';
  const of = (type: string, status: Condition['status'], reason: string) => ({
    ...condition(type, status, reason),
    message: said,
  });
  for (const reason of [
    'StoreUnreachable',
    'StoreRefused',
    'StoreFull',
    'StoreOverwrites',
    'Delayed',
  ]) {
    const made = observe(backup({ ...ended, conditions: [of('Succeeded', 'False', reason)] }));
    expect(made.statusReason).toEqual({
      code: reason,
      message: expect.stringMatching(/^(The store|Its Job) .*at the LedgerBackup one\.$/),
    });
    const verification = { startedAt: at, completedAt: at };
    const tested = observe(
      backup({ ...ended, verification, conditions: [of('Verified', 'Unknown', reason)] }),
    );
    expect(JSON.stringify([made, tested])).not.toMatch(/vault|10\.0\.0\.7/);
  }
  const damaged = of('Succeeded', 'False', 'ReplicaDamaged');
  expect(observe(backup({ ...ended, conditions: [damaged] })).statusReason?.message).toBe(said);
});

test('a good backup outlives its resource, unless the operator had begun to remove it', () => {
  const facts = { op: 1, timestamp: '1', stateHash: 'a' };
  const good = { ...ended, ...facts, conditions: [condition('Succeeded', 'True', 'Completed')] };
  const after = (object: LedgerBackup, status = observe(object).status ?? 'QUEUED') => {
    const { removing = false, facts: held = null } = observe(object);
    return statusWithoutResource({ status, removing, facts: held });
  };
  expect(after(backup(good))).toBe('SUCCEEDED');
  expect(after(backup(good), 'DELETING')).toBe('SUCCEEDED');
  expect(after(backup(good, { removeRequested: true }))).toBe('DELETED');
  const removed = [...good.conditions, condition('Removed', 'Unknown', 'Running')];
  expect(after(backup({ ...good, conditions: removed }))).toBe('EXPIRED');
  expect(after(backup({ startedAt: at }))).toBe('FAILED');
});

test('a time that does not exist is none, because no row can hold it', () => {
  const seen = observe(
    backup({ startedAt: '2027-01-01T00:00:00+99:99' }, { expiresAt: '2027-02-30T00:00:00+24:61' }),
  );
  expect(seen).toMatchObject({ expiresAt: null, startedAt: null });
});

test('operations before a last backup that the archive lacks are seen, and their reason stays with the resource', () => {
  const op = { op: 7, timestamp: '1', stateHash: 'e' };
  const lacking = (notArchived?: Status['notArchived']) => {
    const status = { ...ended, ...op, archivedOps: 2, ...(notArchived && { notArchived }) };
    return observe(backup(status)).facts;
  };
  expect(lacking({ fromOp: 5, toOp: 7, message: 'bucket vault at http://10.0.0.7' })).toMatchObject(
    {
      archivedOps: 2,
      notArchived: { fromOp: 5, toOp: 7 },
    },
  );
  expect(lacking({ toOp: 7, message: '' })?.notArchived).toEqual({ fromOp: null, toOp: 7 });
  expect(lacking()).not.toHaveProperty('notArchived');
  expect(JSON.stringify(lacking({ fromOp: 5, toOp: 7, message: 'vault' }))).not.toContain('vault');
});
