import { expect, jest, test } from '@jest/globals';
import { ApiError } from '../../base/kube/kube.ts';
import { figuresOf, PodFigureReader, type PodMetrics } from './pod-figures.ts';
import { readingsOf, silentReplica, withPodFigures, answerOf } from './replica-reading.ts';
import { replicaFigures } from '../model/metric-figures.ts';
import type { EngineStatus } from '../../domain/engine-status.ts';

const nowMs = Date.parse('2026-11-26T03:00:00Z');
const usage = (name: string, cpu: string, memory: string) => ({ name, usage: { cpu, memory } });

/** As metrics-server answers. */
const measured = (
  name: string,
  containers: NonNullable<PodMetrics['containers']> | null,
  timestamp = '2026-11-26T02:59:30Z',
): PodMetrics => ({
  apiVersion: 'metrics.k8s.io/v1beta1',
  kind: 'PodMetrics',
  metadata: { name, namespace: 'org-a' },
  timestamp,
  containers,
});

test('a pod uses what its containers use together', () => {
  const pod = measured('beetle-0', [
    usage('engine', '1250000000n', '3145728Ki'),
    usage('status', '0', '64Mi'),
  ]);
  expect(figuresOf([pod], nowMs)).toEqual(
    new Map([
      [
        'org-a/beetle-0',
        { cpuCores: 1.25, memoryBytes: 3_288_334_336, engineMemoryBytes: 3_221_225_472 },
      ],
    ]),
  );
});

test('a figure that is old, or has no container, is not known', () => {
  const engine = [usage('engine', '1', '1Gi')];
  const pods = [
    measured('old', engine, '2026-11-26T02:00:00Z'),
    measured('timeless', engine, ''),
    measured('null', null),
    measured('empty', []),
  ];
  expect(figuresOf(pods, nowMs).size).toBe(0);
});

test('a figure that an answer leaves out, or says below zero, is a gap, and costs no other pod its figures', () => {
  const { timestamp: _, containers: __, ...bare } = measured('bare', null);
  const pods = [
    bare,
    measured('without-usage', [{ name: 'engine' }, {}]),
    measured('without-memory', [{ name: 'engine', usage: { cpu: '1' } }]),
    measured('negative', [usage('engine', '-1', '1Gi')]),
    measured('whole', [usage('engine', '1', '1Gi')]),
  ];
  const figures = figuresOf(pods, nowMs);
  const row = (name: string) =>
    withPodFigures(silentReplica, figures.get(`org-a/${name}`) ?? (undefined as never));
  expect(figures.has('org-a/bare')).toBe(false);
  expect(figureOf(row('without-usage'), 'cpu_cores')).toBeNull();
  expect(figureOf(row('without-memory'), 'cpu_cores')).toBe(1);
  expect(figureOf(row('without-memory'), 'memory_used_bytes')).toBeNull();
  expect(figureOf(row('negative'), 'cpu_cores')).toBeNull();
  expect(figureOf(row('whole'), 'cpu_cores')).toBe(1);
});

const figureOf = (row: readonly (number | null)[], name: (typeof replicaFigures)[number]) =>
  row[replicaFigures.indexOf(name)];

test('figures of a pod fill what its engine does not tell, also while its status is silent, and no others', () => {
  const pod = { cpuCores: 0.5, memoryBytes: 4_096, engineMemoryBytes: 2_048 };
  const silent = withPodFigures(silentReplica, pod);
  expect(figureOf(silent, 'up')).toBe(0);
  expect(figureOf(silent, 'cpu_cores')).toBe(0.5);
  const status = { storage: {}, memory: { usedBytes: 7, limitBytes: 9 } } as EngineStatus;
  const told = withPodFigures(readingsOf(answerOf(0, status, []), undefined, 0).readings, pod);
  expect(figureOf(told, 'memory_used_bytes')).toBe(7);
  expect(figureOf(told, 'process_memory_bytes')).toBe(2_048);
});

test('a quantity that nobody understands is a gap, and costs no other figure', () => {
  const [pod] = figuresOf([measured('odd', [usage('engine', 'much', '1Gi')])], nowMs).values();
  const row = withPodFigures(silentReplica, pod ?? (undefined as never));
  expect(figureOf(row, 'cpu_cores')).toBeNull();
  expect(figureOf(row, 'memory_used_bytes')).toBe(2 ** 30);
});

function readerOf(list: () => Promise<readonly PodMetrics[]>) {
  let clockMs = 0;
  const logger = { info: jest.fn(), warn: jest.fn() };
  const reader = new PodFigureReader({
    kube: { withSignal: () => ({ list }) as never, serverTimeMs: () => nowMs },
    logger: logger as never,
    timers: { nowMs: () => clockMs, wallMs: () => nowMs } as never,
  });
  const read = async (...workloads: string[]) =>
    (await reader.read(workloads, new AbortController().signal)).size;
  return { read, logger, pass: (ms: number) => (clockMs += ms) };
}

test('a cluster without a metrics API is told so once, and asked again after minutes', async () => {
  const list = jest.fn(async (): Promise<readonly PodMetrics[]> => {
    throw new ApiError('not served', { status: 404, reason: 'UnknownPath' });
  });
  const { read, logger, pass } = readerOf(list);
  expect(await read('beetle')).toBe(0);
  expect(await read('beetle')).toBe(0);
  expect(list).toHaveBeenCalledTimes(1);
  pass(300_000);
  list.mockResolvedValueOnce([measured('beetle-0', [usage('engine', '1', '1Gi')])]);
  expect(await read('beetle')).toBe(1);
  expect(logger.info).toHaveBeenCalledTimes(1);
  expect(logger.warn).not.toHaveBeenCalled();
});

test('an outage of the metrics API is a gap, told once, and over with the next answer', async () => {
  const list = jest.fn(async (): Promise<readonly PodMetrics[]> => []);
  const failure = new ApiError('down', { status: 503, reason: 'ServiceUnavailable' });
  list.mockRejectedValueOnce(failure).mockRejectedValueOnce(failure);
  const { read, logger } = readerOf(list);
  expect(await read('beetle')).toBe(0);
  expect(await read('beetle')).toBe(0);
  list.mockResolvedValueOnce([measured('beetle-0', [usage('engine', '1', '1Gi')])]);
  expect(await read('beetle')).toBe(1);
  expect(logger.warn).toHaveBeenCalledTimes(1);
});

test('each list names some workloads, no invalid one among them, and without any nothing is asked', async () => {
  const list = jest.fn(async (): Promise<readonly PodMetrics[]> => []);
  const { read } = readerOf(list);
  await read();
  expect(list).not.toHaveBeenCalled();
  const names = Array.from({ length: 200 }, (_, index) => `beetle-${index}-abcdef`);
  await read('a),b in (c', '', ...names);
  const asked = list.mock.calls.map(([, options]: unknown[]) =>
    /in \((.+)\)/.exec((options as { labelSelector: string }).labelSelector)?.[1]?.split(','),
  );
  expect(asked.flat()).toEqual(names);
  expect(asked).toHaveLength(3);
});
