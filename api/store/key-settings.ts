/** The settings of an API key that may change while it works. */
import { apiKeyOf, factOf, type ApiKey } from './api-keys.ts';
import type { Change } from './change.ts';
import { uuidOf } from './ids.ts';

interface KeyPatch {
  readonly name?: string;
  readonly ipAllowList?: readonly string[];
}

/**
 * Changes the name or the address list of a key under a lock of its row. `check` may throw before anything is written. Returns
 * `undefined` if there is no such key. A patch that changes nothing emits no event.
 */
export async function updateApiKey(
  change: Change,
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
  { name, ipAllowList }: KeyPatch,
  check: (before: ApiKey) => void,
): Promise<ApiKey | undefined> {
  const found = await change.db
    .selectFrom('apiKeys')
    .selectAll()
    .where('id', '=', uuidOf(id))
    .where('organizationId', '=', uuidOf(organizationId))
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (found === undefined) return undefined;
  const before = apiKeyOf(found);
  check(before);
  const changes = [
    ...changed('/name', before.name, name),
    ...changed('/ipAllowList', before.ipAllowList, ipAllowList),
  ];
  if (changes.length === 0) return before;
  const row = await change.db
    .updateTable('apiKeys')
    .set({
      ...(name !== undefined && { name }),
      ...(ipAllowList && { ipAllowList: [...ipAllowList] }),
    })
    .where('id', '=', uuidOf(id))
    .returningAll()
    .executeTakeFirstOrThrow();
  const key = apiKeyOf(row);
  change.emit({
    organizationId,
    type: 'api_key.changed',
    subject: { type: 'api_key', id, display: key.name },
    databaseId: key.databaseId,
    data: { apiKey: factOf(key) },
    changes,
  });
  return key;
}

const changed = <Value>(path: string, from: Value, to: Value | undefined) =>
  to === undefined || JSON.stringify(from) === JSON.stringify(to) ? [] : [{ path, from, to }];
