/**
 * Tests of whole replicas with clients under faults, on a fake etcd. A failure prints the seed. REPLICA_SEED=<seed> runs
 * that one alone; REPLICA_SEEDS sets the number of seeds.
 */
import { expect, jest, test } from '@jest/globals';
import type { HeardPeer } from '../peers/peer-link.ts';
import { Command, Header, ReplyHeader, RequestHeader } from '../wire/header.ts';
import { headerSize } from '../wire/limits.ts';
import { Operation } from '../wire/operations.ts';
import type { LogEntry } from '../log/log.ts';
import { Executor } from './executor.ts';
import { Asker } from './testing/asker.ts';
import { accountsBody } from './testing/records.ts';
import { replayedFrom } from './testing/replayed-from.ts';
import { ReplicaWorld, runWorld, type SimMember } from './testing/replica-world.ts';

const only = process.env['REPLICA_SEED'];
const count = Number(process.env['REPLICA_SEEDS'] ?? '8');
const first = Number(only ?? '1');
const seeds = Array.from({ length: only === undefined ? count : 1 }, (_, i) => first + i);
jest.setTimeout(600_000 + count * 2000);

const chaosMs = 2500;

test('clients are told what happened, once and in one order, whatever goes wrong', async () => {
  const sum = { writes: 0, reads: 0, others: 0, reigns: 0, catchUps: 0 };
  for (const seed of seeds) {
    const replicaCount = seed % 5 === 0 ? 6 : 3;
    const outcome = await runWorld({ seed, chaosMs, replicaCount, hasBulk: seed % 2 === 0 });
    const { violation } = outcome;
    if (violation)
      throw new Error(`REPLICA_SEED=${seed}: ${violation.message}`, { cause: violation });
    for (const figure of Object.keys(sum) as (keyof typeof sum)[]) sum[figure] += outcome[figure];
  }
  // The worlds test something only if enough happened in them.
  expect(sum.writes).toBeGreaterThan(seeds.length * 10);
  expect(sum.reads).toBeGreaterThan(seeds.length * 5);
  if (only === undefined) expect(sum.others).toBeGreaterThan(seeds.length * 50);
  expect(sum.reigns).toBeGreaterThan(seeds.length * 2);
});

test('a replay from any backup makes the ledger that the replicas had, though clients repeat their requests to several of them', async () => {
  for (const seed of seeds.slice(0, Math.max(1, count / 2))) {
    const entries = new Map<number, LogEntry>();
    const states = new Map<number, string>();
    type Apply = (this: Executor, entry: LogEntry) => ReturnType<Executor['apply']>;
    const apply: Apply = Reflect.get(Executor.prototype, 'apply');
    const spy = jest.spyOn(Executor.prototype, 'apply').mockImplementation(function (
      this: Executor,
      entry,
    ) {
      const reply = apply.call(this, entry);
      entries.set(entry.op, { ...entry, message: entry.message.slice() });
      states.set(entry.op, Buffer.from(this.position().stateHash).toString('hex'));
      return reply;
    });
    const { violation } = await runWorld({ seed, chaosMs, hasBulk: true }).finally(() =>
      spy.mockRestore(),
    );
    if (violation)
      throw new Error(`REPLICA_SEED=${seed}: ${violation.message}`, { cause: violation });
    const log = [...entries.values()].toSorted((one, other) => one.op - other.op);
    expect(log.map(({ op }) => op)).toEqual(log.map((_, i) => i + 1));
    for (let backedUp = 0; backedUp < log.length; backedUp += Math.ceil(log.length / 8))
      expect([seed, backedUp, await replayedFrom(log, backedUp)]).toEqual([
        seed,
        backedUp,
        states.get(log.length),
      ]);
  }
});

test('clients notice nothing while the volume of one replica rots, and it has the state of the others in the end', async () => {
  const sum = { writes: 0, reads: 0, mendedPages: 0 };
  for (const seed of seeds.slice(0, Math.max(1, count / 4))) {
    // Replica 0 keeps its rows in memory, so that it reads few pages.
    const outcome = await runWorld({ seed, chaosMs, rotting: 1 + (seed % 2) });
    const { violation } = outcome;
    if (violation)
      throw new Error(`REPLICA_SEED=${seed}: ${violation.message}`, { cause: violation });
    for (const figure of Object.keys(sum) as (keyof typeof sum)[]) sum[figure] += outcome[figure];
  }
  expect(sum.writes).toBeGreaterThan(seeds.length);
  expect(sum.reads).toBeGreaterThan(seeds.length);
  if (only === undefined) expect(sum.mendedPages).toBeGreaterThan(0);
});

test('a backup answers the request that it was sent, not the next one, which the leader may not have executed', async () => {
  const world = new ReplicaWorld({ seed: 1, chaosMs: 0, clients: 1 });
  await world.runQuietly(3000);
  const leader = world.members.find(({ standing }) => standing?.role === 'primary')!;
  const backup = world.members.find((member) => member !== leader)!;
  // The backup does not learn how far the leader is, and the client asks only the leader.
  const link = backup.link!;
  const handler = link.handler!;
  let heard: HeardPeer | undefined;
  link.handler = { ...handler, heard: (peer) => void (heard = peer.fence ? peer : heard) };
  let write = new Uint8Array(0);
  const carry = world.deliver.bind(world);
  world.deliver = (replica, message, client) => {
    if (new RequestHeader(new Header(message)).operation === Operation.createTransfers)
      write = message.slice();
    if (replica === leader.index) carry(replica, message, client);
  };
  const executed = async (op: number): Promise<void> => {
    while ((backup.op ?? 0) < op) await world.simulation.run(1);
  };
  const op = (backup.op ?? 0) + 1;
  await executed(op);
  const told: number[] = [];
  const take = (message: Uint8Array) =>
    void told.push(Number(new ReplyHeader(new Header(message.slice(0, headerSize))).op));
  backup.receive(write, { take });
  await executed(op + 1);
  expect(told).toEqual([]);
  handler.heard({ ...heard!, op });
  await world.simulation.run(10);
  expect(told).toEqual([op]);
  handler.heard({ ...heard!, op: op + 1 });
  await world.simulation.run(10);
  expect(told).toEqual([op]);
  world.end();
});

