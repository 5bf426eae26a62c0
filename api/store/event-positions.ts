/** Consumers of events (webhooks, notifications). Each takes each event once, in order, in the change that acts on it. */
import { sql } from 'kysely';
import { uuidOf } from './ids.ts';
import { typeIdOfUuid } from '../../domain/type-id.ts';
import type { StoredEvent } from '../model/event.ts';
import type { Change } from './change.ts';
import { eventOf } from './events.ts';
import type { Reader } from './tables.ts';

/** TypeIDs of organizations with events that the consumer has not taken yet. */
export async function organizationsWithEvents(
  db: Reader,
  consumer: string,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('eventHeads')
    .leftJoin('eventPositions', (join) =>
      join
        .onRef('eventPositions.organizationId', '=', 'eventHeads.organizationId')
        .on('eventPositions.consumer', '=', consumer),
    )
    .select('eventHeads.organizationId')
    .where((where) =>
      where.or([
        where('eventPositions.sequence', 'is', null),
        where('eventPositions.sequence', '<', where.ref('eventHeads.sequence')),
      ]),
    )
    .orderBy('eventHeads.organizationId')
    .limit(limit)
    .execute();
  return rows.map((row) => typeIdOfUuid('org', row.organizationId));
}

/** Number of the organization's last event. */
export async function lastSequence(db: Reader, organizationId: string): Promise<string> {
  const head = await db
    .selectFrom('eventHeads')
    .select('sequence')
    .where('organizationId', '=', uuidOf(organizationId))
    .executeTakeFirst();
  return head?.sequence ?? '0';
}

/** Takes all events up to this number without reading them: the consumer has nothing to do for them. */
export async function skipEvents(
  change: Change,
  consumer: string,
  organizationId: string,
  sequence: string,
): Promise<void> {
  await change.db
    .insertInto('eventPositions')
    .values({ consumer, organizationId: uuidOf(organizationId), sequence })
    .onConflict((conflict) =>
      conflict.columns(['consumer', 'organizationId']).doUpdateSet({
        sequence: sql<string>`greatest(event_positions.sequence, excluded.sequence)`,
      }),
    )
    .execute();
}

/**
 * Takes the next events of an organization, oldest first; from the commit on they count as acted upon. Returns none while another
 * process is taking them.
 */
export async function takeEvents(
  change: Change,
  consumer: string,
  organizationId: string,
  limit: number,
): Promise<StoredEvent[]> {
  const organization = uuidOf(organizationId);
  await change.db
    .insertInto('eventPositions')
    .values({ consumer, organizationId: organization, sequence: '0' })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const position = await change.db
    .selectFrom('eventPositions')
    .select('sequence')
    .where('consumer', '=', consumer)
    .where('organizationId', '=', organization)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (position === undefined) return [];
  const rows = await change.db
    .selectFrom('events')
    .selectAll()
    .where('organizationId', '=', organization)
    .where('sequence', '>', position.sequence)
    .orderBy('sequence')
    .limit(limit)
    .execute();
  const last = rows.at(-1);
  if (last !== undefined) {
    await change.db
      .updateTable('eventPositions')
      .set({ sequence: last.sequence })
      .where('consumer', '=', consumer)
      .where('organizationId', '=', organization)
      .execute();
  }
  return rows.map(eventOf);
}
