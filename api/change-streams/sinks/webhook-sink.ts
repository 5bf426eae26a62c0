/** Sends pages as signed requests. Connections are the sender's, which keeps them from run to run. */
import type { ChangeEventsPage } from '../../ledger/change-events.ts';
import { changeEventsToJson } from '../../ledger/encode-change-events.ts';
import type { ChangeStream } from '../../model/change-stream.ts';
import type { WebhookSender } from '../../webhooks/sender.ts';
import type { OpenSink, PreparedPage } from './sink.ts';
import { batchBody, batchId, batchMax } from './webhook-body.ts';

interface WebhookSinkParts {
  readonly stream: ChangeStream;
  readonly sender: Pick<WebhookSender, 'send'>;
  /** Secrets that sign. */
  readonly secrets: readonly string[];
}

export const webhookSink = ({ stream, sender, secrets }: WebhookSinkParts): OpenSink => ({
  pageMax: batchMax,
  prepare(page: ChangeEventsPage, after: bigint): PreparedPage {
    const body = batchBody(stream, after, changeEventsToJson(page.rows));
    const { id: endpointId } = stream;
    const { url } = stream.sink;
    const outgoing = { endpointId, url, secrets, eventId: batchId(stream, page), body };
    return {
      bytes: Buffer.byteLength(body),
      send: async (abandoning) => {
        const { outcome, error, retryAfterMs, statusCode } = await sender.send(
          outgoing,
          abandoning,
        );
        return { outcome, error, retryAfterMs, gone: statusCode === 410 };
      },
    };
  },
  close() {},
});
