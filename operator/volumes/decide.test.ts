import { describe, expect, test } from '@jest/globals';
import { annotations, labels, managedBy } from '../../domain/names.ts';
import type { LedgerDatabase } from '../../domain/custom-resources.ts';
import type { Claim, Pod, StatefulSet } from '../../domain/kinds.ts';
import { decide } from './decide.ts';

const now = Date.parse('2026-11-21T10:00:00Z');
const claim = (
  more: {
    purgeAt?: string;
    uid?: string;
    going?: boolean;
    policy?: string;
    replacedBy?: string;
    handedOver?: string;
  } = {},
): Claim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {
    name: 'data-payments-aaaaaa-0',
    labels: {
      [labels.managedBy]: managedBy,
      [labels.uid]: more.uid ?? 'old',
      [labels.databaseId]: 'db_1',
      [labels.workload]: 'payments-aaaaaa',
    },
    annotations: {
      ...(more.purgeAt === undefined ? {} : { [annotations.purgeAt]: more.purgeAt }),
      ...(more.policy === undefined ? {} : { [annotations.deletionPolicy]: more.policy }),
      ...(more.replacedBy === undefined ? {} : { [annotations.replacedBy]: more.replacedBy }),
      ...(more.handedOver === undefined ? {} : { [annotations.handedOver]: more.handedOver }),
    },
    ...(more.going === true ? { deletionTimestamp: '2026-11-21T09:00:00Z' } : {}),
  },
});
const database = (
  uid: string,
  more: { from?: string; going?: boolean; id?: string } = {},
): LedgerDatabase => ({
  apiVersion: 'ledgerhouse.dev/v1alpha1',
  kind: 'LedgerDatabase',
  metadata: {
    name: 'payments',
    uid: uid === 'other' ? '00000000-0000-4000-8000-000000000001' : uid,
    labels: { [labels.databaseId]: more.id ?? `db_of_${uid}` },
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
    'one of its ID goes on from the backup that replaced it',
    claim({ replacedBy: 'last' }),
    [database('other', { id: 'db_1' })],
    { kind: 'mark', purgeAt: '2026-11-28T10:00:00Z' },
  ],
  [
    'one of its ID begins, and no backup replaced it',
    claim(),
    [database('other', { id: 'db_1' })],
    { kind: 'nothing' },
  ],
  [
    'it was handed over an hour ago, and nobody has adopted it yet',
    claim({ handedOver: '2026-11-21T09:00:00Z' }),
    [],
    { kind: 'left', forMs: 3_600_000 },
  ],
  [
    'it was handed over by an operator that noted no time',
    claim({ handedOver: 'true' }),
    [],
    { kind: 'left', forMs: Date.parse('2026-11-21T10:00:00Z') },
  ],
  [
    'it was handed over, and another database waits for it',
    claim({ handedOver: '2026-11-21T09:00:00Z' }),
    [database('other', { from: 'db_1' })],
    { kind: 'nothing' },
  ],
  [
    'it was handed over after it got a time',
    claim({ handedOver: '2026-11-21T09:00:00Z', purgeAt: '2026-11-20T10:00:00Z' }),
    [],
    { kind: 'unmark' },
  ],
  [
    'its database went under the policy Delete',
    claim({ policy: 'Delete' }),
    [database('other')],
    { kind: 'mark', purgeAt: '2026-11-21T10:00:00Z' },
  ],
  [
    'its database under the policy Delete is there',
    claim({ policy: 'Delete' }),
    [database('old')],
    { kind: 'nothing' },
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
    { kind: 'unmark' },
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
  const alone = { databases: near, pods: [], statefulSets: [], goneWithVolumes: true };
  expect(decide(volume, alone, 7, now)).toEqual(decision);
});

test('a note that the volume goes with its database is not enough: it may be old, or of a volume that was restored first', () => {
  const near = { databases: [database('other')], pods: [], statefulSets: [] };
  expect(decide(claim({ policy: 'Delete' }), near, 7, now)).toEqual({
    kind: 'mark',
    purgeAt: '2026-11-28T10:00:00Z',
  });
});

test('a volume without our label is nobody’s to purge', () => {
  const foreign = claim();
  const empty = { databases: [], pods: [], statefulSets: [] };
  const unlabelled = { ...foreign, metadata: { name: 'x' } };
  expect(decide(unlabelled, empty, 7, now)).toEqual({ kind: 'nothing' });
});

test('a volume from which somebody took the label of its maker is neither marked nor purged', () => {
  const empty = { databases: [], pods: [], statefulSets: [] };
  for (const purgeAt of [undefined, '2026-11-20T10:00:00Z']) {
    const kept = claim(purgeAt === undefined ? {} : { purgeAt });
    const { [labels.managedBy]: _, ...others } = kept.metadata.labels ?? {};
    const metadata = { ...kept.metadata, labels: others };
    expect(decide(kept, empty, 7, now).kind).not.toBe('nothing');
    expect(decide({ ...kept, metadata }, empty, 7, now)).toEqual({ kind: 'nothing' });
  }
});

test('a copy of a volume is nobody’s to purge while the database of its labels is there in another namespace', () => {
  const empty = { databases: [], pods: [], statefulSets: [] };
  for (const copy of [claim(), claim({ purgeAt: '2026-11-20T10:00:00Z' })]) {
    expect(decide(copy, empty, 7, now).kind).not.toBe('nothing');
    expect(decide(copy, { ...empty, livesElsewhere: true }, 7, now)).toEqual({ kind: 'nothing' });
  }
});

test('a volume that somebody gave our labels is not purged', () => {
  const past = claim({ purgeAt: '2026-11-20T10:00:00Z' });
  const empty = { databases: [], pods: [], statefulSets: [] };
  expect(decide(past, empty, 7, now)).toMatchObject({ kind: 'purge' });
  for (const name of ['data-shop-0', 'data-payments-aaaaaa-old', 'x-data-payments-aaaaaa-0']) {
    const theirs = { ...past, metadata: { ...past.metadata, name } };
    expect(decide(theirs, empty, 7, now)).toEqual({ kind: 'nothing' });
  }
});

describe('nothing that is used is purged', () => {
  const past = claim({ purgeAt: '2026-11-21T09:59:59Z' });
  const pod = (claimName: string): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'copy' },
    spec: { containers: [], volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] },
  });
  const set = (name: string): StatefulSet => ({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name },
    spec: {
      replicas: 0,
      selector: {},
      serviceName: name,
      template: {},
      volumeClaimTemplates: [{ metadata: { name: 'data' } }],
    },
  });
  test.each([
    ['a pod mounts it', { pods: [pod('data-payments-aaaaaa-0')] }, 'unmark'],
    ['a pod mounts another', { pods: [pod('data-payments-aaaaaa-1')] }, 'purge'],
    ['its StatefulSet was left', { statefulSets: [set('payments-aaaaaa')] }, 'unmark'],
    ['there is another StatefulSet', { statefulSets: [set('payments')] }, 'purge'],
  ])('%s', (_, uses, kind) => {
    const near = { databases: [], pods: [], statefulSets: [], ...uses };
    expect(decide(past, near, 7, now).kind).toBe(kind);
  });
});
