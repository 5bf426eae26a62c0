/** Webhook endpoints: URLs that get an organization's events. */
import { randomBytes } from 'node:crypto';
import { sql, type Selectable } from 'kysely';
import { newTypeId, typeIdOfUuid } from '../../domain/type-id.ts';
import type { Actor } from '../model/actor.ts';
import type { EventType } from '../model/event-types.ts';
import type { Change } from './change.ts';
import { typeIdOrNull, uuidOf, uuidOrNull } from './ids.ts';
import type { Sealer } from './sealing.ts';
import type { Reader, WebhookEndpointsTable } from './tables.ts';

export const webhookEndpointsMax = 10;
const webhookEndpointStatuses = ['ENABLED', 'DISABLED', 'AUTO_DISABLED'] as const;
export type WebhookEndpointStatus = (typeof webhookEndpointStatuses)[number];

export interface WebhookEndpoint {
  /** TypeID `whe_…`. */
  readonly id: string;
  readonly organizationId: string;
  readonly url: string;
  readonly description: string;
  /** Event types, `database.*` and the like, or `*`. */
  readonly eventTypes: readonly string[];
  /** The one database whose events the endpoint gets; null: all of the organization. */
  readonly databaseId: string | null;
  readonly status: WebhookEndpointStatus;
  readonly disabledReason: string | null;
  readonly version: number;
  readonly createdAt: Date;
  readonly createdBy: Actor;
  readonly updatedAt: Date;
}

export interface NewWebhookEndpoint {
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
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
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
      createdBy: JSON.stringify(change.author.actor),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const made = endpointOf(row);
  tell(change, 'webhook.endpoint_created', made);
  return { endpoint: made, secret };
}

export interface WebhookEndpointPatch {
  readonly url?: string;
  readonly description?: string;
  readonly eventTypes?: readonly string[];
  readonly databaseId?: string | null;
  readonly status?: 'ENABLED' | 'DISABLED';
}

/** Changes an endpoint. Returns `stale` if its version is not `ifVersion`, `undefined` if there is none. */
export async function updateWebhookEndpoint(
  change: Change,
  organizationId: string,
  id: string,
  { eventTypes, databaseId, ...patch }: WebhookEndpointPatch,
  ifVersion?: number,
): Promise<WebhookEndpoint | 'stale' | undefined> {
  const found = await findWebhookEndpoint(change.db, organizationId, id);
  if (found === undefined) return undefined;
  let query = change.db
    .updateTable('webhookEndpoints')
    .set({
      ...patch,
      ...(eventTypes === undefined ? {} : { eventTypes: [...eventTypes] }),
      ...(databaseId === undefined ? {} : { databaseId: uuidOrNull(databaseId) }),
      ...(patch.status === undefined ? {} : { disabledReason: null }),
      version: sql<number>`version + 1`,
      updatedAt: sql<Date>`clock_timestamp()`,
    })
    .where('id', '=', uuidOf(id));
  if (ifVersion !== undefined) query = query.where('version', '=', ifVersion);
  const row = await query.returningAll().executeTakeFirst();
  if (row === undefined) return 'stale';
  const changed = endpointOf(row);
  tell(change, 'webhook.endpoint_changed', changed);
  return changed;
}

/** Deletes an endpoint. Returns false if there is none. */
export async function deleteWebhookEndpoint(
  change: Change,
  organizationId: string,
  id: string,
): Promise<boolean> {
  const row = await change.db
    .deleteFrom('webhookEndpoints')
    .where('id', '=', uuidOf(id))
    .where('organizationId', '=', uuidOf(organizationId))
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return false;
  tell(change, 'webhook.endpoint_deleted', endpointOf(row));
  return true;
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

export async function revealWebhookSecret(
  db: Reader,
  sealer: Sealer,
  organizationId: string,
  id: string,
): Promise<string | undefined> {
  const row = await own(db, organizationId).where('id', '=', uuidOf(id)).executeTakeFirst();
  return row && sealer.open(id, row.sealedSecret);
}

const own = (db: Reader, organizationId: string) =>
  db
    .selectFrom('webhookEndpoints')
    .selectAll()
    .where('organizationId', '=', uuidOf(organizationId));

const tell = (
  change: Change,
  type: EventType & `webhook.endpoint_${string}`,
  { id, organizationId, url, databaseId }: WebhookEndpoint,
) =>
  change.emit({
    organizationId,
    type,
    subject: { type: 'webhook_endpoint', id, display: url },
    databaseId,
    data: { endpoint: { id, url } },
  });

function endpointOf(row: Selectable<WebhookEndpointsTable>): WebhookEndpoint {
  const { sealedSecret: _, ...shown } = row;
  return {
    ...shown,
    id: typeIdOfUuid('whe', row.id),
    organizationId: typeIdOfUuid('org', row.organizationId),
    databaseId: typeIdOrNull('db', row.databaseId),
    status: row.status as WebhookEndpointStatus,
    createdBy: row.createdBy as Actor,
  };
}
