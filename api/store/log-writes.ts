/**
 * Log lines: writes. Each container's log has a place up to which it is kept; lines and the place are written together, and
 * only if nobody has moved the place meanwhile. So no line is kept twice, however many workers read the log, and however often.
 */
import { sql } from 'kysely';
import { typeIdOfUuid } from '../../domain/type-id.ts';
import { logBytesMax, logDays, type LogComponent } from '../model/log-line.ts';
import { dayMs, dayOf, keepDays } from './day-partitions.ts';
import { uuidOf } from './ids.ts';
import { sweepRows, sweptAtOnce } from './sweeping.ts';
import type { Reader } from './tables.ts';

export interface LogSource {
  /** TypeID `db_…`. */
  readonly databaseId: string;
  readonly pod: string;
  readonly container: string;
}

export interface NewLogLine {
  readonly at: Date;
  /** pino's number of the severity. */
  readonly level: number;
  readonly component: LogComponent;
  readonly node: number | null;
  readonly message: string;
  /** JSON of an object. */
  readonly attributes: string;
}

export interface LogBatch {
  readonly source: LogSource;
  /** The place as read before; if it has changed since, nothing of the batch is written. */
  readonly expected: string;
  readonly next: string;
  readonly lines: readonly NewLogLine[];
}

/** Rows of one statement. */
const rowsAtOnce = 500;
/** Bytes of a row besides its texts. */
const rowBytes = 80;
/** Share of the bound to which the oldest lines are trimmed. */
const trimmedShare = 0.9;
/** Places whose log nobody has read for this long are deleted: its lines are gone, too. */
const unseenDays = logDays + 1;

/** Longer than a write may take. */
const writeMaxMs = 60_000;

/** Lines of the future have no partition: a node's clock is wrong. */
const aheadMaxMs = dayMs;

