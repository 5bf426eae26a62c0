/** Deliveries: one event for one endpoint, with its attempts. They are kept for 30 days. */
import { sql, type Selectable } from 'kysely';
import { newTypeId, typeIdOfUuid } from '../../domain/type-id.ts';
import {
  deliveriesKeptDays,
  type AttemptOutcome,
  type AttemptRecord,
  type AttemptTrigger,
  type DeliveryStatus,
} from '../model/webhook.ts';
import type { StoredEvent } from '../model/event.ts';
import type { Change } from './change.ts';
import { eventOf } from './events.ts';
import { typeIdOrNull, uuidOf, uuidOrNull } from './ids.ts';
import { beyond, pageOf, type Page } from './page.ts';
import type { Reader, WebhookDeliveriesTable } from './tables.ts';

export interface WebhookDelivery {
  /** TypeID `dlv_…`. */
  readonly id: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly databaseId: string | null;
  readonly status: DeliveryStatus;
  readonly attemptCount: number;
  readonly replayGeneration: number;
  readonly nextAttemptAt: Date | null;
  readonly lastAttemptAt: Date | null;
  readonly lastStatusCode: number | null;
  readonly lastError: string | null;
  readonly createdAt: Date;
}

export interface KeptAttempt extends AttemptRecord {
  /** From 1. */
  readonly number: number;
  readonly trigger: AttemptTrigger;
}

export interface NewDelivery {
  readonly organizationId: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly databaseId: string | null;
}

/** Makes deliveries that are due at once, in this order, and wakes their endpoints. Existing ones are not changed. */
export async function createDeliveries(
  change: Change,
  deliveries: readonly NewDelivery[],
): Promise<readonly WebhookDelivery[]> {
  if (deliveries.length === 0) return [];
  const rows = await change.db
    .insertInto('webhookDeliveries')
    .values(
      deliveries.map((one) => ({
        id: uuidOf(newTypeId('dlv')),
        organizationId: uuidOf(one.organizationId),
        endpointId: uuidOf(one.endpointId),
        eventId: uuidOf(one.eventId),
        eventType: one.eventType,
        databaseId: uuidOrNull(one.databaseId),
      })),
    )
    .onConflict((conflict) => conflict.columns(['endpointId', 'eventId']).doNothing())
    .returningAll()
    .execute();
  await wakeEndpoints(change, [...new Set(rows.map(({ endpointId }) => endpointId))]);
  return rows.map(deliveryOf);
}

/**
 * Marks endpoints as due, after their deliveries were written: a worker that ends its run meanwhile either sees the deliveries or
 * leaves this mark.
 */
async function wakeEndpoints(change: Change, endpoints: readonly string[]): Promise<void> {
  if (endpoints.length === 0) return;
  await change.db
    .updateTable('webhookEndpoints')
    .set({ dueAt: sql<Date>`least(due_at, clock_timestamp())` })
    .where('id', 'in', [...endpoints].sort())
    .execute();
}

export interface DeliveryFilter {
  readonly endpointId?: string;
  readonly eventType?: string;
  readonly deliveryId?: string;
  readonly eventId?: string;
  /** Codes of the last answer, both ends included; `none`: an attempt was made, and nobody answered. */
  readonly codes?: { readonly from: number; readonly to: number } | 'none';
  readonly statuses?: readonly DeliveryStatus[];
  readonly createdAfter?: Date;
  readonly createdBefore?: Date;
}

const filtered = (db: Reader, organizationId: string, filter: DeliveryFilter) => {
  let query = db
    .selectFrom('webhookDeliveries')
    .where('webhookDeliveries.organizationId', '=', uuidOf(organizationId));
  if (filter.endpointId !== undefined) {
    query = query.where('endpointId', '=', uuidOf(filter.endpointId));
  }
  if (filter.eventType !== undefined) query = query.where('eventType', '=', filter.eventType);
  if (filter.deliveryId !== undefined) {
    query = query.where('webhookDeliveries.id', '=', uuidOf(filter.deliveryId));
  }
  if (filter.eventId !== undefined) {
    // An event has a delivery for each endpoint at most: they are looked up, not searched for among all of the organization.
    query = query
      .where('eventId', '=', uuidOf(filter.eventId))
      .where('endpointId', 'in', (endpoints) =>
        endpoints
          .selectFrom('webhookEndpoints')
          .select('webhookEndpoints.id')
          .where('webhookEndpoints.organizationId', '=', uuidOf(organizationId)),
      );
  }
  if (filter.codes === 'none') {
    query = query.where('lastStatusCode', 'is', null).where('attemptCount', '>', 0);
  } else if (filter.codes !== undefined) {
    query = query
      .where('lastStatusCode', '>=', filter.codes.from)
      .where('lastStatusCode', '<=', filter.codes.to);
  }
  if (filter.statuses !== undefined) {
    query = query.where('webhookDeliveries.status', 'in', filter.statuses);
  }
  if (filter.createdAfter !== undefined) {
    query = query.where('webhookDeliveries.createdAt', '>=', filter.createdAfter);
  }
  if (filter.createdBefore !== undefined) {
    query = query.where('webhookDeliveries.createdAt', '<', filter.createdBefore);
  }
  return query;
};

