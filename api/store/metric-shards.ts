/**
 * Shards of the databases whose figures are collected and whose logs are kept: each belongs to one worker at a time, by a
 * lease.
 */
import { sql } from 'kysely';
import type { Reader } from './tables.ts';

const shardCount = 16;

/** Longer than two rounds of collecting, so that a slow worker keeps its shards. */
const leaseSeconds = 40;
/** A worker whose heartbeat is older does not count. */
const aliveSeconds = 30;

/**
 * Renews the worker's leases, takes free shards up to its share, and gives back those beyond it. Returns its shards. The share
 * depends on the number of living workers.
 */
export function claimShards(db: Reader, owner: string): Promise<readonly number[]> {
  return db.transaction().execute(async (transaction) => {
    const now = sql<Date>`clock_timestamp()`;
    const shards = await transaction
      .selectFrom('metricShards')
      .select(['shard', 'leaseOwner'])
      .select(sql<boolean>`coalesce(lease_until > clock_timestamp(), false)`.as('held'))
      .orderBy('shard')
      .forUpdate()
      .execute();
    const { others } = await transaction
      .selectFrom('workers')
      .select(({ fn }) => fn.countAll<string>().as('others'))
      .where('id', '!=', owner)
      .where('stoppedAt', 'is', null)
      .where('seenAt', '>', sql<Date>`clock_timestamp() - ${aliveSeconds} * interval '1 second'`)
      .executeTakeFirstOrThrow();
    const share = Math.ceil(shards.length / (Number(others) + 1));
    const own = shards.filter(({ leaseOwner, held }) => held && leaseOwner === owner);
    const free = shards.filter(({ held }) => !held);
    const mine = [...own, ...free].slice(0, share).map(({ shard }) => shard);
    const surplus = own.map(({ shard }) => shard).filter((shard) => !mine.includes(shard));
    if (surplus.length > 0) await release(transaction, surplus);
    if (mine.length > 0) {
      await transaction
        .updateTable('metricShards')
        .set({
          leaseOwner: owner,
          leaseUntil: sql<Date>`${now} + ${leaseSeconds} * interval '1 second'`,
        })
        .where('shard', 'in', mine)
        .execute();
    }
    return mine;
  });
}

/** The shards whose lease a worker has now. */
export async function heldShards(db: Reader, owner: string): Promise<readonly number[]> {
  const rows = await db
    .selectFrom('metricShards')
    .select('shard')
    .where('leaseOwner', '=', owner)
    .where('leaseUntil', '>', sql<Date>`clock_timestamp()`)
    .execute();
  return rows.map(({ shard }) => shard);
}

/** Begins a query of the databases of some shards, with their active profiles. The last byte of an ID is random. */
export const databasesOfShards = (db: Reader, shards: readonly number[]) =>
  db
    .selectFrom('databases')
    .innerJoin('profiles', (join) =>
      join
        .onRef('profiles.databaseId', '=', 'databases.id')
        .on('profiles.active', '=', sql.lit(true)),
    )
    .select([
      'databases.id',
      'databases.name',
      'databases.kubernetesNamespace as namespace',
      'profiles.engine',
    ])
    .where(
      sql<boolean>`get_byte(uuid_send(${sql.ref('databases.id')}), 15) % ${shardCount} = ANY (${[...shards]})`,
    );

/** Gives all shards of a worker back, so that others need not wait for its leases to end. */
export async function releaseShards(db: Reader, owner: string): Promise<void> {
  const rows = await db
    .selectFrom('metricShards')
    .select('shard')
    .where('leaseOwner', '=', owner)
    .execute();
  if (rows.length > 0) {
    await release(
      db,
      rows.map(({ shard }) => shard),
    );
  }
}

const release = (db: Reader, shards: readonly number[]) =>
  db
    .updateTable('metricShards')
    .set({ leaseOwner: null, leaseUntil: null })
    .where('shard', 'in', [...shards])
    .execute();
