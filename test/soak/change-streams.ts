/**
 * Every transfer leaves the house, whoever dies meanwhile:
 *
 *   node test/soak/change-streams.ts [--transfers=100000] [--seed=a number; one by the clock]
 *
 * Three replicas of the engine beside real members of etcd, a real RabbitMQ, a server of Kafka's protocol, a receiver of webhooks, two
 * workers, and a reader of server-sent events behind two API processes. While transfers are made, one part after the other is killed and
 * comes back: the engine that leads together with its member, a worker, a broker, the API process that the reader is at. The receiver
 * dies after it has stored a request and before it answers. In the end everybody must have every transfer of the ledger, in its order, and
 * again only what a failure explains; the reader, who comes back with the ID of its last event, none again. Exits with 1 otherwise.
 */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findChangeStream } from '../../api/store/change-streams.ts';
import type { ChangeEvent } from '../../gen/api.ts';
import { Operation } from '../../engine/wire/operations.ts';
import { ReplicaGroup } from '../replication/replica-group.ts';
import { eventsOf } from '../support/api/change-stream.ts';
import { EventReader } from '../support/api/event-reader.ts';
import { TestKafka } from '../support/api/kafka.ts';
import { TestRabbit } from '../support/api/rabbitmq.ts';
import { TestReceiver } from '../support/api/receiver.ts';
import { makeServingDatabase } from '../support/api/store.ts';
import { kafkaTarget, makeStream, rabbitTarget } from '../support/api/stored-streams.ts';
import { TunnelWorld } from '../support/api/tunnel-world.ts';
import { WebhookWorkers } from '../support/api/webhook-workers.ts';
import { accountBytes, create, created, transferBytes } from '../support/engine/ledger.ts';
import { seeded } from '../support/prng.ts';
import { eventually } from '../support/shell.ts';

const tell = (text: string): void => void process.stdout.write(`${text}\n`);

const { values } = parseArgs({
  options: {
    transfers: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '' },
  },
});
const transfers = Number(values.transfers);
const seed = values.seed === '' ? Date.now() % 1_000_000 : Number(values.seed);
const random = seeded(seed);
const batchSize = 250;
const writeEveryMs = 300;
const faultEveryMs = 4_000;
const drainMs = 1_200_000;
/** Events of a page, by the kind of sink. */
const pages = { rabbit: 1_000, kafka: 1_000, receiver: 100 } as const;
/** Of queue and topic. */
const name = 'all';

const [workers, group, rabbit, kafka, receiver] = await Promise.all([
  WebhookWorkers.create(),
  ReplicaGroup.start(),
  TestRabbit.create(),
  TestKafka.create({ topics: { [name]: 1 } }),
  TestReceiver.start(),
]);
const world = await TunnelWorld.start({ addresses: group.addresses, processes: 2 });
const reader = new EventReader(world, '?after=beginning');
const running: ChildProcess[] = [];
const client = group.connect(600_000);
const written = new AbortController();
let unanswered = 0;
const kills = { worker: 0, rabbit: 0, leader: 0, receiver: 0, kafka: 0, api: 0 };

const fault: Readonly<Record<keyof typeof kills, () => Promise<void>>> = {
  async worker() {
    const [killed] = running.splice(random() < 0.5 ? 0 : 1, 1);
    if (killed !== undefined) await workers.end(killed, 'SIGKILL');
    running.push(await workers.start());
  },
  async rabbit() {
    await rabbit.stop('SIGKILL');
    await sleep(random() * 3_000);
    await rabbit.start();
  },
  async kafka() {
    await kafka.kill();
    await sleep(random() * 3_000);
    await kafka.start();
  },
  async leader() {
    const leader = await group.leader();
    await group.killBoth(leader);
    await group.leader();
    group.startBoth(leader);
    await group.joined(leader);
  },
  /** One after the other: the reader is at one of the two. */
  async api() {
    await world.replaceOne('SIGKILL');
    await world.replaceOne('SIGKILL');
  },
  async receiver() {
    receiver.behave = (_, __, request) => {
      unanswered += 1;
      request.socket.destroy();
    };
    await sleep(1_000 + random() * 2_000);
    receiver.beFine();
  },
};
const kinds = Object.keys(kills) as (keyof typeof kills)[];

async function write(): Promise<void> {
  for (let from = 1; from <= transfers; from += batchSize) {
    const batch = Array.from({ length: Math.min(batchSize, transfers - from + 1) }, (_, i) => ({
      id: BigInt(from + i),
      debit: 1n,
      credit: 2n,
      amount: 1n,
    }));
    const statuses = await create(client, Operation.createTransfers, transferBytes(batch));
    if (statuses.some((status) => status !== created)) throw new Error('a transfer is refused');
    await sleep(writeEveryMs);
  }
  written.abort();
}

