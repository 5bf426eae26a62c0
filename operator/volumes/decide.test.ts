import { expect, test } from '@jest/globals';
import { annotations, labels } from '../../domain/names.ts';
import type { LedgerDatabase } from '../../domain/resources.ts';
import type { Claim } from '../../domain/kinds.ts';
import { decide } from './decide.ts';

const now = Date.parse('2026-11-21T10:00:00Z');
const claim = (more: { purgeAt?: string; uid?: string; going?: boolean } = {}): Claim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {
    name: 'data-payments-aaaaaa-0',
    labels: { [labels.uid]: more.uid ?? 'old', [labels.databaseId]: 'db_1' },
    ...(more.purgeAt === undefined ? {} : { annotations: { [annotations.purgeAt]: more.purgeAt } }),
    ...(more.going === true ? { deletionTimestamp: '2026-11-21T09:00:00Z' } : {}),
  },
});
const database = (uid: string, more: { from?: string; going?: boolean } = {}): LedgerDatabase => ({
  apiVersion: 'ledgerhouse.dev/v1alpha1',
  kind: 'LedgerDatabase',
  metadata: {
    name: 'payments',
    uid: uid === 'other' ? '00000000-0000-4000-8000-000000000001' : uid,
    labels: { [labels.databaseId]: `db_of_${uid}` },
    ...(more.going === true ? { deletionTimestamp: '2026-11-21T09:00:00Z' } : {}),
  },
  spec: {
    suspend: false,
    deletionProtection: true,
    deletionPolicy: 'Retain',
    ...(more.from === undefined ? {} : { bootstrap: { volumes: { databaseId: more.from } } }),
  },
});

test.each([
  ['its database is there', claim(), [database('old')], { kind: 'nothing' }],
  [
    'its database is going, and still there',
    claim(),
    [database('old', { going: true })],
    { kind: 'nothing' },
  ],
  [
    'its database is gone',
    claim(),
    [database('other')],
    { kind: 'mark', purgeAt: '2026-11-28T10:00:00Z' },
  ],
  [
    'another database waits for it',
    claim(),
    [database('other', { from: 'db_1' })],
    { kind: 'nothing' },
  ],
  [
    'the one that waits for it, past its time',
    claim({ purgeAt: '2026-11-20T10:00:00Z' }),
    [database('other', { from: 'db_1' })],
    { kind: 'nothing' },
  ],
  [
    'a database that is itself going waits for nothing',
    claim({ purgeAt: '2026-11-20T10:00:00Z' }),
    [database('other', { from: 'db_1', going: true })],
    { kind: 'purge', purgeAt: '2026-11-20T10:00:00Z' },
  ],
  [
    'its time has not come',
    claim({ purgeAt: '2026-11-21T11:00:00Z' }),
    [],
    { kind: 'wait', forMs: 3_600_000 },
  ],
  [
    'its time is far away',
    claim({ purgeAt: '2099-11-21T11:00:00Z' }),
    [],
    { kind: 'wait', forMs: 12 * 3_600_000 },
  ],
  [
    'its time has come',
    claim({ purgeAt: '2026-11-21T09:59:59Z' }),
    [],
    { kind: 'purge', purgeAt: '2026-11-21T09:59:59Z' },
  ],
  [
    'a time that nobody can read is not the past',
    claim({ purgeAt: 'soon' }),
    [],
    { kind: 'mark', purgeAt: '2026-11-28T10:00:00Z' },
  ],
  ['it is going already', claim({ going: true }), [], { kind: 'nothing' }],
])('a volume: %s', (_, volume, near, decision) => {
  expect(decide(volume, near, 7, now)).toEqual(decision);
});

test('a volume without our label is nobody’s to purge', () => {
  const foreign = claim();
  expect(decide({ ...foreign, metadata: { name: 'x' } }, [], 7, now)).toEqual({ kind: 'nothing' });
});
