import { expect, test } from '@jest/globals';
import type { LedgerBackup, LedgerBackupSchedule } from '../../domain/custom-resources.ts';
import { backupHealth, lastBackup } from './backup-health.ts';
import { backupRows, testRows } from './backup-rows.ts';

const DAY = 86_400_000;
const now = Date.parse('2027-06-30T12:00:00Z');
const at = (daysAgo: number) => `${new Date(now - daysAgo * DAY).toISOString().slice(0, 19)}Z`;

const schedule = (spec: Partial<LedgerBackupSchedule['spec']> = {}): LedgerBackupSchedule => ({
  apiVersion: 'ledgerhouse.dev/v1alpha1',
  kind: 'LedgerBackupSchedule',
  metadata: { name: 'nightly', creationTimestamp: at(100) },
  spec: {
    database: 'payments',
    schedule: '0 3 * * *',
    timeZone: 'Etc/UTC',
    startingDeadlineSeconds: 3_600,
    jitterSeconds: 0,
    immediate: false,
    keepLast: 7,
    keepFailed: 3,
    reclaimPolicy: 'Delete',
    verify: 'Weekly',
    suspend: false,
    ...spec,
  },
});
const backup = (
  name: string,
  status: LedgerBackup['status'] & object,
  succeeded = true,
): LedgerBackup => ({
  apiVersion: 'ledgerhouse.dev/v1alpha1',
  kind: 'LedgerBackup',
  metadata: { name },
  spec: {
    database: 'payments',
    type: 'Scheduled',
    protected: false,
    reclaimPolicy: 'Delete',
    removeRequested: false,
  },
  status: {
    ...status,
    conditions: [
      {
        type: 'Succeeded',
        status: succeeded ? 'True' : 'False',
        reason: succeeded ? 'Completed' : 'StoreFull',
        message: 'words',
        lastTransitionTime: at(0),
      },
      ...(status.conditions ?? []),
    ],
  },
});
const made = (daysAgo: number) => backup(`made-${daysAgo}`, { completedAt: at(daysAgo) });
const proven = (daysAgo: number) =>
  backup(`proven-${daysAgo}`, {
    completedAt: at(daysAgo),
    lastVerifiedAt: at(daysAgo),
    verification: { startedAt: at(daysAgo), completedAt: at(daysAgo), passed: true, seconds: 9 },
  });
const judged = (backups: readonly LedgerBackup[], schedules = [schedule()]) =>
  backupHealth({ backups, schedules }, now).slice(0, 2);

test('healthy is what was made and proven within two periods', () => {
  expect(judged([made(1), proven(6)])).toEqual(['True', 'Healthy']);
  expect(judged([made(2), proven(13)])).toEqual(['True', 'Healthy']);
});

test('a backup that is too old is overdue, with the words of the last failure', () => {
  const failed = backup('failed', { completedAt: at(0) }, false);
  const [status, reason, message] = backupHealth(
    { backups: [proven(3), failed], schedules: [schedule()] },
    now,
  );
  expect([status, reason]).toEqual(['False', 'Overdue']);
  expect(message).toContain(at(3));
  expect(message).toContain('failed failed: StoreFull: words');
  expect(judged([])).toEqual(['False', 'Overdue']);
});

test('backups that nobody has tested are not healthy, unless nobody wants them tested', () => {
  expect(judged([made(1)])).toEqual(['False', 'Unproven']);
  expect(judged([made(1), proven(16)])).toEqual(['False', 'Unproven']);
  expect(judged([made(1)], [schedule({ verify: 'Never' })])).toEqual(['True', 'Healthy']);
});

const replayedOr = (daysAgo: number, op: number, how: object, lastReplayedAt?: string) =>
  backup(`tested-${daysAgo}`, {
    completedAt: at(daysAgo),
    op,
    lastVerifiedAt: at(daysAgo),
    verification: { startedAt: at(daysAgo), completedAt: at(daysAgo), passed: true, ...how },
    ...(lastReplayedAt !== undefined && { lastReplayedAt }),
  });
