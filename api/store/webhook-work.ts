/**
 * The work on webhooks: a worker leases an endpoint, sends what is due, records the results and gives the endpoint back. Only
 * the holder of a lease sends to an endpoint. A result counts once: it names the number of its attempt, so that a worker whose
 * lease ran out cannot overwrite another's result. Times are the server's.
 */
import { sql, type Selectable } from 'kysely';
import { typeIdOfUuid } from '../../domain/type-id.ts';
import type { AttemptRecord, AttemptTrigger, DeliveryStatus } from '../model/webhook.ts';
import type { StoredEvent } from '../model/event.ts';
import type { Change } from './change.ts';
import { eventOf } from './events.ts';
import { uuidOf } from './ids.ts';
import type { EventsTable, Reader, WebhookEndpointsTable } from './tables.ts';
import { endpointOf, type WebhookEndpoint } from './webhook-endpoints.ts';
import { signingSecrets } from './webhook-secrets.ts';

export interface LeasedEndpoint {
  readonly endpoint: WebhookEndpoint;
  /** Secrets that sign, sealed; the second one during the grace of a rotation. */
  readonly sealedSecrets: readonly Buffer[];
  /** Consecutive failures that show an overloaded receiver. */
  readonly failures: number;
  readonly token: string;
}

interface WantedEndpoints {
  readonly owner: string;
  readonly leaseMs: number;
  readonly limit: number;
  /** Endpoints whose receivers failed last; the others are taken beside them. */
  readonly troubled: boolean;
}

/** Leases endpoints that are due, longest due first. Concurrent workers get different ones. */
export async function takeEndpoints(
  db: Reader,
  { owner, leaseMs, limit, troubled }: WantedEndpoints,
): Promise<readonly LeasedEndpoint[]> {
  if (limit <= 0) return [];
  const { rows } = await sql<Selectable<WebhookEndpointsTable> & { graceLasts: boolean | null }>`
    UPDATE webhook_endpoints SET lease_owner = ${owner}, lease_token = gen_random_uuid(),
      lease_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    WHERE id IN (
      SELECT id FROM webhook_endpoints
      WHERE due_at <= clock_timestamp() AND status = 'ENABLED'
        AND (failures > 0) = ${troubled}
        AND (throttled_until IS NULL OR throttled_until <= clock_timestamp())
        AND (lease_until IS NULL OR lease_until <= clock_timestamp())
      ORDER BY due_at LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED)
    RETURNING *, previous_secret_until > clock_timestamp() AS grace_lasts`.execute(db);
  return rows.map((row) => ({
    endpoint: endpointOf(row),
    sealedSecrets: signingSecrets(row),
    failures: row.failures,
    token: row.leaseToken ?? '',
  }));
}

/**
 * Extends those of the leases that have not run out. A lease without a worker, because the answer that gave it was lost, runs
 * out.
 */
export async function renewEndpointLeases(
  db: Reader,
  leased: readonly Pick<LeasedEndpoint, 'token'>[],
  leaseMs: number,
): Promise<void> {
  const tokens = leased.map(({ token }) => token);
  await sql`
    UPDATE webhook_endpoints SET lease_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    WHERE lease_token = ANY(${tokens}::uuid[]) AND lease_until > clock_timestamp()`.execute(db);
}

export interface DueDelivery {
  /** TypeID `dlv_…`. */
  readonly id: string;
  readonly event: StoredEvent;
  readonly attemptCount: number;
  /** Attempts since it was made or replayed. */
  readonly schedulePosition: number;
  readonly replayGeneration: number;
  readonly manual: boolean;
}

/** Reads deliveries of an endpoint that are due, in order: at most `rows`, and at most `bytes` of their events beyond the first. */
export async function dueDeliveries(
  db: Reader,
  endpointId: string,
  most: { readonly rows: number; readonly bytes: number },
): Promise<readonly DueDelivery[]> {
  const { rows } = await sql<Selectable<EventsTable> & DueColumns>`
    SELECT * FROM (
      SELECT e.*, d.id AS delivery_id, d.attempt_count, d.schedule_position, d.replay_generation, d.manual,
        d.next_attempt_at,
        row_number() OVER due AS place,
        sum(octet_length(e.data::text)) OVER due AS bytes
      FROM (
        SELECT * FROM webhook_deliveries
        WHERE endpoint_id = ${uuidOf(endpointId)} AND next_attempt_at <= clock_timestamp()
        ORDER BY next_attempt_at LIMIT ${most.rows}
      ) d JOIN events e ON e.id = d.event_id
      WINDOW due AS (ORDER BY d.next_attempt_at, e.sequence)
    ) found WHERE place = 1 OR bytes <= ${most.bytes}
    ORDER BY place`.execute(db);
  return rows.map((row) => ({
    id: typeIdOfUuid('dlv', row.deliveryId),
    event: eventOf(row),
    attemptCount: row.attemptCount,
    schedulePosition: row.schedulePosition,
    replayGeneration: row.replayGeneration,
    manual: row.manual,
  }));
}

interface DueColumns {
  deliveryId: string;
  attemptCount: number;
  schedulePosition: number;
  replayGeneration: number;
  manual: boolean;
}

export interface AttemptResult extends AttemptRecord {
  readonly delivery: DueDelivery;
  readonly trigger: AttemptTrigger;
  readonly status: DeliveryStatus;
  /** With `PENDING`: time until the next attempt. */
  readonly retryInMs: number | null;
}

