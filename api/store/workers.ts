/** Heartbeats of the worker processes. All times are PostgreSQL's own. */
import { sql } from 'kysely';
import { sweepRows } from './sweeping.ts';
import type { Reader } from './tables.ts';

interface Heartbeat {
  /** Identity of the process. */
  readonly id: string;
  readonly version: string;
  /** Reason why the process cannot work now; null: it works. */
  readonly problem: string | null;
}

export interface WorkerSighting extends Heartbeat {
  readonly seenAt: Date;
  /** Milliseconds since the heartbeat. */
  readonly ageMs: number;
  /** The process ended in order. */
  readonly stopped: boolean;
}

/** Heartbeats of processes that ended longer ago than this are removed. */
const keptDays = 7;

export async function beat(db: Reader, { id, version, problem }: Heartbeat): Promise<void> {
  const now = sql<Date>`clock_timestamp()`;
  await db
    .insertInto('workers')
    .values({ id, version, problem })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ version, problem, seenAt: now, stoppedAt: null }),
    )
    .execute();
}

/** Records that the process ended in order, so that nobody waits for its next heartbeat. */
export async function endHeartbeat(db: Reader, id: string): Promise<void> {
  await db
    .updateTable('workers')
    .set({ stoppedAt: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .execute();
}

/** Lists the latest heartbeats, the newest first. Returns at most `limit`. */
export async function listWorkers(db: Reader, limit: number): Promise<readonly WorkerSighting[]> {
  const rows = await db
    .selectFrom('workers')
    .select(['id', 'version', 'problem', 'seenAt', 'stoppedAt'])
    .select(
      sql<number>`(extract(epoch FROM clock_timestamp() - seen_at) * 1000)::double precision`.as(
        'ageMs',
      ),
    )
    .orderBy('seenAt', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ stoppedAt, ...row }) => ({ ...row, stopped: stoppedAt !== null }));
}

/** Removes old heartbeats. Returns their number. */
export function sweepWorkers(db: Reader): Promise<number> {
  return sweepRows(
    db,
    'workers',
    sql`seen_at < clock_timestamp() - ${keptDays} * interval '1 day'`,
  );
}
