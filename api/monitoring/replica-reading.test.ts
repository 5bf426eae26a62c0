import { expect, test } from '@jest/globals';
import type { EngineStatus } from '../../domain/engine-status.ts';
import { latencyPlaceOf, replicaFigures, type ReplicaFigure } from '../model/metric-figures.ts';
import { readExposition } from './exposition.ts';
import { answerOf, readingsOf, silentReplica } from './replica-reading.ts';

const status: EngineStatus = {
  engine: 'Builtin',
  version: '0.1.0',
  release: '0.17.9',
  clusterId: '1',
  replicaIndex: 0,
  replicaCount: 3,
  role: 'primary',
  syncing: false,
  view: 1,
  op: 100,
  commit: 100,
  checkpoint: 50,
  warnings: [],
  transfers: 1_000,
  storage: { usedBytes: 5, limitBytes: 10 },
};

const text = (requests: number, fast: number, all: number) => `
# HELP ledgerhouse_engine_requests_total Requests executed.
# TYPE ledgerhouse_engine_requests_total counter
ledgerhouse_engine_requests_total{operation="create_transfers"} ${requests}
ledgerhouse_engine_requests_total{operation="create_transfers_unbatched"} 2
ledgerhouse_engine_request_seconds_bucket{le="0.0005",operation="create_transfers"} 0
ledgerhouse_engine_request_seconds_bucket{le="0.001",operation="create_transfers"} ${fast}
ledgerhouse_engine_request_seconds_bucket{le="0.0025",operation="create_transfers"} ${all}
ledgerhouse_engine_request_seconds_bucket{le="0.005",operation="create_transfers"} ${all}
ledgerhouse_engine_cpu_seconds_total 7
`;

const figure = (readings: readonly (number | null)[], name: ReplicaFigure) =>
  readings[replicaFigures.indexOf(name)];

const answer = (atMs: number, more: Partial<EngineStatus>, said: string) =>
  answerOf(atMs, { ...status, ...more }, readExposition(said));

test('rates are differences of two answers, by the time between them', () => {
  const before = answer(0, {}, text(10, 4, 6));
  const now = answer(10_000, { commit: 150, transfers: 6_000 }, text(30, 14, 26));
  const { readings, latencies } = readingsOf(now, before, 180);
  expect(figure(readings, 'requests_per_second.create_transfers')).toBe(2);
  expect(figure(readings, 'transfers_per_second')).toBe(500);
  expect(figure(readings, 'commits_per_second')).toBe(5);
  expect(figure(readings, 'cpu_cores')).toBe(0);
  expect(figure(readings, 'commit_lag_ops')).toBe(30);
  expect(figure(readings, 'leader')).toBe(1);
  const place = latencyPlaceOf('create_transfers');
  expect(latencies?.slice(place, place + 5)).toEqual([null, 1, 1, null, null]);
});

test('a count that fell is no rate: the process began again', () => {
  const before = answer(0, { transfers: 900 }, text(10, 4, 6));
  const now = answer(10_000, { commit: 5, transfers: 3 }, text(1, 1, 1));
  const { readings, latencies } = readingsOf(now, before, 5);
  expect(figure(readings, 'requests_per_second.create_transfers')).toBeNull();
  expect(figure(readings, 'transfers_per_second')).toBeNull();
  expect(figure(readings, 'up')).toBe(1);
  expect(latencies?.every((one) => one === null) ?? true).toBe(true);
});

test('a first answer has gauges and no rates; what an engine does not report is not known', () => {
  const { readings, latencies } = readingsOf(answer(0, {}, ''), undefined, 100);
  expect(figure(readings, 'storage_used_bytes')).toBe(5);
  expect(figure(readings, 'sessions')).toBeNull();
  expect(figure(readings, 'transfers_per_second')).toBeNull();
  expect(latencies).toBeNull();
  expect(figure(silentReplica, 'up')).toBe(0);
  expect(silentReplica.filter((one) => one !== null)).toEqual([0]);
});

test('places of figures stay: rows of the store depend on them', () => {
  expect(replicaFigures.slice(0, 22)).toEqual([
    'up',
    'leader',
    'syncing',
    'accepts_writes',
    'clock_offset_seconds',
    'commit_lag_ops',
    'commits_per_second',
    'sessions',
    'connections',
    'accounts',
    'transfers',
    'accounts_per_second',
    'transfers_per_second',
    'memory_used_bytes',
    'memory_limit_bytes',
    'storage_used_bytes',
    'storage_limit_bytes',
    'cpu_cores',
    'process_memory_bytes',
    'refused_per_second',
    'requests_per_second.create_accounts',
    'requests_per_second.create_transfers',
  ]);
});

test.each(['1e300', '-1e300', '+Inf', 'NaN'])('a replica that says %s says nothing', (said) => {
  const wrong = `${text(10, 4, 6)}
ledgerhouse_engine_resident_memory_bytes ${said}
ledgerhouse_engine_request_seconds_bucket{le="+Inf",operation="lookup_accounts"} ${said}
ledgerhouse_engine_start_time_seconds ${said.replace('e', 'x')}
`;
  const before = answer(0, {}, text(10, 4, 6));
  const now = answer(10_000, {}, wrong);
  const { readings, latencies } = readingsOf(now, before, 100);
  expect(figure(readings, 'process_memory_bytes')).toBeNull();
  expect(latencies).toBeNull();
  expect(now.startedAtSeconds).toBeNull();
});

test('a figure that is too small to be kept is 0', () => {
  const now = answer(0, {}, 'ledgerhouse_engine_resident_memory_bytes 1e-300');
  expect(figure(readingsOf(now, undefined, 100).readings, 'process_memory_bytes')).toBe(0);
});
