import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { EngineStatus } from './engine-status.ts';
import { parseEngineStatus } from './parse-engine-status.ts';

const good: EngineStatus = {
  engine: 'Builtin',
  version: '0.1.0',
  release: '0.17.9',
  clusterId: '340282366920938463463374607431768211454',
  replicaIndex: 0,
  replicaCount: 1,
  role: 'primary',
  view: 0,
  op: 12,
  commit: 12,
  checkpoint: 0,
  syncing: false,
  stateHash: '0123456789abcdef0123456789abcdef',
  acceptsWrites: true,
  writesPaused: false,
  clockAgrees: true,
  clockOffsetMs: -3,
  warnings: ['MemoryNearLimit'],
  sessions: 3,
  connections: 4,
  accounts: 5,
  transfers: 6,
  checkLookups: [
    { accountId: '7', ip: '10.0.0.1', release: '0.17.9', latencyMs: 0.25, agoMs: 1_000 },
  ],
  memory: { usedBytes: 1, limitBytes: 2 },
  storage: { usedBytes: 1, limitBytes: 2 },
  mendedPages: 4,
  archive: {
    state: 'Archiving',
    archivedOp: 12,
    archivedTimestamp: '1798761600000000000',
    chainFirstOp: 9,
    earlierRuns: [{ firstOp: 1, lastOp: 5, lastTimestamp: '1798761500000000000' }],
    gaps: 1,
    spoolBytes: 0,
    leads: true,
    lagSeconds: 0.5,
  },
};

test('the whole status of an engine is parsed', () => {
  expect(parseEngineStatus(JSON.parse(JSON.stringify(good)))).toEqual(good);
  const { stateHash: _, sessions: __, ...tigerBeetle } = good;
  expect(parseEngineStatus(tigerBeetle)).toEqual(tigerBeetle);
});

test('a warning of a newer engine is passed over', () => {
  expect(parseEngineStatus({ ...good, warnings: ['MemoryNearLimit', 'TooWarm'] })).toEqual(good);
});

test('the message of an archiver reaches its readers, and is passed over if it is not understood', () => {
  expect(parseEngineStatus(good)).toMatchObject({ archive: { archivedOp: 12, leads: true } });
  const { archive, ...others } = good;
  expect(parseEngineStatus({ ...good, archive: { ...archive, state: 'Dancing' } })).toEqual(others);
});

test('a lookup that is not understood is passed over', () => {
  const odd = { ...good, checkLookups: [...(good.checkLookups ?? []), { ip: 'fe80::1%eth0' }] };
  expect(parseEngineStatus(odd)).toEqual(good);
});

test.each([
  [undefined, 'the status is not an object'],
  ['ok', 'the status is not an object'],
  [{ ...good, role: 'king' }, 'the status has no valid role'],
  [{ ...good, op: -1 }, 'the status has no valid op'],
  [{ ...good, op: 1e300 }, 'the status has no valid op'],
  [{ ...good, replicaIndex: 6 }, 'the status has no valid replicaIndex'],
  [{ ...good, version: 'x'.repeat(65) }, 'the status has no valid version'],
  [{ ...good, clusterId: '-1' }, 'the status has no valid clusterId'],
  [{ ...good, clusterId: 'seven' }, 'the status has no valid clusterId'],
  [{ ...good, clusterId: String(2n ** 128n) }, 'the status has no valid clusterId'],
  [{ ...good, syncing: 'no' }, 'the status has no valid syncing'],
  [{ ...good, memory: { usedBytes: 1 } }, 'the status has no valid memory.limitBytes'],
])('%p is refused with words', (json, problem) => {
  expect(parseEngineStatus(json)).toEqual({ problem });
});

test('nothing that an engine answers makes its reader fail', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(...Object.keys(good)), (value, field) => {
      parseEngineStatus(value);
      const result = parseEngineStatus({ ...good, [field]: value });
      expect('problem' in result ? typeof result.problem : typeof result.op).toMatch(
        /string|number/,
      );
    }),
  );
});