/** Records attempts and their consequences for their deliveries. Results of deliveries that changed meanwhile are dropped. */
export async function recordAttempts(db: Reader, results: readonly AttemptResult[]): Promise<void> {
  const rows = results.map(({ delivery, ...one }) => ({
    delivery_id: uuidOf(delivery.id),
    number: delivery.attemptCount + 1,
    generation: delivery.replayGeneration,
    trigger: one.trigger,
    outcome: one.outcome,
    request_headers: one.requestHeaders,
    status_code: one.statusCode,
    error: one.error,
    response_excerpt: one.responseExcerpt,
    started_at: one.startedAt.toISOString(),
    duration_ms: Math.round(one.durationMs),
    status: one.status,
    retry_in_ms: one.retryInMs,
  }));
  await sql`
    WITH result AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r (
        delivery_id uuid, number integer, generation integer, trigger text, outcome text,
        request_headers jsonb, status_code integer, error text, response_excerpt text,
        started_at timestamptz, duration_ms integer, status text, retry_in_ms float8)
    ), changed AS (
      UPDATE webhook_deliveries d SET
        attempt_count = r.number,
        schedule_position = d.schedule_position + 1,
        manual = false,
        status = r.status,
        next_attempt_at = CASE r.status WHEN 'PENDING'
          THEN clock_timestamp() + r.retry_in_ms * interval '1 millisecond' END,
        last_attempt_at = r.started_at,
        last_status_code = r.status_code,
        last_error = r.error
      FROM result r
      WHERE d.id = r.delivery_id AND d.status = 'PENDING' AND d.attempt_count = r.number - 1
        AND d.replay_generation = r.generation
      RETURNING d.id
    )
    INSERT INTO webhook_attempts (delivery_id, number, trigger, outcome, request_headers, status_code,
      error, response_excerpt, started_at, duration_ms)
    SELECT delivery_id, number, trigger, outcome, request_headers, status_code,
      error, response_excerpt, started_at, duration_ms
    FROM result JOIN changed ON changed.id = result.delivery_id`.execute(db);
}

/** Result of a run over an endpoint's deliveries, about its receiver. */
export interface RunOutcome {
  readonly succeeded: boolean;
  /** A scheduled attempt failed. Attempts of replays do not count. */
  readonly failed: boolean;
  /** Consecutive failures that show an overloaded receiver. */
  readonly failures: number;
  /** Time for which the receiver gets nothing. */
  readonly throttleMs: number | null;
}

const untold: RunOutcome = { succeeded: false, failed: false, failures: 0, throttleMs: null };

/** Failures further apart are not consecutive: nothing was tried between them. */
const rowOfFailuresDays = 2;

/** Gives an endpoint back. Returns the number of days for which all attempts have failed. */
export async function releaseEndpoint(
  change: Change,
  { endpoint, token }: LeasedEndpoint,
  outcome: RunOutcome,
): Promise<number> {
  const id = uuidOf(endpoint.id);
  // Deliveries are made before their endpoint is marked. With this lock, the statement below either sees them, or the mark
  // comes later.
  const held = await change.db
    .selectFrom('webhookEndpoints')
    .select('url')
    .where('id', '=', id)
    .where('leaseToken', '=', token)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (held === undefined) return 0;
  // An earlier receiver's answer says nothing about the endpoint's present one.
  const isMoved = held.url !== endpoint.url;
  const { succeeded, failed, failures, throttleMs } = isMoved ? untold : outcome;
  const { rows } = await sql<{ failingDays: number | null }>`
    UPDATE webhook_endpoints SET
      lease_owner = NULL, lease_token = NULL, lease_until = NULL,
      failures = ${failures},
      throttled_until = clock_timestamp() + ${throttleMs}::float8 * interval '1 millisecond',
      failing_since = CASE
        WHEN NOT ${failed} THEN CASE WHEN ${succeeded} THEN NULL ELSE failing_since END
        WHEN ${succeeded} OR failing_since IS NULL
          OR failed_at < clock_timestamp() - ${rowOfFailuresDays} * interval '1 day' THEN clock_timestamp()
        ELSE failing_since END,
      failed_at = CASE WHEN ${failed} THEN clock_timestamp() ELSE failed_at END,
      due_at = (SELECT min(next_attempt_at) FROM webhook_deliveries WHERE endpoint_id = ${id})
    WHERE id = ${id}
    RETURNING (extract(epoch FROM clock_timestamp() - failing_since) / 86400)::float8 AS failing_days`.execute(
    change.db,
  );
  return rows[0]?.failingDays ?? 0;
}

/** Age in seconds of the oldest due delivery that its endpoint could get. */
export async function webhookBacklogSeconds(db: Reader): Promise<number> {
  const { rows } = await sql<{ seconds: number | null }>`
    SELECT extract(epoch FROM clock_timestamp() - min(greatest(due_at, throttled_until)))::float8 AS seconds
    FROM webhook_endpoints
    WHERE due_at <= clock_timestamp() AND status = 'ENABLED'
      AND (throttled_until IS NULL OR throttled_until <= clock_timestamp())
      AND (lease_until IS NULL OR lease_until <= clock_timestamp())`.execute(db);
  return rows[0]?.seconds ?? 0;
}
