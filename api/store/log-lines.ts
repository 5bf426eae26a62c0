/** Log lines of databases' containers: reads. */
import { sql, type ExpressionBuilder, type SelectQueryBuilder } from 'kysely';
import {
  logLevelOf,
  logSeverityOf,
  type LogComponent,
  type LogSeverity,
} from '../model/log-line.ts';
import { uuidOf } from './ids.ts';
import { beyond, pageOf, type Page } from './page.ts';
import type { Reader, Tables } from './tables.ts';

export interface LogLine {
  /** Position in the order in which lines were kept. */
  readonly id: string;
  readonly at: Date;
  readonly severity: LogSeverity;
  readonly component: LogComponent;
  /** Index of the replica; null: it belongs to none. */
  readonly node: number | null;
  readonly message: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Bytes that it counts for in the bound of its database. */
  readonly bytes: number;
}

export interface LogFilter {
  readonly since?: Date | undefined;
  /** Before this time. */
  readonly until?: Date | undefined;
  /** This severity and those above it. */
  readonly severity?: LogSeverity | undefined;
  readonly components?: readonly LogComponent[] | undefined;
  readonly node?: number | undefined;
  /** Text in the message or the attributes, also as they are shown (`role=leader`), in upper or lower case. */
  readonly search?: string | undefined;
}

type Rows = SelectQueryBuilder<Tables, 'logLines', object>;

/** Lists lines by their time. */
export async function listLines(
  db: Reader,
  databaseId: string,
  filter: LogFilter,
  {
    limit,
    order,
    position,
  }: {
    readonly limit: number;
    readonly order: 'asc' | 'desc';
    readonly position?: readonly [at: string, id: string];
  },
): Promise<Page<LogLine, [string, string]>> {
  let query = matching(db, databaseId, filter)
    .orderBy('at', order)
    .orderBy('id', order)
    .limit(limit + 1);
  if (position !== undefined) {
    query = query.where(beyond(['at', 'id'], order === 'asc' ? '>' : '<', position));
  }
  return pageOf(await query.selectAll().execute(), limit, lineOf, ({ at, id }) => [
    at.toISOString(),
    id,
  ]);
}

/** Lines in the order in which they were kept. `after`: where to continue, also past lines that the filter left out. */
interface LinesAfter {
  readonly rows: readonly LogLine[];
  readonly hasMore: boolean;
  readonly after: string;
}

/** Lines that were kept after the line with this ID. */
export async function linesAfter(
  db: Reader,
  databaseId: string,
  filter: LogFilter,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<LinesAfter> {
  // Read before the lines: lines kept meanwhile have greater IDs.
  const last = await lastLineId(db, databaseId);
  const found = await matching(db, databaseId, filter)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit + 1)
    .selectAll()
    .execute();
  const { rows, next } = pageOf(found, limit, lineOf, ({ id }): [string] => [id]);
  if (next !== undefined) return { rows, hasMore: true, after: next[0] };
  return { rows, hasMore: false, after: latest(after, last, rows.at(-1)?.id ?? '0') };
}

const latest = (...ids: readonly string[]): string =>
  ids.reduce((one, other) => (BigInt(one) < BigInt(other) ? other : one));

/** ID of the database's last kept line; `0`: there is none. */
export async function lastLineId(db: Reader, databaseId: string): Promise<string> {
  const row = await db
    .selectFrom('logLines')
    .select('id')
    .where('databaseId', '=', uuidOf(databaseId))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? '0';
}

function matching(db: Reader, databaseId: string, filter: LogFilter): Rows {
  const { since, until, severity, components, node, search } = filter;
  let query: Rows = db.selectFrom('logLines').where('databaseId', '=', uuidOf(databaseId));
  if (since !== undefined) query = query.where('at', '>=', since);
  if (until !== undefined) query = query.where('at', '<', until);
  if (severity !== undefined) query = query.where('severity', '>=', logLevelOf(severity));
  if (components !== undefined) query = query.where('component', 'in', [...components]);
  if (node !== undefined) query = query.where('node', '=', node);
  if (search !== undefined) query = query.where(containing(search));
  return query;
}

/** Text of a line for people: its message and its attributes as `name=value`; the store has these as JSON. */
const containing = (search: string) => (is: ExpressionBuilder<Tables, 'logLines'>) => {
  const pattern = `%${search.replaceAll(/[\\%_]/g, '\\$&')}%`;
  const isPlain = !/[ ="\\]/.test(search);
  return is.or([
    is('message', 'ilike', pattern),
    is('attributes', 'ilike', pattern),
    ...(isPlain
      ? []
      : [sql<boolean>`(message || ' ' || attributes) ~* ${shownPattern(search)}::text`]),
  ]);
};

/**
 * The pattern of a text as it is shown of a line with its attributes. It has no repetition without an end, so no line takes
 * long. `=` also ends a name in JSON, a space also two attributes, and quotes and backslashes have a backslash there.
 */
const shownPattern = (search: string): string =>
  search.replaceAll(/ +|[^\p{L}\p{N}_]/gu, (part) => {
    if (part.startsWith(' ')) return '(?: {1,2}|"?,"| \\{")';
    if (part === '=') return '"?[=:]"?';
    if (part === '"' || part === '\\') return `\\\\?\\${part}`;
    return /^[!-~]$/.test(part) ? `\\${part}` : part;
  });

const lineOf = (row: {
  readonly id: string;
  readonly at: Date;
  readonly severity: number;
  readonly component: string;
  readonly node: number | null;
  readonly message: string;
  readonly attributes: string;
  readonly bytes: number;
}): LogLine => ({
  id: row.id,
  at: row.at,
  severity: logSeverityOf(row.severity),
  component: row.component as LogComponent,
  node: row.node,
  message: row.message,
  attributes: JSON.parse(row.attributes) as LogLine['attributes'],
  bytes: row.bytes,
});
