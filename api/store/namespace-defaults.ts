/** Record of namespaces that got their defaults. The cluster does not show it: an administrator may have deleted them. */
import { uuidOf } from './ids.ts';
import type { Reader } from './tables.ts';

/** `namespaceUid`: UID of the namespace, because a namespace that is made again under the same name counts as new. */
export async function hasNamespaceDefaults(
  db: Reader,
  organizationId: string,
  namespaceUid: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('namespaceDefaults')
    .select('organizationId')
    .where('organizationId', '=', uuidOf(organizationId))
    .where('namespaceUid', '=', namespaceUid)
    .executeTakeFirst();
  return row !== undefined;
}

export async function noteNamespaceDefaults(
  db: Reader,
  organizationId: string,
  namespaceUid: string,
): Promise<void> {
  await db
    .insertInto('namespaceDefaults')
    .values({ organizationId: uuidOf(organizationId), namespaceUid })
    .onConflict((conflict) => conflict.column('organizationId').doUpdateSet({ namespaceUid }))
    .execute();
}
