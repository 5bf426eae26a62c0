/** API keys in the store. `api/auth` defines how a key is written and hashed. */
import { timingSafeEqual } from 'node:crypto';
import { sql, type Selectable } from 'kysely';
import { newTypeId, typeIdOfUuid } from '../../domain/type-id.ts';
import type { Actor } from '../model/actor.ts';
import type { ApiKeyStatus } from '../model/api-key-status.ts';
import type { Change } from './change.ts';
import { typeIdOrNull, uuidOf, uuidOrNull } from './ids.ts';
import type { ApiKeysTable, Reader } from './tables.ts';

type KeyPermission = 'db:read' | 'db:write';

export interface ApiKey {
  /** TypeID `key_…`. */
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  /** The visible part, 12 characters. */
  readonly publicId: string;
  readonly lastFour: string;
  /** The one database that the key opens; null: all of the organization. */
  readonly databaseId: string | null;
  readonly permissions: readonly KeyPermission[];
  readonly ipAllowList: readonly string[];
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly lastUsedIp: string | null;
  readonly lastUsedUserAgent: string | null;
  readonly createdAt: Date;
  readonly createdBy: Actor;
  readonly revokedAt: Date | null;
  readonly revokedBy: Actor | null;
  /** ID of the key that this one replaced. */
  readonly rotatedFrom: string | null;
  /** Time until which the key works beside its replacement. */
  readonly rotationEndsAt: Date | null;
}

/** Parts of a key that the caller makes, not the store. */
interface KeySecret {
  readonly publicId: string;
  /** SHA-256. */
  readonly secretHash: Buffer;
  readonly lastFour: string;
}

export interface NewApiKey {
  readonly organizationId: string;
  readonly name: string;
  readonly databaseId: string | null;
  readonly permissions: readonly KeyPermission[];
  readonly ipAllowList?: readonly string[];
  readonly expiresAt: Date | null;
}

export function apiKeyStatus(key: ApiKey, now: Date): ApiKeyStatus {
  if (key.revokedAt !== null) return 'REVOKED';
  const over = (time: Date | null) => time !== null && time <= now;
  if (over(key.expiresAt) || over(key.rotationEndsAt)) return 'EXPIRED';
  return key.rotationEndsAt === null ? 'ACTIVE' : 'ROTATING';
}

const isNotExpired = sql<boolean>`(expires_at IS NULL OR expires_at > clock_timestamp())`;

/** Condition for keys that work and are not being replaced. */
export const isActive = sql<boolean>`(revoked_at IS NULL AND rotation_ends_at IS NULL AND ${isNotExpired})`;

export const factOf = ({ id, name, publicId }: ApiKey) => ({ id, name, prefix: publicId });

export async function createApiKey(
  change: Change,
  key: NewApiKey,
  secret: KeySecret,
): Promise<ApiKey> {
  const made = await insertKey(change, key, secret, null);
  change.emit({
    organizationId: made.organizationId,
    type: 'api_key.created',
    subject: { type: 'api_key', id: made.id, display: made.name },
    databaseId: made.databaseId,
    data: { apiKey: factOf(made) },
  });
  return made;
}

/**
 * Replaces a key by a new one; both work for the grace period. Returns `undefined` if no such key works, or if it was replaced
 * already.
 */
export async function rotateApiKey(
  change: Change,
  { organizationId, id, graceMs }: { organizationId: string; id: string; graceMs: number },
  secret: KeySecret,
): Promise<{ old: ApiKey; key: ApiKey } | undefined> {
  const row = await change.db
    .updateTable('apiKeys')
    .set({ rotationEndsAt: sql<Date>`clock_timestamp() + ${graceMs} * interval '1 millisecond'` })
    .where('id', '=', uuidOf(id))
    .where('organizationId', '=', uuidOf(organizationId))
    .where(isActive)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const old = apiKeyOf(row);
  const key = await insertKey(change, old, secret, id);
  change.emit({
    organizationId,
    type: 'api_key.rotated',
    subject: { type: 'api_key', id, display: old.name },
    databaseId: old.databaseId,
    data: { apiKey: factOf(old), replacedBy: factOf(key) },
  });
  return { old, key };
}

/** Revokes a key as of the commit. Revoking it again changes nothing. Returns `undefined` if there is no such key. */
export async function revokeApiKey(
  change: Change,
  organizationId: string,
  id: string,
): Promise<ApiKey | undefined> {
  const row = await change.db
    .updateTable('apiKeys')
    .set({
      revokedAt: sql<Date>`clock_timestamp()`,
      revokedBy: JSON.stringify(change.author.actor),
    })
    .where('id', '=', uuidOf(id))
    .where('organizationId', '=', uuidOf(organizationId))
    .where('revokedAt', 'is', null)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return findApiKey(change.db, organizationId, id);
  const key = apiKeyOf(row);
  change.emit({
    organizationId,
    type: 'api_key.revoked',
    subject: { type: 'api_key', id, display: key.name },
    databaseId: key.databaseId,
    data: { apiKey: factOf(key) },
  });
  return key;
}

