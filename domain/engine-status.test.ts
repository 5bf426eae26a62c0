import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { EngineWarning, ReplicaRole, type EngineStatus } from './engine-status.ts';
import { parseEngineStatus } from './parse-engine-status.ts';

const count = fc.nat(Number.MAX_SAFE_INTEGER);
const usage = fc.record({ usedBytes: count, limitBytes: count });
const part = fc.nat(255);
const identity = fc
  .integer({ min: 1, max: 6 })
  .chain((replicaCount) =>
    fc.record({ replicaCount: fc.constant(replicaCount), replicaIndex: fc.nat(replicaCount - 1) }),
  );
const u128 = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }).map(String);
const release = fc.tuple(fc.nat(65_535), part, part).map((parts) => parts.join('.'));
const checkLookup = fc.record({
  accountId: u128,
  ip: fc.oneof(
    fc.ipV4(),
    fc.ipV6().filter((ip) => ip.length <= 45),
    fc.constant(''),
  ),
  release,
  latencyMs: fc.nat(100_000).map((hundredths) => hundredths / 100),
  agoMs: count,
});
const status: fc.Arbitrary<EngineStatus> = fc
  .tuple(
    identity,
    fc.record(
      {
        engine: fc.constantFrom('Builtin' as const, 'TigerBeetle' as const),
        version: fc.stringMatching(/^[\x21-\x7e]{1,64}$/),
        release,
        clusterId: u128,
        role: fc.constantFrom(...Object.values(ReplicaRole)),
        syncing: fc.boolean(),
        view: count,
        op: count,
        commit: count,
        checkpoint: count,
        stateHash: fc.stringMatching(/^[0-9a-f]{32}$/),
        acceptsWrites: fc.boolean(),
        writesPaused: fc.boolean(),
        clockAgrees: fc.boolean(),
        clockOffsetMs: fc.integer(),
        warnings: fc.subarray(Object.values(EngineWarning)),
        sessions: count,
        connections: count,
        accounts: count,
        transfers: count,
        checkLookups: fc.array(checkLookup, { maxLength: 3 }),
        memory: usage,
        storage: usage,
      },
      {
        requiredKeys: [
          'engine',
          'version',
          'release',
          'clusterId',
          'role',
          'syncing',
          'view',
          'op',
          'commit',
          'checkpoint',
          'warnings',
          'storage',
        ],
      },
    ),
  )
  .map(([replica, rest]) => ({ ...rest, ...replica }));

test('the status of an engine is parsed unchanged', () => {
  fc.assert(
    fc.property(status, (said) => {
      expect(parseEngineStatus(JSON.parse(JSON.stringify(said)))).toEqual(said);
    }),
  );
});

test('any JSON gives a status or a short problem', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      const parsed = parseEngineStatus(json);
      expect('problem' in parsed).toBe(true);
      expect('problem' in parsed ? parsed.problem.length : 0).toBeLessThan(250);
    }),
  );
});

const optional = new Set<string>([
  'stateHash',
  'acceptsWrites',
  'writesPaused',
  'clockAgrees',
  'clockOffsetMs',
  'sessions',
  'connections',
  'accounts',
  'transfers',
  'checkLookups',
  'memory',
] satisfies (keyof EngineStatus)[]);

test('one wrong field is a problem that names it, whatever it holds', () => {
  fc.assert(
    fc.property(
      status,
      fc.nat(),
      fc.oneof(
        fc.constantFrom<unknown>(-1, 0.5, 2 ** 53, 1e308, null, '', '-', 'x'.repeat(10_000), {}),
        fc.constant<unknown>([1]),
      ),
      (said, pick, wrong) => {
        const names = Object.keys(said) as (keyof EngineStatus)[];
        const name = names[pick % names.length]!;
        // A free-text field may be a dash, and unknown words of a newer engine are ignored.
        if (name === 'version' && wrong === '-') return;
        if ((name === 'warnings' || name === 'checkLookups') && Array.isArray(wrong)) return;
        if (name === 'clockOffsetMs' && wrong === -1) return;
        const parsed = parseEngineStatus({ ...said, [name]: wrong });
        expect('problem' in parsed && parsed.problem).toContain(name);
        expect('problem' in parsed && parsed.problem.length).toBeLessThan(250);
      },
    ),
  );
});

test('a missing field is a problem only where every engine knows it', () => {
  fc.assert(
    fc.property(status, fc.nat(), (said, pick) => {
      const names = Object.keys(said);
      const name = names[pick % names.length]!;
      const { [name as 'op']: _, ...rest } = said;
      expect('problem' in parseEngineStatus(rest)).toBe(!optional.has(name));
    }),
  );
});

test('a field of a newer engine is passed over', () => {
  const [said] = fc.sample(status, { numRuns: 1, seed: 1 });
  expect(parseEngineStatus({ ...said, something: 'new' })).toEqual(said);
});

test.each([
  [{ replicaIndex: 3, replicaCount: 3 }, 'the status has no valid replicaIndex'],
  [{ replicaIndex: 0, replicaCount: 0 }, 'the status has no valid replicaCount'],
  [{ clusterId: String(1n << 128n) }, 'the status has no valid clusterId'],
])('a replica cannot be %j', (wrong, problem) => {
  const [said] = fc.sample(status, { numRuns: 1, seed: 1 });
  expect(parseEngineStatus({ ...said, ...wrong })).toEqual({ problem });
});
