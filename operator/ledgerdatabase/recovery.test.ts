import { expect, test } from '@jest/globals';
import type { ArchiveStatus } from '../../domain/archive-status.ts';
import type { DatabaseStatus } from '../../domain/custom-resources.ts';
import type { Observation } from './observation.ts';
import { isWindowNews, recoveryOf } from './recovery.ts';
import { sameMeaning } from './status.ts';

/** 2027-01-01T00:00:00Z. */
const base = 1_798_761_600_000_000_000n;
const at = (seconds: number) => String(base + BigInt(seconds) * 1_000_000_000n);
const archive = (more: Partial<ArchiveStatus>): ArchiveStatus => ({
  state: 'Archiving',
  gaps: 0,
  spoolBytes: 0,
  leads: true,
  lagSeconds: 0,
  archivedOp: 500,
  archivedTimestamp: at(10),
  chainFirstOp: 1,
  ...more,
});
const backup = (op: number, succeeded = true) => ({
  status: {
    op,
    timestamp: at(3),
    completedAt: '2027-01-01T00:00:00Z',
    conditions: [{ type: 'Succeeded', status: succeeded ? 'True' : 'False' }],
  },
});
const observed = (
  says: ArchiveStatus | undefined,
  backups: readonly object[] = [],
  told?: DatabaseStatus['recovery'],
) =>
  ({
    database: { status: { recovery: told } },
    capacity: says && { reason: 'Enough', message: '', archive: says },
    backups: { backups, schedules: [] },
  }) as unknown as Observation;

test('the status says from when to when every operation can be had, and what is missing in between', () => {
  expect(recoveryOf(observed(archive({})))).toEqual({
    earliest: { op: 0, timestamp: '0', time: '1970-01-01T00:00:00.000000000Z' },
    latest: { op: 500, timestamp: at(10), time: '2027-01-01T00:00:10.000000000Z' },
    gaps: [],
  });
  const earlierRuns = [{ firstOp: 1, lastOp: 100, lastTimestamp: at(1) }];
  const broken = archive({ chainFirstOp: 301, gaps: 1, earlierRuns });
  // What follows the gap can be had once a backup is in it.
  expect(recoveryOf(observed(broken, [backup(310, false)]))).toMatchObject({
    latest: { op: 100 },
    gaps: [],
  });
  expect(recoveryOf(observed(broken, [backup(310)]))).toMatchObject({
    earliest: { op: 0 },
    latest: { op: 500 },
    gaps: [{ after: { op: 100 }, before: { op: 310 }, operations: 209 }],
  });
});

test('the last known window stays while engines are silent, and when the log is archived no more', () => {
  const told = recoveryOf(observed(archive({})));
  expect(recoveryOf(observed(undefined, [], told))).toEqual(told);
  expect(recoveryOf(observed(undefined))).toBeUndefined();
});

test('a database that is written moves its window in the status once in five minutes, an idle one never', () => {
  const told = recoveryOf(observed(archive({})));
  const windowAt = (seconds: number) =>
    recoveryOf(observed(archive({ archivedOp: 900, archivedTimestamp: at(seconds) })));
  const statusOf = (recovery: DatabaseStatus['recovery']) =>
    ({ members: [], recovery }) as unknown as DatabaseStatus;
  expect(sameMeaning(statusOf(windowAt(290)), statusOf(told))).toBe(true);
  expect(sameMeaning(statusOf(windowAt(301)), statusOf(told))).toBe(false);
  expect(isWindowNews(told, archive({ archivedTimestamp: at(290) }))).toBe(false);
  expect(isWindowNews(told, archive({ archivedTimestamp: at(301) }))).toBe(true);
  expect(isWindowNews(undefined, archive({}))).toBe(true);
  expect(isWindowNews(told, undefined)).toBe(false);
});

test('a window that begins with a backup newer than what was known of the archive is told once the archive has it', () => {
  const broken = archive({ chainFirstOp: 27, archivedOp: 100 });
  const told = recoveryOf(observed(broken, [backup(264)]));
  expect(told).toBeUndefined();
  const later = archive({ chainFirstOp: 27, archivedOp: 270 });
  expect(isWindowNews(told, later)).toBe(true);
  expect(recoveryOf(observed(later, [backup(264)]))).toMatchObject({ earliest: { op: 264 } });
});
