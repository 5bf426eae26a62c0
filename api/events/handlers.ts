import type { auditRoutes } from '../contract/routes/events.ts';
import type { HandlersOf } from '../http/handler.ts';
import { readCursor, shownPage } from '../http/paging.ts';
import { Refusal } from '../model/refusal.ts';
import type { StoredEvent } from '../model/event.ts';
import { verifyEvents } from '../store/audit-verify.ts';
import type { Cursors } from '../store/cursor.ts';
import { listEvents, type EventFilter } from '../store/events.ts';
import type { Store } from '../store/store.ts';
import { eventTypes, type EventType } from '../model/event-types.ts';
import { csvHead, csvLine } from './csv.ts';
import { shown } from './shown.ts';

interface AuditServices {
  readonly store: Store;
  readonly cursors: Cursors;
}

/** Maximum number of events that one request checks: some tenths of a second of work. */
const verifiedMax = 5_000;
/** Events that an export holds at a time. */
const exportedAtOnce = 1_000;

export function auditHandlers({ store, cursors }: AuditServices): HandlersOf<typeof auditRoutes> {
  return {
    async listAuditEvents({ query, principal }) {
      const { limit, cursor, ...filter } = query;
      const list = { of: 'audit-events', ...filter };
      const position = readCursor(cursors, list, cursor, 1);
      const page = await listEvents(store.read, principal.organization.id, filterOf(filter), {
        limit,
        ...(position && { position }),
      });
      return { status: 200, body: shownPage(cursors, list, limit, page, shown) };
    },

    async exportAuditEvents({ query, principal }) {
      const { limit, cursor, format, afterSequence, ...filter } = query;
      const list = { of: 'audit-export', format, ...filter };
      const after = afterSequence === undefined ? undefined : ([afterSequence] as const);
      const position = readCursor(cursors, list, cursor, 1) ?? after;
      const from: From = { order: 'asc', ...(position && { position }) };
      const contentType = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson';
      const wanted = filterOf(filter);
      const read = (rows: number, more: From) =>
        listEvents(store.read, principal.organization.id, wanted, { limit: rows, ...more });
      if (limit === undefined && cursor === undefined) {
        return { status: 200, contentType, pieces: allLines(read, from, format) };
      }
      const { rows, next } = await read(limit ?? exportedAtOnce, from);
      return {
        status: 200,
        contentType,
        headers: next === undefined ? {} : { 'Next-Cursor': cursors.write(list, next) },
        bytes: Buffer.from(`${cursor === undefined ? headOf(format) : ''}${linesOf(rows, format)}`),
      };
    },

    async verifyAuditEvents({ query, principal }) {
      const { head, checked, next, fault } = await verifyEvents(
        store.read,
        store.chain,
        principal.organization.id,
        { from: BigInt(query.from), limit: verifiedMax },
      );
      return {
        status: 200,
        body: {
          valid: fault === null,
          checked,
          next: next === null ? null : String(next),
          keyedFrom: head.keyedFrom === null ? null : String(head.keyedFrom),
          head: { sequence: String(head.sequence), hash: head.hash.toString('hex') },
          fault: fault && { ...fault, sequence: String(fault.sequence) },
        },
      };
    },
  };
}

type Format = 'ndjson' | 'csv';

interface From {
  readonly order: 'asc';
  readonly position?: readonly [string];
}

/** Reads page after page, only as fast as they are taken. */
async function* allLines(
  read: (limit: number, from: From) => ReturnType<typeof listEvents>,
  from: From,
  format: Format,
): AsyncGenerator<string> {
  yield headOf(format);
  for (let page: From | undefined = from; page !== undefined;) {
    const { rows, next }: Awaited<ReturnType<typeof read>> = await read(exportedAtOnce, page);
    yield linesOf(rows, format);
    page = next === undefined ? undefined : { order: 'asc', position: next };
  }
}

const headOf = (format: Format): string => (format === 'csv' ? csvHead : '');

const linesOf = (rows: readonly StoredEvent[], format: Format): string =>
  rows
    .map(shown)
    .map((event) => (format === 'csv' ? csvLine(event) : `${JSON.stringify(event)}\n`))
    .join('');

interface AskedFilter {
  readonly type?: readonly string[] | undefined;
  readonly actorId?: string | undefined;
  readonly targetId?: string | undefined;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

const filterOf = ({ type, actorId, targetId, after, before }: AskedFilter): EventFilter => ({
  ...(type && { types: type.map(knownType) }),
  ...(actorId !== undefined && { actorId }),
  ...(targetId !== undefined && { subjectId: checkedId(targetId) }),
  ...(after !== undefined && { after: new Date(after) }),
  ...(before !== undefined && { before: new Date(before) }),
});

function knownType(type: string): EventType {
  if (type in eventTypes) return type as EventType;
  throw invalid('type', `There are no events ${type.slice(0, 64)}.`);
}

function checkedId(id: string): string {
  if (/^[a-z]{2,4}_[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(id)) return id;
  throw invalid('targetId', `${id.slice(0, 64)} is no ID.`);
}

const invalid = (parameter: string, detail: string) =>
  new Refusal('invalid_parameter', {
    detail,
    errors: [{ parameter, code: 'invalid_value', detail }],
  });
