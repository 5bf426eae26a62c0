/**
 * Official clients through tunnels to three replicas, while leaders and API processes are killed: a client connects again, and never
 * gets an answer to another request than its own.
 */
import { afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { createClient, type Client } from 'tigerbeetle-node';
import { ensureProgram } from '../../tools/cluster/binaries.ts';
import { ConnectCommand } from '../support/api/connect-command.ts';
import { TunnelWorld, tunnelDatabaseId } from '../support/api/tunnel-world.ts';
import { eventually } from '../support/shell.ts';
import { ReplicaGroup } from './replica-group.ts';
import { accountOf, Writer } from './writer.ts';

jest.setTimeout(1_200_000);
const closers: (() => unknown)[] = [];
beforeAll(() => ensureProgram('etcd'), 15 * 60_000);
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Looks up accounts of its own, a different pair each time, and compares the answer with what was asked. */
class Asker {
  answers = 0;
  readonly wrong: string[] = [];
  #stopped = false;
  readonly done: Promise<void>;

  constructor(client: Client, first: bigint) {
    this.done = this.#run(client, first);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.done;
  }

  async #run(client: Client, first: bigint): Promise<void> {
    for (let turn = 0n; !this.#stopped; turn += 1n) {
      // The second one does not exist.
      const ids = [first + (turn % accountsEach), first + accountsEach, first];
      const found = (await client.lookupAccounts(ids)).map(({ id }) => id);
      if (found.join() !== [ids[0], ids[2]].join())
        this.wrong.push(`${ids.join()} answered ${found.join()}`);
      this.answers += 1;
    }
  }
}
const accountsEach = 100n;

test('through tunnels to three replicas, each answer is to its own request, while leaders and API processes are killed', async () => {
  const group = await ReplicaGroup.start();
  closers.push(() => group.dispose());
  await group.leader();
  const world = await TunnelWorld.start({ addresses: group.addresses, processes: 2 });
  closers.push(() => world.stop());
  const command = await ConnectCommand.start(tunnelDatabaseId, world.environment('full'));
  closers.push(() => command.end('SIGKILL'));
  expect(command.ports).toHaveLength(3);
  const newClient = () => {
    const client = createClient({
      cluster_id: 0n,
      replica_addresses: command.ports.map((port) => `127.0.0.1:${port}`),
    });
    closers.push(() => client.destroy());
    return client;
  };
  const firsts = [1_000n, 2_000n, 3_000n];
  const client = newClient();
  const created = await client.createAccounts([
    ...[1n, 2n].map(accountOf),
    ...firsts.flatMap((first) =>
      Array.from({ length: Number(accountsEach) }, (_, i) => accountOf(first + BigInt(i))),
    ),
  ]);
  expect(new Set(created.map(({ status }) => status)).size).toBe(1);
  const writer = new Writer(client);
  const askers = firsts.map((first) => new Asker(newClient(), first));
  const goesOn = (what: string) => {
    const before = [Number(writer.acknowledged), ...askers.map(({ answers }) => answers)];
    return eventually('all are answered again', async () => {
      const now = [Number(writer.acknowledged), ...askers.map(({ answers }) => answers)];
      if (!now.every((count, i) => count > (before[i] ?? 0) + 1))
        throw new Error(`${what}: ${before.join()} → ${now.join()}`);
      return true;
    });
  };
  await goesOn('at first');
  writer.forget();
  for (let round = 0; round < 2; round += 1) {
    const leader = await group.leader();
    await group.killBoth(leader);
    await world.replaceOne('SIGKILL');
    await goesOn(`round ${round}, while replica ${leader} is away`);
    group.startBoth(leader);
    await world.replaceOne('SIGTERM');
    await group.joined(leader);
    await goesOn(`round ${round}, with replica ${leader} again`);
  }
  await Promise.all([writer.stop(), ...askers.map((asker) => asker.stop())]);
  process.stderr.write(
    `figure: tunnel to three replicas: 2 leaders killed and 4 API processes replaced, ${writer.acknowledged} writes, ${askers.map(({ answers }) => answers).join(' + ')} reads, longest wait ${Math.round(writer.longestGapMs)} ms\n`,
  );
  expect(askers.flatMap(({ wrong }) => wrong)).toEqual([]);
  const [debited] = await client.lookupAccounts([1n]);
  expect(debited?.debits_posted).toBe(writer.acknowledged);
  expect(BigInt((await group.level()).transfers)).toBe(writer.acknowledged);
});
