/**
 * The engine is killed with SIGKILL in a loop while clients write. Their answers are the oracle: every acknowledged batch is
 * there once; every other batch is there as a whole or not at all; balances add up.
 * CRASH_ROUNDS sets how many times (8 by default).
 */
import { afterEach, expect, jest, test } from '@jest/globals';
import type { Client } from '../../engine/client/client.ts';
import { Operation } from '../../engine/wire/operations.ts';
import { TestEngine } from '../support/engine/engine.ts';
import {
  batchSize,
  accountBytes,
  connectTo,
  create,
  created,
  lookupAccounts,
  lookupTransfers,
  transferBytes,
  type TransferFields,
} from '../support/engine/ledger.ts';
import { eventually } from '../support/shell.ts';
import { batchTimeoutMs, debitsPosted, inSession, writeUntilRefused } from './until-refused.ts';

const rounds = Number(process.env['CRASH_ROUNDS'] ?? '8');
jest.setTimeout(900_000 + rounds * 60_000);
/** Deadline of a request that is repeated while engines die and start: longer than all rounds. */
const patienceMs = 900_000;

const accounts = Array.from({ length: 50 }, (_, i) => BigInt(i + 1));
let engine: TestEngine | undefined;
let clients: Client[] = [];
afterEach(async () => {
  for (const client of clients) client.close();
  clients = [];
  await engine?.dispose();
});

/** Batches of linked transfers that one writer sent, each acknowledged or not. */
interface Sent {
  readonly transfers: readonly TransferFields[];
  acknowledged: boolean;
}

class Writer {
  readonly sent: Sent[] = [];
  stopped = false;
  readonly done: Promise<void>;

  constructor(client: Client, first: bigint, size: number) {
    this.done = this.#run(client, first, size);
  }

  async #run(client: Client, first: bigint, size: number): Promise<void> {
    let id = first;
    while (!this.stopped) {
      // A chain: all of a batch or nothing of it.
      const transfers = Array.from({ length: size }, (_, i) => ({
        id: (id += 1n),
        debit: accounts[Number(id) % 50] ?? 1n,
        credit: accounts[(Number(id) + 7) % 50] ?? 2n,
        amount: id % 1000n,
        flags: i < size - 1 ? 1 : 0,
      }));
      const batch: Sent = { transfers, acknowledged: false };
      this.sent.push(batch);
      const statuses = await create(client, Operation.createTransfers, transferBytes(transfers));
      expect(statuses.every((status) => status === created)).toBe(true);
      batch.acknowledged = true;
    }
  }
}

test('nothing acknowledged is lost and nothing is half there, however often the engine is killed', async () => {
  engine = await TestEngine.create();
  const sizes = [1, 40, 2000];
  clients = sizes.map(() => connectTo(engine?.port ?? 0, patienceMs));
  const [first] = clients;
  if (first === undefined) throw new Error('no client');
  await create(first, Operation.createAccounts, accountBytes(accounts));
  const writers = clients.map(
    (client, i) => new Writer(client, BigInt(i + 1) << 40n, sizes[i] ?? 1),
  );

  for (let round = 0; round < rounds; round += 1) {
    // The moments differ, so that kills meet appends, checkpoints and replays.
    await new Promise((resolve) => setTimeout(resolve, 150 + ((round * 271) % 700)));
    await engine.end('SIGKILL');
    await engine.start();
  }
  await new Promise((resolve) => setTimeout(resolve, 500));
  for (const writer of writers) writer.stopped = true;
  await Promise.all(writers.map((writer) => writer.done));
  await engine.end('SIGKILL');
  await engine.start();

  const reader = connectTo(engine.port);
  clients.push(reader);
  const balances = new Map(accounts.map((id) => [id, { debits: 0n, credits: 0n }]));
  for (const { transfers, acknowledged } of writers.flatMap((writer) => writer.sent)) {
    const found = await lookupTransfers(
      reader,
      transfers.map(({ id }) => id),
    );
    // Every batch was acknowledged in the end: a request outlives the engine that it was sent to.
    expect({ acknowledged, found: found.length }).toEqual({
      acknowledged: true,
      found: transfers.length,
    });
    for (const { debit, credit, amount } of transfers) {
      const [from, to] = [balances.get(debit), balances.get(credit)];
      if (from !== undefined) from.debits += amount;
      if (to !== undefined) to.credits += amount;
    }
  }
  for (const account of await lookupAccounts(reader, accounts)) {
    // Executed once each: a transfer run twice would count twice.
    expect([account.id, account.debitsPosted, account.creditsPosted]).toEqual([
      account.id,
      balances.get(account.id)?.debits,
      balances.get(account.id)?.credits,
    ]);
  }
  // Two starts from the same checkpoint and log give the same state.
  const { stateHash, op } = await engine.status();
  await engine.end('SIGKILL');
  await engine.start();
  expect(await engine.status()).toMatchObject({ stateHash, op });
});

test('SIGTERM under load ends with 0, and every acknowledged transfer is there afterwards', async () => {
  engine = await TestEngine.create();
  const client = connectTo(engine.port, patienceMs);
  clients = [client];
  await create(client, Operation.createAccounts, accountBytes(accounts));
  const writer = new Writer(client, 1n << 40n, 100);
  await new Promise((resolve) => setTimeout(resolve, 700));
  const acknowledged = () => writer.sent.filter((batch) => batch.acknowledged);
  await eventually('writes are answered', async () => acknowledged().length > 0 || undefined);
  expect(await engine.end('SIGTERM')).toBe(0);
  await engine.start();
  writer.stopped = true;
  await writer.done;
  for (const { transfers } of acknowledged()) {
    expect(
      await lookupTransfers(
        client,
        transfers.map(({ id }) => id),
      ),
    ).toHaveLength(transfers.length);
  }
});

test('at its memory limit the engine says so, refuses new events, loses nothing and goes on reading', async () => {
  engine = await TestEngine.create({ flags: ['--memory-limit=48MiB'] });
  const client = connectTo(engine.port, batchTimeoutMs);
  clients = [client];
  await inSession(engine.port, (setup) =>
    create(setup, Operation.createAccounts, accountBytes(accounts)),
  );
  const acknowledged = await writeUntilRefused(engine, client, 250);
  const status = await engine.status();
  expect(status.acceptsWrites).toBe(false);
  expect(status.warnings).toContain('MemoryAtLimit');
  expect(status.memory.usedBytes).toBeLessThanOrEqual(status.memory.limitBytes);
  expect(await debitsPosted(engine.port)).toBe(BigInt(acknowledged * batchSize));
});
