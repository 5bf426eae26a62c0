/** What a receiver of a change stream got. */
import type { ChangeEvent } from '../../../gen/api.ts';
import type { Received, TestReceiver } from './receiver.ts';

interface Batch {
  readonly type: string;
  readonly streamId: string;
  readonly databaseId: string;
  readonly after: string;
  readonly data: readonly ChangeEvent[];
}

export const batchOf = ({ text }: Pick<Received, 'text'>): Batch => JSON.parse(text) as Batch;

export const eventsOf = (received: Pick<Received, 'text'>): readonly ChangeEvent[] =>
  batchOf(received).data;

/** The highest timestamp that came. */
export const lastOf = ({ received }: TestReceiver): string =>
  String(
    received
      .flatMap(eventsOf)
      .reduce((most, { timestamp }) => (BigInt(timestamp) > most ? BigInt(timestamp) : most), 0n),
  );

/**
 * The events that came, each where it came first: a worker that a machine which stands still keeps from renewing its lease, or from hearing
 * an answer, sends the last request again.
 */
export const eventsOnce = ({
  received,
}: Pick<TestReceiver, 'received'>): readonly ChangeEvent[] => [
  ...new Map(received.flatMap(eventsOf).map((event) => [event.timestamp, event])).values(),
];
