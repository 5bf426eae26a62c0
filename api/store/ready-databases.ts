import { typeIdOfUuid } from '../../domain/type-id.ts';
import type { ObservedDatabase } from './database-record.ts';
import type { Reader } from './tables.ts';

interface ReadyDatabase {
  readonly id: string;
  readonly clusterId: string;
  /** `IP:port`, in the order of replica indexes. */
  readonly addresses: readonly string[];
}

/** Lists the databases of all organizations whose ledger can be used. */
export async function listReady(db: Reader): Promise<readonly ReadyDatabase[]> {
  const rows = await db
    .selectFrom('databases')
    .select(['id', 'clusterId', 'observed'])
    .where('status', '=', 'READY')
    .where('clusterId', 'is not', null)
    .execute();
  return rows.map(({ id, clusterId, observed }) => ({
    id: typeIdOfUuid('db', id),
    clusterId: clusterId ?? '',
    addresses: (observed as ObservedDatabase | null)?.addresses ?? [],
  }));
}
