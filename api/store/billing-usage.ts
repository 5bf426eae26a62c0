/** Usage of databases by the hour. The first process to take an hour writes it, once; it is then sent to the provider. */
import { sql, type UpdateObject } from 'kysely';
import { typeIdOfUuid } from '../../domain/type-id.ts';
import type { RunningEvent } from './running.ts';
import type { Price } from './database-record.ts';
import type { Change } from './change.ts';
import { uuidOf } from './ids.ts';
import type { Reader, Tables } from './tables.ts';

const meters = ['compute', 'storage'] as const;
export type Meter = (typeof meters)[number];

/** Start of the last hour that was metered; `undefined`: none was. */
export async function lastMeteredHour(db: Reader): Promise<Date | undefined> {
  const row = await db
    .selectFrom('billingHours')
    .select('hour')
    .orderBy('hour', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.hour;
}

/** Takes an hour for metering. Returns false if another process has taken it; waits while another one is metering it. */
export async function takeHour(change: Change, hour: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await change.db
    .insertInto('billingHours')
    .values({ hour })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export interface DatabaseOfHour {
  readonly databaseId: string;
  readonly organizationId: string;
  readonly clusterConfiguration: string;
  readonly clusterSize: string;
  readonly storageTier: string;
  readonly storageGb: number;
  readonly price: Price | null;
  /** The last event before the hour, and those within it. */
  readonly events: readonly { readonly type: RunningEvent; readonly occurredAt: Date }[];
}

/** Databases with an event that says that they started or stopped running, however old. Their IDs are the store's UUIDs. */
export async function databasesOfHour(
  { db }: Change,
  hour: Date,
  end: Date,
): Promise<readonly DatabaseOfHour[]> {
  const { rows } = await sql<{
    databaseId: string;
    organizationId: string;
    clusterConfiguration: string;
    clusterSize: string;
    storageTier: string;
    selectedStorageGb: number;
    price: Price | null;
    events: { type: RunningEvent; at: string }[];
  }>`
    WITH before AS (
      SELECT DISTINCT ON (database_id) database_id, sequence, type, occurred_at
      FROM running_events WHERE occurred_at < ${hour}
      ORDER BY database_id, sequence DESC
    ), told AS (
      SELECT database_id, sequence, type, occurred_at FROM before
      WHERE type NOT IN ('database.delete_requested', 'database.deleted')
      UNION ALL
      SELECT database_id, sequence, type, occurred_at
      FROM running_events WHERE occurred_at >= ${hour} AND occurred_at < ${end}
    )
    SELECT told.database_id, d.organization_id, p.cluster_configuration, p.cluster_size,
      p.storage_tier, p.selected_storage_gb, p.price,
      json_agg(json_build_object('type', told.type, 'at', told.occurred_at) ORDER BY told.sequence) AS events
    FROM told
    JOIN databases d ON d.id = told.database_id
    -- The configuration in force at the hour's end: a later change costs from its own hour on.
    JOIN LATERAL (
      SELECT * FROM profiles WHERE database_id = d.id
      ORDER BY created_at < ${end} DESC, CASE WHEN created_at < ${end} THEN -revision ELSE revision END
      LIMIT 1
    ) p ON true
    GROUP BY told.database_id, d.organization_id, p.id, p.cluster_configuration, p.cluster_size,
      p.storage_tier, p.selected_storage_gb, p.price`.execute(db);
  return rows.map(({ selectedStorageGb, events, ...row }) => ({
    ...row,
    storageGb: selectedStorageGb,
    events: events.map(({ type, at }) => ({ type, occurredAt: new Date(at) })),
  }));
}

export interface Usage extends Omit<DatabaseOfHour, 'events' | 'price'> {
  readonly meter: Meter;
  readonly seconds: number;
  readonly currency: string | null;
  readonly amountMicros: bigint | null;
}

export async function writeUsage(
  change: Change,
  hour: Date,
  rows: readonly Usage[],
): Promise<void> {
  // PostgreSQL takes at most 65,535 parameters in a statement.
  for (let from = 0; from < rows.length; from += 1_000) {
    await change.db
      .insertInto('billingUsage')
      .values(
        rows.slice(from, from + 1_000).map((row) => ({
          ...row,
          hour,
          amountMicros: row.amountMicros?.toString() ?? null,
        })),
      )
      .execute();
  }
}

interface Accrued {
  readonly micros: bigint;
  /** The end of the last counted hour. */
  readonly until: Date | null;
}

/** Amount that an organization owes for a span of hours, in one currency. */
export async function accruedIn(
  db: Reader,
  organizationId: string,
  currency: string,
  { start, end }: { readonly start: Date; readonly end: Date },
): Promise<Accrued> {
  const { micros } = await db
    .selectFrom('billingUsage')
    .select(({ fn }) => fn.sum<string | null>('amountMicros').as('micros'))
    .where('organizationId', '=', uuidOf(organizationId))
    .where('currency', '=', currency)
    .where('hour', '>=', start)
    .where('hour', '<', end)
    .executeTakeFirstOrThrow();
  const last = await lastMeteredHour(db);
  return {
    micros: BigInt(micros ?? '0'),
    until: last === undefined ? null : new Date(last.getTime() + 3_600_000),
  };
}

export interface UnsentUsage {
  /** Primary key of the row: UUID, hour and meter. */
  readonly key: { readonly databaseId: string; readonly hour: Date; readonly meter: Meter };
  /** TypeID. */
  readonly databaseId: string;
  readonly customerId: string;
  readonly amountMicros: bigint;
}

/** End of a claim. A claim lasts longer than sending its rows takes. */
const claim = sql<Date>`clock_timestamp() + interval '5 minutes'`;
/**
 * Start of the time in which a repeat is safe: the provider ignores repeats for a day, less an hour for clocks and sending. Usage
 * that may have arrived earlier is not sent again; a person must look into it.
 */
const repeatable = sql<Date>`clock_timestamp() - interval '23 hours'`;

/** Claims unsent usage, oldest first, so that no other process sends it meanwhile. Usage that costs nothing is not sent. */
export async function claimUnsentUsage(
  db: Reader,
  currency: string,
  limit: number,
): Promise<readonly UnsentUsage[]> {
  const { rows } = await sql<{
    databaseId: string;
    hour: Date;
    meter: Meter;
    customerId: string;
    amountMicros: string;
  }>`
    UPDATE billing_usage AS usage SET claimed_until = ${claim}
    FROM (
      SELECT u.database_id, u.hour, u.meter, a.customer_id FROM billing_usage u
      JOIN billing_accounts a ON a.organization_id = u.organization_id AND a.customer_id IS NOT NULL
      WHERE u.sent_at IS NULL AND u.currency = ${currency} AND u.amount_micros > 0
        AND (u.claimed_until IS NULL OR u.claimed_until < clock_timestamp())
        AND (u.uncertain_since IS NULL OR u.uncertain_since > ${repeatable})
      ORDER BY u.hour LIMIT ${limit} FOR UPDATE OF u SKIP LOCKED
    ) AS due
    WHERE (usage.database_id, usage.hour, usage.meter) = (due.database_id, due.hour, due.meter)
    RETURNING usage.database_id, usage.hour, usage.meter, due.customer_id, usage.amount_micros`.execute(
    db,
  );
  return rows
    .map(({ databaseId, hour, meter, customerId, amountMicros }) => ({
      key: { databaseId, hour, meter },
      databaseId: typeIdOfUuid('db', databaseId),
      customerId,
      amountMicros: BigInt(amountMicros),
    }))
    .sort((a, b) => a.key.hour.getTime() - b.key.hour.getTime());
}

/** Records that sending begins: from here on, the usage may have arrived. */
export const noteTrying = (db: Reader, key: UnsentUsage['key']): Promise<void> =>
  setUsage(db, key, { uncertainSince: sql<Date>`coalesce(uncertain_since, clock_timestamp())` });

export const noteSent = (db: Reader, key: UnsentUsage['key']): Promise<void> =>
  setUsage(db, key, { sentAt: sql<Date>`clock_timestamp()`, claimedUntil: null, refusal: null });

/** Records that the provider refused the usage. It is sent again in an hour. */
export const noteRefused = (db: Reader, key: UnsentUsage['key'], words: string): Promise<void> =>
  setUsage(db, key, {
    claimedUntil: sql<Date>`clock_timestamp() + interval '1 hour'`,
    uncertainSince: null,
    refusal: words,
  });

/** Releases the claim on usage that was not sent, so that any process may send it. */
export const releaseUsage = (db: Reader, key: UnsentUsage['key']): Promise<void> =>
  setUsage(db, key, { claimedUntil: null });

async function setUsage(
  db: Reader,
  { databaseId, hour, meter }: UnsentUsage['key'],
  columns: UpdateObject<Tables, 'billingUsage'>,
): Promise<void> {
  await db
    .updateTable('billingUsage')
    .set(columns)
    .where('databaseId', '=', databaseId)
    .where('hour', '=', hour)
    .where('meter', '=', meter)
    .execute();
}

/** Number of usage rows that nobody will be charged for until a person acts, by reason. */
export async function countStuckUsage(
  db: Reader,
): Promise<{ readonly refused: number; readonly unconfirmed: number }> {
  const { rows } = await sql<{ refused: string; unconfirmed: string }>`
    SELECT count(*) FILTER (WHERE refusal IS NOT NULL) AS refused,
      count(*) FILTER (WHERE uncertain_since <= ${repeatable}) AS unconfirmed
    FROM billing_usage WHERE sent_at IS NULL`.execute(db);
  return {
    refused: Number(rows[0]?.refused ?? 0),
    unconfirmed: Number(rows[0]?.unconfirmed ?? 0),
  };
}
