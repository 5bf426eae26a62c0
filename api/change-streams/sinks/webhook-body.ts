/** Requests to the receiver of a change stream. */
import { firstTimestamp, type ChangeEventsPage } from '../../ledger/change-events.ts';
import type { ChangeStream } from '../../model/change-stream.ts';

/** Most events of a request: about 100 KiB of JSON. */
export const batchMax = 100;

type Named = Pick<ChangeStream, 'id' | 'organizationId' | 'databaseId'>;

/** The same for the same events: `webhook-id` of every attempt to deliver just these. */
export const batchId = ({ id }: Named, page: ChangeEventsPage): string =>
  `${id}:${firstTimestamp(page)}-${page.last}`;

/** `after`: timestamp of the last event before these. `events`: JSON of an array. */
export function batchBody(
  { id, organizationId, databaseId }: Named,
  after: bigint,
  events: Uint8Array,
): string {
  const head = {
    type: 'change_events',
    apiVersion: 'v1',
    organizationId,
    databaseId,
    streamId: id,
    after: String(after),
  };
  return `${JSON.stringify(head).slice(0, -1)},"data":${Buffer.from(events).toString('latin1')}}`;
}
