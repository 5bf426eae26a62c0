/** Webhook endpoints: URLs that get an organization's events. */
import { sql, type Selectable } from 'kysely';
import { newTypeId, typeIdOfUuid } from '../../domain/type-id.ts';
import type { Actor } from '../model/actor.ts';
import type { FieldChange } from '../model/event.ts';
import type { EventType } from '../model/event-types.ts';
import type { Change } from './change.ts';
import { typeIdOrNull, uuidOf, uuidOrNull } from './ids.ts';
import type { Sealer } from './sealing.ts';
import type { Reader, WebhookEndpointsTable } from './tables.ts';
import { newSecret, rotated } from './webhook-secrets.ts';

export const webhookEndpointsMax = 10;
const webhookEndpointStatuses = ['ENABLED', 'DISABLED', 'AUTO_DISABLED'] as const;
type WebhookEndpointStatus = (typeof webhookEndpointStatuses)[number];

export interface WebhookEndpoint {
  /** TypeID `whe_…`. */
  readonly id: string;
  readonly organizationId: string;
  readonly url: string;
  readonly description: string;
  /** Event types, patterns such as `database.*`, or `*`. */
  readonly eventTypes: readonly string[];
  /** The one database whose events the endpoint gets; null: all of the organization. */
  readonly databaseId: string | null;
  readonly status: WebhookEndpointStatus;
  readonly disabledReason: string | null;
  /** After a rotation: until then the previous secret signs as well. */
  readonly previousSecretUntil: Date | null;
  /** The receiver is overloaded, and gets nothing until then. */
  readonly throttledUntil: Date | null;
  /** Every attempt since then has failed. */
  readonly failingSince: Date | null;
  readonly version: number;
  readonly createdAt: Date;
  readonly createdBy: Actor;
  readonly updatedAt: Date;
}

interface NewWebhookEndpoint {
  readonly organizationId: string;
  readonly url: string;
  readonly description: string;
  readonly eventTypes: readonly string[];
  readonly databaseId: string | null;
}

