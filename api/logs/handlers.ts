/** Routes of a database's logs. They read only the store: the API sends no request to the cluster. */
import { backoffMs } from '../../base/backoff.ts';
import { sleep, systemTimers } from '../../base/timers.ts';
import type { ServerSentEvent } from '../contract/route.ts';
import type { logRoutes } from '../contract/routes/logs.ts';
import { requireDatabase } from '../databases/require.ts';
import type { HandlersOf } from '../http/handler.ts';
import { readCursor, shownPage } from '../http/paging.ts';
import { utf8 } from '../ledger/text-writer.ts';
import { Refusal } from '../model/refusal.ts';
import type { Cursors } from '../store/cursor.ts';
import {
  lastLineId,
  linesAfter,
  listLines,
  type LogFilter,
  type LogLine,
} from '../store/log-lines.ts';
import type { Store } from '../store/store.ts';
import { StoreUnavailable } from '../store/store-errors.ts';
import { Searches } from './searches.ts';

interface LogServices {
  readonly store: Store;
  readonly cursors: Cursors;
}

interface Searching {
  readonly searches: Searches;
}

/** Time between two looks at a database that logs nothing. */
const idleMs = 1_000;
const streamedAtOnce = 200;
const again = { baseMs: 500, maxMs: 5_000 };

export const logHandlers = ({ store, cursors }: LogServices): HandlersOf<typeof logRoutes> =>
  handlersWith({ store, cursors, searches: new Searches() });

const handlersWith = ({
  store,
  cursors,
  searches,
}: LogServices & Searching): HandlersOf<typeof logRoutes> => ({
  async listLogLines({ params, query, principal, holdAnswer }) {
    const { databaseId } = params;
    await requireDatabase(store.read, principal.organization.id, databaseId);
    const { limit, cursor, order, after, since, until, ...rest } = query;
    const filter = {
      ...filterOf(rest),
      since: since === undefined ? undefined : new Date(since),
      until: until === undefined ? undefined : new Date(until),
    };
    if (after !== undefined) {
      if (cursor !== undefined) throw eitherOr;
      const from = { after, limit };
      const { rows, ...place } = await searches.read(filter, () =>
        linesAfter(store.read, databaseId, filter, from),
      );
      holdAnswer(textBytes(rows), true);
      const page = { limit, nextCursor: null, ...place };
      return { status: 200, body: { data: rows.map(shownLine), page } };
    }
    const list = { of: 'logs', databaseId, order, since, until, ...rest };
    const position = readCursor(cursors, list, cursor, 2);
    const [last, page] = await searches.read(filter, async () => [
      // Read before the list, so that lines kept meanwhile come twice rather than never.
      await lastLineId(store.read, databaseId),
      await listLines(store.read, databaseId, filter, {
        limit,
        order,
        ...(position && { position }),
      }),
    ]);
    holdAnswer(textBytes(page.rows), true);
    const shown = shownPage(cursors, list, limit, page, shownLine);
    return { status: 200, body: { ...shown, page: { ...shown.page, after: last } } };
  },
  async streamLogLines({ params, query, principal, lastEventId, signal }) {
    const { databaseId } = params;
    await requireDatabase(store.read, principal.organization.id, databaseId);
    const seen = /^\d{1,18}$/.exec(lastEventId ?? '')?.[0];
    const after = seen ?? (await lastLineId(store.read, databaseId));
    const filter = filterOf(query);
    const read = (from: string) =>
      searches.read(filter, () =>
        linesAfter(store.read, databaseId, filter, { after: from, limit: streamedAtOnce }),
      );
    return { status: 200, events: follow(read, after, signal) };
  },
});

/** Reads each page when the one before was taken. Retries while the store does not answer. */
async function* follow(
  read: (after: string) => ReturnType<typeof linesAfter>,
  begin: string,
  signal: AbortSignal,
): AsyncGenerator<ServerSentEvent | Uint8Array> {
  yield placeAt(begin);
  let after = begin;
  for (let failures = 0; !signal.aborted;) {
    let page: Awaited<ReturnType<typeof linesAfter>>;
    try {
      page = await read(after);
      failures = 0;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      failures += 1;
      await sleep(systemTimers, backoffMs(failures, again, Math.random), signal);
      continue;
    }
    for (const line of page.rows) yield { id: line.id, event: 'line', data: shownLine(line) };
    if (page.rows.length === 0 && page.after !== after) yield placeAt(page.after);
    after = page.after;
    if (!page.hasMore) await sleep(systemTimers, idleMs, signal);
  }
}

/** A place without an event: a reader who is cut off comes back to it. */
const placeAt = (id: string): Uint8Array => utf8(`id: ${id}\n\n`);

interface AskedFilter {
  readonly severity?: LogFilter['severity'];
  readonly component?: LogFilter['components'];
  readonly node?: number | undefined;
  readonly search?: string | undefined;
}

const filterOf = ({ severity, component, node, search }: AskedFilter): LogFilter => ({
  severity,
  components: component,
  node,
  search,
});

const shownLine = ({ at, bytes: _bytes, ...line }: LogLine) => ({
  ...line,
  timestamp: at.toISOString(),
});

/** Bytes held for one byte of a line: the line itself, and its text in the answer, where some characters become several. */
const heldPerByte = 3;

const textBytes = (lines: readonly LogLine[]): number =>
  heldPerByte * lines.reduce((sum, { bytes }) => sum + bytes, 0);

const eitherOr = new Refusal('invalid_parameter', {
  detail: 'after and cursor exclude each other.',
  errors: [
    { parameter: 'cursor', code: 'invalid_value', detail: 'Must not be given with `after`.' },
  ],
});
