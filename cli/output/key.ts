/** Text of API keys for people. */
import type { ApiKey } from '../../gen/api.ts';
import { orDash } from './answer.ts';
import { fields, table } from './table.ts';

export const keysText = (keys: readonly ApiKey[]): string =>
  keys.length === 0
    ? '(no keys)\n'
    : table(
        [
          { title: 'ID', cell: ({ id }) => id },
          { title: 'NAME', cell: ({ name }) => name },
          { title: 'STATUS', cell: ({ status }) => status },
          { title: 'PERMISSIONS', cell: (key) => key.permissions.join(',') },
          { title: 'DATABASES', cell: scopeOf },
          { title: 'LAST USED', cell: ({ lastUsedAt }) => orDash(lastUsedAt) },
          { title: 'EXPIRES', cell: ({ expiresAt }) => orDash(expiresAt ?? 'never') },
        ],
        keys,
      );

export const keyText = (key: ApiKey): string =>
  fields([
    ['id', key.id],
    ['name', key.name],
    ['key', `${key.prefix}…${key.lastFour}`],
    ['status', key.status],
    ['permissions', key.permissions.join(', ')],
    ['databases', scopeOf(key)],
    ['addresses', orDash(key.ipAllowList.join(', '))],
    ['created', `${key.createdAt} by ${key.createdBy.display}`],
    ['last used', orDash(key.lastUsedAt)],
    ['expires', orDash(key.expiresAt ?? 'never')],
  ]);

const scopeOf = ({ databaseScope: scope }: ApiKey): string =>
  'databaseId' in scope ? scope.databaseId : 'all';
