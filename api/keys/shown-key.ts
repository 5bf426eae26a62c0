import { apiKeyPrefix } from '../auth/api-key-format.ts';
import { apiKeyStatus, type ApiKey } from '../store/api-keys.ts';

/** A key in the form of answers, without its secret. */
export const shownKey = (key: ApiKey) => ({
  id: key.id,
  organizationId: key.organizationId,
  name: key.name,
  prefix: `${apiKeyPrefix}${key.publicId}`,
  lastFour: key.lastFour,
  permissions: key.permissions,
  databaseScope:
    key.databaseId === null
      ? ({ type: 'ALL' } as const)
      : ({ type: 'DATABASE', databaseId: key.databaseId } as const),
  status: apiKeyStatus(key, new Date()),
  expiresAt: timeOf(key.expiresAt),
  ipAllowList: key.ipAllowList,
  rotatedFrom: key.rotatedFrom,
  rotationEndsAt: timeOf(key.rotationEndsAt),
  lastUsedAt: timeOf(key.lastUsedAt),
  lastUsedIp: key.lastUsedIp,
  lastUsedUserAgent: key.lastUsedUserAgent,
  createdAt: key.createdAt.toISOString(),
  createdBy: key.createdBy,
  revokedAt: timeOf(key.revokedAt),
  revokedBy: key.revokedBy,
});

const timeOf = (time: Date | null): string | null => time?.toISOString() ?? null;
