/** Publishes pages to a topic of Kafka: the next page follows when all brokers in sync have this one. */
import type { ChangeEventsPage } from '../../ledger/change-events.ts';
import { changeEventTexts } from '../../ledger/encode-change-events.ts';
import type { KafkaSink } from '../../model/change-stream.ts';
import type { ReceiverNames } from '../../webhooks/resolver.ts';
import { causesOf, sendToBroker } from './broker-failures.ts';
import { KafkaCluster, kafkaLibrary } from './kafka-cluster.ts';
import { TooManyIterations } from './kafka-sign-in.ts';
import { kafkaMessages, requestsOf } from './kafka-messages.ts';
import { delivered, failed, type Delivery, type OpenSink, type PreparedPage } from './sink.ts';

interface KafkaSinkParts {
  readonly sink: KafkaSink;
  readonly password: string;
  readonly databaseId: string;
  readonly names: ReceiverNames;
}

/** A page, its text and its requests have about 4 MiB. */
const pageMax = 1_000;

export function kafkaSink(parts: KafkaSinkParts): OpenSink {
  const { sink, databaseId } = parts;
  const publisher = new KafkaPublisher(parts);
  return {
    pageMax,
    prepare({ rows }: ChangeEventsPage): PreparedPage {
      const texts = changeEventTexts(rows, sink.format);
      const bytes = texts.reduce((sum, { length }) => sum + length, 0);
      return { bytes, send: (abandoning) => publisher.send(rows, texts, databaseId, abandoning) };
    },
    close: () => publisher.close(),
  };
}

class KafkaPublisher {
  readonly #parts: KafkaSinkParts;
  #cluster: KafkaCluster | undefined;

  constructor(parts: KafkaSinkParts) {
    this.#parts = parts;
  }

  send(
    rows: Uint8Array,
    texts: ReturnType<typeof changeEventTexts>,
    databaseId: string,
    abandoning: AbortSignal,
  ): Promise<Delivery> {
    return sendToBroker({
      abandoning,
      close: () => this.close(),
      publish: async () => {
        const { sink, password, names } = this.#parts;
        const { murmur2: hash } = await kafkaLibrary();
        if (this.#cluster === undefined) {
          this.#cluster = await KafkaCluster.of(sink, password, names);
          await this.#cluster.locate();
        }
        const cluster = this.#cluster;
        const { partitions } = cluster;
        const keyed = { sink, databaseId, partitions, hash };
        for (const request of requestsOf(kafkaMessages(rows, texts, keyed))) {
          // One at a time: what comes later must not arrive earlier.
          await cluster.produce(request);
        }
        return delivered;
      },
      failureOf: kafkaFailure,
    });
  }

  close(): void {
    this.#cluster?.close();
    this.#cluster = undefined;
  }
}

/** Meanings of a broker's answers, by the name of the error in Kafka's protocol. */
async function kafkaFailure(error: unknown): Promise<Delivery | undefined> {
  const { findErrorBy } = await kafkaLibrary();
  const find = (property: string, value: unknown) => {
    for (const one of causesOf(error)) {
      const found = findErrorBy(one as Error, property, value);
      if (found) return found;
    }
    return undefined;
  };
  const costly = causesOf(error).find((one) => one instanceof TooManyIterations);
  if (costly !== undefined) return failed('ACCESS_REFUSED', costly.message);
  if (find('code', 'PLT_KFK_AUTHENTICATION')) {
    return failed(
      'ACCESS_REFUSED',
      'The broker refuses the user, its password or its mechanism, or ended the connection during the sign-in.',
    );
  }
  const answered = find('code', 'PLT_KFK_PROTOCOL') as { readonly apiId?: string } | undefined;
  const { apiId } = answered ?? {};
  if (apiId === undefined) return undefined;
  if (apiId === 'UNKNOWN_TOPIC_OR_PARTITION') {
    return failed(
      'NOT_FOUND',
      'The cluster has no such topic. Make it; nothing is lost meanwhile.',
    );
  }
  if (apiId.endsWith('_AUTHORIZATION_FAILED')) {
    return failed('ACCESS_REFUSED', `The broker refuses it: ${apiId}.`);
  }
  return failed('REJECTED', `The broker did not take the events: ${apiId}.`);
}
