/** Sessions of people, in browsers and on devices. The store has only hashes of tokens, so its readers can open no session. */
import { sql, type Selectable } from 'kysely';
import { newTypeId, typeIdOfUuid } from '../../domain/type-id.ts';
import { localAdministrator } from '../model/actor.ts';
import type { EventType } from '../model/event-types.ts';
import type { Change } from './change.ts';
import { uuidOf, uuidOrNull } from './ids.ts';
import { listBelongings } from './members.ts';
import { defaultSlug, findOrganizationBySlug } from './organizations.ts';
import { beyond, pageOf, type Page } from './page.ts';
import { sweepRows } from './sweeping.ts';
import type { Reader, SessionsTable, UsersTable } from './tables.ts';
import { userOf, type User } from './users.ts';

type SessionKind = 'browser' | 'device';

/** The person of a session: a user, or the local administrator. */
export type SessionHolder =
  | { readonly user: User; readonly bootstrapMac: null }
  /** `bootstrapMac`: MAC of the bootstrap token with which the local administrator signed in. */
  | { readonly user: null; readonly bootstrapMac: Buffer };

export interface Session {
  /** TypeID `ses_…`. */
  readonly id: string;
  readonly kind: SessionKind;
  /** Null: the local administrator. */
  readonly user: User | null;
  /** MAC of the bootstrap token that opened the session; null: a user's session, or one from before there were MACs. */
  readonly bootstrapMac: Buffer | null;
  /** SHA-256 of the session's CSRF token; null: the session has no cookie. */
  readonly csrfHash: Buffer | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
}

type NewSession = SessionHolder & {
  readonly kind: SessionKind;
  /** SHA-256, like `csrfHash`; null: the session has no cookie. */
  readonly tokenHash: Buffer | null;
  readonly csrfHash: Buffer | null;
  readonly lifetimeMs: number;
};

/** A browser must sign in again after this time without use. */
const idle = sql`interval '12 hours'`;
/** Minimum time between two records of a session's use. */
const noted = sql`interval '60 seconds'`;
const now = sql<Date>`clock_timestamp()`;
/** Maximum of a person's organizations that get events about their sessions. */
const toldMax = 100;

export async function openSession(change: Change, session: NewSession): Promise<Session> {
  const { kind, user, bootstrapMac, tokenHash, csrfHash, lifetimeMs } = session;
  const row = await change.db
    .insertInto('sessions')
    .values({
      id: uuidOf(newTypeId('ses')),
      kind,
      userId: uuidOrNull(user?.id),
      tokenHash,
      csrfHash,
      bootstrapMac,
      ip: change.author.ip,
      userAgent: change.author.userAgent,
      expiresAt: sql<Date>`clock_timestamp() + ${lifetimeMs} * interval '1 millisecond'`,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const opened = sessionOf(row, user);
  await tellOfSession(change, 'session.opened', opened);
  return opened;
}

/**
 * Returns the session with that token, unless it is over. The search uses the token's hash: its timing can reveal only the hash,
 * which cannot be turned back into a token.
 */
export async function findSession(db: Reader, tokenHash: Buffer): Promise<Session | undefined> {
  const row = await live(db).where('sessions.tokenHash', '=', tokenHash).executeTakeFirst();
  return row && joinedSessionOf(row);
}

export async function findSessionByAccessToken(
  db: Reader,
  tokenHash: Buffer,
): Promise<Session | undefined> {
  const row = await live(db)
    .innerJoin('accessTokens', 'accessTokens.sessionId', 'sessions.id')
    .where('accessTokens.tokenHash', '=', tokenHash)
    .where('accessTokens.expiresAt', '>', now)
    .executeTakeFirst();
  return row && joinedSessionOf(row);
}

/** Ends a session of any owner. Ending it again changes nothing. */
export async function endSession(
  change: Change,
  id: string,
  type: EventType & ('session.closed' | 'session.token_reused') = 'session.closed',
): Promise<void> {
  const row = await live(change.db).where('sessions.id', '=', uuidOf(id)).executeTakeFirst();
  if (row === undefined) return;
  await change.db
    .updateTable('sessions')
    .set({ endedAt: now })
    .where('id', '=', uuidOf(id))
    .execute();
  await tellOfSession(change, type, joinedSessionOf(row));
}

/** The owner of sessions: a user's TypeID, or the MACs of the local administrator's present token. */
export type SessionOwner = string | { readonly bootstrapMacs: readonly Buffer[] };

/** Ends a session of the owner. Returns false if they have no such live session. */
export async function endOwnSession(
  change: Change,
  owner: SessionOwner,
  id: string,
): Promise<boolean> {
  const row = await ownedBy(live(change.db), owner)
    .where('sessions.id', '=', uuidOf(id))
    .executeTakeFirst();
  if (row === undefined) return false;
  await endSession(change, id);
  return true;
}

/** Lists the owner's live sessions, newest first. */
export async function listSessions(
  db: Reader,
  owner: SessionOwner,
  page: { limit: number; position?: readonly [createdAt: string, id: string] },
): Promise<Page<Session, [string, string]>> {
  let query = ownedBy(live(db), owner)
    .orderBy('sessions.createdAt', 'desc')
    .orderBy('sessions.id', 'desc')
    .limit(page.limit + 1);
  if (page.position !== undefined) {
    query = query.where(beyond(['sessions.createdAt', 'sessions.id'], '<', page.position));
  }
  return pageOf(await query.execute(), page.limit, joinedSessionOf, (row) => [
    row.createdAt.toISOString(),
    row.id,
  ]);
}

/** Records the use of a session, at most once a minute. */
export async function noteSessionUse(db: Reader, id: string): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ lastUsedAt: now })
    .where('id', '=', uuidOf(id))
    .where('lastUsedAt', '<', sql<Date>`clock_timestamp() - ${noted}`)
    .execute();
}

