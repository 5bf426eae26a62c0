/** Events in the store. They are written in the change that they describe, and read by the audit log and by consumers. */
import { sql, type Selectable, type Transaction } from 'kysely';
import { typeIdOfUuid } from '../../domain/type-id.ts';
import type { Actor, Author } from '../model/actor.ts';
import type { EventType } from '../model/event-types.ts';
import type { EventOutcome, FieldChange, NewEvent, StoredEvent, Subject } from '../model/event.ts';
import { firstHash, type AuditChain, type HashedEvent } from './audit-chain.ts';
import { typeIdOrNull, uuidOf, uuidOrNull } from './ids.ts';
import { pageOf, type Page } from './page.ts';
import type { EventsTable, Reader, Tables } from './tables.ts';

const prefixes: Readonly<Record<Subject['type'], string>> = {
  organization: 'org',
  session: 'ses',
  database: 'db',
  job: 'job',
  import: 'imp',
  api_key: 'key',
  webhook_endpoint: 'whe',
  member: 'mem',
  invitation: 'inv',
};

/** Writes events, one organization after the other in the order of their IDs, so that two changes cannot deadlock. */
export async function writeEvents(
  db: Transaction<Tables>,
  chain: AuditChain,
  author: Author,
  told: readonly { id: string; event: NewEvent }[],
): Promise<void> {
  const organizations = [...new Set(told.map(({ event }) => event.organizationId))].sort();
  for (const organizationId of organizations) {
    const own = told.filter(({ event }) => event.organizationId === organizationId);
    const head = await takeHead(db, organizationId, own.length);
    let { hash } = head;
    const rows = own.map(({ id, event }, index) => {
      const sequence = head.sequence + BigInt(index + 1);
      const stored = storedOf(id, event, author, sequence, head.now, chain.version);
      const previousHash = hash;
      hash = hashOf(chain, previousHash, stored);
      return rowOf({ ...stored, previousHash, hash });
    });
    await db.insertInto('events').values(rows).execute();
    await db
      .updateTable('eventHeads')
      .set({ hash, ...sealAfter(chain, head, own.length, hash) })
      .where('organizationId', '=', uuidOf(organizationId))
      .execute();
  }
}

function hashOf(chain: AuditChain, previousHash: Buffer, event: HashedEvent): Buffer {
  const hash = chain.hash(previousHash, event);
  if (hash === undefined) throw new Error('the signing key is missing');
  return hash;
}

/** Locks the numbering and takes the next `count` numbers. Returns the head from before. */
async function takeHead(db: Transaction<Tables>, organizationId: string, count: number) {
  const { rows } = await sql<TakenHead>`
    INSERT INTO event_heads AS head (organization_id, sequence, hash)
    VALUES (${uuidOf(organizationId)}, ${count}, ${firstHash})
    ON CONFLICT (organization_id) DO UPDATE SET sequence = head.sequence + excluded.sequence
    RETURNING sequence, hash, keyed_from, key_version, mac,
      clock_timestamp()::timestamptz(3) AS now`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('numbering gave no row');
  const { hash, keyedFrom, keyVersion, mac, now } = row;
  return {
    organizationId,
    sequence: BigInt(row.sequence) - BigInt(count),
    hash,
    keyedFrom: keyedFrom === null ? null : BigInt(keyedFrom),
    keyVersion,
    mac,
    now,
  };
}

interface TakenHead {
  sequence: string;
  hash: Buffer;
  keyedFrom: string | null;
  keyVersion: string | null;
  mac: Buffer | null;
  now: Date;
}

/** Seal of the new head. A head that somebody altered is not sealed again, so that the check keeps reporting it. */
function sealAfter(
  chain: AuditChain,
  before: Awaited<ReturnType<typeof takeHead>>,
  count: number,
  hash: Buffer,
) {
  const { organizationId } = before;
  if (chain.check(before, before) === 'altered') return {};
  const keyedFrom = before.keyedFrom ?? before.sequence + 1n;
  const sequence = before.sequence + BigInt(count);
  const seal = chain.seal({ organizationId, sequence, hash, keyedFrom });
  return { keyedFrom: String(keyedFrom), ...seal };
}

