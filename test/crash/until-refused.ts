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

/** How long a batch may take before it is asked whether it was refused. */
export const batchTimeoutMs = 4_000;

/** A session of its own, which waits as long as it takes. */
export async function inSession<T>(port: number, deed: (client: Client) => Promise<T>): Promise<T> {
  const client = connectTo(port);
  try {
    return await deed(client);
  } finally {
    client.close();
  }
}

/** What account 1 has paid. */
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

/** Of a batch that was not answered in time: whether it is executed, late, or refused. */
async function wasOnlySlow(engine: TestEngine, index: number): Promise<boolean> {
  for (;;) {
    const { acceptsWrites } = await engine.status();
    if ((await debitsPosted(engine.port)) === BigInt((index + 1) * batchSize)) return true;
    if (!acceptsWrites) return false;
    await sleep(200);
  }
}
