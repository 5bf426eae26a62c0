/** Invitations into an organization: for one address, for one use, valid for seven days from the last time they were sent. */
import { sql, type Selectable } from 'kysely';
import { newTypeId, typeIdOfUuid } from '../../domain/type-id.ts';
import type { Role } from '../model/access.ts';
import type { Actor } from '../model/actor.ts';
import type { EventType } from '../model/event-types.ts';
import type { InvitationStatus } from '../model/invitation-status.ts';
import type { Change } from './change.ts';
import { uuidOf } from './ids.ts';
import { addMember, databaseIdsOf, type Member } from './members.ts';
import { lockOrganization, type Organization } from './organizations.ts';
import { beyond, pageOf, type Page } from './page.ts';
import type { InvitationsTable, Reader } from './tables.ts';
import type { User } from './users.ts';

export interface Invitation {
  /** TypeID `inv_…`. */
  readonly id: string;
  readonly organizationId: string;
  /** In lower case. */
  readonly email: string;
  readonly role: Role;
  readonly databaseIds: readonly string[] | null;
  readonly status: InvitationStatus;
  readonly createdAt: Date;
  readonly createdBy: Actor;
  readonly sentAt: Date;
  readonly expiresAt: Date;
}

interface NewInvitation {
  readonly organizationId: string;
  readonly email: string;
  readonly role: Role;
  readonly databaseIds: readonly string[] | null;
}

const lifetime = sql<Date>`clock_timestamp() + interval '7 days'`;
const now = sql<Date>`clock_timestamp()`;

/** Maximum of invitations that an organization may send in an hour, including revoked ones. */
export const invitationsPerHour = 100;
/** Maximum of these to one address, so that revoking and inviting again cannot fill a mailbox. */
export const invitationsPerAddressAndHour = 5;

/**
 * Makes an invitation. `tokenHash`: SHA-256 of the token that accepts it. Returns `exists` if the address has an open invitation,
 * `too_many` if the organization has sent too many in the last hour, `too_many_to_address` if too many went to this address.
 */
