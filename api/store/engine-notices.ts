/** Notices about versions of engines: each is given once to a database, although several workers look for those that are due. */
import { sql } from 'kysely';
import { typeIdOfUuid } from '../../domain/type-id.ts';
import { causedByPeople, engineUpdatesPart, noticeDays } from '../model/engine-update.ts';
import type { Change } from './change.ts';
import { uuidOf } from './ids.ts';
import type { Reader } from './tables.ts';

export type NoticeKind = 'AVAILABLE' | 'DEPRECATED' | 'FORCED';

/** The dates of a version in the catalog, and the databases that they concern. */
export interface Announcement {
  readonly kind: NoticeKind;
  readonly engine: string;
  readonly version: string;
  readonly at: Date;
  /** Versions that such databases run. */
  readonly runs: readonly string[];
}

interface Notice {
  readonly databaseId: string;
  readonly engineVersion: string;
  /** Null unless the version is forced. */
  readonly notBefore: Date | null;
}

/**
 * Records that databases are notified, and returns those that were not yet. A changed date is announced again, but not within an
 * hour: workers whose catalogs differ would tell in turns.
 */
export async function takeUntold(
  change: Change,
  { kind, engine, version, at, runs }: Announcement,
  limit: number,
): Promise<readonly Notice[]> {
  const { rows } = await sql<{ id: string; engineVersion: string; notBefore: Date | null }>`
    WITH concerned AS (
      SELECT d.id, p.engine_version FROM databases d JOIN profiles p ON p.database_id = d.id AND p.active
      WHERE d.status IN ('READY', 'SUSPENDED') AND p.engine = ${engine} AND p.engine_version = ANY(${[...runs]})
        AND NOT EXISTS (SELECT 1 FROM engine_notices n WHERE n.database_id = d.id AND n.version = ${version}
          AND n.kind = ${kind} AND (n.at = ${at} OR n.told_at > clock_timestamp() - interval '1 hour'))
      ORDER BY d.id LIMIT ${limit}
    ), told AS (
      INSERT INTO engine_notices AS n (database_id, version, kind, at, not_before, look_at)
      SELECT id, ${version}, ${kind}, ${at}, due.at, due.at FROM concerned,
        (SELECT CASE WHEN ${kind} = 'FORCED'
          THEN greatest(${at}::timestamptz, clock_timestamp() + ${noticeDays} * interval '1 day') END AS at) due
      ON CONFLICT (database_id, version, kind) DO UPDATE
        SET at = excluded.at, told_at = clock_timestamp(), not_before = excluded.not_before, look_at = excluded.look_at
        WHERE n.at <> excluded.at AND n.told_at <= clock_timestamp() - interval '1 hour'
      RETURNING n.database_id, n.not_before
    )
    SELECT told.database_id AS id, told.not_before, concerned.engine_version
    FROM told JOIN concerned ON concerned.id = told.database_id ORDER BY told.database_id`.execute(
    change.db,
  );
  return rows.map(({ id, engineVersion, notBefore }) => ({
    databaseId: typeIdOfUuid('db', id),
    engineVersion,
    notBefore,
  }));
}

/** A version that is forced upon a database. */
export interface ForcedUpdate {
  readonly databaseId: string;
  readonly version: string;
  readonly lookAt: Date;
  /** It is not applied before. */
  readonly notBefore: Date;
}

const forcedColumns = ['databaseId', 'version', 'lookAt', 'notBefore'] as const;

/** Forced updates that a worker must look at now. `after`: the last one of the previous page. */
export async function forcedToLookAt(
  db: Reader,
  limit: number,
  after: ForcedUpdate | undefined,
): Promise<readonly ForcedUpdate[]> {
  let query = db
    .selectFrom('engineNotices')
    .select(forcedColumns)
    .where('lookAt', '<=', sql<Date>`clock_timestamp()`)
    .orderBy('databaseId')
    .orderBy('version')
    .limit(limit);
  if (after !== undefined) {
    query = query.where(
      sql<boolean>`(database_id, version) > (${uuidOf(after.databaseId)}::uuid, ${after.version})`,
    );
  }
  return (await query.execute()).map(forcedOf);
}

/** The forced update if a worker must still look at it, locked until the commit. */
export async function lockForced(
  change: Change,
  { databaseId, version }: ForcedUpdate,
): Promise<ForcedUpdate | undefined> {
  const row = await change.db
    .selectFrom('engineNotices')
    .select(forcedColumns)
    .where('databaseId', '=', uuidOf(databaseId))
    .where('version', '=', version)
    .where('lookAt', '<=', sql<Date>`clock_timestamp()`)
    .forUpdate()
    .executeTakeFirst();
  return row && forcedOf(row);
}

export async function lookAgainAt(
  change: Change,
  { databaseId, version }: ForcedUpdate,
  at: Date,
): Promise<void> {
  await change.db
    .updateTable('engineNotices')
    .set({ lookAt: at })
    .where('databaseId', '=', uuidOf(databaseId))
    .where('version', '=', version)
    .where('kind', '=', 'FORCED')
    .execute();
}

/** The version is no longer forced upon the database; if it is forced again, that is announced again. */
export async function endForced(
  change: Change,
  { databaseId, version }: ForcedUpdate,
): Promise<void> {
  await change.db
    .deleteFrom('engineNotices')
    .where('databaseId', '=', uuidOf(databaseId))
    .where('version', '=', version)
    .where('kind', '=', 'FORCED')
    .execute();
}

/** Forced updates, counted; failures are those to one version within a day. */
export interface ForcedCounts {
  readonly applying: number;
  readonly applyingInOrganization: number;
  readonly failedInOrganization: number;
  /** Organizations with failures that no person caused. */
  readonly failedOrganizations: number;
}

export async function countForced(
  { db }: Change,
  { organizationId, version }: { readonly organizationId: string; readonly version: string },
): Promise<ForcedCounts> {
  // One at a time counts and begins: otherwise two would both count themselves as the last.
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${engineUpdatesPart}, 0))`.execute(db);
  const { rows } = await sql<ForcedCounts>`
    SELECT count(*) FILTER (WHERE status = 'APPLYING')::int AS applying,
      count(*) FILTER (WHERE status = 'APPLYING' AND is_own)::int AS applying_in_organization,
      count(*) FILTER (WHERE has_failed AND is_own)::int AS failed_in_organization,
      count(DISTINCT organization_id) FILTER (
        WHERE has_failed AND NOT coalesce(error->>'code' = ANY(${causedByPeople}), false)
      )::int AS failed_organizations
    FROM (
      SELECT *, organization_id = ${uuidOf(organizationId)} AS is_own,
        status = 'FAILED' AND request->>'engineVersion' = ${version} AS has_failed
      FROM configuration_changes
      WHERE actor->>'type' = 'system' AND actor->>'display' = ${engineUpdatesPart}
        AND (finished_at IS NULL OR finished_at > clock_timestamp() - interval '1 day')
    ) forced`.execute(db);
  const [counts] = rows;
  if (counts === undefined) throw new Error('a count without a group has one row');
  return counts;
}

const forcedOf = (row: {
  readonly databaseId: string;
  readonly version: string;
  readonly lookAt: Date | null;
  readonly notBefore: Date | null;
}): ForcedUpdate => ({
  databaseId: typeIdOfUuid('db', row.databaseId),
  version: row.version,
  lookAt: row.lookAt ?? new Date(0),
  notBefore: row.notBefore ?? new Date(0),
});
