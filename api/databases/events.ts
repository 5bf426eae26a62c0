/** Emits events about a database. */
import type { EventType } from '../model/event-types.ts';
import { jobFact, type Job } from '../model/job.ts';
import type { Change } from '../store/change.ts';
import type { Database } from '../store/database-record.ts';
import type { Explanation } from '../model/database-standing.ts';

export type DatabaseEvent = EventType & `database.${string}`;

/** What each event about a database says of it beside its data. */
export const aboutDatabase = ({ id, organizationId, name }: Database) => ({
  organizationId,
  subject: { type: 'database' as const, id, display: name },
  databaseId: id,
});

export const databaseFact = ({ id, name, status }: Database) => ({ id, name, status });

export function tell(
  change: Change,
  type: DatabaseEvent,
  database: Database,
  about: { readonly job?: Job; readonly reason?: Explanation | null } = {},
): void {
  change.emit({
    ...aboutDatabase(database),
    type,
    data: {
      database: databaseFact(database),
      ...(about.job && { job: jobFact(about.job) }),
      ...(about.reason !== undefined && { reason: about.reason }),
    },
  });
}
