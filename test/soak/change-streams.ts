/**
 * Every transfer leaves the house, whoever dies meanwhile:
 *
 *   node test/soak/change-streams.ts [--transfers=100000] [--seed=a number; one by the clock]
 *
 * A real engine, a real RabbitMQ, a receiver of webhooks and two workers. While transfers are made, one of the four is killed again and
 * again, and comes back; the receiver dies after it has stored a request and before it answers. In the end queue and receiver must have
 * every transfer of the ledger, in its order, and again only what a failure explains. Exits with 1 otherwise.
 */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findChangeStream } from '../../api/store/change-streams.ts';
import { Operation } from '../../engine/wire/operations.ts';
import { eventsOf } from '../support/api/change-stream.ts';
import { TestRabbit } from '../support/api/rabbitmq.ts';
import { TestReceiver } from '../support/api/receiver.ts';
import { makeServingDatabase } from '../support/api/store.ts';
import { makeStream, rabbitTarget } from '../support/api/stored-streams.ts';
import { WebhookWorkers } from '../support/api/webhook-workers.ts';
import { TestEngine } from '../support/engine/engine.ts';
import {
  accountBytes,
  connectTo,
  create,
  created,
  transferBytes,
} from '../support/engine/ledger.ts';
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
const pages = { queue: 1_000, receiver: 100 } as const;
const queue = 'all';

const [workers, engine, rabbit, receiver] = await Promise.all([
  WebhookWorkers.create(),
  TestEngine.create(),
  TestRabbit.create(),
  TestReceiver.start(),
]);
const running: ChildProcess[] = [];
const client = connectTo(engine.port, 600_000);
const written = new AbortController();
let unanswered = 0;
const kills = { worker: 0, broker: 0, engine: 0, receiver: 0 };

const fault: Readonly<Record<keyof typeof kills, () => Promise<void>>> = {
  async worker() {
    const [killed] = running.splice(random() < 0.5 ? 0 : 1, 1);
    if (killed !== undefined) await workers.end(killed, 'SIGKILL');
    running.push(await workers.start());
  },
  async broker() {
    await rabbit.stop('SIGKILL');
    await sleep(random() * 3_000);
    await rabbit.start();
  },
  async engine() {
    await engine.end('SIGKILL');
    await engine.start();
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

/** What is wrong with the events that came; `failures`: those of which each may have brought one page again. */
function judged(name: string, came: readonly Came[], page: number, failures: number): string[] {
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
    ...(again <= page * failures ? [] : [`${name}: ${again} came again for ${failures} failures`]),
  ];
}

try {
  await create(client, Operation.createAccounts, accountBytes([1n, 2n]));
  const { id: databaseId } = await makeServingDatabase(
    workers.store,
    workers.organization,
    'leaving',
    engine.port,
  );
  const sink = { type: 'WEBHOOK', url: receiver.url } as const;
  const streams = [
    await makeStream(workers, databaseId, await rabbitTarget(rabbit, queue), 0n),
    await makeStream(workers, databaseId, { sink, password: undefined }, 0n),
  ];
  running.push(await workers.start(), await workers.start());
  await Promise.all([write(), killAgainAndAgain()]);
  tell(`${transfers} transfers are made, seed ${seed}; killed meanwhile: ${JSON.stringify(kills)}`);
  await eventually(
    'both streams have sent everything',
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
  receiver.verify(streams[1]?.secret ?? '');
  const queued = (await rabbit.takeAll(queue)).map(({ content }) => {
    const { timestamp, transfer } = JSON.parse(content.toString());
    return { timestamp, id: String(transfer.id) };
  });
  const received = receiver.received
    .flatMap(eventsOf)
    .map(({ timestamp, transfer }) => ({ timestamp, id: transfer.id }));
  // A killed engine fails a read, which sends nothing. What a worker had sent when it died comes again.
  const wrong = [
    ...judged('queue', queued, pages.queue, kills.worker + kills.broker),
    ...judged('receiver', received, pages.receiver, kills.worker + unanswered),
  ];
  for (const one of wrong) tell(one);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  client.close();
  await workers.stop();
  for (const part of [engine, rabbit]) await part.dispose();
  await receiver.stop();
}
