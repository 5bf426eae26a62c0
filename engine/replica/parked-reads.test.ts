/** Tests of reads that take long at a leader: one that goes away, or whose client does. */
import { expect, test } from '@jest/globals';
import { Operation } from '../wire/operations.ts';
import { Asker } from './testing/asker.ts';
import { lookupBody } from './testing/records.ts';
import { ReplicaWorld, type SimMember } from './testing/replica-world.ts';

/** An idle cluster in which no read ever ends. */
async function withEndlessReads() {
  const world = new ReplicaWorld({ seed: 3, chaosMs: 0, clients: 0 });
  await world.runQuietly(1500);
  const asker = new Asker(world);
  await asker.register();
  await world.simulation.run(500);
  const reads = { begun: 0, steps: 0 };
  for (const { ledger } of world.members) {
    const begin = ledger!.beginRead.bind(ledger);
    ledger!.beginRead = (operation, body) => {
      reads.begun += 1;
      const read = begin(operation, body);
      read.step = () => {
        reads.steps += 1;
        return false;
      };
      return read;
    };
  }
  const message = asker.message(Operation.lookupAccounts, lookupBody(1));
  const client = { isGone: false, take: () => undefined };
  const send = (member: SimMember): void => member.receive(message.slice(), client);
  return { world, reads, send, client };
}

/** Gives raft's lead to the next member, whose replica then leads. */
async function changeLeader(world: ReplicaWorld): Promise<void> {
  const next = (world.leader!.index + 1) % 3;
  world.cluster.elect(next);
  for (let i = 0; i < 100 && world.leader?.index !== next; i += 1) await world.simulation.run(50);
  await world.simulation.run(1000);
  expect(world.leader?.index).toBe(next);
}

test('a read during which two leaders went away is not executed by a third one until its client asks again', async () => {
  const { world, reads, send } = await withEndlessReads();
  for (const member of world.members) send(member);
  await world.simulation.run(500);
  expect(reads.begun).toBe(1);
  await changeLeader(world);
  expect(reads.begun).toBe(2);
  for (let change = 0; change < 3; change += 1) await changeLeader(world);
  expect(reads.begun).toBe(2);
  const { steps } = reads;
  await world.simulation.run(500);
  expect(reads.steps).toBe(steps);
  send(world.leader!);
  await world.simulation.run(100);
  expect(reads.begun).toBe(3);
  world.end();
});

test.each(['the leader', 'a backup'])(
  'a read whose client is connected to %s and goes away stops at once, and no later leader executes it',
  async (where) => {
    const { world, reads, send, client } = await withEndlessReads();
    const backup = world.members.find((member) => member !== world.leader)!;
    send(where === 'the leader' ? world.leader! : backup);
    await world.simulation.run(500);
    expect(reads.steps).toBeGreaterThan(100);
    client.isGone = true;
    // A backup tells the leader with its next heartbeat.
    await world.simulation.run(where === 'the leader' ? 2 : 70);
    const { steps } = reads;
    await world.simulation.run(500);
    expect(reads.steps).toBe(steps);
    await changeLeader(world);
    expect(reads).toEqual({ begun: 1, steps });
    world.end();
  },
);

test.each([
  ['stays away', 5200],
  ['comes back at once', 200],
])(
  'a read that a replica has passed on stops when that replica dies and %s',
  async (way, afterMs) => {
    const { world, reads, send } = await withEndlessReads();
    const backup = world.members.find((member) => member !== world.leader)!;
    send(backup);
    await world.simulation.run(500);
    expect(reads.steps).toBeGreaterThan(100);
    backup.kill();
    if (way === 'comes back at once') backup.start();
    await world.simulation.run(afterMs);
    const { steps } = reads;
    await world.simulation.run(500);
    expect(reads).toEqual({ begun: 1, steps });
    world.end();
  },
);

test('a read that a replica has passed on goes on while that replica is heard', async () => {
  const { world, reads, send } = await withEndlessReads();
  send(world.members.find((member) => member !== world.leader)!);
  await world.simulation.run(9000);
  const { steps } = reads;
  await world.simulation.run(500);
  expect(reads.steps).toBeGreaterThan(steps);
  world.end();
});

test.each(['the leader', 'a backup'])(
  'a read whose client loses its connection to %s before it begins is answered when the client repeats it over another one',
  async (where) => {
    const world = new ReplicaWorld({ seed: 3, chaosMs: 0, clients: 0 });
    await world.runQuietly(1500);
    const asker = new Asker(world);
    await asker.register();
    await world.simulation.run(500);
    const message = asker.message(Operation.lookupAccounts, lookupBody(1));
    const backup = world.members.find((member) => member !== world.leader)!;
    const member = where === 'the leader' ? world.leader! : backup;
    const connection = { isGone: false, take: () => undefined };
    member.receive(message.slice(), connection);
    connection.isGone = true;
    await world.simulation.run(500);
    let answers = 0;
    member.receive(message.slice(), { isGone: false, take: () => void (answers += 1) });
    await world.simulation.run(1000);
    expect(answers).toBe(1);
    world.end();
  },
);
