/** The forms of an answer that a client accepts by its header Accept. */
import type { Request } from 'express';
import type { RouteSpec } from '../contract/route.ts';
import { Refusal } from '../model/refusal.ts';

const eventsOnly = 'text/event-stream';
/** A client that accepts both equally gets the first. */
const pageOrEvents = ['application/json', eventsOnly];
const jsonOnly = ['application/json'];
const jsonOrCsv = ['application/json', 'text/csv'];

/** Which requests to a route are answered with a stream; `asked`: those that prefer events. */
type Streams = 'all' | 'asked' | 'none';

export function streamsOf({ responses }: RouteSpec): Streams {
  const specs = Object.values(responses);
  const streams = specs.some(
    ({ form, streams }) => form === 'events' || form === 'websocket' || streams === true,
  );
  if (streams) return 'all';
  return specs.some(({ orEvents }) => orEvents === true) ? 'asked' : 'none';
}

export const isStream = (request: Request, streams: Streams): boolean =>
  streams === 'all' || (streams === 'asked' && request.accepts(pageOrEvents) === eventsOnly);

export function eventsWanted(request: Request, { responses }: RouteSpec): boolean {
  if (responses[200]?.orEvents !== true) return false;
  return preferredOf(request, pageOrEvents) === eventsOnly;
}

export function formatOf(request: Request, route: RouteSpec): 'json' | 'csv' {
  if (route.body?.form !== 'ledger') return 'json';
  const reads = route.access.kind === 'database' && route.access.permission === 'db:read';
  return preferredOf(request, reads ? jsonOrCsv : jsonOnly) === 'text/csv' ? 'csv' : 'json';
}

function preferredOf(request: Request, types: string[]): string | undefined {
  const { accept } = request.headers;
  // The value that most clients send; parsing the header costs more than everything else here.
  if (accept === undefined || accept === '*/*') return types[0];
  const best = request.accepts(types);
  if (best !== false) return best;
  throw new Refusal('not_acceptable', {
    detail: `The header Accept must allow ${types.join(' or ')}.`,
  });
}
