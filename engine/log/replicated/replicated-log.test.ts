/**
 * Tests of the protocol under faults, against a fake etcd. A failure prints the seed. LOG_SEED=<seed> runs that one alone;
 * LOG_SEEDS sets the number of seeds.
 */
import { expect, jest, test } from '@jest/globals';
import { runWorld, World, type Outcome } from './testing/world.ts';

const only = process.env['LOG_SEED'];
const count = Number(process.env['LOG_SEEDS'] ?? '200');
const first = Number(only ?? '1');
const seeds = Array.from({ length: only === undefined ? count : 1 }, (_, i) => first + i);
jest.setTimeout(600_000 + count * 200);

const chaosMs = 1500;

test('nothing acknowledged is lost, and all replicas tell the same, whatever goes wrong', async () => {
  const sum = { acknowledged: 0, blocks: 0, reigns: 0, reads: 0, catchUps: 0 };
  for (const seed of seeds) {
    const outcome = await runWorld({ seed, chaosMs, replicaCount: seed % 5 === 0 ? 6 : 3 });
    if (outcome.violation) throw failed(seed, outcome);
    for (const figure of Object.keys(sum) as (keyof typeof sum)[]) sum[figure] += outcome[figure];
  }
  // The worlds test something only if there was work and there were takeovers.
  expect(sum.acknowledged).toBeGreaterThan(seeds.length * 20);
  expect(sum.reads).toBeGreaterThan(seeds.length * 5);
  expect(sum.reigns).toBeGreaterThan(seeds.length * 2);
  if (only === undefined) expect(sum.catchUps).toBeGreaterThan(0);
});

test('the checker notices an etcd that lets a deposed leader append', async () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const { violation } = await runWorld({ seed, chaosMs, defects: { ignoresFence: true } });
    if (violation) return;
  }
  throw new Error('nothing was noticed in 200 worlds');
});

test('an engine whose member hangs does not tell the others that it leads', async () => {
  const world = new World({ seed: 1, chaosMs: 0 });
  const leading = await world.firstLeader();
  expect(leading.heartbeat()?.fence).toBeGreaterThan(0);
  world.cluster.hang(leading.index);
  await world.simulation.run(600);
  expect(leading.heartbeat()).toMatchObject({ fence: undefined, canLead: false });
  world.end();
});

test('a replica that executes slowly takes no more blocks into memory, and goes on where it was', async () => {
  const world = new World({ seed: 3, chaosMs: 0 });
  const leader = await world.firstLeader();
  const slow = world.replicas.find((replica) => replica !== leader)!;
  slow.isBusy = true;
  await world.simulation.run(500);
  const { sequence } = slow.position;
  await world.simulation.run(1500);
  expect(slow.position.sequence).toBe(sequence);
  expect(leader.position.sequence).toBeGreaterThan(sequence + 20);
  slow.isBusy = false;
  await world.simulation.run(1500);
  expect(slow.position.sequence).toBeGreaterThan(leader.position.sequence - 10);
  world.end();
});

test('the same seed makes the same world', async () => {
  const [one, other] = [await runWorld({ seed: 4, chaosMs }), await runWorld({ seed: 4, chaosMs })];
  expect(one).toEqual(other);
});

function failed(seed: number, { violation }: Outcome): Error {
  return new Error(`LOG_SEED=${seed}: ${violation?.message}`, { cause: violation });
}
