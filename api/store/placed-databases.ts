import type { PlacedResource } from '../model/placed-resource.ts';
import type { Reader } from './tables.ts';

/** Lists the resources of databases that exist according to the store. */
export async function listPlaced(db: Reader): Promise<readonly PlacedResource[]> {
  const rows = await db
    .selectFrom('databases')
    .select(['kubernetesNamespace', 'name', 'kubernetesUid'])
    .where('kubernetesUid', 'is not', null)
    .where('status', '!=', 'DELETED')
    .execute();
  return rows.map(({ kubernetesNamespace, name, kubernetesUid }) => ({
    namespace: kubernetesNamespace,
    name,
    uid: kubernetesUid ?? '',
  }));
}