/** Lists deliveries, the newest first. */
export async function listDeliveries(
  db: Reader,
  organizationId: string,
  filter: DeliveryFilter,
  page: { limit: number; position?: readonly [createdAt: string, id: string] },
): Promise<Page<WebhookDelivery, [string, string]>> {
  let query = filtered(db, organizationId, filter)
    .selectAll()
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1);
  if (page.position !== undefined) {
    query = query.where(beyond(['created_at', 'id'], '<', page.position));
  }
  return pageOf(await query.execute(), page.limit, deliveryOf, (row) => [
    row.createdAt.toISOString(),
    row.id,
  ]);
}

export async function findDelivery(
  db: Reader,
  organizationId: string,
  id: string,
): Promise<WebhookDelivery | undefined> {
  const row = await filtered(db, organizationId, {})
    .selectAll()
    .where('id', '=', uuidOf(id))
    .executeTakeFirst();
  return row && deliveryOf(row);
}

/** The event of a delivery; `undefined` if it is not written yet. */
export async function eventOfDelivery(
  db: Reader,
  { eventId }: WebhookDelivery,
): Promise<StoredEvent | undefined> {
  const row = await db
    .selectFrom('events')
    .selectAll()
    .where('id', '=', uuidOf(eventId))
    .executeTakeFirst();
  return row && eventOf(row);
}

/** Lists at most `limit` attempts, newest first. */
export async function listAttempts(
  db: Reader,
  deliveryId: string,
  limit: number,
): Promise<readonly KeptAttempt[]> {
  const rows = await db
    .selectFrom('webhookAttempts')
    .select(['number', 'trigger', 'outcome', 'requestHeaders', 'statusCode', 'error'])
    .select(['responseExcerpt', 'startedAt', 'durationMs'])
    .where('deliveryId', '=', uuidOf(deliveryId))
    .orderBy('number', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ trigger, outcome, ...row }) => ({
    ...row,
    trigger: trigger as AttemptTrigger,
    outcome: outcome as AttemptOutcome,
  }));
}

/** Numbers of a replay. `expedited`: they were pending and are due now. `skipped`: their endpoint is disabled. */
export interface Replay {
  readonly replayed: number;
  readonly expedited: number;
  readonly skipped: number;
}

/** Counts what `replayDeliveries` would do, at most `limit` deliveries. */
export async function countReplay(
  db: Reader,
  organizationId: string,
  filter: DeliveryFilter,
  limit: number,
): Promise<Replay> {
  const rows = await replayable(db, organizationId, filter, limit).execute();
  return totals(rows);
}

/** Makes at most `limit` deliveries again, or sooner, the oldest first and in the order of their events. */
export async function replayDeliveries(
  change: Change,
  organizationId: string,
  filter: DeliveryFilter & { readonly id?: string },
  limit: number,
): Promise<Replay> {
  let query = replayable(change.db, organizationId, filter, limit);
  if (filter.id !== undefined) query = query.where('webhookDeliveries.id', '=', uuidOf(filter.id));
  const rows = await query.forUpdate('webhookDeliveries').execute();
  const chosen = rows.filter(({ endpointStatus }) => endpointStatus === 'ENABLED');
  if (chosen.length > 0) {
    await sql`
      UPDATE webhook_deliveries d SET
        replay_generation = d.replay_generation + CASE d.status WHEN 'PENDING' THEN 0 ELSE 1 END,
        schedule_position = CASE d.status WHEN 'PENDING' THEN d.schedule_position ELSE 0 END,
        status = 'PENDING',
        manual = true,
        next_attempt_at = statement_timestamp() - (${chosen.length} - chosen.place) * interval '1 microsecond'
      FROM unnest(${chosen.map(({ id }) => id)}::uuid[]) WITH ORDINALITY AS chosen (id, place)
      WHERE d.id = chosen.id`.execute(change.db);
    await wakeEndpoints(change, [...new Set(chosen.map(({ endpointId }) => endpointId))]);
  }
  return totals(rows);
}

