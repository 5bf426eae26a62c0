import { systemTimers } from '../../base/timers.ts';
import type { changeEventRoutes } from '../contract/routes/change-events.ts';
import type { HandlersOf, RequestTo } from '../http/handler.ts';
import { afterMax, type ChangeEventsPage } from '../ledger/change-events.ts';
import { changeEventsToJson } from '../ledger/encode-change-events.ts';
import { utf8 } from '../ledger/text-writer.ts';
import { Refusal } from '../model/refusal.ts';
import { follow, streamedAtOnce } from './follow.ts';
import { ChangeEventSource, type SourceServices } from './source.ts';

type Asked = RequestTo<'listChangeEvents'>;

export function changeEventHandlers(
  services: SourceServices,
): HandlersOf<typeof changeEventRoutes> {
  return {
    async listChangeEvents(request) {
      const { params, principal, requestId, signal } = request;
      const source = new ChangeEventSource(services, {
        organizationId: principal.organization.id,
        databaseId: params.databaseId,
        requestId,
        signal,
      });
      const after = await source.start(placeOf(request));
      return request.wantsEvents
        ? { status: 200, events: await streamOf(request, source, after) }
        : {
            status: 200,
            bytes: await pageOf(request, source, after),
            contentType: 'application/json; charset=utf-8',
          };
    },
  };
}

/** A reconnecting client repeats its first address, so its last event counts. */
function placeOf({ wantsEvents, lastEventId, query }: Asked): string {
  if (wantsEvents && lastEventId !== undefined && lastEventId !== '') {
    return checked(lastEventId, { header: 'Last-Event-ID' });
  }
  const { after } = query;
  return /^\d/.test(after) ? checked(after, { parameter: 'after' }) : after;
}

function checked(
  text: string,
  where: { readonly header: string } | { readonly parameter: string },
): string {
  if (/^(0|[1-9]\d{0,18})$/.test(text) && BigInt(text) <= afterMax) return text;
  const detail = `Must be a timestamp in nanoseconds, at most ${afterMax}.`;
  throw new Refusal('invalid_parameter', {
    detail: `${Object.values(where)[0]}: ${detail}`,
    errors: [{ ...where, code: 'invalid_value', detail }],
  });
}

async function streamOf(
  { takeEvents, holdAnswer, signal }: Asked,
  source: ChangeEventSource,
  after: bigint,
): Promise<AsyncIterable<Uint8Array>> {
  // Read before the answer begins, so that a ledger that cannot be asked gives a problem instead of an empty stream.
  const first = await source.page(after, streamedAtOnce);
  const admit = async ({ count, rows }: ChangeEventsPage) => {
    holdAnswer(textPerRecord * rows.length, true);
    await takeEvents(count);
  };
  return follow({ source, timers: systemTimers, signal, admit }, after, first);
}

/** Bytes held for one byte of a record: the record, and its text, which is less than five times as long. */
const textPerRecord = 6;

async function pageOf(
  { query: { limit }, takeEvents, holdAnswer }: Asked,
  source: ChangeEventSource,
  after: bigint,
): Promise<Uint8Array> {
  await takeEvents(limit);
  const { rows, hasMore, last } = await source.page(after, limit);
  holdAnswer(textPerRecord * rows.length, true);
  const page = utf8(`,"page":${JSON.stringify({ limit, hasMore, next: String(last) })}}`);
  return source.encode(() => Buffer.concat([utf8('{"data":'), changeEventsToJson(rows), page]));
}
