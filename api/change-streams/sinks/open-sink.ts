/** Opens the sink of a stream by its type. */
import type { ChangeStream } from '../../model/change-stream.ts';
import type { ReceiverNames } from '../../webhooks/resolver.ts';
import type { WebhookSender } from '../../webhooks/sender.ts';
import { amqpSink } from './amqp-sink.ts';
import { kafkaSink } from './kafka-sink.ts';
import type { OpenSink } from './sink.ts';
import { webhookSink } from './webhook-sink.ts';

export interface SinkServices {
  readonly sender: Pick<WebhookSender, 'send'>;
  /** Names of brokers. */
  readonly names: ReceiverNames;
}

/** `secrets`: those that sign; of a broker, its password alone. */
export function openSink(
  { sender, names }: SinkServices,
  stream: ChangeStream,
  secrets: readonly string[],
): OpenSink {
  const { sink, databaseId } = stream;
  if (sink.type === 'WEBHOOK') return webhookSink({ stream, sender, secrets });
  const broker = { password: secrets[0] ?? '', databaseId, names };
  return sink.type === 'AMQP' ? amqpSink({ sink, ...broker }) : kafkaSink({ sink, ...broker });
}
