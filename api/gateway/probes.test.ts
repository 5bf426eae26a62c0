import { afterEach, expect, test } from '@jest/globals';
import pino from 'pino';
import { MetricRegistry } from '../../base/metrics/metrics.ts';
import { VirtualTimers } from '../../test/support/operator/virtual-timers.ts';
import type { LedgerPlace } from './connection.ts';
import { unknownHealth, type GatewayHealth } from '../model/gateway-health.ts';
import { gatewayMetrics } from './metrics.ts';
import { Probes } from './probes.ts';

const started: { probes: Probes; timers: VirtualTimers }[] = [];
afterEach(async () => {
  for (const { probes, timers } of started.splice(0)) {
    const stopped = probes.stop();
    await timers.advance(10_000);
    await stopped;
  }
});

const database = (databaseId: string, hosts: readonly string[] = [databaseId]): LedgerPlace => ({
  databaseId,
  cluster: 1n,
  addresses: hosts.map((host) => ({ host, port: 3_001 })),
});

function world(all: readonly LedgerPlace[]) {
  const timers = new VirtualTimers();
  const state = {
    all,
    /** Hosts that do not answer. */
    away: new Set<string>(),
    tookMs: 1,
    asked: [] as string[],
    underWay: 0,
    mostUnderWay: 0,
    traffic: new Map<string, GatewayHealth>(),
    storeAway: false,
  };
  const probes = new Probes({
    timers,
    logger: pino({ level: 'silent' }),
    metrics: gatewayMetrics(new MetricRegistry(), {
      databases: 0,
      sessions: 0,
      waiting: 0,
      turns: { waiting: 0 },
    }),
    list: async () => {
      if (state.storeAway) throw new Error('away');
      return state.all;
    },
    traffic: (id) => state.traffic.get(id) ?? unknownHealth,
    ping: async ({ host }) => {
      state.asked.push(host);
      state.underWay += 1;
      state.mostUnderWay = Math.max(state.mostUnderWay, state.underWay);
      await new Promise<void>((resolve) => void timers.after(state.tookMs, resolve));
      state.underWay -= 1;
      if (state.away.has(host)) throw new Error(`${host} is away`);
      return state.tookMs;
    },
  });
  started.push({ probes, timers });
  probes.start();
  return { probes, timers, state };
}

test('a database nobody asks is known within seconds, and asked again twice a minute', async () => {
  const { probes, timers, state } = world([database('a')]);
  expect(probes.health('a')).toEqual(unknownHealth);
  await timers.advance(100);
  expect(probes.health('a')).toMatchObject({ status: 'CONNECTED', latencyMs: 1, lastError: null });
  state.asked.length = 0;
  await timers.advance(10 * 60_000);
  expect(state.asked.length).toBeGreaterThanOrEqual(14);
  expect(state.asked.length).toBeLessThanOrEqual(27);
});

test('one that went away is known within a minute, and one that comes back within seconds', async () => {
  const { probes, timers, state } = world([database('a')]);
  await timers.advance(100);
  state.away.add('a');
  await timers.advance(45_000);
  expect(probes.health('a')).toMatchObject({ status: 'DISCONNECTED', lastError: 'a is away' });
  state.away.clear();
  await timers.advance(6_000);
  expect(probes.health('a')).toMatchObject({ status: 'CONNECTED', lastError: null });
});

test('one replica that answers is enough', async () => {
  const { probes, timers, state } = world([database('a', ['a-0', 'a-1', 'a-2'])]);
  state.away.add('a-0');
  await timers.advance(100);
  expect(probes.health('a').status).toBe('CONNECTED');
  expect(state.asked).toEqual(['a-0', 'a-1']);
});

test('a database with recent traffic is not probed', async () => {
  const { timers, state } = world([]);
  const checkedAt = new Date(timers.wallMs()).toISOString();
  state.traffic.set('a', { status: 'CONNECTED', latencyMs: 2, lastError: null, checkedAt });
  state.all = [database('a')];
  await timers.advance(29_000);
  expect(state.asked).toEqual([]);
  await timers.advance(6_000);
  expect(state.asked).toEqual(['a']);
});

test('health is the newer of the results of traffic and probes', async () => {
  const { probes, timers, state } = world([database('a')]);
  await timers.advance(100);
  const checkedAt = new Date(timers.wallMs()).toISOString();
  const lost = { status: 'DISCONNECTED', latencyMs: 2, lastError: 'lost', checkedAt } as const;
  state.traffic.set('a', lost);
  expect(probes.health('a')).toEqual(lost);
  await timers.advance(60_000);
  expect(probes.health('a').status).toBe('CONNECTED');
});

test('a thousand are asked a few at a time, and not all at once again', async () => {
  const { timers, state } = world(Array.from({ length: 1_000 }, (_, i) => database(`d${i}`)));
  await timers.advance(1_000);
  expect(state.asked.length).toBe(1_000);
  expect(state.mostUnderWay).toBe(16);
  state.asked.length = 0;
  await timers.advance(25_000);
  // One round before the middle of the interval: some were asked, not all.
  expect(state.asked.length).toBeGreaterThan(0);
  expect(state.asked.length).toBeLessThan(1_000);
});

test('one that is READY no more is forgotten; a store that is away changes nothing', async () => {
  const { probes, timers, state } = world([database('a')]);
  await timers.advance(100);
  state.storeAway = true;
  await timers.advance(60_000);
  expect(probes.health('a').status).toBe('CONNECTED');
  state.storeAway = false;
  state.all = [];
  await timers.advance(6_000);
  expect(probes.health('a')).toEqual(unknownHealth);
});
