/** Lists of API keys, filtered in the store: a page holds only rows that match. */
import { sql, type RawBuilder } from 'kysely';
import type { Permission } from '../model/access.ts';
import type { Actor } from '../model/actor.ts';
import type { ApiKeyStatus } from '../model/api-key-status.ts';
import { apiKeyOf, isActive, type ApiKey } from './api-keys.ts';
import { uuidOf } from './ids.ts';
import { beyond, contains, pageOf, type Page } from './page.ts';
import type { Reader } from './tables.ts';

export interface KeyFilter {
  /** Only the keys that these actors all made: a person asks for another's keys, and sees only their own. */
  readonly makers?: readonly Pick<Actor, 'type' | 'id'>[];
  /** Text that the name must contain. */
  readonly search?: string;
  readonly statuses?: readonly ApiKeyStatus[];
  readonly permission?: Permission;
  /** TypeID of the one database that the key opens. */
  readonly databaseId?: string;
  /** Only active keys that expire within so many days. */
  readonly expiresWithinDays?: number;
}

/** When a key stops working; null: never. */
const end = sql<Date | null>`least(expires_at, rotation_ends_at)`;
const isOver = sql<boolean>`coalesce(${end} <= clock_timestamp(), false)`;

/** The same statuses as `apiKeyStatus`, by the store's clock. */
const inStatus: Readonly<Record<ApiKeyStatus, RawBuilder<boolean>>> = {
  ACTIVE: isActive,
  ROTATING: sql`(revoked_at IS NULL AND rotation_ends_at IS NOT NULL AND NOT ${isOver})`,
  EXPIRED: sql`(revoked_at IS NULL AND ${isOver})`,
  REVOKED: sql`(revoked_at IS NOT NULL)`,
};

/** Lists keys, newest first. */
export async function listApiKeys(
  db: Reader,
  organizationId: string,
  filter: KeyFilter,
  page: { limit: number; position?: readonly [createdAt: string, id: string] },
): Promise<Page<ApiKey, [string, string]>> {
  let query = db
    .selectFrom('apiKeys')
    .selectAll()
    .where('organizationId', '=', uuidOf(organizationId))
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1);
  for (const { type, id } of filter.makers ?? []) {
    query = query.where(sql<boolean>`created_by @> ${JSON.stringify({ type, id })}::jsonb`);
  }
  if (filter.search !== undefined) query = query.where(contains('name', filter.search));
  if (filter.statuses !== undefined) {
    const any = filter.statuses.map((status) => inStatus[status]);
    query = query.where(sql<boolean>`(${sql.join(any, sql` OR `)})`);
  }
  if (filter.permission !== undefined) {
    query = query.where(sql<boolean>`${filter.permission} = ANY (permissions)`);
  }
  if (filter.databaseId !== undefined) {
    query = query.where('databaseId', '=', uuidOf(filter.databaseId));
  }
  if (filter.expiresWithinDays !== undefined) {
    query = query.where(
      sql<boolean>`(revoked_at IS NULL AND ${end} > clock_timestamp()
        AND ${end} <= clock_timestamp() + ${filter.expiresWithinDays} * interval '1 day')`,
    );
  }
  if (page.position !== undefined) {
    query = query.where(beyond(['createdAt', 'id'], '<', page.position));
  }
  return pageOf(await query.execute(), page.limit, apiKeyOf, (row) => [
    row.createdAt.toISOString(),
    row.id,
  ]);
}