/** Makes an endpoint. `secret`: in the form of Standard Webhooks. Returns `too_many` if the organization has the maximum. */
export async function createWebhookEndpoint(
  change: Change,
  sealer: Sealer,
  endpoint: NewWebhookEndpoint,
): Promise<{ endpoint: WebhookEndpoint; secret: string } | 'too_many'> {
  const organization = uuidOf(endpoint.organizationId);
  // The lock makes the second of two concurrent calls wait until the first is counted.
  await change.db
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', organization)
    .forNoKeyUpdate()
    .execute();
  const { count } = await change.db
    .selectFrom('webhookEndpoints')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('organizationId', '=', organization)
    .executeTakeFirstOrThrow();
  if (Number(count) >= webhookEndpointsMax) return 'too_many';
  const id = newTypeId('whe');
  const secret = newSecret();
  const row = await change.db
    .insertInto('webhookEndpoints')
    .values({
      id: uuidOf(id),
      organizationId: organization,
      url: endpoint.url,
      description: endpoint.description,
      eventTypes: [...endpoint.eventTypes],
      databaseId: uuidOrNull(endpoint.databaseId),
      status: 'ENABLED',
      sealedSecret: sealer.seal(id, secret),
      sealedBy: sealer.version,
      createdBy: JSON.stringify(change.author.actor),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const made = endpointOf(row);
  tell(change, 'webhook.endpoint_created', made);
  return { endpoint: made, secret };
}

interface WebhookEndpointPatch {
  readonly url?: string;
  readonly description?: string;
  readonly eventTypes?: readonly string[];
  readonly databaseId?: string | null;
  readonly status?: 'ENABLED' | 'DISABLED';
}

/** Changes an endpoint. `check` gets it, locked until the commit, and may throw. Returns `undefined` if there is none. */
export async function updateWebhookEndpoint(
  change: Change,
  organizationId: string,
  id: string,
  { eventTypes, databaseId, ...patch }: WebhookEndpointPatch,
  check: (before: WebhookEndpoint) => void = () => {},
): Promise<WebhookEndpoint | undefined> {
  const found = await lockWebhookEndpoint(change, organizationId, id, 'forNoKeyUpdate');
  if (found === undefined) return undefined;
  check(found);
  const row = await change.db
    .updateTable('webhookEndpoints')
    .set({
      ...patch,
      ...(eventTypes === undefined ? {} : { eventTypes: [...eventTypes] }),
      ...(databaseId === undefined ? {} : { databaseId: uuidOrNull(databaseId) }),
      ...(patch.status === undefined ? {} : { disabledReason: null }),
      // An endpoint that is enabled again, or has another receiver, starts from scratch: earlier failures do not count.
      ...(patch.status === 'ENABLED' && found.status !== 'ENABLED' && afresh),
      ...(patch.url !== undefined && patch.url !== found.url && afresh),
      version: sql<number>`version + 1`,
      updatedAt: sql<Date>`clock_timestamp()`,
    })
    .where('id', '=', uuidOf(id))
    .returningAll()
    .executeTakeFirstOrThrow();
  const changed = endpointOf(row);
  tell(change, 'webhook.endpoint_changed', changed, changesBetween(found, changed));
  return changed;
}

/** Deletes an endpoint. `check` gets it, locked until the commit, and may throw. Returns false if there is none. */
export async function deleteWebhookEndpoint(
  change: Change,
  organizationId: string,
  id: string,
  check: (before: WebhookEndpoint) => void = () => {},
): Promise<boolean> {
  const found = await lockWebhookEndpoint(change, organizationId, id, 'forUpdate');
  if (found === undefined) return false;
  check(found);
  await change.db.deleteFrom('webhookEndpoints').where('id', '=', uuidOf(id)).execute();
  tell(change, 'webhook.endpoint_deleted', found);
  return true;
}

/** Deliveries are made first, then their endpoint is marked: with this lock, a later statement sees both, or the mark comes after it. */
async function lockWebhookEndpoint(
  change: Change,
  organizationId: string,
  id: string,
  strength: 'forUpdate' | 'forNoKeyUpdate',
): Promise<WebhookEndpoint | undefined> {
  const one = own(change.db, organizationId).where('id', '=', uuidOf(id));
  const row = await one[strength]().executeTakeFirst();
  return row && endpointOf(row);
}

export async function findWebhookEndpoint(
  db: Reader,
  organizationId: string,
  id: string,
): Promise<WebhookEndpoint | undefined> {
  const row = await own(db, organizationId).where('id', '=', uuidOf(id)).executeTakeFirst();
  return row && endpointOf(row);
}

/** Lists all endpoints, oldest first; there are at most ten. */
export async function listWebhookEndpoints(
  db: Reader,
  organizationId: string,
): Promise<WebhookEndpoint[]> {
  return (await own(db, organizationId).orderBy('createdAt').orderBy('id').execute()).map(
    endpointOf,
  );
}

/** Returns the secret, and records in the audit log that somebody saw it. Returns `undefined` if there is no such endpoint. */
export async function revealWebhookSecret(
  change: Change,
  sealer: Sealer,
  organizationId: string,
  id: string,
): Promise<string | undefined> {
  const row = await own(change.db, organizationId).where('id', '=', uuidOf(id)).executeTakeFirst();
  if (row === undefined) return undefined;
  tell(change, 'webhook.endpoint_secret_shown', endpointOf(row));
  return sealer.open(id, row.sealedSecret);
}

/** Replaces the secret. The previous one signs as well for `graceSeconds`; older ones no longer do. */
export async function rotateWebhookSecret(
  change: Change,
  sealer: Sealer,
  { organizationId, id, graceSeconds }: SecretRotation,
): Promise<{ endpoint: WebhookEndpoint; secret: string } | undefined> {
  const secret = newSecret();
  const row = await change.db
    .updateTable('webhookEndpoints')
    .set(rotated(sealer.seal(id, secret), graceSeconds))
    .where('id', '=', uuidOf(id))
    .where('organizationId', '=', uuidOf(organizationId))
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const endpoint = endpointOf(row);
  tell(change, 'webhook.endpoint_secret_rotated', endpoint);
  return { endpoint, secret };
}

/** Notes that a test begins. Returns false if the last one was less than `everySeconds` ago. */
export async function beginTest(
  change: Change,
  id: string,
  everySeconds: number,
): Promise<boolean> {
  const row = await change.db
    .updateTable('webhookEndpoints')
    .set({ testedAt: sql<Date>`clock_timestamp()` })
    .where('id', '=', uuidOf(id))
    .where(
      sql<boolean>`coalesce(tested_at < clock_timestamp() - ${everySeconds} * interval '1 second', true)`,
    )
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

interface SecretRotation {
  readonly organizationId: string;
  readonly id: string;
  readonly graceSeconds: number;
}

/**
 * Disables an endpoint because its receiver fails; its pending deliveries are cancelled. Returns undefined if it is not enabled, or has
 * another receiver by now.
 */
export async function autoDisable(
  change: Change,
  { id, url }: Pick<WebhookEndpoint, 'id' | 'url'>,
  reason: string,
): Promise<WebhookEndpoint | undefined> {
  const row = await change.db
    .updateTable('webhookEndpoints')
    .set({
      status: 'AUTO_DISABLED',
      disabledReason: reason,
      dueAt: null,
      version: sql<number>`version + 1`,
      updatedAt: sql<Date>`clock_timestamp()`,
    })
    .where('id', '=', uuidOf(id))
    .where('url', '=', url)
    .where('status', '=', 'ENABLED')
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  await change.db
    .updateTable('webhookDeliveries')
    .set({ status: 'CANCELED', nextAttemptAt: null })
    .where('endpointId', '=', uuidOf(id))
    .where('nextAttemptAt', 'is not', null)
    .execute();
  const endpoint = endpointOf(row);
  change.emit({
    organizationId: endpoint.organizationId,
    type: 'webhook.endpoint_disabled',
    outcome: 'FAILED',
    subject: { type: 'webhook_endpoint', id, display: endpoint.url },
    databaseId: endpoint.databaseId,
    data: { endpoint: { id, url: endpoint.url }, reason },
  });
  return endpoint;
}

const afresh = {
  // Deliveries that waited while it was disabled are due.
  dueAt: sql<Date>`(SELECT min(next_attempt_at) FROM webhook_deliveries WHERE endpoint_id = webhook_endpoints.id)`,
  failures: 0,
  failingSince: null,
  failedAt: null,
  throttledUntil: null,
};

const own = (db: Reader, organizationId: string) =>
  db
    .selectFrom('webhookEndpoints')
    .selectAll()
    .where('organizationId', '=', uuidOf(organizationId));

const tell = (
  change: Change,
  type: Exclude<EventType & `webhook.endpoint_${string}`, 'webhook.endpoint_disabled'>,
  { id, organizationId, url, databaseId }: WebhookEndpoint,
  changes: readonly FieldChange[] = [],
) =>
  change.emit({
    organizationId,
    type,
    subject: { type: 'webhook_endpoint', id, display: url },
    databaseId,
    data: { endpoint: { id, url } },
    changes,
  });

/** Settings that a person can change. The history shows where events went meanwhile, and whether they were sent. */
const changesBetween = (before: WebhookEndpoint, after: WebhookEndpoint): readonly FieldChange[] =>
  [
    { path: '/url', from: before.url, to: after.url },
    { path: '/description', from: before.description, to: after.description },
    { path: '/eventTypes', from: before.eventTypes, to: after.eventTypes },
    { path: '/databaseScope/databaseId', from: before.databaseId, to: after.databaseId },
    { path: '/status', from: before.status, to: after.status },
  ].filter(({ from, to }) => JSON.stringify(from) !== JSON.stringify(to));

export function endpointOf(row: Selectable<WebhookEndpointsTable>): WebhookEndpoint {
  return {
    id: typeIdOfUuid('whe', row.id),
    organizationId: typeIdOfUuid('org', row.organizationId),
    url: row.url,
    description: row.description,
    eventTypes: row.eventTypes,
    databaseId: typeIdOrNull('db', row.databaseId),
    status: row.status as WebhookEndpointStatus,
    disabledReason: row.disabledReason,
    previousSecretUntil: row.previousSecretUntil,
    throttledUntil: row.throttledUntil,
    failingSince: row.failingSince,
    version: row.version,
    createdAt: row.createdAt,
    createdBy: row.createdBy as Actor,
    updatedAt: row.updatedAt,
  };
}
