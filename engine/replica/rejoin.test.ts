/** Tests of replicas that were away for so long that they need the state of another one. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, jest, test } from '@jest/globals';
import { ReplicaWorld } from './testing/replica-world.ts';

jest.setTimeout(600_000);

const AWAY_MS = 35_000;

/** A world with steady writes, and a backup that stands still for so long that the others drop the blocks that it needs. */
async function withForgotten(seed: number, retainedBytesMax: number) {
  const world = new ReplicaWorld({ seed, chaosMs: 0, clients: 1, retainedBytesMax });
  world.cluster.quotaBytes = 1 << 30;
  await world.runQuietly(3000);
  const victim = world.members.find(({ standing }) => standing?.role === 'backup')!;
  victim.freeze();
  await world.simulation.run(AWAY_MS);
  return { world, victim };
}

const runUntil = async (world: ReplicaWorld, ms: number, isDone: () => boolean): Promise<void> => {
  for (let passed = 0; passed < ms && !isDone(); passed += 250) await world.simulation.run(250);
};

test('a replica whose fetch takes longer than the log reaches back is heard all the while; one that is nearly as long is the last', async () => {
  // Bytes of about half a minute of writes.
  const { world, victim } = await withForgotten(5, 350_000);
  world.fetchMs = 40_000;
  victim.thaw();
  await world.simulation.run(1000);
  for (let passed = 0; passed < 36_000; passed += 4000) {
    await world.simulation.run(4000);
    expect(victim.standing?.unready).toBe('fetching the state of another replica');
    const heard = world.leader!.link!.all().find(({ replica }) => replica === victim.index);
    expect(world.simulation.nowMs - heard!.heardAtMs).toBeLessThan(1000);
  }
  expect(victim.catchUps).toBe(0);
  world.fetchMs = 15_000;
  await runUntil(world, 40_000, () => victim.standing?.role === 'backup');
  expect(victim.standing?.role).toBe('backup');
  expect(victim.catchUps).toBe(2);
  expect(world.history.violation).toBeUndefined();
  world.end();
});

test('a replica that catches up holds one ledger in memory at a time', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const { world, victim } = await withForgotten(5, 3000);
  const old = new WeakRef(victim.ledger!);
  const rows = old.deref()!.counts().transfers;
  expect(rows).toBeGreaterThan(10);
  const held: boolean[] = [];
  world.onFinishLoad = () => {
    collect();
    held.push(old.deref() !== undefined);
  };
  victim.thaw();
  await runUntil(world, 20_000, () => victim.catchUps > 0);
  expect(held).toEqual([false]);
  expect(victim.ledger!.counts().transfers).toBeGreaterThan(rows);
  world.end();
});

test('at the beginning of a log no state is sent to the others before somebody leads, for whom the clients wait', async () => {
  const world = new ReplicaWorld({ seed: 3, chaosMs: 0, clients: 0 });
  await world.runQuietly(0);
  const [first] = world.members;
  const hadLeader: boolean[] = [];
  const write = (): Promise<void> => {
    hadLeader.push(world.leader !== undefined);
    return Promise.resolve();
  };
  let asks = false;
  for (let step = 0; step < 4000 && hadLeader.length === 0; step += 1) {
    // It has no state to give until it has loaded it.
    if (!asks) void first!.link!.handler!.sendState(1, write).catch(() => (asks = false));
    asks = true;
    await world.simulation.run(5);
  }
  expect(hadLeader[0]).toBe(true);
  world.end();
});

test('a replica that ends before it sends its state lets those go that wait for it, and sends nothing more', async () => {
  const world = new ReplicaWorld({ seed: 3, chaosMs: 0, clients: 0 });
  await world.runQuietly(0);
  const [first] = world.members;
  const { handler } = first!.link!;
  const sent: Uint8Array[] = [];
  const write = (bytes: Uint8Array): Promise<void> => {
    sent.push(bytes);
    return Promise.resolve();
  };
  let ends = 0;
  let asked = 0;
  // Those before it has loaded its state are refused at once.
  for (let step = 0; step < 4000 && asked === ends; step += 1) {
    asked += 1;
    void handler!.sendState(1, write).catch(() => (ends += 1));
    await world.simulation.run(5);
  }
  expect(world.leader).toBeUndefined();
  first!.kill();
  await world.simulation.run(50);
  expect({ ends, sent }).toEqual({ ends: asked, sent: [] });
  world.end();
});