function storedOf(
  id: string,
  event: NewEvent,
  author: Author,
  sequence: bigint,
  occurredAt: Date,
  keyVersion: string,
): HashedEvent {
  return {
    id,
    organizationId: event.organizationId,
    sequence,
    type: event.type,
    outcome: event.outcome ?? 'SUCCESS',
    occurredAt,
    subject: event.subject,
    databaseId: event.databaseId ?? null,
    author,
    data: event.data,
    changes: event.changes ?? [],
    keyVersion,
  };
}

const rowOf = (event: StoredEvent) => ({
  id: uuidOf(event.id),
  organizationId: uuidOf(event.organizationId),
  sequence: String(event.sequence),
  type: event.type,
  outcome: event.outcome,
  occurredAt: event.occurredAt,
  subjectType: event.subject.type,
  subjectId: uuidOrNull(event.subject.id),
  subjectDisplay: event.subject.display,
  databaseId: uuidOrNull(event.databaseId),
  actor: JSON.stringify(event.author.actor),
  actorId: event.author.actor.id,
  ip: event.author.ip,
  userAgent: event.author.userAgent,
  requestId: event.author.requestId,
  data: JSON.stringify(event.data),
  changes: JSON.stringify(event.changes),
  previousHash: event.previousHash,
  hash: event.hash,
  keyVersion: event.keyVersion,
});

export function eventOf(row: Selectable<EventsTable>): StoredEvent {
  const type = row.subjectType as Subject['type'];
  return {
    id: typeIdOfUuid('evt', row.id),
    organizationId: typeIdOfUuid('org', row.organizationId),
    sequence: BigInt(row.sequence),
    type: row.type,
    outcome: row.outcome,
    occurredAt: row.occurredAt,
    subject: {
      type,
      id: typeIdOrNull(prefixes[type], row.subjectId),
      display: row.subjectDisplay,
    },
    databaseId: typeIdOrNull('db', row.databaseId),
    author: {
      actor: row.actor as Actor,
      ip: row.ip,
      userAgent: row.userAgent,
      requestId: row.requestId,
    },
    data: row.data,
    changes: row.changes as FieldChange[],
    previousHash: row.previousHash,
    hash: row.hash,
    keyVersion: row.keyVersion,
  };
}

export interface EventFilter {
  readonly types?: readonly EventType[];
  readonly outcomes?: readonly EventOutcome[];
  readonly actorId?: string;
  /** TypeID of the subject. */
  readonly subjectId?: string;
  readonly databaseId?: string;
  readonly after?: Date;
  readonly before?: Date;
}

/** Lists events by number, by default `desc` (newest first). `position`: the number of the last row of the page before. */
export async function listEvents(
  db: Reader,
  organizationId: string,
  filter: EventFilter,
  page: { limit: number; position?: readonly [string]; order?: 'asc' | 'desc' },
): Promise<Page<StoredEvent, [string]>> {
  const { order = 'desc' } = page;
  let query = db
    .selectFrom('events')
    .selectAll()
    .where('organizationId', '=', uuidOf(organizationId))
    .orderBy('sequence', order)
    .limit(page.limit + 1);
  if (page.position !== undefined) {
    query = query.where('sequence', order === 'asc' ? '>' : '<', page.position[0]);
  }
  if (filter.types !== undefined) query = query.where('type', 'in', filter.types);
  if (filter.outcomes !== undefined) {
    // Not as parameters: with the words in sight, PostgreSQL finds the index of what did not succeed.
    const words = sql.join(filter.outcomes.map((outcome) => sql.lit(outcome)));
    query = query.where(sql<boolean>`outcome IN (${words})`);
  }
  if (filter.actorId !== undefined) query = query.where('actorId', '=', filter.actorId);
  if (filter.subjectId !== undefined) {
    query = query.where('subjectId', '=', uuidOf(filter.subjectId));
  }
  if (filter.databaseId !== undefined) {
    query = query.where('databaseId', '=', uuidOf(filter.databaseId));
  }
  if (filter.after !== undefined) query = query.where('occurredAt', '>=', filter.after);
  if (filter.before !== undefined) query = query.where('occurredAt', '<', filter.before);
  return pageOf(await query.execute(), page.limit, eventOf, (row) => [row.sequence]);
}
