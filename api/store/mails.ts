/**
 * Outgoing mail: written with the change that it reports, sent by the first process that takes it. Taking a mail moves its next
 * try into the future, so that another process takes over if this one dies. A mail may be sent twice, but is never lost.
 */
import { sql } from 'kysely';
import { newTypeId, typeIdOfUuid } from '../../domain/type-id.ts';
import type { Change } from './change.ts';
import { uuidOf } from './ids.ts';
import type { Sealer } from './sealing.ts';
import { sweepRows } from './sweeping.ts';
import type { Reader } from './tables.ts';

interface Mail {
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
  /** Ends mails of this sort when it gets a `POST` (RFC 8058). */
  readonly unsubscribeUrl?: string | undefined;
}

export interface TakenMail extends Mail {
  readonly id: string;
  /** From 1. */
  readonly attempt: number;
}

export async function enqueueMail(
  change: Change,
  sealer: Sealer,
  { to, subject, text, unsubscribeUrl }: Mail,
): Promise<void> {
  const id = newTypeId('eml');
  await change.db
    .insertInto('mails')
    .values({
      id: uuidOf(id),
      recipient: to,
      sealedContent: sealer.seal(id, JSON.stringify({ subject, text, unsubscribeUrl })),
    })
    .execute();
}

/** Takes the next due mail, or returns `undefined`. It is due again after 1, 2, 4 … minutes, at most 4 hours. */
export async function takeMail(db: Reader, sealer: Sealer): Promise<TakenMail | undefined> {
  const row = await db
    .updateTable('mails')
    .set({
      attempts: sql<number>`attempts + 1`,
      dueAt: sql<Date>`clock_timestamp() + least(power(2, attempts), 240) * interval '1 minute'`,
    })
    .where('id', '=', (from) =>
      from
        .selectFrom('mails')
        .select('id')
        .where('sealedContent', 'is not', null)
        .where('dueAt', '<=', sql<Date>`clock_timestamp()`)
        .orderBy('dueAt')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .executeTakeFirst();
  if (row === undefined || row.sealedContent === null) return undefined;
  const id = typeIdOfUuid('eml', row.id);
  const content = JSON.parse(sealer.open(id, row.sealedContent)) as Omit<Mail, 'to'>;
  return { ...content, id, to: row.recipient, attempt: row.attempts };
}

/** Ends a mail, which needs no further try, and deletes its content. */
export async function endMail(db: Reader, id: string, how: 'sentAt' | 'givenUpAt'): Promise<void> {
  await db
    .updateTable('mails')
    .set({ [how]: sql<Date>`clock_timestamp()`, sealedContent: null })
    .where('id', '=', uuidOf(id))
    .execute();
}

/** Deletes mails that ended a month ago; returns their number. */
export function sweepMails(db: Reader): Promise<number> {
  return sweepRows(
    db,
    'mails',
    sql`sealed_content IS NULL AND created_at < clock_timestamp() - interval '30 days'`,
  );
}