const archived = (daysAgo: number, status: 'True' | 'False' = 'True', replayedDaysAgo?: number) => {
  const moment = (op: number) => ({ op, timestamp: '1', time: at(1) });
  const lastTransitionTime = at(daysAgo);
  const row = { type: 'ContinuousArchiving' as const, status, reason: 'Archiving', message: '' };
  return {
    conditions: [{ ...row, lastTransitionTime }],
    recovery: { earliest: moment(5), latest: moment(90), gaps: [] },
    ...(replayedDaysAgo !== undefined && {
      backup: { name: 'gone', lastReplayedAt: at(replayedDaysAgo) },
    }),
  };
};

test('a log that no test has replayed for two periods is told, with the reason of the last test', () => {
  const rowsOnly = { reason: 'NotPossible', message: 'no node had room for it' };
  const rows = replayedOr(1, 9, { rowsOnly });
  const judge = (backups: readonly LedgerBackup[], told: ReturnType<typeof archived>) =>
    backupHealth({ backups, schedules: [schedule()] }, now, told).slice(1);
  const late = judge([rows], archived(50));
  expect(late[0]).toBe('Unreplayed');
  expect(late[1]).toContain('NotPossible: no node had room for it');
  expect(judge([rows, replayedOr(16, 7, { replayedFrom: 5 }, at(16))], archived(50))[0]).toBe(
    'Unreplayed',
  );
  expect(judge([rows, replayedOr(13, 7, { replayedFrom: 5 }, at(13))], archived(50))[0]).toBe(
    'Healthy',
  );
  // The backup of the last replay has gone since.
  expect(judge([rows], archived(50, 'True', 13))[0]).toBe('Healthy');
  expect(judge([rows], archived(50, 'True', 16))[0]).toBe('Unreplayed');
  // It has replayed; the log is archived since a week; it is not archived now; there is no log before the backup.
  expect(judge([replayedOr(1, 9, { replayedFrom: 5 }, at(1))], archived(50))[0]).toBe('Healthy');
  expect(judge([rows], archived(13))[0]).toBe('Healthy');
  expect(judge([rows], archived(50, 'False'))[0]).toBe('Healthy');
  expect(judge([replayedOr(1, 5, { rowsOnly })], archived(50))[0]).toBe('Healthy');
});

test('the time of the last replay stays in the status when its backup goes', () => {
  const told = { name: 'gone', lastReplayedAt: at(9), replaySeconds: 7 };
  const seen = (backups: readonly LedgerBackup[]) =>
    lastBackup({ backups, schedules: [] }, now, told);
  expect(seen([made(1)])).toMatchObject({ lastReplayedAt: at(9), replaySeconds: 7 });
  const replayed = { replayedFrom: 5, replaySeconds: 3 };
  expect(seen([replayedOr(2, 7, replayed, at(2))])).toMatchObject({
    lastReplayedAt: at(2),
    replaySeconds: 3,
  });
});

test('a backup and a proof of next year, since a clock was wrong, make nothing healthy', () => {
  const ahead = proven(-365);
  expect(judged([ahead, made(3), proven(4)])).toEqual(['False', 'Overdue']);
  expect(judged([ahead, made(1), proven(16)])).toEqual(['False', 'Unproven']);
  expect(judged([ahead, made(1), proven(6)])).toEqual(['True', 'Healthy']);
  const damaged = backup('damaged', {
    completedAt: at(2),
    verification: { startedAt: at(1), completedAt: at(1), passed: false },
  });
  expect(judged([ahead, made(1), proven(6), damaged])).toEqual(['False', 'Damaged']);
  const seen = { backups: [ahead, made(3), proven(4)], schedules: [] };
  expect(lastBackup(seen, now)).toEqual({
    name: 'made-3',
    completedAt: at(3),
    lastVerifiedAt: at(4),
    testSeconds: 9,
  });
});

test('days without a backup in the schedule itself are not held against it', () => {
  const weekdays = [schedule({ schedule: '0 3 * * 1-5' })];
  expect(judged([made(5), proven(6)], weekdays)).toEqual(['True', 'Healthy']);
});