/** Returns the places of sources, in their order, and records that they are being read. Empty: nothing of the log is kept. */
export async function openLogSources(
  db: Reader,
  sources: readonly LogSource[],
): Promise<readonly string[]> {
  const distinct = new Map(sources.map((source) => [nameOf(source), source]));
  const rows = await db
    .insertInto('logSources')
    .values(
      [...distinct.values()].map((source) => ({
        ...source,
        databaseId: uuidOf(source.databaseId),
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['databaseId', 'pod', 'container'])
        .doUpdateSet({ seenAt: sql<Date>`clock_timestamp()` }),
    )
    .returning(['databaseId', 'pod', 'container', 'place'])
    .execute();
  const places = new Map(
    rows.map(({ place, ...row }) => [
      nameOf({ ...row, databaseId: typeIdOfUuid('db', row.databaseId) }),
      place,
    ]),
  );
  return sources.map((source) => places.get(nameOf(source)) ?? '');
}

const nameOf = ({ databaseId, pod, container }: LogSource): string =>
  `${databaseId} ${pod} ${container}`;

/** Writes the batches that may be written, and returns them. At most one batch of each source. */
export function writeLogLines(
  db: Reader,
  batches: readonly LogBatch[],
): Promise<ReadonlySet<LogBatch>> {
  return db.transaction().execute(async (transaction) => {
    const { written, now } = await takePlaces(transaction, batches);
    const rows = [...written].flatMap(({ source, lines }) => {
      const databaseId = uuidOf(source.databaseId);
      return lines.flatMap((line) => rowOf(databaseId, line, now) ?? []);
    });
    // Comes before the lines: writers to one database wait here, so that IDs are given in the order in which lines become
    // visible. The present day is of all of them, whatever days their lines are of, also while it ends.
    const volumes = new Map<string, { databaseId: string; day: string; bytes: number }>();
    const count = (databaseId: string, atMs: number, bytes: number) => {
      const day = dayOf(atMs);
      const volume = volumes.get(`${databaseId} ${day}`) ?? { databaseId, day, bytes: 0 };
      volumes.set(`${databaseId} ${day}`, volume);
      volume.bytes += bytes;
    };
    for (const { databaseId, at, bytes } of rows) {
      count(databaseId, at.getTime(), bytes);
      count(databaseId, now.getTime(), 0);
      count(databaseId, now.getTime() - writeMaxMs, 0);
    }
    if (volumes.size > 0) {
      await transaction
        .insertInto('logVolumes')
        // The same order everywhere, so that two workers never wait for each other.
        .values(
          [...volumes.entries()]
            .sort(([one], [other]) => (one < other ? -1 : 1))
            .map(([, volume]) => ({ ...volume, bytes: String(volume.bytes) })),
        )
        .onConflict((conflict) =>
          conflict.columns(['databaseId', 'day']).doUpdateSet({
            bytes: sql<string>`log_volumes.bytes + excluded.bytes`,
          }),
        )
        .execute();
    }
    for (let begin = 0; begin < rows.length; begin += rowsAtOnce) {
      await transaction
        .insertInto('logLines')
        .values(rows.slice(begin, begin + rowsAtOnce))
        .execute();
    }
    return written;
  });
}

/** `now`: the time of the store, whose days have partitions. */
async function takePlaces(
  db: Reader,
  batches: readonly LogBatch[],
): Promise<{ readonly written: ReadonlySet<LogBatch>; readonly now: Date }> {
  const column = (valueOf: (batch: LogBatch) => string) => batches.map(valueOf);
  const { rows } = await sql<{ number: string; now: Date }>`
    UPDATE log_sources SET place = batch.next, seen_at = clock_timestamp()
    FROM unnest(
      ${column(({ source }) => uuidOf(source.databaseId))}::uuid[],
      ${column(({ source }) => source.pod)}::text[],
      ${column(({ source }) => source.container)}::text[],
      ${column(({ expected }) => expected)}::text[],
      ${column(({ next }) => next)}::text[]
    ) WITH ORDINALITY AS batch (database_id, pod, container, expected, next, number)
    WHERE log_sources.database_id = batch.database_id AND log_sources.pod = batch.pod
      AND log_sources.container = batch.container AND log_sources.place = batch.expected
    RETURNING batch.number, now() AS now
  `.execute(db);
  const taken = new Set(rows.map(({ number }) => Number(number)));
  const written = new Set(batches.filter((_, index) => taken.has(index + 1)));
  // No row: nothing is written.
  return { written, now: rows[0]?.now ?? new Date(0) };
}

function rowOf(databaseId: string, line: NewLogLine, now: Date) {
  const { at, level, component, node, message, attributes } = line;
  if (at.getTime() < now.getTime() - logDays * dayMs) return undefined;
  return {
    at: at.getTime() > now.getTime() + aheadMaxMs ? now : at,
    databaseId,
    severity: level,
    component,
    node,
    message,
    attributes,
    bytes: Buffer.byteLength(message) + Buffer.byteLength(attributes) + rowBytes,
  };
}

/** Makes and drops partitions. Returns the number of dropped ones. */
export async function keepLogDays(db: Reader, now: Date): Promise<number> {
  const kept = { table: 'log_lines', keptDays: logDays, lateDays: logDays };
  const dropped = await keepDays(db, [kept], now);
  await db
    .deleteFrom('logVolumes')
    .where('day', '<', dayOf(now.getTime() - logDays * dayMs))
    .execute();
  return dropped;
}

/** Removes the oldest lines of databases above the bound. Returns their number; more may be left. */
export async function trimLogs(db: Reader, bytesMax = logBytesMax): Promise<number> {
  const { rows } = await sql<{ id: string; bytes: string }>`
    SELECT database_id AS id, sum(bytes) AS bytes FROM log_volumes GROUP BY 1
    HAVING sum(bytes) > ${bytesMax} ORDER BY 2 DESC LIMIT 100
  `.execute(db);
  let removed = 0;
  for (const { id, bytes } of rows) {
    removed += await removeOldest(db, id, Number(bytes) - trimmedShare * bytesMax);
  }
  return removed;
}

/** Removes at least this many bytes of a database's oldest lines. */
async function removeOldest(db: Reader, databaseId: string, wantedBytes: number): Promise<number> {
  let removed = 0;
  for (let left = wantedBytes; left > 0;) {
    const piece = await db.transaction().execute(async (transaction) => {
      const { rows } = await sql<{ day: string; lines: string; bytes: string }>`
        WITH oldest AS (
          SELECT at, id FROM log_lines WHERE database_id = ${databaseId} ORDER BY at, id LIMIT ${sweptAtOnce}
        ), gone AS (
          DELETE FROM log_lines USING oldest
          WHERE log_lines.database_id = ${databaseId} AND log_lines.at = oldest.at AND log_lines.id = oldest.id
          RETURNING log_lines.at, log_lines.bytes
        )
        SELECT (at AT TIME ZONE 'UTC')::date::text AS day, count(*) AS lines, sum(bytes) AS bytes FROM gone GROUP BY 1
      `.execute(transaction);
      for (const { day, bytes } of rows) {
        await transaction
          .updateTable('logVolumes')
          .set({ bytes: sql<string>`greatest(0, bytes - ${bytes}::bigint)` })
          .where('databaseId', '=', databaseId)
          .where('day', '=', day)
          .execute();
      }
      return rows;
    });
    if (piece.length === 0) return removed;
    removed += piece.reduce((sum, { lines }) => sum + Number(lines), 0);
    left -= piece.reduce((sum, { bytes }) => sum + Number(bytes), 0);
  }
  return removed;
}

/** Deletes places of logs that are gone. Returns their number. */
export const sweepLogSources = (db: Reader): Promise<number> =>
  sweepRows(db, 'logSources', sql`seen_at < clock_timestamp() - ${unseenDays} * interval '1 day'`);
