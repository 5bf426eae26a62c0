/** Tests of pauses of writes in whole replicas on a fake etcd. */
import { expect, test } from '@jest/globals';
import type { Paused } from '../last-backup/questions.ts';
import { PAUSE_TABLE, RULES_TABLE } from '../log/layout.ts';
import { Operation } from '../wire/operations.ts';
import { Asker } from './testing/asker.ts';
import { accountsBody, lookupBody, transferBody } from './testing/records.ts';
import { ReplicaWorld, type SimMember } from './testing/replica-world.ts';

const MINUTE = 60_000;

async function idleWorld(seed: number, before: (world: ReplicaWorld) => void = () => undefined) {
  const world = new ReplicaWorld({ seed, chaosMs: 0, clients: 0, retainedBytesMax: 3000 });
  before(world);
  await world.runQuietly(1500);
  const asker = new Asker(world);
  await asker.register();
  await asker.ask(Operation.createAccounts, accountsBody(1, 2));
  return { world, asker };
}

/** Asks whoever leads until writes are paused. */
async function paused(world: ReplicaWorld, lengthMs: number): Promise<Paused> {
  for (let tries = 0; tries < 100; tries += 1) {
    const asked = world.leader?.pauseWrites(lengthMs);
    await world.simulation.run(200);
    const answer = await asked;
    if (answer?.outcome === 'paused') return answer;
  }
  throw new Error('writes were not paused');
}

const writes = (asker: Asker, id: number) =>
  asker.tryToAsk(Operation.createTransfers, transferBody(id), 1000);
const states = (world: ReplicaWorld) => new Set(world.members.map(({ stateHash }) => stateHash));
const transfers = (world: ReplicaWorld) => world.members.map((member) => member.transfers);

test('while writes are paused nothing changes the ledger, reads and new sessions go on, and afterwards the write that was sent meanwhile is taken', async () => {
  const { world, asker } = await idleWorld(1);
  await asker.ask(Operation.createTransfers, transferBody(10, 1));
  const { op, stateHash } = await paused(world, 5000);
  expect(world.members.every((member) => (member.op ?? 0) >= op)).toBe(true);
  // The pending transfer expires meanwhile, too.
  expect(await asker.tryToAsk(Operation.createTransfers, transferBody(11), 2500)).toBeUndefined();
  expect(world.leader?.writesPaused).toBe(true);
  const reader = new Asker(world, 78n);
  await reader.register();
  expect((await reader.ask(Operation.lookupAccounts, lookupBody(1))).body.length).toBe(256);
  expect([...states(world)]).toEqual([stateHash]);
  await asker.ask(Operation.createTransfers, transferBody(11));
  await world.simulation.run(1000);
  expect(world.leader?.writesPaused).toBe(false);
  expect(transfers(world)).toEqual([2, 2, 2]);
  expect(world.members.map(({ pending }) => pending)).toEqual([0, 0, 0]);
  expect(states(world).size).toBe(1);
  world.end();
});

test('a pause outlives its leader, every replica’s start, and the fetch of a state, and a shorter one does not end it', async () => {
  const { world, asker } = await idleWorld(2);
  const { stateHash } = await paused(world, MINUTE);
  await paused(world, 100);
  const leader = world.leader!;
  leader.kill();
  await world.simulation.run(3000);
  expect(await writes(asker, 10)).toBeUndefined();
  leader.start();
  await world.simulation.run(2000);
  for (const member of world.members) {
    member.checkpoint();
    await world.simulation.run(500);
    expect(member.checkpointOp).toBe(member.op);
  }
  for (const member of world.members) member.kill();
  for (const member of world.members) member.start();
  await world.simulation.run(4000);
  // One that was away for long fetches another one's state.
  const away = world.members.find((member) => member !== world.leader)!;
  away.kill();
  for (let client = 100n; client < 130n; client += 1n) await new Asker(world, client).register();
  for (const member of world.members) member.checkpoint();
  await world.simulation.run(1000);
  away.start();
  await world.simulation.run(4000);
  expect(away.catchUps).toBe(1);
  world.cluster.elect(away.index);
  await world.simulation.run(3000);
  expect(await writes(asker, 10)).toBeUndefined();
  expect([...states(world)]).toEqual([stateHash]);
  expect(world.simulation.nowMs).toBeLessThan(MINUTE);
  await world.simulation.run(MINUTE);
  await asker.ask(Operation.createTransfers, transferBody(10));
  await world.simulation.run(1000);
  expect(transfers(world)).toEqual([1, 1, 1]);
  world.end();
});

test('after a pause, too, a release without pauses meets the rules in a data file first, and says which release it needs', async () => {
  const { world, asker } = await idleWorld(4);
  await paused(world, 3000);
  const checkpoint = async (): Promise<readonly number[]> => {
    const { leader } = world;
    leader!.checkpoint();
    await world.simulation.run(500);
    expect(leader!.checkpointOp).toBe(leader!.op);
    return (await leader!.storedTables()).slice(-2);
  };
  expect(await checkpoint()).toEqual([RULES_TABLE, PAUSE_TABLE]);
  await asker.ask(Operation.createTransfers, transferBody(10));
  expect(world.leader?.writesPaused).toBe(false);
  expect(await checkpoint()).toEqual([RULES_TABLE, PAUSE_TABLE]);
  world.end();
});

test('writes are not paused while a replica is of a release without pauses, and a follower does not pause them', async () => {
  const { world, asker } = await idleWorld(3, ({ members }) => void (members[2]!.rulesMax = 1));
  const leader = world.leader!;
  const asked = leader.pauseWrites(MINUTE);
  await world.simulation.run(200);
  expect(await asked).toMatchObject({ outcome: 'wait' });
  const follower = world.members.find((member) => member !== leader)!;
  expect(await follower.pauseWrites(MINUTE)).toEqual({ outcome: 'not_leading' });
  await asker.ask(Operation.createTransfers, transferBody(10));
  // A replica that stays on that release still serves: nothing was logged that it does not know.
  expect(world.history.violation).toBeUndefined();
  world.end();
});

test.each([800, 801, 802, 803])(
  'whatever goes wrong, no replica changes its ledger during a pause, and clients are told what happened (seed %i)',
  async (seed) => {
    const world = new ReplicaWorld({ seed, chaosMs: 6000 });
    const { simulation } = world;
    const pauses: { readonly paused: Paused; readonly endMs: number }[] = [];
    const lengthMs = 400;
    const ask = (): void => {
      const askedMs = world.trueMs;
      void world.leader?.pauseWrites(lengthMs).then((answer) => {
        // The clocks of three replicas differ by up to two milliseconds.
        if (answer?.outcome === 'paused')
          pauses.push({ paused: answer, endMs: askedMs + lengthMs - 5 });
      });
      // More often until the log has moved to the rules that have pauses.
      simulation.after(pauses.length === 0 ? 100 : 1200, ask);
    };
    simulation.after(700, ask);
    const differs = ({ op, stateHash, executedMs }: SimMember): boolean =>
      pauses.some(
        ({ paused: at, endMs }) =>
          (op ?? 0) >= at.op && executedMs < endMs && stateHash !== at.stateHash,
      );
    const look = (): void => {
      const other = world.members.find(differs);
      if (other !== undefined) world.history.fail(`replica ${other.index} changed its ledger`);
      simulation.after(5, look);
    };
    look();
    const { violation, writes: written } = await world.run(6000);
    expect(violation).toBeUndefined();
    expect(pauses.length).toBeGreaterThan(0);
    expect(written).toBeGreaterThan(20);
  },
);
