/** Figures of databases from the store, not from replicas: the lag of their change streams and the age of their newest backups. */
import { longestLag } from '../change-streams/stream-status.ts';
import type { StreamProgress } from '../model/change-stream.ts';
import type { Figure } from '../model/metric-figures.ts';
import { newestBackups } from '../store/backups.ts';
import { progressOfStreams } from '../store/change-streams.ts';
import type { Reader } from '../store/tables.ts';
import { storeTime } from '../store/time.ts';

export interface DatabaseStanding {
  /** Null: no stream goes on, or nobody knows whether events wait. */
  readonly cdcLagSeconds: Figure;
  /** Null: there is no backup that can be restored. */
  readonly backupAgeSeconds: Figure;
}

export type Standings = (databaseId: string) => DatabaseStanding;

/** Goes by the store's clock: that of a worker may be wrong. */
export async function readStandings(
  db: Reader,
  databaseIds: readonly string[],
): Promise<Standings> {
  const [now, backups, streams] = await Promise.all([
    storeTime(db),
    newestBackups(db, databaseIds),
    progressOfStreams(db, databaseIds),
  ]);
  return (id) => ({
    cdcLagSeconds: cdcLagOf(streams.get(id) ?? [], now),
    backupAgeSeconds: ageOf(backups.get(id), now),
  });
}

const cdcLagOf = (going: readonly StreamProgress[], now: Date): Figure =>
  going.length === 0 ? null : longestLag(going, now.getTime());

const ageOf = (at: Date | undefined, now: Date): Figure =>
  at === undefined ? null : Math.max(0, now.getTime() - at.getTime()) / 1_000;
