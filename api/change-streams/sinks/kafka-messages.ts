/** Messages for a topic: the event as JSON, keyed by what must stay in order, with the event's ID as a header. */
import type { murmur2 } from '@platformatic/kafka';
import { ChangeEvent } from '../../../engine/wire/records.ts';
import type { changeEventTexts } from '../../ledger/encode-change-events.ts';
import type { KafkaSink } from '../../model/change-stream.ts';
import type { KafkaMessage } from './kafka-cluster.ts';

const rowSize = ChangeEvent.words * 4;
const idHeader = Buffer.from('id');
/** Bytes of the values of one request: less than brokers and topics take by default, which is a MiB with what surrounds them. */
const requestMax = 800_000;
/** Bytes around a value: key, header, lengths. */
const around = 160;

interface Keyed {
  readonly sink: Pick<KafkaSink, 'format' | 'key'>;
  readonly databaseId: string;
  /** Partitions of the topic. */
  readonly partitions: number;
  readonly hash: typeof murmur2;
}

/** A message for each record; `texts` are those of `changeEventTexts`. Each goes where other producers of Kafka put its key. */
export function kafkaMessages(
  rows: Uint8Array,
  texts: ReturnType<typeof changeEventTexts>,
  { sink, databaseId, partitions, hash }: Keyed,
): readonly KafkaMessage[] {
  const view = new DataView(rows.buffer, rows.byteOffset, rows.length);
  const places = new Map<string, { key: Buffer; partition: number }>();
  const placeOf = (text: string) => {
    let place = places.get(text);
    if (place === undefined) {
      const key = Buffer.from(text);
      place = { key, partition: (hash(key) & 0x7fff_ffff) % partitions };
      places.set(text, place);
    }
    return place;
  };
  return texts.map((text, index) => {
    const at = index * rowSize;
    const timestamp = view.getBigUint64(at + ChangeEvent.timestamp * 4, true);
    return {
      ...placeOf(keyOf(view, at, sink.key, databaseId)),
      value: Buffer.from(text.buffer, text.byteOffset, text.length),
      timestamp: timestamp / 1_000_000n,
      headers: new Map([[idHeader, Buffer.from(`${databaseId}:${timestamp}`)]]),
    };
  });
}

function keyOf(view: DataView, at: number, key: KafkaSink['key'], databaseId: string): string {
  if (key === 'DATABASE') return databaseId;
  if (key === 'LEDGER') return String(view.getUint32(at + ChangeEvent.ledger * 4, true));
  const id = at + ChangeEvent.debitAccount * 4;
  return String((view.getBigUint64(id + 8, true) << 64n) | view.getBigUint64(id, true));
}

/** Splits messages into requests that brokers take, in their order. */
export function requestsOf(
  messages: readonly KafkaMessage[],
): readonly (readonly KafkaMessage[])[] {
  const requests: KafkaMessage[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const message of messages) {
    const size = message.value.length + around;
    if (bytes + size > requestMax) {
      requests.push([]);
      bytes = 0;
    }
    requests.at(-1)?.push(message);
    bytes += size;
  }
  return requests;
}
