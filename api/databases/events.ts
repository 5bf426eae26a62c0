/** Emits events about a database. */
import type { EventType } from '../model/event-types.ts';
import { jobFact, type Job } from '../model/job.ts';
import type { Change } from '../store/change.ts';
import type { Database } from '../store/database-record.ts';
import type { Explanation } from '../model/database-standing.ts';

export type DatabaseEvent = EventType & `database.${string}`;

export function tell(
  change: Change,
  type: DatabaseEvent,
  database: Database,
  about: { readonly job?: Job; readonly reason?: Explanation | null } = {},
): void {
  const { id, organizationId, name, status } = database;
  change.emit({
    organizationId,
    type,
    subject: { type: 'database', id, display: name },
    databaseId: id,
    data: {
      database: { id, name, status },
      ...(about.job && { job: jobFact(about.job) }),
      ...(about.reason !== undefined && { reason: about.reason }),
    },
  });
}
