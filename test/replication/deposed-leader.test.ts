/**
 * A leader that stands still, and does not know when it goes on that another one has led meanwhile. Without the look at the
 * fence before every read it would answer the first question from its old state.
 */
import { afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { createClient, type Client } from 'tigerbeetle-node';
import { encodeMultiBatch, splitMultiBatch } from '../../engine/wire/multi-batch.ts';
import { Operation } from '../../engine/wire/operations.ts';
import { ensureProgram } from '../../tools/cluster/binaries.ts';
import { eventually } from '../support/shell.ts';
import { OneConnection } from './one-connection.ts';
import { ReplicaGroup } from './replica-group.ts';
import { accountOf, Writer } from './writer.ts';

jest.setTimeout(30 * 60_000);

const ROUNDS = 2;

let group: ReplicaGroup | undefined;
let client: Client | undefined;
beforeAll(() => ensureProgram('etcd'), 15 * 60_000);
afterEach(async () => {
  client?.destroy();
  client = undefined;
  await group?.dispose();
  group = undefined;
});

function idBody(id: bigint): Uint8Array {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setBigUint64(0, id, true);
  return encodeMultiBatch([bytes], 16);
}

/** Resolves when another replica leads: the first answer may be of the leader that stands still, the second is not. */
const othersGoOn = (writer: Writer): Promise<true> => {
  const before = writer.acknowledged;
  return eventually(
    'another replica takes writes',
    async () => writer.acknowledged > before + 1n || undefined,
  );
};

const leads = /"role":"leader".*"msg":"this replica leads"/;
const isDeposed = /"role":"follower","why":"replaced"/;

/** The role of which a replica has told last. */
const lastRole = (of: ReplicaGroup, replica: number): string | undefined =>
  [...of.logOf(replica).matchAll(/"role":"(\w+)"/g)].at(-1)?.[1];

const timesLogged = (of: ReplicaGroup, replica: number, line: RegExp): number =>
  of
    .logOf(replica)
    .split('\n')
    .filter((one) => line.test(one)).length;

/**
 * Stops a replica that leads, and returns it with a connection on which its next question is. On a busy machine the lead may have passed
 * to another one before it stood still: then it goes on, and the one that leads now is stopped.
 */
async function stopLeader(
  of: ReplicaGroup,
  writer: Writer,
): Promise<{ readonly old: number; readonly reader: OneConnection; readonly deposed: number }> {
  for (let tries = 1; ; tries += 1) {
    const old = await of.leader();
    await eventually('it says that it leads', async () => timesLogged(of, old, leads) > 0);
    const reader = await OneConnection.open(of.addresses[old]!);
    const deposed = timesLogged(of, old, isDeposed);
    await of.signal(old, 'SIGSTOP');
    // The kernel reports connections in the order of arrival: this one before etcd's, which has the news.
    await reader.ping();
    await othersGoOn(writer);
    // What it has said is in its log by now.
    if (lastRole(of, old) === 'leader') return { old, reader, deposed };
    expect(tries).toBeLessThan(10);
    reader.close();
    await of.signal(old, 'SIGCONT');
    await of.joined(old);
  }
}

test('a leader that was deposed while it stood still answers no read from its old state', async () => {
  group = await ReplicaGroup.start();
  await group.leader();
  client = createClient({ cluster_id: 0n, replica_addresses: [...group.addresses] });
  await client.createAccounts([accountOf(1n), accountOf(2n)]);
  const writer = new Writer(client);
  await othersGoOn(writer);
  for (let round = 0; round < ROUNDS; round += 1) {
    const { old, reader, deposed } = await stopLeader(group, writer);
    const last = writer.acknowledged;
    const again = await reader.send(Operation.lookupTransfers, idBody(last));
    await group.signal(old, 'SIGCONT');
    const [found] = splitMultiBatch(await reader.answerTo(again), 128) ?? [];
    expect({ round, transfer: last, bytes: found?.length }).toEqual({
      round,
      transfer: last,
      bytes: 128,
    });
    reader.close();
    await group.joined(old);
    const of = group;
    await eventually(
      'it says that it was replaced',
      async () => timesLogged(of, old, isDeposed) > deposed,
    );
  }
  await writer.stop();
});
