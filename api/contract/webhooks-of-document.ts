/** The part `webhooks` of the OpenAPI document: one entry for each type of event that is sent, with an example. */
import type { z } from 'zod';
import { eventTypes } from '../model/event-types.ts';
import { sentTypes } from '../model/subscriptions.ts';
import { eventDataRows, webhookBodyExample, webhookBodySchema } from './schemas/webhook-event.ts';

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

const parameters = [
  header('webhook-id', 'ID of the event, the same in every attempt: ignore what you have already.'),
  header('webhook-timestamp', 'Seconds since 1970 at which the attempt was made.'),
  header(
    'webhook-signature',
    '`v1,` and the HMAC-SHA-256 of `<id>.<timestamp>.<body>` in base64; several, with spaces between, during a rotation of the secret.',
  ),
];

export const webhooksOfDocument = (schemaOf: (schema: z.ZodType) => unknown) =>
  Object.fromEntries(
    sentTypes.map((type) => {
      const row = eventDataRows[type];
      if (row === null) throw new Error(`${type} is sent and has no schema`);
      const schema = schemaOf(webhookBodySchema(type, row.schema));
      const example = webhookBodyExample(type, row.example);
      const operation = {
        operationId: `on${type.replaceAll(/(^|[._])([a-z])/g, (_, __, letter: string) => letter.toUpperCase())}`,
        tags: ['Events'],
        summary: eventTypes[type].description,
        // Requests are signed; the receiver needs no other credential of ours.
        security: [],
        parameters,
        requestBody: { required: true, content: { 'application/json': { schema, example } } },
        responses: {
          '2XX': {
            description:
              'The event has arrived. Anything else, and no answer within 15 s, is a failure.',
          },
          '410': { description: 'The receiver is gone: the endpoint is disabled.' },
        },
      };
      return [type, { post: operation }];
    }),
  );
