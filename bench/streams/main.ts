/**
 * Change streams: events a second into RabbitMQ, Kafka and a reader of SSE, from a transfer to the receiver when nothing else happens, and
 * the lag after a burst of `BURST` transfers. With the program of TigerBeetle (`TIGERBEETLE`) also its own job, in `TURNS` turns with a
 * stream.
 */
import { availableParallelism, loadavg } from 'node:os';
import { findOrganization } from '../../api/store/organizations.ts';
import { Store } from '../../api/store/store.ts';
import type { Client } from '../../engine/client/client.ts';
import { Operation } from '../../engine/wire/operations.ts';
import { PeopleService } from '../../test/support/api/people-service.ts';
import { eventsOf } from '../../test/support/api/change-stream.ts';
import { TestKafka } from '../../test/support/api/kafka.ts';
import { TestRabbit } from '../../test/support/api/rabbitmq.ts';
import { TestReceiver } from '../../test/support/api/receiver.ts';
import { makeServingDatabase, patient, silent } from '../../test/support/api/store.ts';
import {
  kafkaTarget,
  makeStream,
  rabbitTarget,
  readStream,
  removeStreams,
  type Target,
} from '../../test/support/api/stored-streams.ts';
import { WebhookWorkers } from '../../test/support/api/webhook-workers.ts';
import { TestEngine } from '../../test/support/engine/engine.ts';
import {
  accountBytes,
  batchOf,
  batchSize,
  connectTo,
  create,
  transferBytes,
} from '../../test/support/engine/ledger.ts';
import { tigerbeetle } from '../../test/support/engine/tigerbeetle.ts';
import { eventually } from '../../test/support/shell.ts';
import { abortable, runInterruptible } from '../support/interruption.ts';
import { percentile, report, shownLoad, type Row } from '../support/report.ts';
import { count } from '../support/settings.ts';
import { burstRows } from './burst.ts';
import { ownJobRows } from './own-job.ts';

const batches = Math.ceil(count('EVENTS', 50_000) / batchSize);
const events = batches * batchSize;
const burstBatches = Math.ceil(count('BURST', 1_000_000) / batchSize);
const turns = count('TURNS', 5);
const singles = 100;
const singleEveryMs = 150;
const queue = 'bench';

const load = loadavg();
/** Ends of what was started, in the reverse order: also of a run that fails half-way, or that somebody interrupts. */
const ends: (() => Promise<unknown>)[] = [];
async function started<Part>(making: Promise<Part>, end: (part: Part) => Promise<unknown>) {
  const part = await making;
  ends.unshift(() => end(part));
  return part;
}

interface World {
  readonly workers: WebhookWorkers;
  readonly rabbit: TestRabbit;
  readonly port: number;
  readonly client: Client;
  readonly databaseId: string;
}

async function main(): Promise<void> {
  try {
    const rows = await abortable(measure);
    report('streams', rows, { load, events, burstBatches, turns });
    console.log(
      `load before: ${shownLoad(load)}; ${availableParallelism()} processors with engine, PostgreSQL, brokers, and one worker; SSE: API and reader in this process`,
    );
  } finally {
    for (const end of ends) await end();
  }
}

async function measure(): Promise<readonly Row[]> {
  const dispose = (part: { dispose: () => Promise<unknown> }) => part.dispose();
  const engine = await started(TestEngine.create(), dispose);
  const rabbit = await started(TestRabbit.create(), dispose);
  const kafka = await started(TestKafka.create({ topics: { [queue]: 1 } }), dispose);
  const workers = await started(WebhookWorkers.create(), (part) => part.stop());
  const client = await started(Promise.resolve(connectTo(engine.port)), async (part) =>
    part.close(),
  );
  await create(client, Operation.createAccounts, accountBytes([1n, 2n]));
  for (let index = 0; index < batches; index += 1) {
    await create(client, Operation.createTransfers, batchOf(index));
  }
  const { store, organization } = workers;
  const { port } = engine;
  const { id: databaseId } = await makeServingDatabase(store, organization, 'bench', port);
  await workers.start();
  const world: World = { workers, rabbit, port, client, databaseId };
  const ours = async (to: string) => perSecond(world, await rabbitTarget(rabbit, to));
  return [
    rate('RabbitMQ, with confirms', 10_000, await ours(queue)),
    rate('Kafka’s protocol, acks=all', 20_000, await perSecond(world, kafkaTarget(kafka, queue))),
    rate('a reader of SSE', 20_000, await perSecondOfSse(port)),
    ...(tigerbeetle === undefined ? [] : await ownJobRows({ rabbit, port, events, turns, ours })),
    ...(await idle(world)),
    ...(await burst(world)),
  ];
}