export async function createInvitation(
  change: Change,
  { organizationId, email, role, databaseIds }: NewInvitation,
  tokenHash: Buffer,
): Promise<Invitation | 'exists' | 'too_many' | 'too_many_to_address'> {
  const lately = await sentLately(change, organizationId, email);
  if (lately.all >= invitationsPerHour) return 'too_many';
  if (lately.toAddress >= invitationsPerAddressAndHour) return 'too_many_to_address';
  // An expired invitation makes room for the new one.
  await open(change)
    .where('organizationId', '=', uuidOf(organizationId))
    .where('email', '=', email)
    .where('expiresAt', '<=', now)
    .set({ revokedAt: now })
    .execute();
  const row = await change.db
    .insertInto('invitations')
    .values({
      id: uuidOf(newTypeId('inv')),
      organizationId: uuidOf(organizationId),
      email,
      role,
      databaseIds: databaseIds?.map(uuidOf) ?? null,
      tokenHash,
      createdBy: JSON.stringify(change.author.actor),
      expiresAt: lifetime,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return 'exists';
  const invitation = invitationOf(row);
  tell(change, 'member.invited', invitation);
  return invitation;
}

/** Minimum time between two sendings of an invitation, in seconds, so that it cannot fill a mailbox. */
export const resendSeconds = 300;

/**
 * Gives the invitation a new token; the old one becomes invalid. Returns `undefined` if there is no open invitation, `too_soon`
 * if it was sent a moment ago.
 */
export async function renewInvitation(
  change: Change,
  organizationId: string,
  id: string,
  tokenHash: Buffer,
): Promise<Invitation | 'too_soon' | undefined> {
  const sent = await change.db
    .selectFrom('invitations')
    .select(
      sql<boolean>`sent_at > clock_timestamp() - ${resendSeconds} * interval '1 second'`.as('soon'),
    )
    .where('id', '=', uuidOf(id))
    .where('organizationId', '=', uuidOf(organizationId))
    .where('acceptedAt', 'is', null)
    .where('revokedAt', 'is', null)
    // The lock makes the second of two concurrent calls find that the first has sent it.
    .forUpdate()
    .executeTakeFirst();
  if (sent?.soon === true) return 'too_soon';
  const row = await open(change)
    .where('id', '=', uuidOf(id))
    .where('organizationId', '=', uuidOf(organizationId))
    .set({ tokenHash, sentAt: now, expiresAt: lifetime })
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const invitation = invitationOf(row);
  tell(change, 'member.invited', invitation);
  return invitation;
}

/** Revokes an open invitation. Returns `undefined` if there is none. */
export async function revokeInvitation(
  change: Change,
  organizationId: string,
  id: string,
): Promise<Invitation | undefined> {
  const row = await open(change)
    .where('id', '=', uuidOf(id))
    .where('organizationId', '=', uuidOf(organizationId))
    .set({ revokedAt: now })
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const invitation = invitationOf(row);
  tell(change, 'member.invitation_revoked', invitation);
  return invitation;
}

/**
 * Makes the user a member. Returns `undefined` if no open invitation has that token, or if it is for an address other than the
 * one that the identity provider verified; the result does not tell which. `check` gets the organization, locked until the commit,
 * and may throw.
 */
export async function acceptInvitation(
  change: Change,
  user: User,
  tokenHash: Buffer,
  check: (organization: Organization) => void,
): Promise<{ organizationId: string; member: Member } | 'already_member' | undefined> {
  const { email } = user;
  if (email === null || !user.emailVerified) return undefined;
  const invited = await change.db
    .selectFrom('invitations')
    .select('organizationId')
    .where('tokenHash', '=', tokenHash)
    .where('email', '=', email)
    .executeTakeFirst();
  if (invited === undefined) return undefined;
  const organization = await lockOrganization(change, typeIdOfUuid('org', invited.organizationId));
  if (organization?.deletedAt !== null) return undefined;
  const row = await open(change)
    .where('tokenHash', '=', tokenHash)
    .where('expiresAt', '>', now)
    .set({ acceptedAt: now, acceptedBy: uuidOf(user.id) })
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  check(organization);
  const { organizationId, role, databaseIds } = invitationOf(row);
  const member = await addMember(change, { organizationId, user, role, databaseIds });
  return member === undefined ? 'already_member' : { organizationId, member };
}

export async function findInvitation(
  db: Reader,
  organizationId: string,
  id: string,
): Promise<Invitation | undefined> {
  const row = await db
    .selectFrom('invitations')
    .selectAll()
    .where('id', '=', uuidOf(id))
    .where('organizationId', '=', uuidOf(organizationId))
    .executeTakeFirst();
  return row && invitationOf(row);
}

/** The invitations that a person made and that can still be accepted, the oldest first. Their number an hour is limited. */
export async function openInvitationsOf(
  db: Reader,
  organizationId: string,
  userId: string,
): Promise<readonly Invitation[]> {
  const rows = await db
    .selectFrom('invitations')
    .selectAll()
    .where('organizationId', '=', uuidOf(organizationId))
    .where(sql<boolean>`created_by @> ${JSON.stringify({ type: 'user', id: userId })}::jsonb`)
    .where('acceptedAt', 'is', null)
    .where('revokedAt', 'is', null)
    .where('expiresAt', '>', now)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
  return rows.map(invitationOf);
}

/** Lists invitations, newest first. */
export async function listInvitations(
  db: Reader,
  organizationId: string,
  page: { limit: number; position?: readonly [createdAt: string, id: string] },
): Promise<Page<Invitation, [string, string]>> {
  let query = db
    .selectFrom('invitations')
    .selectAll()
    .where('organizationId', '=', uuidOf(organizationId))
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1);
  if (page.position !== undefined) {
    query = query.where(beyond(['createdAt', 'id'], '<', page.position));
  }
  return pageOf(await query.execute(), page.limit, invitationOf, (row) => [
    row.createdAt.toISOString(),
    row.id,
  ]);
}

async function sentLately(
  { db }: Change,
  organizationId: string,
  email: string,
): Promise<{ readonly all: number; readonly toAddress: number }> {
  const { all, toAddress } = await db
    .selectFrom('invitations')
    .select(({ fn }) => [
      fn.countAll<string>().as('all'),
      fn.countAll<string>().filterWhere('email', '=', email).as('toAddress'),
    ])
    .where('organizationId', '=', uuidOf(organizationId))
    .where('sentAt', '>', sql<Date>`clock_timestamp() - interval '1 hour'`)
    .executeTakeFirstOrThrow();
  return { all: Number(all), toAddress: Number(toAddress) };
}

const open = (change: Change) =>
  change.db
    .updateTable('invitations')
    .where('acceptedAt', 'is', null)
    .where('revokedAt', 'is', null);

const tell = (
  change: Change,
  type: EventType & ('member.invited' | 'member.invitation_revoked'),
  { id, organizationId, email, role }: Invitation,
) =>
  change.emit({
    organizationId,
    type,
    subject: { type: 'invitation', id, display: email },
    data: { invitation: { id, email, role } },
  });

const invitationOf = (row: Selectable<InvitationsTable>): Invitation => ({
  id: typeIdOfUuid('inv', row.id),
  organizationId: typeIdOfUuid('org', row.organizationId),
  email: row.email,
  role: row.role as Role,
  databaseIds: databaseIdsOf(row.databaseIds),
  status: statusOf(row),
  createdAt: row.createdAt,
  createdBy: row.createdBy as Actor,
  sentAt: row.sentAt,
  expiresAt: row.expiresAt,
});

function statusOf(row: Selectable<InvitationsTable>): InvitationStatus {
  if (row.acceptedAt !== null) return 'ACCEPTED';
  if (row.revokedAt !== null) return 'REVOKED';
  return row.expiresAt <= new Date() ? 'EXPIRED' : 'OPEN';
}