/** Deletes sessions that were over a week ago, with their tokens. Returns their number. */
export function sweepSessions(db: Reader): Promise<number> {
  const over = sql`clock_timestamp() - interval '7 days'`;
  return sweepRows(db, 'sessions', sql`expires_at < ${over} OR ended_at < ${over}`);
}

/** Emits the event in every organization of the person; for the local administrator, in the first one. */
async function tellOfSession(
  change: Change,
  type: EventType & `session.${string}`,
  { id, user }: Session,
): Promise<void> {
  const organizations =
    user === null
      ? [await findOrganizationBySlug(change.db, defaultSlug)]
      : (await listBelongings(change.db, user.id, { limit: toldMax })).rows.map(
          ({ organization }) => organization,
        );
  const display = user?.name ?? localAdministrator.display;
  for (const organization of organizations) {
    if (organization === undefined) continue;
    const subject = { type: 'session', id, display } as const;
    change.emit({ organizationId: organization.id, type, subject, data: {} });
  }
}

const live = (db: Reader) =>
  db
    .selectFrom('sessions')
    .leftJoin('users', 'users.id', 'sessions.userId')
    .selectAll('sessions')
    .select(['users.name', 'users.email', 'users.emailVerified'])
    .where('sessions.endedAt', 'is', null)
    .where('sessions.expiresAt', '>', now)
    .where((where) =>
      where.or([
        where('sessions.kind', '=', 'device'),
        where('sessions.lastUsedAt', '>', sql<Date>`clock_timestamp() - ${idle}`),
      ]),
    );

const ownedBy = (query: ReturnType<typeof live>, owner: SessionOwner) =>
  typeof owner === 'string'
    ? query.where('sessions.userId', '=', uuidOf(owner))
    : query.where('sessions.userId', 'is', null).where(isPresent(owner.bootstrapMacs));

/** Condition on the local administrator's sessions: the present token has opened them. */
const isPresent = (macs: readonly Buffer[]) =>
  sql<boolean>`sessions.bootstrap_mac = ANY (${[...macs]}::bytea[])`;

/** Condition on sessions: a user's, or the local administrator's that the present token has opened. */
export const isUsersOrPresent = (macs: readonly Buffer[]) =>
  sql<boolean>`(sessions.user_id IS NOT NULL OR ${isPresent(macs)})`;

type JoinedRow = Selectable<SessionsTable> & {
  [Column in 'name' | 'email' | 'emailVerified']: Selectable<UsersTable>[Column] | null;
};

const joinedSessionOf = (row: JoinedRow): Session =>
  sessionOf(
    row,
    row.userId === null
      ? null
      : userOf({
          id: row.userId,
          name: row.name ?? '',
          email: row.email,
          emailVerified: row.emailVerified ?? false,
        }),
  );

const sessionOf = (row: Selectable<SessionsTable>, user: User | null): Session => ({
  id: typeIdOfUuid('ses', row.id),
  kind: row.kind as SessionKind,
  user,
  bootstrapMac: row.bootstrapMac,
  csrfHash: row.csrfHash,
  ip: row.ip,
  userAgent: row.userAgent,
  createdAt: row.createdAt,
  lastUsedAt: row.lastUsedAt,
  expiresAt: row.expiresAt,
});
