/** Sums of metered usage, for those who pay: by database, or by day. */
import { sql } from 'kysely';
import { typeIdOrNull, uuidOf } from './ids.ts';
import { pageOf, type Page } from './page.ts';
import type { Reader } from './tables.ts';

interface UsageSpan {
  readonly organizationId: string;
  /** TypeID of the only database. */
  readonly databaseId?: string;
  /** Usage in another currency costs nothing. */
  readonly currency: string;
  readonly start: Date;
  readonly end: Date;
}

export interface UsageSum {
  /** TypeID; null: of all databases. */
  readonly databaseId: string | null;
  readonly databaseName: string | null;
  /** `2026-11-03`; null: of the whole span. */
  readonly day: string | null;
  readonly computeSeconds: number;
  readonly computeMicros: bigint;
  readonly storageSeconds: number;
  readonly storageMicros: bigint;
  readonly unpriced: boolean;
}

interface PageAsked {
  readonly limit: number;
  readonly position?: readonly [string];
}

interface SumRow {
  readonly databaseId: string | null;
  readonly databaseName: string | null;
  readonly day: string | null;
  readonly computeSeconds: string;
  readonly computeMicros: string;
  readonly storageSeconds: string;
  readonly storageMicros: string;
  readonly unpriced: boolean;
}

const micros = (meter: string, currency: string) =>
  sql`coalesce(sum(amount_micros) FILTER (WHERE meter = ${sql.lit(meter)} AND currency = ${currency}), 0)`;
const seconds = (meter: string) =>
  sql`coalesce(sum(seconds) FILTER (WHERE meter = ${sql.lit(meter)}), 0)`;
const sums = (currency: string) => sql`
  ${seconds('compute')} AS compute_seconds, ${micros('compute', currency)} AS compute_micros,
  ${seconds('storage')} AS storage_seconds, ${micros('storage', currency)} AS storage_micros,
  coalesce(bool_or(currency IS DISTINCT FROM ${currency}), false) AS unpriced`;

/** One row for each database with usage, in the order of their IDs. Only the databases of the page are summed up. */
export async function usageByDatabase(
  db: Reader,
  { organizationId, databaseId, currency, start, end }: UsageSpan,
  { limit, position }: PageAsked,
): Promise<Page<UsageSum, [string]>> {
  const { rows } = await sql<SumRow>`
    SELECT d.id AS database_id, d.name AS database_name, NULL AS day, used.*
    FROM databases d JOIN LATERAL (
      SELECT ${sums(currency)}, count(*) AS rows FROM billing_usage
      WHERE database_id = d.id AND hour >= ${start} AND hour < ${end}
    ) used ON used.rows > 0
    WHERE d.organization_id = ${uuidOf(organizationId)}
      ${databaseId === undefined ? sql`` : sql`AND d.id = ${uuidOf(databaseId)}`}
      ${position === undefined ? sql`` : sql`AND d.id > ${position[0]}::uuid`}
    ORDER BY d.id LIMIT ${limit + 1}`.execute(db);
  return pageOf(rows, limit, sumOf, (row) => [row.databaseId ?? '']);
}

/** One row for each day with usage, the first day first. */
export async function usageByDay(
  db: Reader,
  { organizationId, databaseId, currency, start, end }: UsageSpan,
  { limit, position }: PageAsked,
): Promise<Page<UsageSum, [string]>> {
  const { rows } = await sql<SumRow>`
    SELECT NULL AS database_id, NULL AS database_name,
      to_char(hour AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, ${sums(currency)}
    FROM billing_usage
    WHERE organization_id = ${uuidOf(organizationId)} AND hour >= ${start} AND hour < ${end}
      ${databaseId === undefined ? sql`` : sql`AND database_id = ${uuidOf(databaseId)}`}
      ${position === undefined ? sql`` : sql`AND hour >= (${position[0]}::date + 1)::timestamp AT TIME ZONE 'UTC'`}
    GROUP BY day ORDER BY day LIMIT ${limit + 1}`.execute(db);
  return pageOf(rows, limit, sumOf, (row) => [row.day ?? '']);
}

/** The cost of all of it. */
export async function usageTotal(
  db: Reader,
  { organizationId, databaseId, currency, start, end }: UsageSpan,
): Promise<bigint> {
  let query = db
    .selectFrom('billingUsage')
    .select(({ fn }) => fn.sum<string | null>('amountMicros').as('micros'))
    .where('organizationId', '=', uuidOf(organizationId))
    .where('currency', '=', currency)
    .where('hour', '>=', start)
    .where('hour', '<', end);
  if (databaseId !== undefined) query = query.where('databaseId', '=', uuidOf(databaseId));
  return BigInt((await query.executeTakeFirstOrThrow()).micros ?? '0');
}

const sumOf = (row: SumRow): UsageSum => ({
  databaseId: typeIdOrNull('db', row.databaseId),
  databaseName: row.databaseName,
  day: row.day,
  computeSeconds: Number(row.computeSeconds),
  computeMicros: BigInt(row.computeMicros),
  storageSeconds: Number(row.storageSeconds),
  storageMicros: BigInt(row.storageMicros),
  unpriced: row.unpriced,
});
