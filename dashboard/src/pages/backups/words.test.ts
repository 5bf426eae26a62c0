import { expect, test } from '@jest/globals';
import { backupExample } from '../../../../api/contract/schemas/backup.ts';
import {
  isOneMade,
  keepWords,
  originWords,
  proofOf,
  whyNoLastBackup,
  whyNotBackedUp,
  withoutStore,
} from './words.ts';

const builtin = { name: 'Builtin', version: '1' } as never;
const ready = { status: 'READY', engine: builtin } as const;

test('a database is not backed up without a store and without data, and TigerBeetle only while it runs', () => {
  expect(whyNotBackedUp(ready, true)).toBeUndefined();
  expect(whyNotBackedUp(ready, false)).toBe(withoutStore);
  const beetle = { name: 'TigerBeetle', version: '1' } as never;
  expect(whyNotBackedUp({ ...ready, engine: beetle }, true)).toBeUndefined();
  // Its data files are.
  expect(whyNotBackedUp({ engine: beetle, status: 'SUSPENDED' }, true)).toBeUndefined();
  expect(whyNoLastBackup({ ...ready, engine: beetle }, true)).toContain('TigerBeetle');
  expect(whyNoLastBackup(ready, false)).toBe(withoutStore);
  expect(whyNotBackedUp({ ...ready, status: 'DELETED' }, true)).toContain('deleted');
  expect(whyNotBackedUp({ ...ready, status: 'PROVISIONING' }, true)).toContain('no data');
});

test('one requested backup is made at a time; those of schedules do not count', () => {
  const running = { status: 'RUNNING', jobId: 'job_1' } as const;
  expect(isOneMade([running])).toBe(true);
  expect(
    isOneMade([
      { ...running, jobId: null },
      { ...running, status: 'SUCCEEDED' },
    ]),
  ).toBe(false);
});

test('a test that could not be made leaves an earlier proof as it is', () => {
  const verification = {
    status: 'UNKNOWN',
    startedAt: '2026-11-21T02:03:04Z',
    completedAt: '2026-11-21T02:03:04Z',
    seconds: null,
    replayedFrom: null,
    replaySeconds: null,
    lastReplayedAt: null,
    rowsOnly: null,
    lastPassedAt: null,
    message: 'the store did not answer',
  } as const;
  expect(proofOf({ verification: null }).word).toBe('not yet');
  expect(proofOf({ verification }).word).toBe('not tested');
  const before = { ...verification, lastPassedAt: '2026-11-20T02:03:04Z' };
  expect(proofOf({ verification: before })).toEqual({
    tone: 'warn',
    word: 'proven',
    about: 'the store did not answer',
  });
  expect(proofOf({ verification: { ...verification, status: 'PASSED', seconds: 1.84 } })).toEqual({
    tone: 'good',
    word: 'proven',
    about: 'restored in 1.84\u00a0s',
  });
});

test('a proof says whether the log led to the backup, or why its rows alone were tested', () => {
  const { verification } = backupExample;
  if (verification === null) throw new Error('the example has no test');
  const rows = { replayedFrom: null, rowsOnly: { code: 'NoLog', message: 'There is no log.' } };
  const about = (more: object) => proofOf({ verification: { ...verification, ...more } }).about;
  expect(about({})).toBe('restored in 1.8\u00a0s, and made again from the log');
  expect(about(rows)).toBe('restored in 1.8\u00a0s, its rows alone. There is no log.');
  // A service of the release before says neither.
  expect(about({ replayedFrom: undefined, rowsOnly: undefined })).toBe('restored in 1.8\u00a0s');
});

test('the origin of a backup is told by who or what wanted it', () => {
  const actor = { type: 'user', id: null, display: 'ada' } as const;
  const of = (type: 'MANUAL' | 'SCHEDULED' | 'PRE_CHANGE' | 'FINAL', schedule: string | null) =>
    originWords({ type, schedule, actor });
  expect(of('MANUAL', null)).toBe('requested by ada');
  expect(of('SCHEDULED', 'nightly')).toBe('by the schedule nightly');
  expect(of('PRE_CHANGE', null)).toBe('before a change');
  expect(of('FINAL', null)).toBe('when the replicas went');
});

test('the backups that a schedule keeps are told without the rules that keep nothing', () => {
  const none = { hourly: 0, weekly: 0, yearly: 0, withinDays: 0 };
  expect(keepWords({ ...none, last: 3, daily: 7, monthly: 12, failed: 3 })).toEqual([
    'the last 3',
    '7 days',
    '12 months',
  ]);
});
