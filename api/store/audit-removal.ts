/**
 * Removal of audit events whose retention is over, always from the beginning of the chain. In one transaction the base moves on and the
 * events up to it go. Only what is proven goes: all events up to the head are checked with the key before, and so is the retention, which
 * the chain itself says; who can write to the store cannot make an event old, or the retention short.
 */
import { sql } from 'kysely';
import { typeIdOfUuid } from '../../domain/type-id.ts';
import { auditRetention } from '../model/audit-retention.ts';
import type { AuditChain, ChainBase } from './audit-chain.ts';
import {
  faultOfEnds,
  findEnds,
  retentionAltered,
  retentionSaidBy,
  type ChainFault,
} from './audit-ends.ts';
import { proveChain } from './audit-proof.ts';
import { AuditWalk, eventsFrom } from './audit-walk.ts';
import type { Change } from './change.ts';
import { uuidOf } from './ids.ts';
import type { Reader } from './tables.ts';

/** The time of the store, or of this process if that is earlier: neither clock alone makes an event old. */
const nowBy = (clock: Date) => sql<Date>`least(clock_timestamp(), ${clock}::timestamptz)`;

/** Some organizations whose first event seems to be old enough, in no order: one whose events are kept is in nobody's way. */
export async function organizationsWithOldEvents(
  db: Reader,
  clock: Date,
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    ${oldEvents(clock)} ORDER BY random() LIMIT ${limit}`.execute(db);
  return rows.map(({ id }) => typeIdOfUuid('org', id));
}

/** Returns the organizations whose first event seems to be old enough. */
export async function withOldEvents(
  db: Reader,
  clock: Date,
  organizationIds: readonly string[],
): Promise<readonly string[]> {
  if (organizationIds.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    ${oldEvents(clock)} AND o.id = ANY (${organizationIds.map(uuidOf)})`.execute(db);
  return rows.map(({ id }) => typeIdOfUuid('org', id));
}

const oldEvents = (clock: Date) => sql`
  SELECT o.id FROM organizations o
  LEFT JOIN event_bases b ON b.organization_id = o.id
  JOIN events e ON e.organization_id = o.id AND e.sequence = coalesce(b.sequence, 0) + 1
  WHERE e.occurred_at < ${nowBy(clock)} - o.audit_retention_days * interval '1 day'`;

interface Removing {
  readonly clock: Date;
  /** Maximum of events. */
  readonly limit: number;
  /** Maximum of events that are checked before, since the proof of before. */
  readonly provenAtOnce: number;
  /** A consumer of events: those that it has not taken stay. */
  readonly consumer: string;
}

interface Removed {
  readonly removed: number;
  /** Number of events that were checked on the way to the head, which was not reached. */
  readonly walked: number;
}

/** Removes some events of an organization whose retention is over. Returns what was done, or why nothing is removed. */
export async function removeOldEvents(
  change: Change,
  chain: AuditChain,
  organizationId: string,
  { clock, limit, provenAtOnce, consumer }: Removing,
): Promise<Removed | ChainFault> {
  const { db } = change;
  // The checked events are those that are removed; of two workers one starts again.
  await sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`.execute(db);
  const ends = await findEnds(db, organizationId);
  if (ends === undefined) return { removed: 0, walked: 0 };
  const fault = faultOfEnds(chain, ends);
  if (fault !== null) return fault;
  const proven = await proveChain(db, chain, ends, provenAtOnce);
  if ('code' in proven) return proven;
  const { proof, walked } = proven;
  if (proof.sequence < ends.head.sequence) return { removed: 0, walked };
  const { retentionDays: days, chosenAt } = proof;
  if (days !== ends.shownDays) return retentionAltered(proof.sequence, ends.shownDays, days);
  const { oldUntil, through } = await bounds(db, organizationId, {
    clock,
    consumer,
    days,
    since: chosenAt,
  });
  const walk = new AuditWalk(chain, ends.head, ends.base);
  let { base } = ends;
  for (const event of await eventsFrom(db, organizationId, walk.next, limit)) {
    if (event.occurredAt.getTime() >= oldUntil || event.sequence > through) break;
    walk.step(event);
    if (walk.fault !== null) return walk.fault;
    const { sequence, hash } = event;
    const retentionDays = retentionSaidBy(event) ?? base.retentionDays;
    base = { organizationId, sequence, hash, retentionDays };
  }
  if (base === ends.base) return { removed: 0, walked: 0 };
  return { removed: await moveBase(db, chain, base), walked: 0 };
}

/** Events before `oldUntil`, up to the number `through`, may go. */
async function bounds(
  db: Reader,
  organizationId: string,
  {
    clock,
    consumer,
    days,
    since,
  }: {
    readonly clock: Date;
    readonly consumer: string;
    readonly days: number;
    readonly since: Date | null;
  },
): Promise<{ readonly oldUntil: number; readonly through: bigint }> {
  const { rows } = await sql<{ now: Date; oldUntil: Date; through: string }>`
    SELECT ${nowBy(clock)} AS now, ${nowBy(clock)} - ${days} * interval '1 day' AS old_until,
      coalesce((SELECT sequence FROM event_positions
        WHERE consumer = ${consumer} AND organization_id = ${uuidOf(organizationId)}), 0) AS through`.execute(
    db,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the store has no time');
  const settledAt = (since?.getTime() ?? 0) + auditRetention.settling * 86_400_000;
  return {
    oldUntil: settledAt > row.now.getTime() ? 0 : row.oldUntil.getTime(),
    through: BigInt(row.through),
  };
}

async function moveBase(db: Reader, chain: AuditChain, base: ChainBase): Promise<number> {
  const { organizationId, retentionDays } = base;
  const sequence = String(base.sequence);
  const moved = { sequence, hash: base.hash, retentionDays, ...chain.sealBase(base) };
  await db
    .insertInto('eventBases')
    .values({ organizationId: uuidOf(organizationId), ...moved })
    .onConflict((conflict) => conflict.column('organizationId').doUpdateSet(moved))
    .execute();
  const { numDeletedRows } = await db
    .deleteFrom('events')
    .where('organizationId', '=', uuidOf(organizationId))
    .where('sequence', '<=', sequence)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
