/** A burst of transfers into a database with a stream to RabbitMQ: how far it falls behind, and how long until it is not any more. */
import { setTimeout as sleep } from 'node:timers/promises';
import { lagOf } from '../../api/model/change-stream.ts';
import type { Client } from '../../engine/client/client.ts';
import { Operation } from '../../engine/wire/operations.ts';
import type { TestRabbit } from '../../test/support/api/rabbitmq.ts';
import {
  makeStream,
  rabbitTarget,
  readStream,
  removeStreams,
} from '../../test/support/api/stored-streams.ts';
import type { WebhookWorkers } from '../../test/support/api/webhook-workers.ts';
import { batchOf, batchSize, create } from '../../test/support/engine/ledger.ts';
import type { Row } from '../support/report.ts';

interface BurstOptions {
  readonly workers: WebhookWorkers;
  readonly databaseId: string;
  readonly client: Client;
  readonly rabbit: TestRabbit;
  /** Number of the first batch that the ledger has not. */
  readonly firstBatch: number;
  readonly batches: number;
}

/** The least rate that is waited for. */
const leastPerSecond = 1_000;
/** The rate that issue and manual promise for RabbitMQ. */
const goalPerSecond = 10_000;
const sampledMs = 250;

export async function burstRows(options: BurstOptions): Promise<readonly Row[]> {
  const { workers, databaseId, client, rabbit, firstBatch, batches } = options;
  const transfers = batches * batchSize;
  // Of what nobody reads, the queue keeps the newest: the broker's memory and disk are not what is measured.
  const target = await rabbitTarget(rabbit, 'burst', { 'x-max-length': 100_000 });
  const { stream } = await makeStream(workers, databaseId, target, BigInt(Date.now()) * 1_000_000n);
  const begunMs = performance.now();
  const written = (async () => {
    for (let index = firstBatch; index < firstBatch + batches; index += 1) {
      await create(client, Operation.createTransfers, batchOf(index));
    }
    return performance.now();
  })();
  const deadlineMs = begunMs + 60_000 + (1_000 * transfers) / leastPerSecond;
  let longest = 0;
  const drained = (async () => {
    for (;;) {
      const now = await readStream(workers, stream);
      const { seconds } = lagOf(now, Date.now());
      longest = Math.max(longest, seconds ?? 0);
      if (now.delivered === BigInt(transfers) && seconds === 0) return performance.now();
      if (performance.now() > deadlineMs) {
        throw new Error(`the stream does not keep up: ${now.delivered} of ${transfers} events`);
      }
      await sleep(sampledMs);
    }
  })();
  const [writtenMs, drainedMs] = await Promise.all([written, drained]);
  await removeStreams(workers);
  const seconds = (ms: number): number => ms / 1_000;
  return [
    {
      name: `a burst of ${transfers} transfers is written in`,
      value: seconds(writtenMs - begunMs),
      unit: 's',
    },
    { name: 'longest lag of its stream to RabbitMQ', value: longest, unit: 's' },
    {
      name: 'from the burst’s begin until the lag is 0 again',
      value: seconds(drainedMs - begunMs),
      unit: 's',
      goal: transfers / goalPerSecond,
    },
  ];
}
