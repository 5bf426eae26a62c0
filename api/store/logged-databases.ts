import { typeIdOfUuid } from '../../domain/type-id.ts';
import { databasesOfShards } from './metric-shards.ts';
import type { Reader } from './tables.ts';

/** A database in the cluster, with the inputs of its pods' names. */
export interface LoggedDatabase {
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  readonly kubernetesUid: string;
  readonly topology: string;
  readonly engine: string;
}

/** Lists the databases of the shards that have a resource in the cluster. */
export async function listLogged(
  db: Reader,
  shards: readonly number[],
): Promise<readonly LoggedDatabase[]> {
  if (shards.length === 0) return [];
  const rows = await databasesOfShards(db, shards)
    .select(['databases.kubernetesUid', 'profiles.clusterConfiguration as topology'])
    .where('databases.kubernetesUid', 'is not', null)
    .where('databases.status', '!=', 'DELETED')
    .execute();
  return rows.map(({ id, kubernetesUid, ...row }) => ({
    ...row,
    id: typeIdOfUuid('db', id),
    kubernetesUid: kubernetesUid ?? '',
  }));
}
