/**
 * Access and refresh tokens of a device's session. A refresh token is valid once. The last used one may be sent again as long as
 * its replacement was not used: the answer may have been lost on the way. Any other token that is sent again may come from a
 * thief, so the session ends with all its tokens.
 */
import { sql } from 'kysely';
import { typeIdOfUuid } from '../../domain/type-id.ts';
import type { Change } from './change.ts';
import { uuidOf } from './ids.ts';
import { endSession, isUsersOrPresent } from './sessions.ts';
import { sweepRows } from './sweeping.ts';
import type { Reader } from './tables.ts';

export const accessTokenSeconds = 60 * 60;
export const refreshTokenSeconds = 30 * 24 * 60 * 60;
/** Maximum age of a device's session, however often it is used; then its person must sign in again. */
const sessionDaysMax = 90;

interface TokenHashes {
  readonly access: Buffer;
  readonly refresh: Buffer;
}

const now = sql<Date>`clock_timestamp()`;
const inSeconds = (seconds: number) =>
  sql<Date>`clock_timestamp() + ${seconds} * interval '1 second'`;

export async function issueTokens(
  change: Change,
  sessionId: string,
  { access, refresh }: TokenHashes,
): Promise<void> {
  const session = uuidOf(sessionId);
  await change.db
    .insertInto('accessTokens')
    .values({ tokenHash: access, sessionId: session, expiresAt: inSeconds(accessTokenSeconds) })
    .execute();
  await change.db
    .insertInto('refreshTokens')
    .values({ tokenHash: refresh, sessionId: session, expiresAt: inSeconds(refreshTokenSeconds) })
    .execute();
}

/**
 * Replaces the session's tokens. Returns false if the refresh token is invalid; the session ends if it was used before.
 * `bootstrapMacs`: the MACs of the present bootstrap token.
 */
export async function rotateTokens(
  change: Change,
  refreshHash: Buffer,
  fresh: TokenHashes,
  bootstrapMacs: readonly Buffer[],
): Promise<boolean> {
  const found = await change.db
    .selectFrom('refreshTokens')
    .select('sessionId')
    .where('tokenHash', '=', refreshHash)
    .executeTakeFirst();
  if (found === undefined) return false;
  // One call of a session at a time: of two with different tokens, the second finds what the first has used.
  await change.db
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', found.sessionId)
    .forNoKeyUpdate()
    .execute();
  const row = await change.db
    .selectFrom('refreshTokens')
    .innerJoin('sessions', 'sessions.id', 'refreshTokens.sessionId')
    .select(['sessionId', 'usedAt'])
    .where('refreshTokens.tokenHash', '=', refreshHash)
    .where('refreshTokens.expiresAt', '>', now)
    .where('sessions.endedAt', 'is', null)
    .where('sessions.expiresAt', '>', now)
    .where(isUsersOrPresent(bootstrapMacs))
    .executeTakeFirst();
  if (row === undefined) return false;
  const sessionId = typeIdOfUuid('ses', row.sessionId);
  if (row.usedAt !== null) {
    if (!(await isLastUsed(change.db, row.sessionId, row.usedAt))) {
      await endSession(change, sessionId, 'session.token_reused');
      return false;
    }
    // Marks the replacement as used long ago. If its holder sends it later, it is not the last one, and the session ends.
    await change.db
      .updateTable('refreshTokens')
      .set({ usedAt: sql<Date>`to_timestamp(0)` })
      .where('sessionId', '=', row.sessionId)
      .where('usedAt', 'is', null)
      .execute();
  }
  await change.db
    .updateTable('refreshTokens')
    .set({ usedAt: now })
    .where('tokenHash', '=', refreshHash)
    .execute();
  // The previous access token is no longer needed.
  await change.db.deleteFrom('accessTokens').where('sessionId', '=', row.sessionId).execute();
  await change.db
    .updateTable('sessions')
    .set({
      expiresAt: sql<Date>`least(
        clock_timestamp() + ${refreshTokenSeconds} * interval '1 second',
        created_at + ${sessionDaysMax} * interval '1 day'
      )`,
      lastUsedAt: now,
    })
    .where('id', '=', row.sessionId)
    .execute();
  await issueTokens(change, sessionId, fresh);
  return true;
}

/** Whether no other token of the session was used later. */
async function isLastUsed(db: Reader, session: string, usedAt: Date): Promise<boolean> {
  const later = await db
    .selectFrom('refreshTokens')
    .select('tokenHash')
    .where('sessionId', '=', session)
    .where('usedAt', '>', usedAt)
    .executeTakeFirst();
  return later === undefined;
}

/** Deletes expired tokens; returns their number. Used refresh tokens stay until they would have expired. */
export async function sweepTokens(db: Reader): Promise<number> {
  const isOver = sql`expires_at < clock_timestamp()`;
  const access = await sweepRows(db, 'accessTokens', isOver);
  return access + (await sweepRows(db, 'refreshTokens', isOver));
}
