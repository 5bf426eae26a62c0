import { expect, test } from '@jest/globals';
import type { Pod } from '../../domain/kinds.ts';
import { dataProblemOf, troubleOf } from './replica-pods.ts';
import { replicaRowsOf } from './replica-rows.ts';

const pod = (index: number, status: object, more: object = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `payments-abcdef-${index}`, ...more },
  spec: { containers: [], nodeName: 'node-1' },
  status: status,
});
const ready = { conditions: [{ type: 'Ready', status: 'True' }] };
const waiting = (reason: string, message: string, last?: object) => ({
  containerStatuses: [
    { name: 'engine', state: { waiting: { reason, message } }, lastState: last ?? {} },
  ],
});

test('each replica has one word for how it is, in the order of the replicas', () => {
  const pods = [
    pod(4, waiting('ImagePullBackOff', 'no such image')),
    pod(0, ready),
    { ...pod(2, {}), spec: { containers: [] } },
    pod(3, waiting('PodInitializing', '')),
    pod(5, ready, { deletionTimestamp: '2026-11-21T10:00:00Z' }),
  ];
  const members = replicaRowsOf('payments-abcdef', 6, pods, undefined, []);
  expect(members.map((member) => member.state)).toEqual([
    'Ready',
    'Absent',
    'Pending',
    'Starting',
    'Failing',
    'Stopping',
  ]);
  expect(members[4]).toMatchObject({
    pod: 'payments-abcdef-4',
    reason: 'ImagePullBackOff',
    message: 'container engine: no such image',
  });
});

test('a replica has the zone of its node, where Kubernetes says it', () => {
  const zoned = { labels: { 'topology.kubernetes.io/zone': 'zone-b' } };
  const pods = [pod(0, ready, zoned), pod(1, ready), pod(2, ready, { labels: {} })];
  const members = replicaRowsOf('payments-abcdef', 4, pods, undefined, []);
  expect(members.map(({ zone }) => zone)).toEqual(['zone-b', undefined, undefined, undefined]);
});

test('the answer of an engine stays until it is asked again', () => {
  const before = replicaRowsOf('payments-abcdef', 1, [pod(0, ready)], undefined, [
    {
      index: 0,
      pod: 'payments-abcdef-0',
      state: 'Ready',
      role: 'primary',
      op: 7,
      release: '0.17.9',
    },
  ]);
  expect(before[0]).toMatchObject({ role: 'primary', op: 7, release: '0.17.9' });
  const silent = new Map([[0, { problem: 'no answer' }]]);
  expect(replicaRowsOf('payments-abcdef', 1, [pod(0, ready)], silent, before)).toEqual(before);
});

test('a container that keeps ending says how it ended', () => {
  const last = { terminated: { exitCode: 1, message: 'address already in use\n' } };
  expect(troubleOf(pod(0, waiting('CrashLoopBackOff', 'back-off 10s', last)))).toEqual({
    reason: 'CrashLoopBackOff',
    message: 'container engine: back-off 10s; it ended with 1: address already in use',
  });
});

test('a pod that fits on no node says why', () => {
  const status = {
    conditions: [
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'Unschedulable',
        message: '0/1 nodes have memory',
      },
    ],
  };
  expect(troubleOf(pod(0, status))).toEqual({
    reason: 'Unschedulable',
    message: '0/1 nodes have memory',
  });
});

test.each([
  ['{"reason":"DataFileMissing","message":"/data is empty"}', 'DataFileMissing'],
  ['{"reason":"DataFileForeign","message":"replica 1 of cluster 2"}', 'DataFileForeign'],
  ['{"reason":"SomethingElse","message":"x"}', undefined],
  ['panic: out of memory', undefined],
  ['', undefined],
])('the check of a data file said %p', (message, reason) => {
  const init = (state: object) => ({ initContainerStatuses: [{ name: 'check', ...state }] });
  const ended = { terminated: { exitCode: 10, message } };
  expect(dataProblemOf(pod(0, init({ state: ended })))?.reason).toBe(reason);
  const again = init({ state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: ended });
  expect(dataProblemOf(pod(0, again))?.reason).toBe(reason);
});

test('a file that was missing once and is there now is no problem', () => {
  const init = {
    initContainerStatuses: [
      {
        name: 'check',
        state: { terminated: { exitCode: 0 } },
        lastState: {
          terminated: { exitCode: 10, message: '{"reason":"DataFileMissing","message":"x"}' },
        },
      },
    ],
  };
  expect(dataProblemOf(pod(0, init))).toBeUndefined();
});
