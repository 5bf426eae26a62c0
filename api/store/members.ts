/** Members of an organization and their roles. An organization with an owner always keeps at least one. */
import { sql, type Selectable } from 'kysely';
import { newTypeId, typeIdOfUuid } from '../../domain/type-id.ts';
import type { Role } from '../model/access.ts';
import type { FieldChange } from '../model/event.ts';
import type { EventType } from '../model/event-types.ts';
import type { Change } from './change.ts';
import { uuidOf } from './ids.ts';
import { organizationOf, type Organization } from './organizations.ts';
import { beyond, contains, pageOf, type Page } from './page.ts';
import type { MembershipsTable, OrganizationsTable, Reader } from './tables.ts';
import type { User } from './users.ts';

export interface Member {
  /** TypeID `mem_…`. */
  readonly id: string;
  readonly organizationId: string;
  /** TypeID `usr_…`. */
  readonly userId: string;
  readonly name: string;
  readonly email: string | null;
  readonly role: Role;
  /** The only databases that the member may use; null: all. */
  readonly databaseIds: readonly string[] | null;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

interface NewMember {
  readonly organizationId: string;
  readonly user: User;
  readonly role: Role;
  readonly databaseIds: readonly string[] | null;
}

/** Adds a member. Returns `undefined` if the user is a member already. */
export async function addMember(
  change: Change,
  { organizationId, user, role, databaseIds }: NewMember,
): Promise<Member | undefined> {
  const row = await change.db
    .insertInto('memberships')
    .values({
      id: uuidOf(newTypeId('mem')),
      organizationId: uuidOf(organizationId),
      userId: uuidOf(user.id),
      role,
      databaseIds: databaseIds?.map(uuidOf) ?? null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const member = memberOf({ ...row, name: user.name, email: user.email });
  tell(change, 'member.joined', member);
  return member;
}

interface MemberPatch {
  readonly role: Role;
  readonly databaseIds: readonly string[] | null;
}

/** Changes a member. `decide` gets it while nobody else can change it; it returns the patch, or throws to change nothing. */
export async function changeMember(
  change: Change,
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
  decide: (before: Member) => Promise<MemberPatch>,
): Promise<Member | 'last_owner' | undefined> {
  await lockMembers(change, organizationId);
  const before = await findMember(change.db, organizationId, id);
  if (before === undefined) return undefined;
  const patch = await decide(before);
  if (patch.role !== 'owner' && (await isLastOwner(change.db, before))) return 'last_owner';
  const row = await change.db
    .updateTable('memberships')
    .set({
      role: patch.role,
      databaseIds: patch.databaseIds?.map(uuidOf) ?? null,
      version: sql<number>`version + 1`,
      updatedAt: sql<Date>`clock_timestamp()`,
    })
    .where('id', '=', uuidOf(id))
    .returningAll()
    .executeTakeFirstOrThrow();
  const after = memberOf({ ...row, name: before.name, email: before.email });
  tell(change, 'member.role_changed', after, [
    { path: '/role', from: before.role, to: after.role },
    { path: '/databaseIds', from: before.databaseIds, to: after.databaseIds },
  ]);
  return after;
}

export async function removeMember(
  change: Change,
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
  check: (before: Member) => void,
): Promise<Member | 'last_owner' | undefined> {
  await lockMembers(change, organizationId);
  const before = await findMember(change.db, organizationId, id);
  if (before === undefined) return undefined;
  check(before);
  if (await isLastOwner(change.db, before)) return 'last_owner';
  await change.db.deleteFrom('memberships').where('id', '=', uuidOf(id)).execute();
  tell(change, 'member.removed', before);
  return before;
}

/** Locks the organization's members: of two owners who leave at once, one waits here until the other is gone. */
async function lockMembers(change: Change, organizationId: string): Promise<void> {
  await change.db
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', uuidOf(organizationId))
    .forNoKeyUpdate()
    .execute();
}

async function isLastOwner(db: Reader, { id, organizationId, role }: Member): Promise<boolean> {
  if (role !== 'owner') return false;
  const another = await db
    .selectFrom('memberships')
    .select('id')
    .where('organizationId', '=', uuidOf(organizationId))
    .where('role', '=', 'owner')
    .where('id', '!=', uuidOf(id))
    .executeTakeFirst();
  return another === undefined;
}

const members = (db: Reader, organizationId: string) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.userId')
    .where('memberships.organizationId', '=', uuidOf(organizationId))
    .selectAll('memberships')
    .select(['users.name', 'users.email']);

export async function findMember(
  db: Reader,
  organizationId: string,
  id: string,
): Promise<Member | undefined> {
  const row = await members(db, organizationId)
    .where('memberships.id', '=', uuidOf(id))
    .executeTakeFirst();
  return row && memberOf(row);
}

export async function findMemberByUser(
  db: Reader,
  organizationId: string,
  userId: string,
): Promise<Member | undefined> {
  const row = await members(db, organizationId)
    .where('memberships.userId', '=', uuidOf(userId))
    .executeTakeFirst();
  return row && memberOf(row);
}

/** Whether a person with this verified address is a member. */
export async function isMemberByEmail(
  db: Reader,
  organizationId: string,
  email: string,
): Promise<boolean> {
  const row = await members(db, organizationId)
    .where('users.email', '=', email)
    .where('users.emailVerified', '=', true)
    .executeTakeFirst();
  return row !== undefined;
}

/** Addresses of the owners that the identity provider has verified, ten at most. */
export async function ownersAddresses(
  db: Reader,
  organizationId: string,
): Promise<readonly string[]> {
  const rows = await members(db, organizationId)
    .where('memberships.role', '=', 'owner')
    .where('users.emailVerified', '=', true)
    .orderBy('memberships.createdAt')
    .limit(10)
    .execute();
  return rows.flatMap(({ email }) => (email === null ? [] : [email]));
}

/** The verified address of a user who is a member; `undefined` if there is none. */
export async function memberAddress(
  db: Reader,
  organizationId: string,
  userId: string,
): Promise<string | undefined> {
  const row = await members(db, organizationId)
    .where('memberships.userId', '=', uuidOf(userId))
    .where('users.emailVerified', '=', true)
    .executeTakeFirst();
  return row?.email ?? undefined;
}

interface MemberFilter {
  /** Text that the name or the address must contain. */
  readonly search?: string;
  readonly roles?: readonly Role[];
}

/** Lists members in the order in which they joined. */
export async function listMembers(
  db: Reader,
  organizationId: string,
  filter: MemberFilter,
  page: { limit: number; position?: readonly [createdAt: string, id: string] },
): Promise<Page<Member, [string, string]>> {
  let query = members(db, organizationId)
    .orderBy('memberships.createdAt')
    .orderBy('memberships.id')
    .limit(page.limit + 1);
  const { search, roles } = filter;
  if (search !== undefined) {
    query = query.where((where) =>
      where.or([contains('users.name', search), contains('users.email', search)]),
    );
  }
  if (roles !== undefined) query = query.where('memberships.role', 'in', roles);
  if (page.position !== undefined) {
    query = query.where(beyond(['memberships.createdAt', 'memberships.id'], '>', page.position));
  }
  return pageOf(await query.execute(), page.limit, memberOf, (row) => [
    row.createdAt.toISOString(),
    row.id,
  ]);
}

/** A user's organization, and the role there. */
export interface Belonging {
  readonly organization: Organization;
  readonly role: Role;
  readonly databaseIds: readonly string[] | null;
}

/** Lists the user's organizations, the first joined first. `organizationId`: only that one. */
export async function listBelongings(
  db: Reader,
  userId: string,
  page: {
    limit: number;
    organizationId?: string | undefined;
    position?: readonly [joinedAt: string, id: string];
  },
): Promise<Page<Belonging, [string, string]>> {
  let query = db
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organizationId')
    .selectAll('organizations')
    .select([
      'memberships.role',
      'memberships.databaseIds',
      'memberships.createdAt as joinedAt',
      'memberships.id as membershipId',
    ])
    .where('memberships.userId', '=', uuidOf(userId))
    .where('organizations.deletedAt', 'is', null)
    .orderBy('memberships.createdAt')
    .orderBy('memberships.id')
    .limit(page.limit + 1);
  if (page.organizationId !== undefined) {
    query = query.where('organizations.id', '=', uuidOf(page.organizationId));
  }
  if (page.position !== undefined) {
    query = query.where(beyond(['memberships.createdAt', 'memberships.id'], '>', page.position));
  }
  return pageOf(await query.execute(), page.limit, belongingOf, (row) => [
    row.joinedAt.toISOString(),
    row.membershipId,
  ]);
}

type BelongingRow = Selectable<OrganizationsTable> &
  Pick<Selectable<MembershipsTable>, 'role' | 'databaseIds'> & {
    joinedAt: Date;
    membershipId: string;
  };

function belongingOf(row: BelongingRow): Belonging {
  const { role, databaseIds, joinedAt: _, membershipId: __, ...organization } = row;
  return {
    organization: organizationOf(organization),
    role: role as Role,
    databaseIds: databaseIdsOf(databaseIds),
  };
}

const tell = (
  change: Change,
  type: EventType & ('member.joined' | 'member.removed' | 'member.role_changed'),
  { id, organizationId, userId, name, role }: Member,
  changes: readonly FieldChange[] = [],
) =>
  change.emit({
    organizationId,
    type,
    subject: { type: 'member', id, display: name },
    data: { member: { id, userId, name, role } },
    changes: changes.filter(({ from, to }) => JSON.stringify(from) !== JSON.stringify(to)),
  });

type MemberRow = Selectable<MembershipsTable> & { name: string; email: string | null };

const memberOf = (row: MemberRow): Member => ({
  id: typeIdOfUuid('mem', row.id),
  organizationId: typeIdOfUuid('org', row.organizationId),
  userId: typeIdOfUuid('usr', row.userId),
  name: row.name,
  email: row.email,
  role: row.role as Role,
  databaseIds: databaseIdsOf(row.databaseIds),
  version: row.version,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

export const databaseIdsOf = (uuids: readonly string[] | null): readonly string[] | null =>
  uuids?.map((uuid) => typeIdOfUuid('db', uuid)) ?? null;