/** Hash that is compared when no key is found, so that both cases take the same time. */
const nobody = Buffer.alloc(32);

interface FoundApiKey {
  readonly key: ApiKey;
  /** The store's time, by which the key expires. */
  readonly at: Date;
}

/**
 * Returns the key with this secret, whatever its status. Returns `undefined` if there is no such key or the secret is wrong; the
 * time taken does not tell which.
 */
export async function findApiKeyBySecret(
  db: Reader,
  publicId: string,
  secretHash: Buffer,
): Promise<FoundApiKey | undefined> {
  const row = await db
    .selectFrom('apiKeys')
    .selectAll()
    .select(sql<Date>`clock_timestamp()`.as('at'))
    .where('publicId', '=', publicId)
    .executeTakeFirst();
  const same = timingSafeEqual(row?.secretHash ?? nobody, secretHash);
  if (row === undefined || !same) return undefined;
  const { at, ...key } = row;
  return { key: apiKeyOf(key), at };
}

export async function findApiKey(
  db: Reader,
  organizationId: string,
  id: string,
): Promise<ApiKey | undefined> {
  const row = await db
    .selectFrom('apiKeys')
    .selectAll()
    .where('id', '=', uuidOf(id))
    .where('organizationId', '=', uuidOf(organizationId))
    .executeTakeFirst();
  return row && apiKeyOf(row);
}

/** Number of keys that work and are not being replaced, for the quota. */
export async function countActiveApiKeys(db: Reader, organizationId: string): Promise<number> {
  const { count } = await db
    .selectFrom('apiKeys')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('organizationId', '=', uuidOf(organizationId))
    .where(isActive)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The keys that a person made and that still work, the oldest first. The quota of keys bounds their number. */
export async function workingKeysOf(
  db: Reader,
  organizationId: string,
  userId: string,
): Promise<readonly ApiKey[]> {
  const rows = await db
    .selectFrom('apiKeys')
    .selectAll()
    .where('organizationId', '=', uuidOf(organizationId))
    .where(sql<boolean>`created_by @> ${JSON.stringify({ type: 'user', id: userId })}::jsonb`)
    .where('revokedAt', 'is', null)
    .where(isNotExpired)
    .where(sql<boolean>`(rotation_ends_at IS NULL OR rotation_ends_at > clock_timestamp())`)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
  return rows.map(apiKeyOf);
}

/** Records the use of a key, at most once a minute. */
export async function noteApiKeyUse(
  db: Reader,
  id: string,
  use: { ip: string | null; userAgent: string | null },
): Promise<void> {
  await db
    .updateTable('apiKeys')
    .set({
      lastUsedAt: sql<Date>`clock_timestamp()`,
      lastUsedIp: use.ip,
      lastUsedUserAgent: use.userAgent,
    })
    .where('id', '=', uuidOf(id))
    .where((where) =>
      where.or([
        where('lastUsedAt', 'is', null),
        where('lastUsedAt', '<', sql<Date>`clock_timestamp() - interval '60 seconds'`),
      ]),
    )
    .execute();
}

async function insertKey(
  change: Change,
  key: NewApiKey,
  secret: KeySecret,
  rotatedFrom: string | null,
): Promise<ApiKey> {
  const row = await change.db
    .insertInto('apiKeys')
    .values({
      id: uuidOf(newTypeId('key')),
      organizationId: uuidOf(key.organizationId),
      name: key.name,
      // Only named fields: a caller may pass in the secret's text too, which must never be stored.
      publicId: secret.publicId,
      secretHash: secret.secretHash,
      lastFour: secret.lastFour,
      databaseId: uuidOrNull(key.databaseId),
      permissions: [...key.permissions],
      ipAllowList: [...(key.ipAllowList ?? [])],
      expiresAt: key.expiresAt,
      createdBy: JSON.stringify(change.author.actor),
      rotatedFrom: uuidOrNull(rotatedFrom),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return apiKeyOf(row);
}

export function apiKeyOf(row: Selectable<ApiKeysTable>): ApiKey {
  const { secretHash: _, renewedAt: __, toldDays: ___, ...shown } = row;
  return {
    ...shown,
    id: typeIdOfUuid('key', row.id),
    organizationId: typeIdOfUuid('org', row.organizationId),
    databaseId: typeIdOrNull('db', row.databaseId),
    permissions: row.permissions as KeyPermission[],
    createdBy: row.createdBy as Actor,
    revokedBy: row.revokedBy as Actor | null,
    rotatedFrom: typeIdOrNull('key', row.rotatedFrom),
  };
}
