import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import type { Client } from '../../engine/client/client.ts';
import { Operation } from '../../engine/wire/operations.ts';
import type { TestEngine } from '../support/engine/engine.ts';
import {
  batchOf,
  batchSize,
  connectTo,
  create,
  created,
  lookupAccounts,
} from '../support/engine/ledger.ts';

/** Time after which an unanswered batch is checked for a refusal, ms. */
export const batchTimeoutMs = 4_000;

/** Runs `deed` with a client in a new session that waits without a deadline. */
export async function inSession<T>(port: number, deed: (client: Client) => Promise<T>): Promise<T> {
  const client = connectTo(port);
  try {
    return await deed(client);
  } finally {
    client.close();
  }
}

/** Posted debits of account 1. */
export const debitsPosted = (port: number): Promise<bigint | undefined> =>
  inSession(port, async (client) => (await lookupAccounts(client, [1n]))[0]?.debitsPosted);

/** Sends batches until one is refused; gives how many were executed. The client's deadline is `batchTimeoutMs`. */
export async function writeUntilRefused(
  engine: TestEngine,
  client: Client,
  batchesMax: number,
): Promise<number> {
  for (let index = 0; index < batchesMax; index += 1) {
    try {
      const statuses = await create(client, Operation.createTransfers, batchOf(index));
      expect(statuses.every((status) => status === created)).toBe(true);
    } catch (error) {
      expect(error).toMatchObject({ code: 'request_deadline' });
      if (!(await wasOnlySlow(engine, index))) return index;
    }
  }
  throw new Error(`none of ${batchesMax} batches was refused`);
}

/** Whether a batch that was not answered in time is executed late, as opposed to refused. */
async function wasOnlySlow(engine: TestEngine, index: number): Promise<boolean> {
  for (;;) {
    const { acceptsWrites } = await engine.status();
    if ((await debitsPosted(engine.port)) === BigInt((index + 1) * batchSize)) return true;
    if (!acceptsWrites) return false;
    await sleep(200);
  }
}