const replayable = (db: Reader, organizationId: string, filter: DeliveryFilter, limit: number) =>
  filtered(db, organizationId, filter)
    .innerJoin('webhookEndpoints', 'webhookEndpoints.id', 'webhookDeliveries.endpointId')
    .leftJoin('events', 'events.id', 'webhookDeliveries.eventId')
    .select([
      'webhookDeliveries.id',
      'webhookDeliveries.endpointId',
      'webhookDeliveries.status',
      'webhookEndpoints.status as endpointStatus',
    ])
    .orderBy('webhookDeliveries.createdAt')
    .orderBy('events.sequence')
    .limit(limit);

function totals(rows: readonly { status: string; endpointStatus: string }[]): Replay {
  const enabled = rows.filter(({ endpointStatus }) => endpointStatus === 'ENABLED');
  const expedited = enabled.filter(({ status }) => status === 'PENDING').length;
  return {
    replayed: enabled.length - expedited,
    expedited,
    skipped: rows.length - enabled.length,
  };
}

export interface DeliveryCounts {
  readonly success: number;
  readonly failed: number;
  readonly pending: number;
}

/** Number of each endpoint's deliveries in the last 24 hours, among its newest `limit`. */
export async function countDeliveries(
  db: Reader,
  endpointIds: readonly string[],
  limit: number,
): Promise<ReadonlyMap<string, DeliveryCounts>> {
  if (endpointIds.length === 0) return new Map();
  const { rows } = await sql<{ endpointId: string; status: DeliveryStatus; count: number }>`
    SELECT e.id AS endpoint_id, d.status, count(*)::int AS count
    FROM unnest(${endpointIds.map(uuidOf)}::uuid[]) AS e (id)
    CROSS JOIN LATERAL (
      SELECT status FROM webhook_deliveries
      WHERE endpoint_id = e.id AND created_at > clock_timestamp() - interval '24 hours'
      ORDER BY created_at DESC, id DESC LIMIT ${limit}
    ) d GROUP BY e.id, d.status`.execute(db);
  const counts = new Map<string, Record<DeliveryStatus, number>>();
  for (const { endpointId, status, count } of rows) {
    const id = typeIdOfUuid('whe', endpointId);
    const own = counts.get(id) ?? { PENDING: 0, SUCCEEDED: 0, FAILED: 0, CANCELED: 0 };
    counts.set(id, { ...own, [status]: count });
  }
  return new Map(
    [...counts].map(([id, { SUCCEEDED: success, FAILED, CANCELED, PENDING: pending }]) => [
      id,
      { success, failed: FAILED + CANCELED, pending },
    ]),
  );
}

const sweptAtOnce = 5_000;

/** Deletes old deliveries with their attempts; returns their number. */
export async function sweepDeliveries(db: Reader): Promise<number> {
  for (let swept = 0; ;) {
    const { rows } = await sql<{ count: number }>`
      WITH old AS (
        DELETE FROM webhook_deliveries WHERE id IN (
          SELECT id FROM webhook_deliveries
          WHERE created_at < clock_timestamp() - ${deliveriesKeptDays} * interval '1 day'
          ORDER BY created_at LIMIT ${sweptAtOnce})
        RETURNING 1
      ) SELECT count(*)::int AS count FROM old`.execute(db);
    const count = rows[0]?.count ?? 0;
    swept += count;
    if (count < sweptAtOnce) return swept;
  }
}

const deliveryOf = (row: Selectable<WebhookDeliveriesTable>): WebhookDelivery => ({
  id: typeIdOfUuid('dlv', row.id),
  endpointId: typeIdOfUuid('whe', row.endpointId),
  eventId: typeIdOfUuid('evt', row.eventId),
  eventType: row.eventType,
  databaseId: typeIdOrNull('db', row.databaseId),
  status: row.status as DeliveryStatus,
  attemptCount: row.attemptCount,
  replayGeneration: row.replayGeneration,
  nextAttemptAt: row.nextAttemptAt,
  lastAttemptAt: row.lastAttemptAt,
  lastStatusCode: row.lastStatusCode,
  lastError: row.lastError,
  createdAt: row.createdAt,
});