function rate(to: string, goal: number, value: number): Row {
  return { name: `${events} events to ${to}`, value, unit: '/s', goal, more: true };
}

/** Events a second from the stream's start until the sink has confirmed the last one. */
async function perSecond({ workers, databaseId }: World, target: Target): Promise<number> {
  const { stream: made } = await makeStream(workers, databaseId, target, 0n);
  const done = await eventually(
    'the sink has all events',
    async () => {
      const stream = await readStream(workers, made);
      return stream.delivered === BigInt(events) ? stream : undefined;
    },
    300_000,
  );
  await removeStreams(workers);
  const { createdAt, deliveredAt } = done;
  return (events * 1_000) / ((deliveredAt?.getTime() ?? Number.NaN) - createdAt.getTime());
}

/** Over HTTP, from the request to the last event. */
async function perSecondOfSse(port: number): Promise<number> {
  const service = await PeopleService.start();
  const store = new Store({ url: service.databaseUrl, logger: silent, ...patient });
  try {
    await store.start();
    const administrator = await service.administrator();
    const { json } = await service.ask(administrator, '/session');
    const organization = await findOrganization(store.read, json.organization.id);
    if (organization === undefined) throw new Error('there is no organization');
    const { id } = await makeServingDatabase(store, organization, 'bench', port);
    const cookies = [...administrator.cookiesOf(service.url)];
    const leaving = new AbortController();
    const began = performance.now();
    const answer = await fetch(
      `${service.url}/api/v1/databases/${id}/change-events?after=beginning`,
      {
        headers: {
          accept: 'text/event-stream',
          cookie: cookies.map(([name, value]) => `${name}=${value}`).join('; '),
        },
        signal: leaving.signal,
      },
    );
    if (answer.status !== 200 || answer.body === null) throw new Error(await answer.text());
    let found = 0;
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of answer.body) {
      const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n');
      rest = lines.pop() ?? '';
      found += lines.filter((line) => line.startsWith('id:')).length;
      if (found >= events) break;
    }
    const seconds = (performance.now() - began) / 1_000;
    leaving.abort();
    return events / seconds;
  } finally {
    await store.close();
    await service.stop();
  }
}

/** One transfer after the other: from its timestamp to the receiver of a webhook. */
async function idle({ workers, databaseId, client }: World): Promise<readonly Row[]> {
  const receiver = await TestReceiver.start();
  try {
    const sink = { type: 'WEBHOOK', url: receiver.url } as const;
    // What was there before is not sent.
    const after = BigInt(Date.now()) * 1_000_000n;
    await makeStream(workers, databaseId, { sink, password: undefined }, after);
    for (let index = 1; index <= singles; index += 1) {
      await create(client, Operation.createTransfers, single(index));
      await new Promise((resolve) => void setTimeout(resolve, singleEveryMs));
    }
    const delays = await eventually('the receiver has all', async () => {
      const found = receiver.received.flatMap((received) =>
        eventsOf(received).map(
          ({ timestamp }) => received.atMs - Number(BigInt(timestamp) / 1_000_000n),
        ),
      );
      return found.length >= singles ? found : undefined;
    });
    return [
      { name: 'transfer to webhook, p50', value: percentile(delays, 0.5), unit: 'ms' },
      {
        name: 'transfer to webhook, p99',
        value: percentile(delays, 0.99),
        unit: 'ms',
        goal: 1_500,
      },
    ];
  } finally {
    await receiver.stop();
  }
}

async function burst(world: World): Promise<readonly Row[]> {
  const { workers, databaseId, client, rabbit } = world;
  await removeStreams(workers);
  const firstBatch = batches + 1;
  return burstRows({ workers, databaseId, client, rabbit, firstBatch, batches: burstBatches });
}

function single(index: number): Uint8Array {
  return transferBytes([{ id: BigInt(events + index + 1), debit: 1n, credit: 2n, amount: 1n }]);
}

await runInterruptible(main);
