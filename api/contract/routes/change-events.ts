import { z } from 'zod';
import { changeEventsDefault, changeEventsMax } from '../../ledger/change-events.ts';
import { access } from '../../model/access.ts';
import type { RouteSpec } from '../route.ts';
import { changeEventExample, changeEventList } from '../schemas/change-event.ts';

export const changeEventRoutes = {
  listChangeEvents: {
    readsLedger: true,
    method: 'GET',
    path: '/api/v1/databases/{databaseId}/change-events',
    tag: 'Ledger',
    summary: 'Read or follow the change events of a ledger',
    description:
      'Every transfer that was created and every pending transfer that expired, in the order of their timestamps, each once. A page of JSON; go on with `after` = `page.next`, also when there was nothing more. With `Accept: text/event-stream` a stream that goes on with new events: each is an event `change` whose ID is its timestamp, and a client that comes back with `Last-Event-ID`, as browsers do, misses none. Timestamps are unique in a database, so a consumer that stores the last one with its own writes takes each event once. Transfers with the flag `imported` have timestamps of the past: a stream that is already beyond them does not have them.',
    access: access.readDatabase,
    query: z.strictObject({
      after: z
        .string()
        .regex(/^(beginning|now|0|[1-9][0-9]{0,18})$/)
        .default('beginning')
        .describe(
          'Events after this timestamp, in nanoseconds since 1970; `beginning`: all events; `now`: those after the latest transfer that is there.',
        ),
      limit: z
        .int()
        .min(1)
        .max(changeEventsMax)
        .default(changeEventsDefault)
        .describe('Maximum number of events in a page; streams have no limit.'),
    }),
    responses: {
      200: {
        form: 'bytes',
        orEvents: true,
        description: 'A page, or the stream.',
        schema: changeEventList,
        example: {
          data: [changeEventExample],
          page: { limit: changeEventsDefault, hasMore: false, next: changeEventExample.timestamp },
        },
      },
    },
    problems: [
      'not_acceptable',
      'database_not_ready',
      'billing_required',
      'gateway_bad_reply',
      'ledger_unavailable',
      'ledger_timeout',
    ],
    // Two reads of the ledger, plus time for the rest.
    timeoutMs: 40_000,
  },
} as const satisfies Record<string, RouteSpec>;
