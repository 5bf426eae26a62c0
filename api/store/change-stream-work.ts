/**
 * The work on change streams: a worker leases a stream, and moves its position when the sink has confirmed what comes before it.
 * Each write names the lease's token, and moves the position from where the worker believes it to be: a worker whose lease ran out
 * and was given to another one changes nothing. Times are the server's.
 */
import { sql, type Selectable } from 'kysely';
import {
  unreadMs,
  type ChangeStream,
  type FailingPart,
  type StreamError,
} from '../model/change-stream.ts';
import type { Change } from './change.ts';
import { streamOf } from './change-streams.ts';
import { uuidOf } from './ids.ts';
import type { ChangeStreamsTable, Reader } from './tables.ts';
import { signingSecrets } from './webhook-secrets.ts';

export interface LeasedStream {
  readonly stream: ChangeStream;
  /** Secrets that sign, sealed; the second one during the grace of a rotation. */
  readonly sealedSecrets: readonly Buffer[];
  /** An event said that it fails, and none yet that it recovered. */
  readonly toldFailing: boolean;
  readonly owner: string;
  readonly token: string;
}

interface WantedStreams {
  readonly owner: string;
  readonly leaseMs: number;
  readonly limit: number;
  /** Streams that failed last; the others are taken beside them. */
  readonly troubled: boolean;
}

/**
 * Leases streams that are due, not suspended, and whose databases serve. Those of organizations that have the fewest leases of this worker come
 * first, then those that have been due for longest. Concurrent workers get different ones.
 */
export async function takeStreams(
  db: Reader,
  { owner, leaseMs, limit, troubled }: WantedStreams,
): Promise<readonly LeasedStream[]> {
  if (limit <= 0) return [];
  const { rows } = await sql<Selectable<ChangeStreamsTable> & { graceLasts: boolean | null }>`
    WITH held AS (
      SELECT organization_id, count(*) AS count FROM change_streams
      WHERE lease_owner = ${owner} AND lease_until > clock_timestamp() GROUP BY organization_id
    ), candidate AS (
      SELECT s.id, coalesce(held.count, 0) + row_number() OVER (
          PARTITION BY s.organization_id ORDER BY s.due_at) AS place
      FROM change_streams s
      JOIN databases d ON d.id = s.database_id AND d.status = 'READY'
      LEFT JOIN held ON held.organization_id = s.organization_id
      WHERE s.due_at <= clock_timestamp() AND (s.failures > 0) = ${troubled}
        AND (s.lease_until IS NULL OR s.lease_until <= clock_timestamp()) AND NOT s.suspended
    ), chosen AS (
      SELECT s.id FROM change_streams s JOIN candidate ON candidate.id = s.id
      WHERE s.due_at <= clock_timestamp() AND NOT s.suspended
        AND (s.lease_until IS NULL OR s.lease_until <= clock_timestamp())
      ORDER BY candidate.place, s.due_at LIMIT ${limit} FOR NO KEY UPDATE OF s SKIP LOCKED
    )
    UPDATE change_streams SET lease_owner = ${owner}, lease_token = gen_random_uuid(),
      lease_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    FROM chosen WHERE change_streams.id = chosen.id
    RETURNING change_streams.*, previous_secret_until > clock_timestamp() AS grace_lasts`.execute(
    db,
  );
  return rows.map((row) => ({
    stream: streamOf(row),
    sealedSecrets: signingSecrets(row),
    toldFailing: row.toldFailing,
    owner,
    token: row.leaseToken ?? '',
  }));
}

/** Extends those of the leases that have not run out. A lease that nobody works under, because its answer was lost, runs out. */
export async function renewStreamLeases(
  db: Reader,
  leased: readonly Pick<LeasedStream, 'token'>[],
  leaseMs: number,
): Promise<void> {
  const tokens = leased.map(({ token }) => token);
  await sql`
    UPDATE change_streams SET lease_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    WHERE lease_token = ANY(${tokens}::uuid[]) AND lease_until > clock_timestamp()`.execute(db);
}

type Held = Pick<LeasedStream, 'stream' | 'token'>;

