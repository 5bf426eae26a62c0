/** The probes of an engine's pod while the engine loads a large data file. */
import { afterEach, expect, jest, test } from '@jest/globals';
import { accountBatch } from '../../engine/commands/workload.ts';
import { Operation } from '../../engine/wire/operations.ts';
import { TestEngine } from '../support/engine/engine.ts';
import { connectTo } from '../support/engine/ledger.ts';
import { crossedTransfers } from '../support/engine/long-lists.ts';
import { eventually } from '../support/shell.ts';

jest.setTimeout(15 * 60_000);

const BATCHES = 60;
const BATCH = 8000;

let engine: TestEngine | undefined;
afterEach(() => engine?.dispose());

test('an engine that loads a large data file answers that it lives, and has started only when it serves', async () => {
  const made = (engine = await TestEngine.create());
  const client = connectTo(made.port, 600_000);
  await client.submit(Operation.createAccounts, accountBatch(1, 2));
  for (let batch = 0; batch < BATCHES; batch += 1)
    await client.submit(Operation.createTransfers, crossedTransfers(1 + batch * BATCH, BATCH));
  client.close();
  const ask = async (path: string): Promise<number> =>
    (await fetch(`http://127.0.0.1:${made.statusPort}${path}`)).status;
  /** Starts the engine anew. Returns how often it answered while it loaded. */
  const answersWhileLoading = async (): Promise<number> => {
    expect(await made.end('SIGTERM')).toBe(0);
    const started = made.start();
    await eventually('the status is served', async () => made.statusPort !== 0 || undefined);
    for (let answers = 0; ; answers += 1) {
      const starts = await ask('/startedz');
      expect(await ask('/livez')).toBe(200);
      if (starts === 200) {
        await started;
        return answers;
      }
      expect(starts).toBe(503);
    }
  };
  // On a busy machine it may have loaded before this process gets to ask.
  for (let tries = 1; (await answersWhileLoading()) <= 3; tries += 1)
    expect(tries).toBeLessThan(10);
  expect((await made.status()).transfers).toBe(BATCHES * BATCH);
});
