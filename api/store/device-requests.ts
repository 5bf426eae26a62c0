/** Device authorization requests (RFC 8628): each waits until a person decides on a page, at most ten minutes. */
import { sql } from 'kysely';
import type { Change } from './change.ts';
import { uuidOf, uuidOrNull } from './ids.ts';
import type { SessionHolder } from './sessions.ts';
import { sweepRows } from './sweeping.ts';
import type { Reader } from './tables.ts';
import { userOf } from './users.ts';

export const deviceRequestSeconds = 600;
/** Initial interval between two polls of a device. */
export const pollSeconds = 5;

interface DeviceRequest {
  readonly userCode: string;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly createdAt: Date;
}

const now = sql<Date>`clock_timestamp()`;

/** Stores a request. Returns false if the user code is in use; the caller must try another. */
export async function createDeviceRequest(
  db: Reader,
  request: { deviceCodeHash: Buffer; userCode: string; ip: string; userAgent: string | null },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('deviceRequests')
    .values({
      ...request,
      intervalSeconds: pollSeconds,
      expiresAt: sql<Date>`clock_timestamp() + ${deviceRequestSeconds} * interval '1 second'`,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

/** Returns the request if it still waits, or `undefined`. */
export function findDeviceRequest(
  db: Reader,
  userCode: string,
): Promise<DeviceRequest | undefined> {
  return db
    .selectFrom('deviceRequests')
    .select(['userCode', 'ip', 'userAgent', 'createdAt'])
    .where('userCode', '=', userCode)
    .where('decision', 'is', null)
    .where('expiresAt', '>', now)
    .executeTakeFirst();
}

/**
 * Decides a request that still waits. `by`: the person's session; `userId` null: the local administrator. Returns false if there
 * is no such request.
 */
export async function decideDeviceRequest(
  db: Reader,
  userCode: string,
  decision: 'approved' | 'denied',
  by: { readonly userId: string | null; readonly sessionId: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('deviceRequests')
    .set({
      decision,
      userId: uuidOrNull(by.userId),
      bootstrapMac: (query) =>
        query
          .selectFrom('sessions')
          .select('bootstrapMac')
          .where('id', '=', uuidOf(by.sessionId))
          .where('userId', 'is', null),
    })
    .where('userCode', '=', userCode)
    .where('decision', 'is', null)
    .where('expiresAt', '>', now)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

type Poll =
  | { readonly kind: 'pending' | 'slow_down' | 'denied' | 'unknown' }
  /** Returned once: the request is deleted with it. */
  | { readonly kind: 'approved'; readonly holder: SessionHolder };

export async function pollDeviceRequest(change: Change, deviceCodeHash: Buffer): Promise<Poll> {
  const row = await change.db
    .selectFrom('deviceRequests')
    .leftJoin('users', 'users.id', 'deviceRequests.userId')
    .select(['decision', 'userId', 'bootstrapMac', 'name', 'email', 'emailVerified'])
    .select(
      sql<boolean>`polled_at > clock_timestamp() - interval_seconds * interval '1 second'`.as(
        'early',
      ),
    )
    .where('deviceCodeHash', '=', deviceCodeHash)
    .where('expiresAt', '>', now)
    .forUpdate('deviceRequests')
    .executeTakeFirst();
  if (row === undefined) return { kind: 'unknown' };
  const own = change.db.updateTable('deviceRequests').where('deviceCodeHash', '=', deviceCodeHash);
  if (row.decision === null) {
    // RFC 8628, section 3.5: after an early poll, the interval grows by five seconds.
    const slower = sql<number>`interval_seconds + ${row.early === true ? 5 : 0}`;
    await own.set({ polledAt: now, intervalSeconds: slower }).execute();
    return { kind: row.early === true ? 'slow_down' : 'pending' };
  }
  await change.db
    .deleteFrom('deviceRequests')
    .where('deviceCodeHash', '=', deviceCodeHash)
    .execute();
  if (row.decision === 'denied') return { kind: 'denied' };
  const { userId, bootstrapMac, name, email, emailVerified } = row;
  if (userId !== null) {
    const user = { id: userId, name: name ?? '', email, emailVerified: emailVerified ?? false };
    return { kind: 'approved', holder: { user: userOf(user), bootstrapMac: null } };
  }
  if (bootstrapMac === null) return { kind: 'denied' };
  return { kind: 'approved', holder: { user: null, bootstrapMac } };
}

/** Deletes expired requests; returns their number. */
export function sweepDeviceRequests(db: Reader): Promise<number> {
  return sweepRows(db, 'deviceRequests', sql`expires_at < clock_timestamp()`);
}