/** Whether the lease lasts, and the stream is to go on and was not changed since this version of it. */
export async function mayGoOn(
  db: Reader,
  { stream, token }: Held,
  version: number,
): Promise<boolean> {
  const row = await db
    .selectFrom('changeStreams')
    .select('id')
    .where('id', '=', uuidOf(stream.id))
    .where('leaseToken', '=', token)
    .where('state', 'in', ['RUNNING', 'RETRYING'])
    .where('suspended', '=', false)
    .where('version', '=', version)
    .where(sql<boolean>`lease_until > clock_timestamp()`)
    .executeTakeFirst();
  return row !== undefined;
}

export interface Progress {
  readonly from: bigint;
  readonly to: bigint;
  /** Events between them, all of which the sink has confirmed. */
  readonly count: number;
  /** Bytes of the request in which they went. */
  readonly bytes: number;
  /** Timestamp from which on another event waits; null: none does. */
  readonly pendingFrom: bigint | null;
  /** An event says that the stream recovered. */
  readonly recovered?: boolean;
}

/**
 * Moves the position to what the sink has confirmed, and ends a row of failures. Returns the stream; `undefined` if the lease is
 * another worker's: then nothing is changed.
 */
export async function recordProgress(
  db: Reader,
  { stream, token }: Held,
  { from, to, count, bytes, pendingFrom, recovered = false }: Progress,
): Promise<ChangeStream | undefined> {
  const row = await db
    .updateTable('changeStreams')
    .set({
      position: String(to),
      delivered: sql<string>`delivered + ${count}`,
      sentBytes: sql<string>`sent_bytes + ${bytes}`,
      ...(count > 0 && { deliveredAt: sql<Date>`clock_timestamp()` }),
      ...(recovered && { toldFailing: false }),
      pendingFrom: pendingFrom === null ? null : String(pendingFrom),
      failures: 0,
      failing: null,
      failingSince: null,
      state: sql<string>`CASE state WHEN 'RETRYING' THEN 'RUNNING' ELSE state END`,
    })
    .where('id', '=', uuidOf(stream.id))
    .where('leaseToken', '=', token)
    .where('position', '=', String(from))
    .returningAll()
    .executeTakeFirst();
  return row && streamOf(row);
}

interface StreamFailure {
  readonly part: FailingPart;
  readonly error: Omit<StreamError, 'at'>;
  readonly retryInMs: number;
  /** Bytes of the request that was sent; 0: none was. */
  readonly bytes: number;
  /** Timestamp of the first event that was not confirmed; null: not known. */
  readonly pendingFrom: bigint | null;
}

interface RecordedFailure {
  readonly stream: ChangeStream;
  /** For how long the same part has failed. */
  readonly failingSeconds: number;
}

/** A stream that nobody has tried for so long after it was due, as when its database was stopped, has not failed in that time. */
const unseenMs = 5 * 60_000;

/** Records a failure and gives the stream back until it is tried again. Returns `undefined` if the lease is another worker's. */
export async function recordFailure(
  change: Change,
  { stream, token }: Held,
  { part, error, retryInMs, bytes, pendingFrom }: StreamFailure,
): Promise<RecordedFailure | undefined> {
  const { rows } = await sql<Selectable<ChangeStreamsTable> & { failingSeconds: number }>`
    UPDATE change_streams SET
      state = CASE state WHEN 'RUNNING' THEN 'RETRYING' ELSE state END,
      failures = failures + 1,
      sent_bytes = sent_bytes + ${bytes},
      failing_since = CASE WHEN failing = ${part} AND due_at > clock_timestamp() - ${unseenMs}::float8 * interval '1 millisecond'
        THEN failing_since ELSE clock_timestamp() END,
      failing = ${part},
      last_error = ${JSON.stringify(error)}::jsonb || jsonb_build_object('at',
        to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
      pending_from = coalesce(${pendingFrom === null ? null : String(pendingFrom)}::bigint, pending_from),
      due_at = CASE WHEN due_at IS NOT NULL
        THEN clock_timestamp() + ${retryInMs}::float8 * interval '1 millisecond' END,
      lease_owner = NULL, lease_token = NULL, lease_until = NULL
    WHERE id = ${uuidOf(stream.id)} AND lease_token = ${token}
    RETURNING *, extract(epoch FROM clock_timestamp() - failing_since)::float8 AS failing_seconds`.execute(
    change.db,
  );
  const [row] = rows;
  return row && { stream: streamOf(row), failingSeconds: row.failingSeconds };
}

