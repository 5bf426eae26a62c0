/** Tests of whole replicas on a fake etcd, one or more of them with a wrong clock. */
import { expect, test } from '@jest/globals';
import { splitMultiBatch } from '../wire/multi-batch.ts';
import { Operation } from '../wire/operations.ts';
import { Asker } from './testing/asker.ts';
import { accountsBody, lookupBody, postBody, transferBody } from './testing/records.ts';
import { ReplicaWorld } from './testing/replica-world.ts';

const HOUR = 3_600_000;
const TIMEOUT_S = 1800;
const CREATED = 0xffff_ffff;

/** Makes an idle cluster in which transfer 10 is pending for half an hour. */
async function withPending(seed: number) {
  const world = new ReplicaWorld({ seed, chaosMs: 0, clients: 0 });
  await world.runQuietly(1500);
  const asker = new Asker(world);
  await asker.register();
  await asker.ask(Operation.createAccounts, accountsBody(1, 2));
  await asker.ask(Operation.createTransfers, transferBody(10, TIMEOUT_S));
  return { world, asker };
}

const statusOf = (body: Uint8Array): number | undefined => {
  const [results] = splitMultiBatch(body, 16) ?? [];
  return results && new DataView(results.buffer, results.byteOffset).getUint32(8, true);
};

test.each([1, 2, 3, 4])(
  'a follower whose clock is an hour ahead releases no pending transfer when it gets the lead (seed %i)',
  async (seed) => {
    const { world, asker } = await withPending(seed);
    const next = (world.leader!.index + 1) % 3;
    world.members[next]!.aheadMs = HOUR;
    await world.simulation.run(2000);
    world.cluster.elect(next);
    await world.simulation.run(3000);
    expect(world.members.map(({ pending }) => pending)).toEqual([1, 1, 1]);
    const post = await asker.ask(Operation.createTransfers, postBody(11, 10));
    expect(statusOf(post.body)).toBe(CREATED);
    expect(Number(post.timestamp / 1_000_000n)).toBeLessThan(world.trueMs + 1000);
    expect(world.leader!.index).not.toBe(next);
    world.end();
  },
);

test.each([1, 2, 3, 4])(
  'a replica whose clock is an hour behind gives the lead on when it gets it, and time never goes back (seed %i)',
  async (seed) => {
    const { world, asker } = await withPending(seed);
    const before = await asker.ask(Operation.createAccounts, accountsBody(3, 4));
    const next = (world.leader!.index + 1) % 3;
    world.members[next]!.aheadMs = -HOUR;
    world.cluster.elect(next);
    const post = await asker.ask(Operation.createTransfers, postBody(11, 10));
    expect(statusOf(post.body)).toBe(CREATED);
    expect(post.timestamp).toBeGreaterThan(before.timestamp);
    expect(Math.abs(Number(post.timestamp / 1_000_000n) - world.trueMs)).toBeLessThan(1000);
    await world.simulation.run(3000);
    expect(world.leader!.index).not.toBe(next);
    world.end();
  },
);

test('a leader whose clock jumps between two writes gives neither a time of the jump', async () => {
  const { world } = await withPending(9);
  const leader = world.leader!;
  const askers = [new Asker(world, 78n), new Asker(world, 79n)] as const;
  for (const asker of askers) await asker.register();
  const first = await askers[0].ask(Operation.createAccounts, accountsBody(5, 6));
  leader.aheadMs = HOUR;
  const second = await askers[1].ask(Operation.createAccounts, accountsBody(7, 8));
  expect(second.timestamp).toBeGreaterThan(first.timestamp);
  expect(Math.abs(Number(second.timestamp / 1_000_000n) - world.trueMs)).toBeLessThan(1000);
  expect(world.leader).not.toBe(leader);
  world.end();
});

test('three clocks that are eleven seconds apart write nothing and change no leader', async () => {
  const { world, asker } = await withPending(10);
  for (const [index, member] of world.members.entries()) member.aheadMs = (index - 1) * 11_000;
  await world.simulation.run(5000);
  const { reigns } = world;
  const write = transferBody(12);
  expect(await asker.tryToAsk(Operation.createTransfers, write, 5000)).toBeUndefined();
  expect(world.reigns).toBe(reigns);
  expect(world.members.map(({ pending }) => pending)).toEqual([1, 1, 1]);
  for (const member of world.members) member.aheadMs = 0;
  const late = await asker.ask(Operation.createTransfers, write);
  expect(statusOf(late.body)).toBe(CREATED);
  world.end();
});

