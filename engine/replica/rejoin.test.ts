/** Tests of replicas that were away for so long that they need the state of another one. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, jest, test } from '@jest/globals';
import { PAGE_BYTES } from '../ledger/page.ts';
import type { StateTransfer } from './state-transfer.ts';
import { ReplicaWorld, type SimMember } from './testing/replica-world.ts';

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

/** Waits until the replica has taken another one's state, and for the last blocks. */
async function caughtUp(world: ReplicaWorld, victim: SimMember): Promise<StateTransfer> {
  await runUntil(world, 40_000, () => victim.catchUps > 0);
  expect(victim.catchUps).toBe(1);
  for (const client of world.clients) client.stopped = true;
  await world.simulation.run(2000);
  expect(new Set(world.members.map(({ stateHash }) => stateHash)).size).toBe(1);
  expect(world.history.violation).toBeUndefined();
  return victim.taken[0]!;
}

test('a replica that was away for long fetches only the pages of rows that it lacks', async () => {
  const { world, victim } = await withForgotten(5, 3000);
  victim.thaw();
  const { keptBytes, differingBytes } = await caughtUp(world, victim);
  expect(keptBytes).toBeGreaterThan(0);
  expect(differingBytes).toBe(0);
  world.end();
});

test('a peer of a release that sends whole states only is asked for one', async () => {
  const { world, victim } = await withForgotten(5, 3000);
  world.sendsMissing = false;
  await world.simulation.run(200);
  victim.thaw();
  const { keptBytes, receivedBytes } = await caughtUp(world, victim);
  expect(keptBytes).toBe(0);
  expect(receivedBytes).toBeGreaterThan(0);
  world.end();
});

test('connections that break off while a state comes cost the others nothing, and at last the whole state is fetched', async () => {
  const { world, victim } = await withForgotten(5, 3000);
  let broken = 0;
  for (const { link } of world.members) {
    const handler = link!.handler!;
    link!.handler = {
      ...handler,
      sendMissing: async (floor, held, write) => {
        await handler.sendMissing(floor, held, async (bytes) => {
          // The last section.
          if (bytes.length < PAGE_BYTES && bytes.length > 1) {
            broken += 1;
            throw new Error('the connection ended');
          }
          await write(bytes);
        });
      },
    };
  }
  victim.thaw();
  const { keptBytes } = await caughtUp(world, victim);
  expect(keptBytes).toBe(0);
  expect(broken).toBe(3);
  expect(victim.checkpointErrors.at(-1)).toMatchObject({
    message: expect.stringContaining('the whole state is fetched'),
  });
  world.end();
});

test('a replica fetches the whole state if the pages that it kept do not fit the others', async () => {
  const { world, victim } = await withForgotten(5, 3000);
  let loads = 0;
  world.onFinishLoad = () => {
    loads += 1;
    if (loads === 1) throw new Error('rows do not fit');
  };
  victim.thaw();
  await caughtUp(world, victim);
  expect(loads).toBe(2);
  expect(victim.taken.map(({ keptBytes }) => keptBytes > 0)).toEqual([true, false]);
  expect(victim.checkpointErrors.at(-1)).toMatchObject({
    cause: expect.objectContaining({ code: 'state_rejected' }),
  });
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