/** Notes that an event says that the stream fails. `stop`: for this reason it works no more until somebody resumes it. */
export async function markFailing(
  change: Change,
  id: string,
  stop: string | undefined,
): Promise<ChangeStream> {
  const row = await change.db
    .updateTable('changeStreams')
    .set({
      toldFailing: true,
      ...(stop !== undefined && {
        state: 'FAILED',
        stateReason: stop,
        dueAt: null,
        version: sql<number>`version + 1`,
        updatedAt: sql<Date>`clock_timestamp()`,
      }),
    })
    .where('id', '=', uuidOf(id))
    .returningAll()
    .executeTakeFirstOrThrow();
  return streamOf(row);
}

/** Gives a stream back, also if its lease was withdrawn meanwhile. It is due again after `waitMs`. */
export async function releaseStream(
  db: Reader,
  { stream, owner, token }: Held & Pick<LeasedStream, 'owner'>,
  waitMs: number,
): Promise<void> {
  await sql`
    UPDATE change_streams SET lease_owner = NULL, lease_token = NULL, lease_until = NULL,
      due_at = CASE WHEN due_at IS NOT NULL
        THEN clock_timestamp() + ${waitMs}::float8 * interval '1 millisecond' END
    WHERE id = ${uuidOf(stream.id)} AND lease_owner = ${owner}
      AND (lease_token = ${token} OR lease_token IS NULL)`.execute(db);
}

export interface StreamFigures {
  readonly states: ReadonlyMap<string, number>;
  /** Time for which the oldest stream has been due although it could be worked on. */
  readonly backlogSeconds: number;
  /** Age of the oldest event that waits in a stream that runs well; null: there are streams, and of none that runs well it is known. */
  readonly lagSeconds: number | null;
  /** Streams that are to work and of which nobody knows whether events wait. */
  readonly lagUnknown: number;
}

/** Figures of all streams. */
export async function streamFigures(db: Reader): Promise<StreamFigures> {
  // As `lagOf` says it for one stream.
  const { rows } = await sql<{
    state: string;
    count: number;
    backlog: number | null;
    lag: number | null;
    known: number;
    unknown: number;
  }>`
    SELECT state, count(*)::int AS count,
      (extract(epoch FROM clock_timestamp() - min(due_at) FILTER (WHERE serves AND NOT held)))::float8 AS backlog,
      (extract(epoch FROM clock_timestamp()) - min(pending_from) FILTER (
        WHERE serves AND state = 'RUNNING') / 1e9)::float8 AS lag,
      (count(*) FILTER (WHERE serves AND state = 'RUNNING' AND NOT unread))::int AS known,
      (count(*) FILTER (WHERE serves AND unread))::int AS unknown
    FROM (
      SELECT *, due_at IS NOT NULL AND pending_from IS NULL AND (
          coalesce(failing IN ('LEDGER', 'SERVICE'), false)
          OR (NOT held AND due_at < clock_timestamp() - ${unreadMs}::float8 * interval '1 millisecond')
        ) AS unread
      FROM (
        SELECT s.state, s.due_at, s.pending_from, s.failing, d.status = 'READY' AND NOT s.suspended AS serves,
          coalesce(s.lease_until > clock_timestamp(), false) AS held
        FROM change_streams s JOIN databases d ON d.id = s.database_id
      ) AS stream
    ) AS judged
    GROUP BY state`.execute(db);
  const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
  const most = (values: readonly (number | null)[]) =>
    Math.max(0, ...values.map((value) => value ?? 0));
  const lagUnknown = sum(rows.map(({ unknown }) => unknown));
  const isKnown = lagUnknown === 0 || rows.some(({ known }) => known > 0);
  return {
    states: new Map(rows.map(({ state, count }) => [state, count])),
    backlogSeconds: most(rows.map(({ backlog }) => backlog)),
    lagSeconds: isKnown ? most(rows.map(({ lag }) => lag)) : null,
    lagUnknown,
  };
}
