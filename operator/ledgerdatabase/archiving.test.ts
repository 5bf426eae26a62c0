import { expect, test } from '@jest/globals';
import type { ArchiveState, ArchiveStatus } from '../../domain/archive-status.ts';
import type { EngineStatus } from '../../domain/engine-status.ts';
import { subjectOf } from '../../test/support/operator/subjects.ts';
import { archiveOf, continuousArchiving, isArchivingNews, opWithoutBackup } from './archiving.ts';
import type { Plan } from './draft.ts';
import type { Observation } from './observation.ts';

const says = (state: ArchiveState, more: Partial<ArchiveStatus> = {}): ArchiveStatus => ({
  state,
  gaps: 0,
  spoolBytes: 0,
  leads: true,
  lagSeconds: 0,
  ...more,
});

const subject = subjectOf('Builtin', 'single', { archiving: { rpoSeconds: 5 } });

function verdict(
  archive: ArchiveStatus | undefined,
  changes: {
    readonly enabled?: boolean;
    readonly subject?: typeof subject;
    readonly backupOps?: readonly number[];
    readonly told?: object;
  } = {},
  words = 2,
) {
  const { enabled = true, backupOps = [], told } = changes;
  const of = changes.subject ?? subject;
  const observed = {
    nowMs: 0,
    database: {
      spec: { backup: { continuous: { enabled, rpoSeconds: 5 } } },
      status: { conditions: told === undefined ? [] : [told] },
    },
    capacity: archive && { reason: 'Enough', message: '', archive },
    backups: {
      schedules: [],
      backups: backupOps.map((op) => ({
        status: {
          op,
          completedAt: '2027-01-01T00:00:00Z',
          conditions: [{ type: 'Succeeded', status: 'True' }],
        },
      })),
    },
  } as unknown as Observation;
  const plan = { facts: { resolved: of.resolved }, subject: of } as unknown as Plan;
  return continuousArchiving(observed, plan).slice(0, words);
}

test("the archiver's word is the condition, and only an archive that goes on is good", () => {
  expect(verdict(says('Archiving', { chainFirstOp: 1 }))).toEqual(['True', 'Archiving']);
  expect(verdict(says('CatchingUp', { chainFirstOp: 1 }))).toEqual(['True', 'CatchingUp']);
  expect(verdict(says('Starting'))).toEqual(['Unknown', 'Starting']);
  for (const state of ['StoreUnreachable', 'StoreRefused', 'StoreFull', 'ArchiveForeign'] as const)
    expect(verdict(says(state))).toEqual(['False', state]);
  expect(verdict(says('ArchiverAway'))).toEqual(['False', 'ArchiverAway']);
});

test('an archiver that cannot read the log by itself is told with the reason, and stays good', () => {
  const readsWhy = 'EACCES: permission denied';
  for (const state of ['Archiving', 'CatchingUp'] as const) {
    const told = verdict(says(state, { chainFirstOp: 1, reads: 'Engine', readsWhy }), {}, 3);
    expect(told).toEqual(['True', state, expect.stringContaining(readsWhy)]);
    const own = verdict(says(state, { chainFirstOp: 1, reads: 'DataFile' }), {}, 3);
    expect(own).toEqual(['True', state, expect.not.stringContaining('the engine reads')]);
  }
  const now = says('Archiving', { chainFirstOp: 1, reads: 'Member' });
  const told = { reason: 'Archiving' } as Parameters<typeof isArchivingNews>[0];
  expect(isArchivingNews(told, now, { ...now, reads: 'Engine', readsWhy })).toBe(true);
});

test('a log that follows a gap is not archived until a backup is in it', () => {
  const later = says('Archiving', { chainFirstOp: 100 });
  expect(verdict(later)).toEqual(['False', 'ArchiveGap']);
  expect(verdict(later, { backupOps: [98] })).toEqual(['False', 'ArchiveGap']);
  expect(verdict(later, { backupOps: [99] })).toEqual(['True', 'Archiving']);
  expect(opWithoutBackup({} as Observation)).toBeUndefined();
});

test('a database that cannot be archived says why, and an archive that is not asked for is no fault', () => {
  expect(verdict(undefined, { enabled: false })).toEqual(['Unknown', 'NotEnabled']);
  const beetle = subjectOf('TigerBeetle', 'single');
  expect(verdict(undefined, { subject: beetle })).toEqual(['False', 'NotSupported']);
  expect(verdict(undefined, { subject: subjectOf('Builtin', 'single') })).toEqual([
    'False',
    'StoreNotConfigured',
  ]);
  expect(verdict(undefined)).toEqual(['Unknown', 'NotKnown']);
  const told = { type: 'ContinuousArchiving', status: 'False', reason: 'StoreFull', message: '' };
  expect(verdict(undefined, { told })).toEqual(['False', 'StoreFull']);
});

test('a steady archive is no news; another word or another chain is', () => {
  const told = { reason: 'Archiving' } as Parameters<typeof isArchivingNews>[0];
  const now = says('Archiving', { chainFirstOp: 1, archivedOp: 10 });
  expect(isArchivingNews(told, now, { ...now, archivedOp: 20, lagSeconds: 3 })).toBe(false);
  expect(isArchivingNews(told, now, says('StoreFull'))).toBe(true);
  expect(isArchivingNews(told, now, { ...now, chainFirstOp: 50 })).toBe(true);
  expect(isArchivingNews(told, now, undefined)).toBe(false);
});

test('the engine whose log is archived is asked, of several', () => {
  const of = (archive: ArchiveStatus) => ({ archive }) as unknown as EngineStatus;
  const polls = new Map([
    [0, of(says('Archiving', { leads: false }))],
    [1, of(says('StoreFull'))],
  ]);
  expect(archiveOf(polls)?.state).toBe('StoreFull');
  expect(archiveOf(new Map())).toBeUndefined();
});
