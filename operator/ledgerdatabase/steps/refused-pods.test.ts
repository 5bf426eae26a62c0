import { expect, test } from '@jest/globals';
import { planOf } from '../../../test/support/operator/plan-of.ts';
import type { KubeObject } from '../../../base/kube/kube.ts';
import type { Observation } from '../observation.ts';

const quota =
  'create Pod payments-5e1f0c-1 in StatefulSet payments-5e1f0c failed error: pods "payments-5e1f0c-1" is forbidden: ' +
  'exceeded quota: ledgerhouse, requested: pods=1, used: pods=9, limited: pods=9';
const absent = { 1: { pod: 'absent' } } as const;

const later = (
  owner: (observed: Observation) => KubeObject | undefined,
  message: string,
  ms: { laterMs?: number; atMs?: number } = {},
) => {
  const { laterMs = 60_000, atMs = 50_000 } = ms;
  return (observed: Observation): Partial<Observation> => ({
    nowMs: observed.nowMs + laterMs,
    refusals: [
      { owner: owner(observed)?.metadata.uid ?? '', message, atMs: observed.nowMs + atMs },
    ],
  });
};
const set = ({ owned }: Observation) => owned.statefulSets[0];
const formatJob = ({ owned }: Observation) =>
  owned.jobs.find(({ metadata }) => metadata.name === 'payments-5e1f0c-format-0');

test('a quota that refuses a replica’s pod is in the message, and a person is told to act', () => {
  const { condition, draft } = planOf({}, absent, later(set, quota));
  expect(condition('ReplicasHealthy')?.message).toContain('exceeded quota: ledgerhouse');
  expect(condition('Stalled')).toMatchObject({ status: 'True', reason: 'RefusedByApiServer' });
  expect(condition('Stalled')?.message).toContain('exceeded quota: ledgerhouse');
  expect(draft.requeueAfterMs).toBe(30_000);
});

test.each([
  ['Pod Security', 'is forbidden: violates PodSecurity "restricted:latest": hostPath'],
  ['SCC', 'is forbidden: unable to validate against any security context constraint: []'],
  ['a webhook', 'admission webhook "check.example" denied the request: no such label'],
  ['a policy', "is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: no"],
])('%s that refuses a pod is told as Stalled', (_, words) => {
  const message = `create Pod payments-5e1f0c-1 in StatefulSet payments-5e1f0c failed error: ${words}`;
  const { condition } = planOf({}, absent, later(set, message));
  expect(condition('Stalled')).toMatchObject({ status: 'True', reason: 'RefusedByApiServer' });
  expect(condition('Stalled')?.message).toContain(words);
});

test.each([
  'Internal error occurred: failed calling webhook "x": dial tcp 10.96.0.9:443: connect: connection refused',
  'pods "x" is forbidden: error looking up service account a/default: serviceaccount "default" not found',
  'pods "x" is forbidden: status unknown for quota: ledgerhouse, resources: pods',
])('what ends by itself is in the message, and nobody has to act: %s', (words) => {
  const message = `create Pod payments-5e1f0c-1 in StatefulSet payments-5e1f0c failed error: ${words}`;
  const { condition } = planOf({}, absent, later(set, message));
  expect(condition('ReplicasHealthy')?.message).toContain(words);
  expect(condition('Stalled')?.status).toBe('False');
});

test('a Job whose pod is refused says so while the database is first made', () => {
  const message = 'Error creating: pods "payments-5e1f0c-format-0-" is forbidden: exceeded quota';
  const { condition } = planOf(
    { kind: { engine: 'Builtin', topology: 'single' }, known: 'nothing', set: 'absent' },
    { 0: { pod: 'absent', formatted: false, recorded: false, hasFile: false, format: 'running' } },
    later(formatJob, message),
  );
  expect(condition('Bootstrapped')?.message).toContain('exceeded quota');
  expect(condition('Stalled')).toMatchObject({ status: 'True', reason: 'RefusedByApiServer' });
});

test('a Job whose pod is refused says so while a replica is made again', () => {
  const message = 'Error creating: pods "payments-5e1f0c-recover-1-" is forbidden: exceeded quota';
  const { condition } = planOf(
    {},
    { 1: { pod: 'missing', hasFile: false, recover: 'running' } },
    later(
      ({ owned }) => owned.jobs.find(({ metadata }) => metadata.name?.includes('-recover-')),
      message,
    ),
  );
  expect(condition('Ready')?.message).toContain('exceeded quota');
  expect(condition('Stalled')?.reason).toBe('RefusedByApiServer');
});

test('a refusal of another object, of another pod or of an earlier time says nothing', () => {
  const said = [
    planOf({}, absent, later(formatJob, quota)),
    planOf({}, { 2: { pod: 'absent' } }, later(set, quota)),
    planOf({}, absent, later(set, quota, { atMs: -120_000 })),
    planOf({}, {}, later(set, quota)),
  ];
  for (const { condition } of said) expect(condition('Stalled')?.status).toBe('False');
});

test('the events are asked for only when a pod is missing for longer than it takes to make one', () => {
  const asks = (laterMs: number, replicas: Parameters<typeof planOf>[1]) =>
    planOf({}, replicas, ({ nowMs }) => ({ nowMs: nowMs + laterMs })).draft.needs.has('refusals');
  expect([asks(60_000, absent), asks(1_000, absent), asks(60_000, {})]).toEqual([
    true,
    false,
    false,
  ]);
});