/** Each kind in turn, so that none is left out. */
async function killAgainAndAgain(): Promise<void> {
  for (let index = 0; !written.signal.aborted; index += 1) {
    const kind = kinds[index % kinds.length] ?? 'worker';
    await fault[kind]();
    kills[kind] += 1;
    await sleep(random() * 2 * faultEveryMs);
  }
}

interface Came {
  readonly id: string;
  readonly timestamp: string;
}

/** What is wrong with the events that came, of which at most `againMax` may have come before. */
function judged(name: string, came: readonly Came[], againMax: number): string[] {
  const first = new Map(came.map(({ timestamp, id }) => [timestamp, id]));
  const ids = [...first.values()];
  const stamps = [...first.keys()].map(BigInt);
  const again = came.length - first.size;
  tell(`${name}: ${first.size} events, ${again} of them came again`);
  return [
    ...(ids.length === transfers && ids.every((id, index) => id === String(index + 1))
      ? []
      : [`${name}: what came is not what the ledger has, in its order`]),
    ...(stamps.every((stamp, index) => index === 0 || stamp > (stamps[index - 1] ?? 0n))
      ? []
      : [`${name}: the timestamps do not rise`]),
    ...(again <= againMax ? [] : [`${name}: ${again} came again, ${againMax} may`]),
  ];
}

const cameOf = (text: string): Came => {
  const { timestamp, transfer } = JSON.parse(text);
  return { timestamp, id: String(transfer.id) };
};
const came = (events: readonly ChangeEvent[]): readonly Came[] =>
  events.map(({ timestamp, transfer }) => ({ timestamp, id: transfer.id }));

try {
  await create(client, Operation.createAccounts, accountBytes([1n, 2n]));
  const { id: databaseId } = await makeServingDatabase(
    workers.store,
    workers.organization,
    'leaving',
    ...group.ports,
  );
  const sink = { type: 'WEBHOOK', url: receiver.url } as const;
  const streams = [
    await makeStream(workers, databaseId, await rabbitTarget(rabbit, name), 0n),
    await makeStream(workers, databaseId, kafkaTarget(kafka, name), 0n),
    await makeStream(workers, databaseId, { sink, password: undefined }, 0n),
  ];
  running.push(await workers.start(), await workers.start());
  const begunMs = performance.now();
  const followed = reader.follow(() => reader.events.length >= transfers, drainMs);
  await Promise.all([write(), killAgainAndAgain()]);
  const seconds = () => ((performance.now() - begunMs) / 1_000).toFixed(0);
  tell(
    `${transfers} transfers are made in ${seconds()} s, seed ${seed}; killed meanwhile: ${JSON.stringify(kills)}`,
  );
  await eventually(
    'all streams have sent everything',
    async () => {
      for (const { stream } of streams) {
        const now = await findChangeStream(workers.store.read, databaseId, stream.id);
        if (now?.delivered !== BigInt(transfers)) {
          throw new Error(`${now?.delivered}, ${now?.state} ${now?.lastError?.message ?? ''}`);
        }
      }
      return true;
    },
    drainMs,
  );
  await followed;
  tell(`everybody has everything after ${seconds()} s; the reader began ${reader.begun} times`);
  receiver.verify(streams[2]?.secret ?? '');
  const queued = (await rabbit.takeAll(name)).map(({ content }) => cameOf(content.toString()));
  const records = await kafka.records(name, await kafka.count(name));
  const received = came(receiver.received.flatMap(eventsOf));
  const { worker } = kills;
  // A leader that is killed fails a read, which sends nothing. What a worker had sent when it died comes again.
  const wrong = [
    ...judged('RabbitMQ', queued, pages.rabbit * (worker + kills.rabbit)),
    ...judged(
      'Kafka',
      records.map(({ text }) => cameOf(text)),
      pages.kafka * (worker + kills.kafka),
    ),
    ...judged('receiver', received, pages.receiver * (worker + unanswered)),
    ...judged('reader', came(reader.events), 0),
    ...(reader.begun > kills.api ? [] : ['reader: no process was killed that it was at']),
  ];
  for (const one of wrong) tell(one);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  reader.close();
  client.close();
  await world.stop();
  await workers.stop();
  for (const part of [group, rabbit, kafka]) await part.dispose();
  await receiver.stop();
}
