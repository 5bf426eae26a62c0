import { expect, test } from '@jest/globals';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import { impactOf } from './impact.ts';
import { progressOf } from './progress.ts';

const at = '2026-01-01T00:00:00Z';
const nowMs = Date.parse(at) + 10_000;
const diff = [{ path: '/clusterSize', from: 'lh-10', to: 'lh-20' }];
const facts = { replicas: 3, suspended: false, versionReversible: true };
const change = { diff, impact: impactOf(diff, facts), generation: 2 };

type Row = readonly [type: string, status: string, reason?: string, message?: string];
const object = (rows: readonly Row[], more: object = {}, observedGeneration = 2) =>
  ({
    metadata: { name: 'one', generation: 2 },
    spec: {},
    status: {
      observedGeneration,
      resolved: { topology: { name: 'ha-3', replicas: 3 } },
      conditions: rows.map(([type, status, reason = 'Because', message = 'why']) => ({
        type,
        status,
        reason,
        message,
        observedGeneration,
        lastTransitionTime: at,
      })),
      ...more,
    },
  }) as unknown as DatabaseObject;

const busy: readonly Row[] = [
  ['Stalled', 'False'],
  ['Reconciling', 'True'],
];

test('a status of an earlier spec says nothing about this one', () => {
  const settled: readonly Row[] = [
    ['Stalled', 'False'],
    ['Reconciling', 'False'],
  ];
  expect(progressOf(change, object(settled, {}, 1), nowMs)).toMatchObject({ step: 'accept' });
  expect(progressOf(change, object(settled), nowMs)).toEqual({ kind: 'done' });
});

test('archiving without a store fails and is put back, unless the operator has done the rest of the change', () => {
  const settled: readonly Row[] = [
    ['Stalled', 'False'],
    ['Reconciling', 'False'],
    ['ContinuousArchiving', 'False', 'StoreNotConfigured', 'the operator knows no bucket'],
  ];
  const archiving = [{ path: '/continuousArchiving', from: null, to: { rpoSeconds: 5 } }];
  const failed = { kind: 'failed', code: 'backups_not_configured' };
  expect(progressOf({ ...change, diff: archiving }, object(settled), nowMs)).toMatchObject({
    ...failed,
    untouched: true,
  });
  expect(
    progressOf({ ...change, diff: [...diff, ...archiving] }, object(settled), nowMs),
  ).toMatchObject({ ...failed, untouched: false });
  // Another change does not depend on it.
  expect(progressOf(change, object(settled), nowMs)).toEqual({ kind: 'done' });
});

test('replicas are counted, and what holds one up is told', () => {
  const blocked = [{ pod: 'one-1', predicate: 'CaughtUp', message: 'it is 7 ops behind' }];
  const more = { version: { rolled: 1 }, rollout: { blocked } };
  const rows: readonly Row[] = [...busy, ['VersionUpToDate', 'False', 'RollingOut']];
  expect(progressOf(change, object(rows, more), nowMs)).toEqual({
    kind: 'going_on',
    step: 'replace_replicas',
    percent: 43,
    message: 'Replica 2 of 3 on lh-20; 1 done. one-1 waits (CaughtUp): It is 7 ops behind.',
  });
});

test('a spec that the operator refuses can be put back; a lost volume cannot', () => {
  const stalled = (reason: string) =>
    progressOf(change, object([['Stalled', 'True', reason, 'no such size']]), nowMs);
  expect(stalled('UnknownSize')).toMatchObject({ kind: 'failed', untouched: true });
  expect(stalled('ReplicaDataLost')).toMatchObject({ kind: 'failed', untouched: false });
});

test('a replica that fails is given time, then the change fails with its reason', () => {
  const more = {
    members: [{ index: 0, pod: 'one-0', state: 'Failing', reason: 'ImagePullBackOff' }],
  };
  const rows: readonly Row[] = [...busy, ['ReplicasHealthy', 'False']];
  expect(progressOf(change, object(rows, more), nowMs).kind).toBe('going_on');
  expect(progressOf(change, object(rows, more), nowMs + 150_000)).toMatchObject({
    kind: 'failed',
    code: 'replica_failing',
    message: 'one-0: ImagePullBackOff',
  });
});

test('volumes that do not grow fail the change at once, with the way back', () => {
  const grows = [{ path: '/selectedStorageGb', from: 1, to: 2 }];
  const growing = { diff: grows, impact: impactOf(grows, facts), generation: 2 };
  const said = (reason: string) =>
    progressOf(growing, object([...busy, ['StorageReady', 'False', reason]]), nowMs);
  expect(said('Resizing')).toMatchObject({ step: 'grow_storage' });
  expect(said('ExpansionFailed')).toMatchObject({ kind: 'failed', code: 'storage_not_grown' });
});

test('a paused database waits and says so', () => {
  const rows: readonly Row[] = [
    ['Stalled', 'False'],
    ['Reconciling', 'False'],
    ['Paused', 'True', 'Paused', 'left undone: a'],
  ];
  expect(progressOf(change, object(rows), nowMs)).toMatchObject({
    kind: 'going_on',
    message: 'The database is paused in Kubernetes: left undone: a.',
  });
});
