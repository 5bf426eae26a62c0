import { expect, test } from '@jest/globals';
import type { LedgerTarget } from '../gateway/targets.ts';
import { ClusterLookups } from './cluster-lookups.ts';

const target = (engine = 'Builtin'): LedgerTarget => ({
  databaseId: 'db_1',
  cluster: 0n,
  version: 1,
  addresses: [1, 2, 3].map((n) => ({ host: `10.0.0.${n}`, port: 3001 })),
  name: 'payments',
  engine,
  engineVersion: '0.1.0',
  streams: false,
});

const status = (agoMs: number) => ({
  engine: 'Builtin',
  version: '0.1.0',
  release: '0.17.9',
  clusterId: '0',
  replicaIndex: 1,
  replicaCount: 3,
  role: 'backup',
  view: 0,
  op: 1,
  commit: 1,
  checkpoint: 0,
  syncing: false,
  warnings: [],
  storage: { usedBytes: 1, limitBytes: 2 },
  checkLookups: [{ accountId: '77', ip: '10.9.9.9', release: '0.17.7', latencyMs: 0.3, agoMs }],
});

function lookups(answers: Readonly<Record<string, unknown>>) {
  let nowMs = 1_000;
  const asked: string[] = [];
  const timers = { nowMs: () => nowMs, wallMs: () => 0, after: () => () => {} };
  const found = new ClusterLookups({
    fetchStatus: async (url) => {
      asked.push(url);
      const answer = answers[url];
      if (answer === undefined) throw new Error('not reached');
      return answer;
    },
    statusUrl: ({ host }) => host,
    timers,
  });
  return { found, asked, pass: (ms: number) => (nowMs += ms) };
}

test('one replica that answers is enough', async () => {
  const { found } = lookups({ '10.0.0.2': 'no status', '10.0.0.3': status(5_000) });
  expect(await found.find(target(), '77')).toEqual({
    via: 'cluster',
    client: null,
    clientVersion: '0.17.7',
    ip: '10.9.9.9',
    latencyMs: 0.3,
  });
  expect(await found.find(target(), '78')).toBeUndefined();
});

test('a lookup of this moment may still be one of the tunnel', async () => {
  const { found } = lookups({ '10.0.0.1': status(200) });
  expect(await found.find(target(), '77')).toBeUndefined();
});

test('however many wait, a database is asked once a second', async () => {
  const { found, asked, pass } = lookups({});
  await Promise.all(Array.from({ length: 50 }, () => found.find(target(), '77')));
  expect(asked).toHaveLength(3);
  pass(1_001);
  await found.find(target(), '77');
  expect(asked).toHaveLength(6);
});

test('TigerBeetle is not asked', async () => {
  const { found, asked } = lookups({});
  expect(await found.find(target('TigerBeetle'), '77')).toBeUndefined();
  expect(asked).toEqual([]);
});
