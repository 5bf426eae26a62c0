/** Marks of a database from both of their sources, in the contract's shape. */
import { listEventMarks, listReplicaMarks, type EventMark } from '../store/metric-marks.ts';
import type { Reader } from '../store/tables.ts';

const marksMax = 200;

const kindOf = (type: EventMark['type']): 'CHANGE' | 'UPGRADE' | 'JOB' | 'STATE' => {
  if (type === 'engine.upgraded') return 'UPGRADE';
  if (type.startsWith('configuration.')) return 'CHANGE';
  return type.startsWith('job.') ? 'JOB' : 'STATE';
};

const texts: Readonly<Record<EventMark['type'], string>> = {
  'configuration.change_started': 'A change began',
  'configuration.change_applied': 'A change was applied',
  'configuration.change_failed': 'A change failed',
  'database.degraded': 'The database is degraded',
  'database.unavailable': 'The database does not serve',
  'database.recovered': 'The database is healthy again',
  'database.suspended': 'The database was stopped',
  'database.resumed': 'The database runs again',
  'engine.upgraded': 'The engine was upgraded',
  'job.succeeded': 'A job succeeded',
  'job.failed': 'A job failed',
};

export async function listMarks(
  db: Reader,
  organizationId: string,
  databaseId: string,
  span: { readonly from: Date; readonly to: Date },
) {
  const [events, replicas] = await Promise.all([
    listEventMarks(db, organizationId, databaseId, span, marksMax),
    listReplicaMarks(db, databaseId, span, marksMax),
  ]);
  const marks = [
    ...events.map(({ id, at, type, subject, actor }) => ({
      at: at.toISOString(),
      kind: kindOf(type),
      replica: null,
      text: `${texts[type]}: ${subject} (${actor}).`,
      eventId: id,
    })),
    ...replicas.map(({ at, kind, replica, detail }) => ({
      at: at.toISOString(),
      kind,
      replica,
      text: detail,
      eventId: null,
    })),
  ];
  return marks.sort((one, other) => (one.at < other.at ? 1 : -1)).slice(0, marksMax);
}
