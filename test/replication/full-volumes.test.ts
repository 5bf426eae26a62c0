/**
 * Three replicas whose volumes fill up, each shared by a data file and an etcd member: new events are refused while etcd still
 * has room, so that all members live and reads go on; everything else goes on once there is room.
 */
import { afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import type { Client } from '../../engine/client/client.ts';
import { leastBytes, spareBytes } from '../../engine/log/shared-volume.ts';
import { Operation } from '../../engine/wire/operations.ts';
import { ensureProgram } from '../../tools/cluster/binaries.ts';
import {
  accountBytes,
  batchOf,
  batchSize,
  create,
  created,
  lookupAccounts,
} from '../support/engine/ledger.ts';
import { eventually } from '../support/shell.ts';
import { fillUp, makeRoom, mayMount } from '../support/engine/small-volume.ts';
import { ReplicaGroup } from './replica-group.ts';

jest.setTimeout(900_000);

const mebibyte = 2 ** 20;
const volumeBytes = 2 ** 30;
const replicas = [0, 1, 2];

let group: ReplicaGroup | undefined;
const clients: Client[] = [];
let canMount = false;

beforeAll(async () => {
  await ensureProgram('etcd');
  canMount = mayMount();
}, 900_000);
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await group?.dispose();
  group = undefined;
});

function newClient(made: ReplicaGroup): Client {
  const client = made.connect(600_000);
  clients.push(client);
  return client;
}

/** Reads the account's debits by a new client with a new session. */
async function debitsPosted(made: ReplicaGroup): Promise<bigint | undefined> {
  return (await lookupAccounts(newClient(made), [1n]))[0]?.debitsPosted;
}

/** Expects that the answered batches are read, and at most the batch on its way in addition. */
async function expectRead(
  made: ReplicaGroup,
  count: () => { readonly answered: number; readonly sent: number },
): Promise<void> {
  const { answered } = count();
  const read = Number(await debitsPosted(made));
  expect(read).toBeGreaterThanOrEqual(answered * batchSize);
  expect(read).toBeLessThanOrEqual((count().sent + 1) * batchSize);
}

/** Fills each volume except for `bytes`. */
function leave(made: ReplicaGroup, bytes: number): void {
  for (const replica of replicas) fillUp(made.etcd.volume(replica), bytes);
}

const allRefuse = (made: ReplicaGroup): Promise<true> =>
  eventually('all replicas say that their volume is full', async () => {
    const statuses = await made.statuses();
    const says = statuses.every(
      (status) => status?.acceptsWrites === false && status.warnings.includes('StorageFull'),
    );
    return says || undefined;
  });

test('volumes that fill up refuse new events, lose none, and answer reads, whoever leads', async () => {
  if (!canMount) return;
  const made = (group = await ReplicaGroup.start({ volumeBytes }));
  await made.leader();
  const writer = newClient(made);
  await create(writer, Operation.createAccounts, accountBytes([1n, 2n]));
  // A checkpoint fits, but the log has room only for a short time.
  leave(made, spareBytes(volumeBytes) + 80 * mebibyte);

  let sent = 0;
  let answered = 0;
  const enough = new AbortController();
  const writing = (async () => {
    for (; !enough.signal.aborted; sent += 1) {
      const statuses = await create(writer, Operation.createTransfers, batchOf(sent));
      expect(statuses.every((status) => status === created)).toBe(true);
      answered += 1;
    }
  })();
  await eventually('a good deal is written', async () => answered >= 100 || undefined, 600_000);
  // Under writes etcd would soon need another file; space that it frees from time to time is filled too.
  const filling = setInterval(() => leave(made, (leastBytes(volumeBytes) * 7) / 8), 200);
  try {
    await allRefuse(made);
    process.stderr.write(`figure: refused after ${answered} batches of ${batchSize}\n`);
    enough.abort();
    expect(replicas.map((replica) => made.etcd.isRunning(replica))).toEqual([true, true, true]);
    await expectRead(made, () => ({ answered, sent }));
    // Any replica may lead; all have only their volumes.
    const leader = await made.leader();
    await made.killBoth(leader);
    await expectRead(made, () => ({ answered, sent }));
    made.startBoth(leader);
    await made.joined(leader);
    await allRefuse(made);
    await expectRead(made, () => ({ answered, sent }));
  } finally {
    clearInterval(filling);
  }
  for (const replica of replicas) makeRoom(made.etcd.volume(replica));
  await writing;
  const { transfers } = await made.level();
  expect(transfers).toBe(sent * batchSize);
  expect(await debitsPosted(made)).toBe(BigInt(sent * batchSize));
});
