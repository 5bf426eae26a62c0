/** The expiry of API keys: renewal, and the search for keys that expire soon. */
import { sql } from 'kysely';
import { apiKeyOf, factOf, findApiKey, isActive, type ApiKey } from './api-keys.ts';
import type { Change } from './change.ts';
import { uuidOf } from './ids.ts';

/** Days before the expiry at which a notice is given. */
export const noticeDays = [7, 1] as const;

/**
 * Gives a working key another expiry; null: none. Its secret does not change. Returns `undefined` if no such key works, or it
 * is being replaced.
 */
export async function renewApiKey(
  change: Change,
  organizationId: string,
  id: string,
  expiresAt: Date | null,
): Promise<ApiKey | undefined> {
  const before = await findApiKey(change.db, organizationId, id);
  const row = await change.db
    .updateTable('apiKeys')
    .set({ expiresAt, renewedAt: sql<Date>`clock_timestamp()`, toldDays: null })
    .where('id', '=', uuidOf(id))
    .where('organizationId', '=', uuidOf(organizationId))
    .where(isActive)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const key = apiKeyOf(row);
  change.emit({
    organizationId,
    type: 'api_key.renewed',
    subject: { type: 'api_key', id, display: key.name },
    databaseId: key.databaseId,
    data: { apiKey: factOf(key) },
    changes: [
      {
        path: '/expiresAt',
        from: before?.expiresAt?.toISOString() ?? null,
        to: expiresAt?.toISOString() ?? null,
      },
    ],
  });
  return key;
}

/**
 * Takes working keys that expire within `days`, and records that a notice was sent. Keys that had less time than that from the
 * start are left out, since their makers know, and so are the keys of deleted organizations.
 */
export async function takeExpiringKeys(
  change: Change,
  days: (typeof noticeDays)[number],
  limit: number,
): Promise<readonly ApiKey[]> {
  const term = sql`${days} * interval '1 day'`;
  const rows = await change.db
    .updateTable('apiKeys')
    .set({ toldDays: days })
    .where('id', 'in', (from) =>
      from
        .selectFrom('apiKeys')
        .select('id')
        .where(isActive)
        .where('expiresAt', '<=', sql<Date>`clock_timestamp() + ${term}`)
        .where(sql<boolean>`expires_at - coalesce(renewed_at, created_at) > ${term}`)
        .where('organizationId', 'in', (organizations) =>
          organizations.selectFrom('organizations').select('id').where('deletedAt', 'is', null),
        )
        .where((where) => where.or([where('toldDays', 'is', null), where('toldDays', '>', days)]))
        .orderBy('expiresAt')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .execute();
  return rows.map(apiKeyOf);
}
