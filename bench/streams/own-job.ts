/** TigerBeetle's own job beside a stream: the same events of the same engine into the same queue, in turns. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestRabbit } from '../../test/support/api/rabbitmq.ts';
import { whileOwnJobRuns } from '../../test/support/engine/own-job.ts';
import { percentile, type Row } from '../support/report.ts';

interface OwnJobOptions {
  readonly rabbit: TestRabbit;
  /** Port of the engine. */
  readonly port: number;
  readonly events: number;
  readonly turns: number;
  /** Events a second of our stream into a queue. */
  readonly ours: (queue: string) => Promise<number>;
}

const queue = 'turns';
const timeoutMs = 300_000;

export async function ownJobRows(options: OwnJobOptions): Promise<readonly Row[]> {
  const { rabbit, turns, ours } = options;
  const own: number[] = [];
  const theirs: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const both = [
      async () => own.push(await ours(queue)),
      async () => theirs.push(await perSecondOfJob(options)),
    ];
    for (const one of turn % 2 === 0 ? both : both.reverse()) {
      // The job goes on behind the place that it keeps in the broker.
      await rabbit.use(async (channel) => {
        for (const name of [queue, 'tigerbeetle.internal.progress.0']) {
          await channel.deleteQueue(name);
        }
      });
      await one();
    }
  }
  const [stream, job] = [percentile(own, 0.5), percentile(theirs, 0.5)];
  return [
    { name: `TigerBeetle’s own job, middle of ${turns} turns`, value: job, unit: '/s' },
    { name: 'a stream, in turns with it', value: stream, unit: '/s' },
    { name: 'its part of the job’s rate', value: stream / job, unit: '', goal: 0.8, more: true },
  ];
}

/** From the start of its process until the queue has all events. */
async function perSecondOfJob({ rabbit, port, events }: OwnJobOptions): Promise<number> {
  let endMs = 0;
  const begunMs = performance.now();
  await rabbit.use(async (channel) => {
    await channel.assertQueue(queue, { durable: true });
    await whileOwnJobRuns({ port, rabbit, queue }, async () => {
      while ((await channel.checkQueue(queue)).messageCount < events) {
        if (performance.now() - begunMs > timeoutMs) throw new Error('the job does not get there');
        await sleep(20);
      }
      endMs = performance.now();
    });
  });
  return (events * 1_000) / (endMs - begunMs);
}
