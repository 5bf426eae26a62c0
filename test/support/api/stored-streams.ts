/** Change streams that are made straight in the store, and read there. */
import { createChangeStream, findChangeStream } from '../../../api/store/change-streams.ts';
import { Sealer } from '../../../api/store/sealing.ts';
import type { ChangeStream, Sink } from '../../../api/model/change-stream.ts';
import type { TestKafka } from './kafka.ts';
import type { TestRabbit } from './rabbitmq.ts';
import { signingKeys, tester } from './store.ts';
import type { WebhookWorkers } from './webhook-workers.ts';

export interface Target {
  readonly sink: Sink;
  readonly password: string | undefined;
}

/** Messages to a queue, as TigerBeetle's own job writes them. */
export async function rabbitTarget(
  rabbit: TestRabbit,
  queue: string,
  options: Readonly<Record<string, unknown>> = {},
): Promise<Target> {
  await rabbit.use((channel) =>
    channel.assertQueue(queue, { durable: true, arguments: { ...options } }),
  );
  const { password, ...to } = rabbit.sink();
  const sink = {
    ...to,
    exchange: '',
    routingKey: queue,
    format: 'TIGERBEETLE',
    certificateAuthority: null,
  } as const;
  return { sink, password };
}

export function kafkaTarget(kafka: TestKafka, topic: string): Target {
  const { url, type } = kafka.sink(topic);
  const sink = {
    type,
    url,
    topic,
    key: 'DATABASE',
    format: 'LEDGERHOUSE',
    username: '',
    mechanism: 'PLAIN',
    certificateAuthority: null,
  } as const;
  return { sink, password: undefined };
}

export async function makeStream(
  { store, organizationId }: WebhookWorkers,
  databaseId: string,
  { sink, password }: Target,
  after: bigint,
): Promise<{ readonly stream: ChangeStream; readonly secret: string | null }> {
  const made = await store.change(tester, (change) =>
    createChangeStream(change, new Sealer(signingKeys), {
      organizationId,
      databaseId,
      description: '',
      sink,
      password,
      after,
      suspended: false,
    }),
  );
  if (made === 'too_many') throw new Error('there are too many streams');
  return made;
}

export async function readStream(
  { store }: WebhookWorkers,
  { databaseId, id }: Pick<ChangeStream, 'databaseId' | 'id'>,
): Promise<ChangeStream> {
  const stream = await findChangeStream(store.read, databaseId, id);
  if (stream === undefined) throw new Error('the stream is gone');
  if (stream.lastError) throw new Error(stream.lastError.message);
  return stream;
}

export const removeStreams = ({ store }: WebhookWorkers) =>
  store.read.deleteFrom('changeStreams').execute();
