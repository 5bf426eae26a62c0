/**
 * One request of many filters, each of which walks through two long lists that never meet. The leader goes on answering
 * writes and sending heartbeats; once, it stood still until it was deposed, and so did the next one.
 */
import { afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import type { Client } from '../../engine/client/client.ts';
import { accountBatch } from '../../engine/commands/workload.ts';
import { Operation } from '../../engine/wire/operations.ts';
import { ensureProgram } from '../../tools/cluster/binaries.ts';
import { crossedTransfers, endlessFilters } from '../support/engine/long-lists.ts';
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

function open(of: ReplicaGroup): Client {
  const client = of.connect(10 * 60_000);
  clients.push(client);
  return client;
}

test('while one request walks through long lists hundreds of times, writes are answered by the same leader', async () => {
  group = await ReplicaGroup.start();
  await group.leader();
  const writer = open(group);
  const reader = open(group);
  await writer.submit(Operation.createAccounts, accountBatch(1, 2));
  for (let batch = 0; batch < BATCHES; batch += 1)
    await writer.submit(Operation.createTransfers, crossedTransfers(1 + batch * BATCH, BATCH));
  let id = 1_000_000;
  let tries = 0;
  /** Whether the leader was the same all the time. */
  const queryWhileWriting = async (made: ReplicaGroup): Promise<boolean> => {
    const { view } = await made.level();
    const query = { isAnswered: false };
    const answer = reader
      .submit(Operation.queryTransfers, endlessFilters(FILTERS))
      .then((reply) => {
        query.isAnswered = true;
        return reply;
      });
    let writes = 0;
    let slowestMs = 0;
    while (!query.isAnswered) {
      const startedMs = performance.now();
      await writer.submit(Operation.createTransfers, crossedTransfers((id += 1), 1));
      slowestMs = Math.max(slowestMs, performance.now() - startedMs);
      writes += 1;
    }
    // The trailer of a multi-batch of empty answers.
    expect((await answer).length).toBeLessThan(1024);
    expect(writes).toBeGreaterThan(10);
    process.stderr.write(
      `figure: ${FILTERS} filters on ${BATCHES * BATCH} transfers: ${writes} writes meanwhile, the slowest ${slowestMs.toFixed(0)} ms\n`,
    );
    return (await made.level()).view === view;
  };
  // A machine that stands still for seconds may depose a leader, too. The query that does deposes each one.
  while (!(await queryWhileWriting(group))) expect((tries += 1)).toBeLessThan(5);
});
