import { typeIdOfUuid } from '../../domain/type-id.ts';
import type { Reader } from './tables.ts';

/** Lists the databases that have a resource in the cluster, as far as the store knows. */
export async function listPlaced(
  db: Reader,
): Promise<readonly { readonly id: string; readonly kubernetesUid: string }[]> {
  const rows = await db
    .selectFrom('databases')
    .select(['id', 'kubernetesUid'])
    .where('kubernetesUid', 'is not', null)
    .where('status', '!=', 'DELETED')
    .execute();
  return rows.map(({ id, kubernetesUid }) => ({
    id: typeIdOfUuid('db', id),
    kubernetesUid: kubernetesUid ?? '',
  }));
}
