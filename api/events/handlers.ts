import type { auditRoutes } from '../contract/routes/events.ts';
import type { HandlersOf } from '../http/handler.ts';
import { readCursor, shownPage } from '../http/paging.ts';
import { Refusal } from '../model/refusal.ts';
import type { EventOutcome, StoredEvent } from '../model/event.ts';
import { removedThrough } from '../store/audit-ends.ts';
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
      const { id } = principal.organization;
      const read = (rows: number, more: From) =>
        listEvents(store.read, id, wanted, { limit: rows, ...more });
      /** Reads a page that must follow the one before without a hole. */
      const readOn = async (rows: number, more: Required<From>) => {
        const page = await read(rows, more);
        // Asked after the page: what was removed before it was read shows.
        if ((await removedThrough(store.read, id)) > BigInt(more.position[0])) throw holed();
        return page;
      };
      if (limit === undefined && cursor === undefined) {
        return { status: 200, contentType, pieces: allLines(read, readOn, from, format) };
      }
      const { rows, next } =
        cursor === undefined || position === undefined
          ? await read(limit ?? exportedAtOnce, from)
          : await readOn(limit ?? exportedAtOnce, { order: 'asc', position });
      return {
        status: 200,
        contentType,
        headers: next === undefined ? {} : { 'Next-Cursor': cursors.write(list, next) },
        bytes: Buffer.from(`${cursor === undefined ? headOf(format) : ''}${linesOf(rows, format)}`),
      };
    },

    async verifyAuditEvents({ query, principal }) {
      const { head, base, checked, next, fault } = await verifyEvents(
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
          removedThrough: base.sequence === 0n ? null : String(base.sequence),
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

type Read<Where extends From> = (limit: number, from: Where) => ReturnType<typeof listEvents>;

/** Reads page after page, only as fast as they are taken. Throws if events went that are not read yet. */
async function* allLines(
  read: Read<From>,
  readOn: Read<Required<From>>,
  from: From,
  format: Format,
): AsyncGenerator<string> {
  yield headOf(format);
  let { rows, next } = await read(exportedAtOnce, from);
  yield linesOf(rows, format);
  while (next !== undefined) {
    ({ rows, next } = await readOn(exportedAtOnce, { order: 'asc', position: next }));
    yield linesOf(rows, format);
  }
}

const holed = () =>
  new Refusal('invalid_cursor', {
    detail:
      'The retention of events after this place ended meanwhile, and they were removed. Begin without a cursor.',
    errors: [
      { parameter: 'cursor', code: 'events_removed', detail: 'Events after this place are gone.' },
    ],
  });

const headOf = (format: Format): string => (format === 'csv' ? csvHead : '');

const linesOf = (rows: readonly StoredEvent[], format: Format): string =>
  rows
    .map(shown)
    .map((event) => (format === 'csv' ? csvLine(event) : `${JSON.stringify(event)}\n`))
    .join('');

interface AskedFilter {
  readonly type?: readonly string[] | undefined;
  readonly outcome?: readonly EventOutcome[] | undefined;
  readonly actorId?: string | undefined;
  readonly targetId?: string | undefined;
  readonly databaseId?: string | undefined;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

const filterOf = ({
  type,
  outcome,
  actorId,
  targetId,
  databaseId,
  after,
  before,
}: AskedFilter): EventFilter => ({
  ...(type && { types: type.flatMap(knownTypes) }),
  ...(outcome && { outcomes: outcome }),
  ...(actorId !== undefined && { actorId }),
  ...(targetId !== undefined && { subjectId: checkedId(targetId) }),
  ...(databaseId !== undefined && { databaseId }),
  ...(after !== undefined && { after: new Date(after) }),
  ...(before !== undefined && { before: new Date(before) }),
});

const allTypes = Object.keys(eventTypes) as EventType[];

/** The type itself, or all of a group such as `backup.*`. */
function knownTypes(type: string): readonly EventType[] {
  const group = type.endsWith('.*') ? type.slice(0, -1) : undefined;
  const found = allTypes.filter((one) =>
    group === undefined ? one === type : one.startsWith(group),
  );
  if (found.length > 0) return found;
  throw invalid('type', `There is no event type ${type.slice(0, 64)}.`);
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
