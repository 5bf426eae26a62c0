/**
 * What leaves a database of three replicas while its leaders are killed: a stream that a worker pushes, and one that a reader follows
 * over HTTP. A leader that dies breaks a read off, and a read sends nothing: so nothing is missing, and nothing comes twice.
 */
import { afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { sleep, systemTimers } from '../../base/timers.ts';
import { Operation } from '../../engine/wire/operations.ts';
import type { ChangeEvent } from '../../gen/api.ts';
import { ensureProgram } from '../../tools/cluster/binaries.ts';
import { eventsOf, eventsOnce } from '../support/api/change-stream.ts';
import { EventReader } from '../support/api/event-reader.ts';
import { TestReceiver } from '../support/api/receiver.ts';
import { makeServingDatabase } from '../support/api/store.ts';
import { makeStream } from '../support/api/stored-streams.ts';
import { TunnelWorld } from '../support/api/tunnel-world.ts';
import { WebhookWorkers } from '../support/api/webhook-workers.ts';
import { accountBytes, create, created, transferBytes } from '../support/engine/ledger.ts';
import { eventually } from '../support/shell.ts';
import { ReplicaGroup } from './replica-group.ts';

jest.setTimeout(1_200_000);
const rounds = 2;
const batchSize = 50;
/** So many transfers that the receiver keeps up with them also on a slow machine. */
const batchEveryMs = 100;

const closers: (() => unknown)[] = [];
beforeAll(() => ensureProgram('etcd'), 15 * 60_000);
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Takes care of what is made, so that it ends after the test. */
async function own<T>(made: Promise<T>, close: (one: T) => unknown): Promise<T> {
  const one = await made;
  closers.push(() => close(one));
  return one;
}

function expectOnceInOrder(events: readonly ChangeEvent[], transfers: number): void {
  const ids = events.map(({ transfer }) => transfer.id);
  expect(ids).toEqual(Array.from({ length: transfers }, (_, i) => String(i + 1)));
  const stamps = events.map(({ timestamp }) => BigInt(timestamp));
  expect(stamps.every((one, i) => i === 0 || one > (stamps[i - 1] ?? 0n))).toBe(true);
}

test('while leaders of three replicas are killed, each transfer leaves once and in order, pushed and followed', async () => {
  const group = await own(ReplicaGroup.start(), (one) => one.dispose());
  await group.leader();
  const workers = await own(WebhookWorkers.create(), (one) => one.stop());
  const receiver = await own(TestReceiver.start(), (one) => one.stop());
  const world = await own(TunnelWorld.start({ addresses: group.addresses }), (one) => one.stop());
  const client = await own(Promise.resolve(group.connect(600_000)), (one) => one.close());
  await create(client, Operation.createAccounts, accountBytes([1n, 2n]));
  const { store, organization } = workers;
  const { id } = await makeServingDatabase(store, organization, 'replicated', ...group.ports);
  const sink = { type: 'WEBHOOK', url: receiver.url } as const;
  const { secret } = await makeStream(workers, id, { sink, password: undefined }, 0n);
  await workers.start();
  const reader = new EventReader(world, '?after=beginning');
  closers.push(() => reader.close());

  let written = 0;
  const writes = { end: false };
  const writing = (async () => {
    while (!writes.end) {
      const batch = Array.from({ length: batchSize }, (_, i) => ({
        id: BigInt(written + i + 1),
        debit: 1n,
        credit: 2n,
        amount: 1n,
      }));
      // The client sends it again until a leader answers: it exists once.
      const statuses = await create(client, Operation.createTransfers, transferBytes(batch));
      expect(new Set(statuses)).toEqual(new Set([created]));
      written += batchSize;
      await sleep(systemTimers, batchEveryMs);
    }
  })();
  const following = reader.follow(() => writes.end && reader.events.length >= written, 1_000_000);
  const pushed = () => Number(receiver.received.map(eventsOf).at(-1)?.at(-1)?.transfer.id ?? 0);
  /** Until both have something that was written from now on. */
  const goesOn = async (when: string) => {
    const from = written;
    await eventually(
      `the streams go on ${when}`,
      async () => (pushed() > from && reader.events.length > from) || undefined,
      500_000,
    );
  };
  const breaking = (async () => {
    await goesOn('at first');
    for (let round = 0; round < rounds; round += 1) {
      const leader = await group.leader();
      await group.killBoth(leader);
      await goesOn(`round ${round}, while replica ${leader} is away`);
      group.startBoth(leader);
      await group.joined(leader);
      await goesOn(`round ${round}, with replica ${leader} again`);
    }
  })().finally(() => (writes.end = true));
  await Promise.all([breaking, writing, following]);
  await eventually('the receiver has all', async () => pushed() >= written || undefined, 500_000);

  expect(BigInt((await group.level()).transfers)).toBe(BigInt(written));
  receiver.verify(secret ?? '');
  expectOnceInOrder(eventsOnce(receiver), written);
  // Only a lease that a busy machine loses lets a request come again.
  const repeated = receiver.received.flatMap(eventsOf).length - written;
  expect(repeated).toBeLessThanOrEqual(10 * batchSize);
  expectOnceInOrder(reader.events, written);
});
