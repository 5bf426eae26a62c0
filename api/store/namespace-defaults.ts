/** Which organizations' namespaces have got their defaults. The cluster cannot tell: whoever runs it may have deleted them. */
import { uuidOf } from './ids.ts';
import type { Reader } from './tables.ts';

/** `namespaceUid`: of the Kubernetes object, so that one made anew under the same name is another. */
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