test('all clocks that are set at once change the leader once at most', async () => {
  const { world, asker } = await withPending(11);
  const { reigns } = world;
  for (const member of world.members) member.aheadMs = HOUR;
  await world.simulation.run(10_000);
  expect(world.reigns - reigns).toBeLessThanOrEqual(1);
  const write = await asker.ask(Operation.createAccounts, accountsBody(3, 4));
  expect(Math.abs(Number(write.timestamp / 1_000_000n) - world.trueMs - HOUR)).toBeLessThan(1000);
  world.end();
});

test.each([HOUR, -HOUR, 3000])(
  'a leader whose clock is set by %i ms gives up the lead, and time goes on as before',
  async (stepMs) => {
    const { world, asker } = await withPending(5);
    const old = world.leader!;
    old.aheadMs = stepMs;
    await world.simulation.run(2000);
    expect(world.leader!.index).not.toBe(old.index);
    expect(world.members.map(({ pending }) => pending)).toEqual([1, 1, 1]);
    const post = await asker.ask(Operation.createTransfers, postBody(11, 10));
    expect(statusOf(post.body)).toBe(CREATED);
    const askedMs = Number(post.timestamp / 1_000_000n);
    expect(Math.abs(askedMs - world.trueMs)).toBeLessThan(1000);
    world.end();
  },
);

test('while no two of three clocks agree nothing is written and nothing expires, and reads go on', async () => {
  const { world, asker } = await withPending(6);
  const leader = world.leader!;
  world.members[(leader.index + 1) % 3]!.aheadMs = HOUR;
  world.members[(leader.index + 2) % 3]!.aheadMs = -HOUR;
  await world.simulation.run(4000);
  expect(world.leader).toBe(leader);
  expect(leader.standing?.clock.agrees).toBe(false);
  const write = transferBody(12);
  expect(await asker.tryToAsk(Operation.createTransfers, write, 2000)).toBeUndefined();
  world.members[(leader.index + 1) % 3]!.aheadMs = 0;
  world.members[(leader.index + 2) % 3]!.aheadMs = 0;
  const late = await asker.ask(Operation.createTransfers, write);
  expect(statusOf(late.body)).toBe(CREATED);
  world.members[(leader.index + 1) % 3]!.aheadMs = HOUR;
  world.members[(leader.index + 2) % 3]!.aheadMs = -HOUR;
  await world.simulation.run(1000);
  const { body } = await asker.ask(Operation.lookupAccounts, lookupBody(1));
  expect(splitMultiBatch(body, 128)?.[0]?.length).toBe(128);
  expect(world.members.map(({ pending }) => pending)).toEqual([1, 1, 1]);
  world.end();
});

test('a leader that hears nobody writes nothing', async () => {
  const { world, asker } = await withPending(7);
  world.loss = 1;
  await world.simulation.run(4000);
  expect(world.leader?.standing?.clock).toEqual({ agrees: false, offsetMs: undefined });
  const write = transferBody(12);
  expect(await asker.tryToAsk(Operation.createTransfers, write, 2000)).toBeUndefined();
  world.loss = 0;
  const late = await asker.ask(Operation.createTransfers, write);
  expect(statusOf(late.body)).toBe(CREATED);
  world.end();
});

test('a pending transfer expires when its time has come, though one clock is an hour behind', async () => {
  const { world, asker } = await withPending(8);
  world.members[(world.leader!.index + 1) % 3]!.aheadMs = -HOUR;
  await asker.ask(Operation.createTransfers, transferBody(13, 20));
  const createdMs = world.trueMs;
  while (world.members.some(({ pending }) => pending !== 1)) {
    await world.simulation.run(100);
    expect(world.trueMs - createdMs).toBeLessThan(22_000);
  }
  expect(world.trueMs - createdMs).toBeGreaterThan(19_000);
  world.end();
});
