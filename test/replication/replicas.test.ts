/**
 * Three engine processes with three etcd members, official clients writing and reading while replicas are killed. The
 * clients' answers are the oracle. REPLICAS_KILLS sets how many leaders die.
 */
import { afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type Client } from 'tigerbeetle-node';
import { ensureProgram } from '../../tools/cluster/binaries.ts';
import { eventually } from '../support/shell.ts';
import { ReplicaGroup, type ReplicaGroupOptions } from './replica-group.ts';
import { accountOf, Writer } from './writer.ts';

const kills = Number(process.env['REPLICAS_KILLS'] ?? '4');
jest.setTimeout(1_200_000 + kills * 60_000);

/** Prints a figure for people who read the log of a run. */
const figure = (text: string): boolean => process.stderr.write(`figure: ${text}\n`);

const created = 0xffff_ffff;
let group: ReplicaGroup | undefined;
let clients: Client[] = [];
beforeAll(() => ensureProgram('etcd'), 15 * 60_000);
afterEach(async () => {
  for (const client of clients) client.destroy();
  clients = [];
  await group?.dispose();
  group = undefined;
});

async function started(options: ReplicaGroupOptions = {}): Promise<ReplicaGroup> {
  group = await ReplicaGroup.start(options);
  await group.leader();
  return group;
}

function newClient({ addresses }: ReplicaGroup): Client {
  const client = createClient({ cluster_id: 0n, replica_addresses: [...addresses] });
  clients.push(client);
  return client;
}

/** Reads the last acknowledged transfer again and again. */
class Reader {
  reads = 0;
  missed: bigint | undefined;
  #stopped = false;
  readonly done: Promise<void>;

  constructor(client: Client, writer: Writer) {
    this.done = this.#run(client, writer);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.done;
  }

  async #run(client: Client, writer: Writer): Promise<void> {
    while (!this.#stopped) {
      const last = writer.acknowledged;
      if (last > 0n && (await client.lookupTransfers([last])).length === 0) this.missed ??= last;
      this.reads += 1;
      await sleep(2);
    }
  }
}

async function accountsIn(client: Client): Promise<void> {
  const results = await client.createAccounts([accountOf(1n), accountOf(2n)]);
  expect(results.map(({ status }) => status)).toEqual([created, created]);
}

/** Expects every acknowledged transfer once, and nothing else. */
async function expectWhole(made: ReplicaGroup, writer: Writer): Promise<void> {
  const [debited, credited] = await newClient(made).lookupAccounts([1n, 2n]);
  expect(debited?.debits_posted).toBe(writer.acknowledged);
  expect(credited?.credits_posted).toBe(writer.acknowledged);
  const { transfers } = await made.level();
  expect(BigInt(transfers)).toBe(writer.acknowledged);
}

/** Waits until a transfer is acknowledged that was sent from now on. */
const goesOn = (writer: Writer): Promise<true> => {
  const before = writer.acknowledged;
  return eventually('writes go on', async () => writer.acknowledged > before + 1n || undefined);
};

test('the leader dies again and again: nothing acknowledged is lost, and reads see it', async () => {
  const made = await started();
  await accountsIn(newClient(made));
  const writer = new Writer(newClient(made));
  const reader = new Reader(newClient(made), writer);
  await goesOn(writer);
  const gaps: string[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    const leader = await made.leader();
    writer.forget();
    const isBoth = kill % 2 === 0;
    if (isBoth) await made.killBoth(leader);
    else await made.signal(leader, 'SIGKILL');
    await goesOn(writer);
    gaps.push(`${isBoth ? 'engine and member' : 'engine'} ${Math.round(writer.longestGapMs)} ms`);
    made.startBoth(leader);
    await made.joined(leader);
    await goesOn(writer);
  }
  await Promise.all([writer.stop(), reader.stop()]);
  figure(`leader killed, longest time without an answer: ${gaps.join(', ')}`);
  figure(`${writer.acknowledged} writes, ${reader.reads} reads`);
  expect(reader.missed).toBeUndefined();
  await expectWhole(made, writer);
});

test('a leader that is stopped in good order hands over: clients hardly notice', async () => {
  const made = await started();
  await accountsIn(newClient(made));
  const writer = new Writer(newClient(made));
  await goesOn(writer);
  const gaps: number[] = [];
  for (let stop = 0; stop < 2; stop += 1) {
    const leader = await made.leader();
    writer.forget();
    expect(await made.signal(leader, 'SIGTERM')).toBe(0);
    await goesOn(writer);
    gaps.push(Math.round(writer.longestGapMs));
    made.startBoth(leader);
    await made.joined(leader);
  }
  await writer.stop();
  figure(`leader stopped in good order, longest time without an answer: ${gaps.join(', ')} ms`);
  await expectWhole(made, writer);
});

test('all die at once: everything acknowledged is there, and they serve again', async () => {
  const made = await started();
  await accountsIn(newClient(made));
  const writer = new Writer(newClient(made));
  await goesOn(writer);
  const before = writer.acknowledged;
  writer.forget();
  const replicas = Array.from({ length: made.size }, (_, replica) => replica);
  await Promise.all(replicas.map((replica) => made.killBoth(replica)));
  for (const replica of replicas) made.startBoth(replica);
  await goesOn(writer);
  await writer.stop();
  figure(`all killed at once, time without an answer: ${Math.round(writer.longestGapMs)} ms`);
  expect(writer.acknowledged).toBeGreaterThan(before);
  await expectWhole(made, writer);
});

test('a data file that is lost comes back by recover, from another replica', async () => {
  const made = await started();
  await accountsIn(newClient(made));
  const writer = new Writer(newClient(made));
  await goesOn(writer);
  const lost = ((await made.leader()) + 1) % made.size;
  await made.signal(lost, 'SIGKILL');
  await made.lose(lost);
  made.start(lost);
  await made.joined(lost);
  await goesOn(writer);
  await writer.stop();
  await expectWhole(made, writer);
  // The replica did not read the log from its beginning: its first checkpoint came from another one.
  const status = await eventually('it answers', () => made.status(lost));
  expect(status.checkpoint).toBeGreaterThan(0);
});
