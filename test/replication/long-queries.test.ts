/**
 * One request of many filters, each of which walks through two long lists that never meet. The leader goes on answering
 * writes and sending heartbeats; once, it stood still until it was deposed, and so did the next one.
 */
import { afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { Client } from '../../engine/client/client.ts';
import { encodeMultiBatch } from '../../engine/wire/multi-batch.ts';
import { Operation } from '../../engine/wire/operations.ts';
import { ensureProgram } from '../../tools/cluster/binaries.ts';
import { ReplicaGroup } from './replica-group.ts';

jest.setTimeout(30 * 60_000);

const BATCHES = 20;
const BATCH = 8000;
const FILTERS = 200;

let group: ReplicaGroup | undefined;
const clients: Client[] = [];
beforeAll(() => ensureProgram('etcd'), 15 * 60_000);
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await group?.dispose();
  group = undefined;
});

function open(addresses: readonly string[]): Client {
  const parsed = addresses.map((address) => {
    const [host = '', port] = address.split(':');
    return { host, port: Number(port) };
  });
  const client = new Client({ cluster: 0n, addresses: parsed, timeoutMs: 10 * 60_000 });
  clients.push(client);
  return client;
}

function accounts(): Uint8Array {
  const words = new Uint32Array(2 * 32);
  for (let i = 0; i < 2; i += 1) {
    words[i * 32] = i + 1;
    words.set([1, 1], i * 32 + 28);
  }
  return encodeMultiBatch([new Uint8Array(words.buffer)], 128);
}

/** Odd ids have code 1 and user_data_32 7, even ones code 2 and 8. */
function transfers(first: number, count: number): Uint8Array {
  const words = new Uint32Array(count * 32);
  for (let i = 0; i < count; i += 1) {
    const odd = (first + i) % 2;
    words.set([first + i, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1], i * 32);
    words.set([8 - odd, 0, 1, 2 - odd], i * 32 + 26);
  }
  return encodeMultiBatch([new Uint8Array(words.buffer)], 128);
}

function filter(): Uint8Array {
  const words = new Uint32Array(16);
  words.set([8, 0, 1], 6);
  words[14] = 1;
  return new Uint8Array(words.buffer);
}

test('while one request walks through long lists hundreds of times, writes are answered by the same leader', async () => {
  group = await ReplicaGroup.start();
  await group.leader();
  const writer = open(group.addresses);
  const reader = open(group.addresses);
  await writer.submit(Operation.createAccounts, accounts());
  for (let batch = 0; batch < BATCHES; batch += 1)
    await writer.submit(Operation.createTransfers, transfers(1 + batch * BATCH, BATCH));
  const { view } = await group.level();
  const query = { isAnswered: false };
  const body = encodeMultiBatch(Array.from({ length: FILTERS }, filter), 64);
  const answer = reader.submit(Operation.queryTransfers, body).then((reply) => {
    query.isAnswered = true;
    return reply;
  });
  let writes = 0;
  let slowestMs = 0;
  for (let id = 1_000_001; !query.isAnswered; id += 1) {
    const startedMs = performance.now();
    await writer.submit(Operation.createTransfers, transfers(id, 1));
    slowestMs = Math.max(slowestMs, performance.now() - startedMs);
    writes += 1;
  }
  // The trailer of a multi-batch of empty answers.
  expect((await answer).length).toBeLessThan(1024);
  expect(writes).toBeGreaterThan(10);
  const after = await group.level();
  expect(after.view).toBe(view);
  process.stderr.write(
    `figure: ${FILTERS} filters on ${BATCHES * BATCH} transfers: ${writes} writes meanwhile, the slowest ${slowestMs.toFixed(0)} ms\n`,
  );
});
