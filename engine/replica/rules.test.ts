/** Tests with replicas of several releases: the older ones know rules 1 of the ledger, the newer ones also rules 2. */
import { expect, test } from '@jest/globals';
import { Operation } from '../wire/operations.ts';
import { Asker } from './testing/asker.ts';
import { accountsBody, transferBody } from './testing/records.ts';
import { ReplicaWorld } from './testing/replica-world.ts';

async function mixed(seed: number, rules: readonly number[]) {
  const world = new ReplicaWorld({ seed, chaosMs: 0, clients: 0 });
  for (const [index, member] of world.members.entries()) member.rulesMax = rules[index] ?? 1;
  await world.runQuietly(2000);
  const asker = new Asker(world);
  await asker.register();
  await asker.ask(Operation.createAccounts, accountsBody(1, 2));
  return { world, asker };
}

const rulesOf = (world: ReplicaWorld) => world.members.map(({ rules }) => rules);
const hashesOf = (world: ReplicaWorld) => new Set(world.members.map(({ stateHash }) => stateHash));

test.each([1, 2, 3])(
  'replicas go on by the old rules until the last one knows the new ones, then all by those (seed %i)',
  async (seed) => {
    const { world, asker } = await mixed(seed, [2, 2, 1]);
    await world.simulation.run(3000);
    expect(rulesOf(world)).toEqual([1, 1, 1]);
    const last = world.members[2]!;
    last.kill();
    await world.simulation.run(3000);
    // A silent replica counts as one that does not know the rules.
    expect(rulesOf(world).slice(0, 2)).toEqual([1, 1]);
    last.rulesMax = 2;
    last.start();
    await world.simulation.run(6000);
    expect(rulesOf(world)).toEqual([2, 2, 2]);
    await asker.ask(Operation.createTransfers, transferBody(10));
    await world.simulation.run(1000);
    expect(hashesOf(world).size).toBe(1);
    expect(world.history.violation).toBeUndefined();
    world.end();
  },
);

test('a replica that comes back with an older release halts, says why, and the others go on', async () => {
  const { world, asker } = await mixed(4, [2, 2, 2]);
  await world.simulation.run(1000);
  expect(rulesOf(world)).toEqual([2, 2, 2]);
  const back = world.members[(world.leader!.index + 1) % 3]!;
  back.kill();
  back.rulesMax = 1;
  back.mayHalt = true;
  back.start();
  await world.simulation.run(3000);
  expect(back.standing?.unready).toContain('rules 2 of the ledger');
  expect(back.standing?.unready).toContain('rules up to 1');
  await asker.ask(Operation.createTransfers, transferBody(10));
  back.kill();
  back.rulesMax = 2;
  back.start();
  await world.simulation.run(3000);
  expect(hashesOf(world).size).toBe(1);
  world.end();
});

test.each([700, 703, 709])(
  'replicas that come to know the new rules one after another, under faults, have one state (seed %i)',
  async (seed) => {
    const world = new ReplicaWorld({ seed, chaosMs: 6000 });
    for (const member of world.members) {
      member.rulesMax = 1;
      world.simulation.after(500 + 1500 * member.index, () => {
        member.kill();
        member.rulesMax = 2;
        member.start();
      });
    }
    let newest = 1;
    const look = (): void => {
      newest = Math.max(newest, ...world.members.map(({ rules = 1 }) => rules));
      world.simulation.after(100, look);
    };
    look();
    const { violation, writes } = await world.run(6000);
    expect(newest).toBe(2);
    expect(violation).toBeUndefined();
    expect(writes).toBeGreaterThan(20);
  },
);

test('a checkpoint says by which rules it goes on, and an older release does not load it', async () => {
  const { world, asker } = await mixed(5, [2, 2, 2]);
  await world.simulation.run(1000);
  const follower = world.members[(world.leader!.index + 1) % 3]!;
  follower.checkpoint();
  await world.simulation.run(1000);
  expect(follower.checkpointOp).toBe(follower.op);
  follower.kill();
  follower.start();
  await world.simulation.run(3000);
  expect(follower.rules).toBe(2);
  await asker.ask(Operation.createTransfers, transferBody(10));
  await world.simulation.run(1000);
  expect(hashesOf(world).size).toBe(1);
  follower.kill();
  follower.rulesMax = 1;
  follower.mayHalt = true;
  follower.start();
  await world.simulation.run(1000);
  expect(follower.recoverError?.message).toContain('rules 2 of the ledger');
  world.end();
});