test('a damaged backup is told before all else, until another test passes', () => {
  const damaged = backup('damaged', {
    completedAt: at(2),
    verification: { startedAt: at(1), completedAt: at(1), passed: false },
  });
  expect(judged([made(0), damaged, proven(6)])).toEqual(['False', 'Damaged']);
  expect(judged([made(0), damaged], [])).toEqual(['False', 'Damaged']);
  expect(judged([made(0), damaged, proven(0)])).toEqual(['True', 'Healthy']);
});

test('a new schedule has time; without one nothing is promised', () => {
  const young = { ...schedule(), metadata: { name: 'nightly', creationTimestamp: at(0.5) } };
  expect(judged([], [young])).toEqual(['Unknown', 'NotYet']);
  expect(judged([made(50)], [])).toEqual(['Unknown', 'NotConfigured']);
  expect(judged([made(50)], [schedule({ suspend: true })])).toEqual(['Unknown', 'NotConfigured']);
});

test('status and metrics have the newest good backup and the last proof', () => {
  const seen = lastBackup({ backups: [proven(6), made(1)], schedules: [] }, now);
  expect(seen).toEqual({
    name: 'made-1',
    completedAt: at(1),
    lastVerifiedAt: at(6),
    testSeconds: 9,
  });
  const database = {
    apiVersion: 'ledgerhouse.dev/v1alpha1',
    kind: 'LedgerDatabase',
    metadata: { name: 'payments', namespace: 'org' },
    spec: { suspend: false, deletionProtection: true, deletionPolicy: 'Retain' },
    status: seen === undefined ? {} : { backup: seen },
  } as const;
  const labels = { namespace: 'org', name: 'payments' };
  expect(backupRows([database])).toEqual([
    [{ ...labels, event: 'made' }, now / 1_000 - 86_400],
    [{ ...labels, event: 'verified' }, now / 1_000 - 6 * 86_400],
  ]);
  expect(backupRows([{ ...database, status: {} }])).toEqual([]);
});

test('status and metrics have the last replay of the log, and how long test and replay took', () => {
  const tested = (daysAgo: number, verification: object, replayedAt?: string) =>
    backup(`tested-${daysAgo}`, {
      completedAt: at(daysAgo),
      lastVerifiedAt: at(daysAgo),
      verification: {
        startedAt: at(daysAgo),
        completedAt: at(daysAgo),
        passed: true,
        ...verification,
      },
      ...(replayedAt !== undefined && { lastReplayedAt: replayedAt }),
    });
  const backups = [
    tested(1, { seconds: 3, rowsOnly: { reason: 'NoLog', message: '' } }),
    tested(2, { seconds: 4, replayedFrom: 7, replaySeconds: 5 }, at(2)),
    // A time that has not come says nothing.
    tested(3, { seconds: 4, replaySeconds: 6 }, '2999-01-01T00:00:00Z'),
  ];
  const seen = lastBackup({ backups, schedules: [] }, now);
  expect(seen).toMatchObject({ testSeconds: 3, lastReplayedAt: at(2), replaySeconds: 5 });
  const [labels, status] = [{ namespace: 'org', name: 'payments' }, { backup: seen }];
  const database = { metadata: labels, status } as unknown as Parameters<
    typeof testRows
  >[0][number];
  expect(testRows([database])).toEqual([
    [{ ...labels, part: 'restore' }, 3],
    [{ ...labels, part: 'replay' }, 5],
  ]);
  expect(backupRows([database])).toContainEqual([
    { ...labels, event: 'replayed' },
    now / 1_000 - 2 * 86_400,
  ]);
});

test('a backup that may be removed from the bucket is no good one', () => {
  const going = backup('going', { completedAt: at(0), removalBegunAt: at(0) });
  expect(lastBackup({ backups: [made(1), going], schedules: [] }, now)?.name).toBe('made-1');
  expect(judged([proven(4), going])).toEqual(['False', 'Overdue']);
});
