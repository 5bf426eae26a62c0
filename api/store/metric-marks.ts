/** Marks on the time axis of a database: events of its replicas, and changes by people. */
import { sql } from 'kysely';
import type { EventType } from '../model/event-types.ts';
import type { Actor } from '../model/actor.ts';
import { typeIdOfUuid } from '../../domain/type-id.ts';
import { uuidOf } from './ids.ts';
import { sweepRows } from './sweeping.ts';
import type { Reader } from './tables.ts';

export interface ReplicaMark {
  readonly databaseId: string;
  readonly at: Date;
  readonly kind: 'FAILOVER' | 'RESTART' | 'UPGRADE';
  readonly replica: number | null;
  readonly detail: string;
}

/** Event types that are marks, too. */
const markedEvents = [
  'configuration.change_started',
  'configuration.change_applied',
  'configuration.change_failed',
  'database.degraded',
  'database.unavailable',
  'database.recovered',
  'database.suspended',
  'database.resumed',
  'engine.upgraded',
  'job.succeeded',
  'job.failed',
] as const satisfies readonly EventType[];

const keptDays = 30;

export async function writeMarks(db: Reader, marks: readonly ReplicaMark[]): Promise<void> {
  if (marks.length === 0) return;
  await db
    .insertInto('metricMarks')
    .values(marks.map((mark) => ({ ...mark, databaseId: uuidOf(mark.databaseId) })))
    .execute();
}

interface Span {
  readonly from: Date;
  readonly to: Date;
}

/** Marks of the replicas in a span, the newest first. */
export async function listReplicaMarks(
  db: Reader,
  databaseId: string,
  { from, to }: Span,
  limit: number,
): Promise<readonly ReplicaMark[]> {
  const rows = await db
    .selectFrom('metricMarks')
    .select(['at', 'kind', 'replica', 'detail'])
    .where('databaseId', '=', uuidOf(databaseId))
    .where('at', '>=', from)
    .where('at', '<', to)
    .orderBy('at', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, databaseId, kind: row.kind as ReplicaMark['kind'] }));
}

export interface EventMark {
  readonly id: string;
  readonly at: Date;
  readonly type: (typeof markedEvents)[number];
  readonly subject: string;
  readonly actor: string;
}

/** Events of the database in a span that belong on its time axis, the newest first. */
export async function listEventMarks(
  db: Reader,
  organizationId: string,
  databaseId: string,
  { from, to }: Span,
  limit: number,
): Promise<readonly EventMark[]> {
  const rows = await db
    .selectFrom('events')
    .select(['id', 'occurredAt', 'type', 'subjectDisplay', 'actor'])
    .where('organizationId', '=', uuidOf(organizationId))
    .where('databaseId', '=', uuidOf(databaseId))
    .where('type', 'in', [...markedEvents])
    .where('occurredAt', '>=', from)
    .where('occurredAt', '<', to)
    .orderBy('occurredAt', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ id, occurredAt, type, subjectDisplay, actor }) => ({
    id: typeIdOfUuid('evt', id),
    at: occurredAt,
    type: type as EventMark['type'],
    subject: subjectDisplay,
    actor: (actor as Actor).display,
  }));
}

/** Removes old marks. Returns their number. */
export const sweepMarks = (db: Reader): Promise<number> =>
  sweepRows(db, 'metricMarks', sql`at < clock_timestamp() - ${keptDays} * interval '1 day'`);
