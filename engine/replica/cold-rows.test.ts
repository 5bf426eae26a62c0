/** Tests of replicas whose rows have left memory: what an operation or a read needs is brought before it runs. */
import { expect, test } from '@jest/globals';
import { Operation } from '../wire/operations.ts';
import { Asker } from './testing/asker.ts';
import { accountsBody, lookupBody, postBody, transferBody } from './testing/records.ts';
import { ReplicaWorld } from './testing/replica-world.ts';

const PENDING = 100;
const TIMEOUT_S = 100_000;

/** A cluster with 100 pending transfers, whose oldest rows are in memory at replica 0 only. */
async function withColdRows() {
  const world = new ReplicaWorld({ seed: 5, chaosMs: 0, clients: 0 });
  await world.runQuietly(1500);
  // A replica that reads its rows from the volume leads.
  world.cluster.elect(1);
  for (let i = 0; i < 100 && world.leader?.index !== 1; i += 1) await world.simulation.run(50);
  const asker = new Asker(world);
  await asker.register();
  await asker.ask(Operation.createAccounts, accountsBody(1, 2));
  for (let id = 10; id < 10 + PENDING; id += 1)
    await asker.ask(Operation.createTransfers, transferBody(id, TIMEOUT_S));
  return { world, asker };
}

const pagesRead = ({ members }: ReplicaWorld): readonly number[] =>
  members.map(({ ledger }) => ledger!.pages().read);

test('rows that only some replicas have in memory are posted, compared and read, and all replicas have the same state', async () => {
  const { world, asker } = await withColdRows();
  const { leader } = world;
  expect(leader!.index).toBe(1);
  expect(leader!.ledger!.pages().rowsInMemory).toBeLessThan(PENDING);
  expect(pagesRead(world)).toEqual([0, 0, 0]);
  const posted = await asker.ask(Operation.createTransfers, postBody(200, 10));
  expect(posted.body[8]).toBe(0xff);
  // The same transfer again exists, with the same fields.
  const again = await asker.ask(Operation.createTransfers, transferBody(11, TIMEOUT_S));
  expect(again.body[8]).toBe(46);
  const { body } = await asker.ask(Operation.lookupTransfers, lookupBody(12));
  expect([body[0], body[48], body[108]]).toEqual([12, 1, TIMEOUT_S & 0xff]);
  await world.simulation.run(1000);
  const read = pagesRead(world);
  expect(read[0]).toBe(0);
  expect(read[1]).toBeGreaterThan(0);
  expect(read[2]).toBeGreaterThan(0);
  expect(new Set(world.members.map(({ stateHash }) => stateHash)).size).toBe(1);
  world.end();
});

test('a damaged page stops the replica that needs it for an operation, and the others go on', async () => {
  const { world, asker } = await withColdRows();
  const [, leader, follower] = world.members;
  follower!.mayHalt = true;
  follower!.damagePages();
  const posted = await asker.ask(Operation.createTransfers, postBody(200, 10));
  expect(posted.body[8]).toBe(0xff);
  await world.simulation.run(1000);
  expect(follower!.standing?.unready).toContain('rows_damaged');
  expect(leader!.standing?.role).toBe('primary');
  await asker.ask(Operation.createTransfers, postBody(201, 11));
  world.end();
});

test('a read that needs a damaged page has no answer, and what does not need it goes on', async () => {
  const { world, asker } = await withColdRows();
  world.members[1]!.damagePages();
  expect(await asker.tryToAsk(Operation.lookupTransfers, lookupBody(10), 1000)).toBeUndefined();
  const young = 10 + PENDING - 1;
  const { body } = await asker.ask(Operation.lookupTransfers, lookupBody(young));
  expect(body[0]).toBe(young);
  expect(world.leader?.index).toBe(1);
  world.end();
});
