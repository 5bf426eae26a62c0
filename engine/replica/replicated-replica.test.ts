/**
 * Whole replicas under faults, on a fake etcd, with clients. A failure prints the seed; REPLICA_SEED=<seed> runs that one
 * alone, and REPLICA_SEEDS sets how many.
 */
import { expect, jest, test } from '@jest/globals';
import { ReplicaWorld, runWorld } from './testing/replica-world.ts';

const only = process.env['REPLICA_SEED'];
const count = Number(process.env['REPLICA_SEEDS'] ?? '8');
const first = Number(only ?? '1');
const seeds = Array.from({ length: only === undefined ? count : 1 }, (_, i) => first + i);
jest.setTimeout(60_000 + count * 2000);

const chaosMs = 2500;

test('clients are told what happened, once and in one order, whatever goes wrong', async () => {
  const sum = { writes: 0, reads: 0, reigns: 0, catchUps: 0 };
  for (const seed of seeds) {
    const outcome = await runWorld({ seed, chaosMs, replicaCount: seed % 5 === 0 ? 6 : 3 });
    const { violation } = outcome;
    if (violation)
      throw new Error(`REPLICA_SEED=${seed}: ${violation.message}`, { cause: violation });
    for (const figure of Object.keys(sum) as (keyof typeof sum)[]) sum[figure] += outcome[figure];
  }
  // That the worlds are worth something.
  expect(sum.writes).toBeGreaterThan(seeds.length * 10);
  expect(sum.reads).toBeGreaterThan(seeds.length * 5);
  expect(sum.reigns).toBeGreaterThan(seeds.length * 2);
});

test('the same seed makes the same world', async () => {
  const [one, other] = [await runWorld({ seed: 4, chaosMs }), await runWorld({ seed: 4, chaosMs })];
  expect(one).toEqual(other);
});

test.each([0, 1, 2])(
  'replica %i, whose state differs, stops and says so; the others go on',
  async (broken) => {
    const world = new ReplicaWorld({ seed: 3, chaosMs, broken });
    await world.runQuietly(3000);
    const { writes } = world.history;
    await world.simulation.run(2000);
    const standings = world.members.map(({ standing }) => standing);
    expect(standings[broken]).toMatchObject({ halted: true, role: 'recovering', syncing: true });
    expect(standings[broken]?.unready).toContain('state_differs');
    const roles = standings
      .filter((_, index) => index !== broken)
      .map((standing) => standing?.role);
    expect(new Set(roles)).toEqual(new Set(['backup', 'primary']));
    expect(world.history.writes).toBeGreaterThan(writes);
    world.end();
  },
);