test('acknowledged events survive the loss of any one volume, even if the others had no room for checkpoints', async () => {
  // Without segments of the index: those that are dropped leave room in the data file.
  const sealRows = 1 << 18;
  const world = new ReplicaWorld({ seed: 5, chaosMs, retainedBytesMax: 3000, sealRows });
  world.cluster.quotaBytes = 200_000;
  await world.runQuietly(2000);
  const leader = world.members.find(({ standing }) => standing?.role === 'primary')!;
  const followers = world.members.filter((member) => member !== leader);
  for (const follower of followers) follower.fillDisk();
  const checkpoints = followers.map(({ checkpointOp }) => checkpointOp);
  const isFull = () => leader.standing?.logFull === true;
  for (let passed = 0; passed < 60_000 && !isFull(); passed += 100) await world.simulation.run(100);
  // Only the leader has the blocks in a checkpoint, so they stay in the log, and it takes no more entries.
  expect(isFull()).toBe(true);
  expect(leader.checkpointOp).toBeGreaterThan(Math.max(...checkpoints.map(Number)));
  expect(followers.map(({ checkpointOp }) => checkpointOp)).toEqual(checkpoints);
  await world.simulation.run(1000);
  const { writes } = world.history;
  await world.simulation.run(1000);
  expect(world.history.writes).toBe(writes);
  const op = leader.op!;
  // All replicas lose power, and the leader's volume is lost.
  for (const member of world.members) member.kill();
  world.cluster.cutOff(leader.index);
  for (const follower of followers) follower.start();
  world.cluster.elect(followers[0]!.index);
  await world.simulation.run(10_000);
  for (const follower of followers) expect(follower.op).toBeGreaterThan(op);
  // There is room again, so the clients continue.
  expect(world.history.writes).toBeGreaterThan(writes);
  expect(world.history.violation).toBeUndefined();
  world.end();
});

test('a client that has heard of a later leader of another cluster has its request executed, or hears that its session is gone', async () => {
  const world = new ReplicaWorld({ seed: 3, chaosMs: 0, clients: 0 });
  await world.runQuietly(1500);
  const asker = new Asker(world);
  await asker.register();
  asker.view = 1000;
  await asker.ask(Operation.createAccounts, accountsBody(1, 2));
  // Its session was begun after the backup.
  const stranger = new Asker(world, 78n, 3n);
  stranger.view = 1000;
  const said: Header[] = [];
  const take = (bytes: Uint8Array): void => void said.push(new Header(bytes.slice(0, headerSize)));
  const message = stranger.message(Operation.createAccounts, accountsBody(3, 4));
  world.leader!.receive(message, { take });
  await world.simulation.run(1000);
  expect(said.map(({ command, view }) => ({ command, view }))).toEqual([
    { command: Command.eviction, view: 1000 },
  ]);
  world.end();
});

test('a former leader that has not heard of the next one tells a client of that one nothing', async () => {
  const world = new ReplicaWorld({ seed: 3, chaosMs: 0, clients: 0 });
  await world.runQuietly(1500);
  const former = world.leader!;
  world.cluster.cutOff(former.index);
  const next = (): SimMember | undefined =>
    world.members.find((member) => member !== former && member.standing?.role === 'primary');
  for (let i = 0; i < 400 && next() === undefined; i += 1) await world.simulation.run(10);
  const asker = new Asker(world, 79n, 5_000n);
  asker.view = next()!.view!;
  expect(asker.view).toBeGreaterThan(former.view!);
  const said: Uint8Array[] = [];
  const message = asker.message(Operation.createAccounts, accountsBody(3, 4));
  former.receive(message, { take: (bytes) => void said.push(bytes) });
  await world.simulation.run(3000);
  expect(said).toEqual([]);
  world.end();
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

test.each([1, 2, 3, 4, 5, 6])(
  'who reached nobody but a leader that stops is answered within 0.5 s (seed %i)',
  async (seed) => {
    const world = new ReplicaWorld({ seed, chaosMs, hedges: false });
    await world.runQuietly(3000);
    for (const client of world.clients) client.forget();
    const leader = world.members.find(({ standing }) => standing?.role === 'primary');
    void leader?.stop();
    await world.simulation.run(50);
    // A client that asks only after the leader has gone reaches nobody here; real clients also ask one other replica.
    for (const client of world.clients) client.stopped = true;
    await world.simulation.run(2000);
    const { violation, writes } = world.history;
    expect(violation).toBeUndefined();
    expect(writes).toBeGreaterThan(0);
    expect(leader?.standing).toBeUndefined();
    expect(Math.max(...world.clients.map(({ longestMs }) => longestMs))).toBeLessThan(500);
    world.end();
  },
);
