import { expect, test } from '@jest/globals';
import pino from 'pino';
import { settle, VirtualTimers } from '../../test/support/operator/virtual-timers.ts';
import { EventRecorder } from './events.ts';
import { ApiError, type Kube, type KubeObject } from '../../base/kube/kube.ts';
import { createOperatorMetrics } from './operator-metrics.ts';

const regarding = (uid = 'u'): KubeObject => ({
  apiVersion: 'ledgerhouse.dev/v1alpha1',
  kind: 'LedgerDatabase',
  metadata: { namespace: 'org', name: 'payments', uid, resourceVersion: '7' },
});
const lost = { type: 'Warning', reason: 'QuorumLost', note: 'one of three' } as const;

function recorderOf(write: () => Promise<void> = () => Promise.resolve()) {
  const timers = new VirtualTimers();
  const metrics = createOperatorMetrics({ kinds: [], watched: [] });
  const created: Record<string, unknown>[] = [];
  const patched: unknown[] = [];
  const kube = {
    create: async (_: unknown, event: Record<string, unknown>) => {
      created.push(event);
      await write();
      return event;
    },
    mergePatch: async (_: unknown, patch: unknown) => {
      patched.push(patch);
      await write();
      return patch;
    },
  } as unknown as Kube;
  const events = new EventRecorder({
    kube,
    logger: pino({ level: 'silent' }),
    metrics,
    instance: 'operator-0',
    timers,
  });
  const dropped = async (why: string) =>
    Number(
      (await metrics.registry.text()).match(
        new RegExp(`dropped_total\\{why="${why}"\\} (\\d+)`),
      )?.[1],
    );
  return { events, timers, created, patched, dropped };
}

test('an event refers to its object, in the namespace of the object', async () => {
  const { events, created } = recorderOf();
  events.record(regarding(), lost);
  await settle();
  expect(created).toEqual([
    {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { namespace: 'org', name: expect.stringMatching(/^payments\.[0-9a-f]{16}$/) },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'ledgerhouse.dev/operator',
      reportingInstance: 'operator-0',
      type: 'Warning',
      reason: 'QuorumLost',
      action: 'QuorumLost',
      note: 'one of three',
      regarding: {
        apiVersion: 'ledgerhouse.dev/v1alpha1',
        kind: 'LedgerDatabase',
        namespace: 'org',
        name: 'payments',
        uid: 'u',
        resourceVersion: '7',
      },
    },
  ]);
});

test('the same event again is told as one series, half a minute at a time', async () => {
  const { events, timers, created, patched } = recorderOf();
  for (let second = 0; second < 60; second += 1) {
    events.record(regarding(), lost);
    await timers.advance(1_000);
  }
  await timers.advance(60_000);
  expect(created).toHaveLength(1);
  expect(patched).toEqual([
    { series: { count: 30, lastObservedTime: '2026-01-01T00:00:29.000000Z' } },
    { series: { count: 60, lastObservedTime: '2026-01-01T00:00:59.000000Z' } },
  ]);
});

test('another reason, note or object, or a long while, is another event', async () => {
  const { events, timers, created, patched } = recorderOf();
  events.record(regarding(), lost);
  events.record(regarding(), { ...lost, note: 'two of three' });
  events.record(regarding(), { ...lost, reason: 'Degraded' });
  events.record(regarding('other'), lost);
  await timers.advance(360_000);
  events.record(regarding(), lost);
  await settle();
  expect([created.length, patched.length]).toEqual([5, 0]);
});

test('one object cannot flood: 25 events at once, then one in five minutes', async () => {
  const { events, timers, created, dropped } = recorderOf();
  for (let index = 0; index < 40; index += 1) {
    events.record(regarding(), { ...lost, note: `number ${index}` });
  }
  events.record(regarding('other'), lost);
  await settle();
  expect([created.length, await dropped('limited')]).toEqual([26, 15]);
  await timers.advance(300_000);
  events.record(regarding(), { ...lost, note: 'later' });
  await settle();
  expect(created).toHaveLength(27);
});

test('an API server that hangs costs bounded memory and holds up nobody', async () => {
  const { events, created, dropped } = recorderOf(() => new Promise(() => {}));
  for (let index = 0; index < 1_500; index += 1) events.record(regarding(`u${index}`), lost);
  await settle();
  expect(created).toHaveLength(1);
  expect(await dropped('full')).toBe(500);
});

test('a failure is counted, and the next time is tried anew', async () => {
  let fails = true;
  const { events, created, dropped } = recorderOf(() =>
    fails
      ? Promise.reject(new ApiError('no', { status: 500, reason: 'InternalError' }))
      : Promise.resolve(),
  );
  events.record(regarding(), lost);
  await settle();
  fails = false;
  events.record(regarding(), lost);
  await settle();
  expect([created.length, await dropped('failed')]).toEqual([2, 1]);
});

test('notes are cut to the API server’s maximum length, between characters', async () => {
  const { events, created } = recorderOf();
  events.record(regarding(), { ...lost, note: 'é'.repeat(1_000) });
  await settle();
  expect(created[0]?.['note']).toBe('é'.repeat(510));
});

test('stopping writes what waits, leaves no timer, and records nothing more', async () => {
  const { events, timers, created } = recorderOf();
  events.record(regarding(), lost);
  events.record(regarding(), lost);
  await events.stop(1_000);
  expect(created).toHaveLength(1);
  expect(timers.pending).toBe(0);
  events.record(regarding('other'), lost);
  await settle();
  expect(created).toHaveLength(1);
});
