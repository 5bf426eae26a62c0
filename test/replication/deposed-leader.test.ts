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

const untilLogged = (of: ReplicaGroup, replica: number, line: RegExp): Promise<true> =>
  eventually(`${line} is logged`, async () => line.test(of.logOf(replica)) || undefined);

test('a leader that was deposed while it stood still answers no read from its old state', async () => {
  group = await ReplicaGroup.start();
  await group.leader();
  client = createClient({ cluster_id: 0n, replica_addresses: [...group.addresses] });
  await client.createAccounts([accountOf(1n), accountOf(2n)]);
  const writer = new Writer(client);
  await othersGoOn(writer);
  for (let round = 0; round < ROUNDS; round += 1) {
    const old = await group.leader();
    await untilLogged(group, old, /"role":"leader".*"msg":"this replica leads"/);
    const reader = await OneConnection.open(group.addresses[old]!);
    await group.signal(old, 'SIGSTOP');
    // The kernel reports connections in the order of arrival: this one before etcd's, which has the news.
    await reader.ping();
    await othersGoOn(writer);
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
    await untilLogged(group, old, /"role":"follower","why":"replaced"/);
  }
  await writer.stop();
});
