// Members, invitations and their mail, in a real PostgreSQL.
import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { invitationMail } from '../../../api/members/invitation-mail.ts';
import { MailSender } from '../../../api/mail/mail-sender.ts';
import {
  createMailTransport,
  PermanentMailFailure,
  type MailTransport,
} from '../../../api/mail/transport.ts';
import { listEvents } from '../../../api/store/events.ts';
import {
  acceptInvitation,
  createInvitation,
  findInvitation,
  listInvitations,
  invitationsPerAddressAndHour,
  invitationsPerHour,
  renewInvitation,
  revokeInvitation,
} from '../../../api/store/invitations.ts';
import { uuidOf } from '../../../api/store/ids.ts';
import { enqueueMail } from '../../../api/store/mails.ts';
import {
  addMember,
  changeMember,
  listBelongings,
  listMembers,
  removeMember,
  type Member,
} from '../../../api/store/members.ts';
import type { Organization } from '../../../api/store/organizations.ts';
import { Sealer } from '../../../api/store/sealing.ts';
import type { Store } from '../../../api/store/store.ts';
import { ensureUser, type User } from '../../../api/store/users.ts';
import { TestPostgres } from '../../support/api/postgres.ts';
import { eventually } from '../../support/shell.ts';
import {
  anotherOrganization,
  makeDatabase,
  openTestStore,
  signingKeys,
  silent,
  tester,
} from '../../support/api/store.ts';

let postgres: TestPostgres;
let store: Store;
let folder: string;
const sealer = new Sealer(signingKeys);

beforeAll(async () => {
  postgres = await TestPostgres.create();
  ({ store } = await openTestStore(postgres));
  folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-mail-'));
});
afterAll(async () => {
  await store?.close();
  await postgres?.remove();
  rmSync(folder, { recursive: true, force: true });
});

const hash = (text: string) => createHash('sha256').update(text).digest();
const nothing = () => {};

const user = (
  name: string,
  more: { email?: string; emailVerified?: boolean } = {},
): Promise<User> =>
  store.change(tester, (change) =>
    ensureUser(change, {
      issuer: 'https://id.example.com',
      subject: name,
      email: `${name}@example.com`,
      emailVerified: true,
      name,
      ...more,
    }),
  );

async function joins(
  organization: Organization,
  name: string,
  role: Member['role'],
): Promise<Member> {
  const joined = await user(name);
  const member = await store.change(tester, (change) =>
    addMember(change, { organizationId: organization.id, user: joined, role, databaseIds: null }),
  );
  if (member === undefined) throw new Error(`${name} is a member already`);
  return member;
}

const patch = (organization: Organization, { id }: Member, role: Member['role']) =>
  store.change(tester, (change) =>
    changeMember(change, { organizationId: organization.id, id }, () =>
      Promise.resolve({ role, databaseIds: null }),
    ),
  );

const remove = (organization: Organization, { id }: Member) =>
  store.change(tester, (change) =>
    removeMember(change, { organizationId: organization.id, id }, nothing),
  );

const typesOf = async ({ id }: Organization) =>
  (await listEvents(store.read, id, {}, { limit: 100 })).rows.map(({ type }) => type).reverse();

test('a person is whom issuer and subject mean, whatever their address becomes', async () => {
  const first = await user('ada', { email: 'Ada@Example.com' });
  const again = await user('ada', { email: 'ada@new.example.com', emailVerified: false });
  expect(first.email).toBe('ada@example.com');
  expect(again).toEqual({ ...first, email: 'ada@new.example.com', emailVerified: false });
  const impostor = await store.change(tester, (change) =>
    ensureUser(change, {
      issuer: 'https://other.example.com',
      subject: 'ada',
      email: 'ada@new.example.com',
      emailVerified: true,
      name: 'ada',
    }),
  );
  expect(impostor.id).not.toBe(first.id);
  const twice = await Promise.all([user('twin'), user('twin')]);
  expect(twice[0].id).toBe(twice[1].id);
});

test('an organization that has an owner never ceases to have one, not even when two leave at once', async () => {
  const organization = await anotherOrganization(store, 'owners');
  const one = await joins(organization, 'one', 'owner');
  expect(await patch(organization, one, 'admin')).toBe('last_owner');
  expect(await remove(organization, one)).toBe('last_owner');
  const two = await joins(organization, 'two', 'owner');
  const outcomes = await Promise.all([remove(organization, one), remove(organization, two)]);
  expect(outcomes.filter((outcome) => outcome === 'last_owner')).toHaveLength(1);
  const { rows } = await listMembers(store.read, organization.id, {}, { limit: 10 });
  expect(rows.map(({ role }) => role)).toEqual(['owner']);
});

test('changes of a member are in the audit log, with the changed fields', async () => {
  const organization = await anotherOrganization(store, 'audited');
  await joins(organization, 'owner', 'owner');
  const member = await joins(organization, 'member', 'viewer');
  await patch(organization, member, 'developer');
  await remove(organization, member);
  expect(await typesOf(organization)).toEqual([
    'organization.created',
    'member.joined',
    'member.joined',
    'member.role_changed',
    'member.removed',
  ]);
  const { rows } = await listEvents(
    store.read,
    organization.id,
    { types: ['member.role_changed'] },
    { limit: 1 },
  );
  expect(rows[0]?.changes).toEqual([{ path: '/role', from: 'viewer', to: 'developer' }]);
});

test('the check of a change sees the member after it was locked against other changes', async () => {
  const organization = await anotherOrganization(store, 'checked');
  await joins(organization, 'first', 'owner');
  const member = await joins(organization, 'second', 'owner');
  const refused = store.change(tester, (change) =>
    removeMember(change, { organizationId: organization.id, id: member.id }, ({ role }) => {
      if (role === 'owner') throw new Error('not owners');
    }),
  );
  await expect(refused).rejects.toThrow('not owners');
  expect((await listMembers(store.read, organization.id, {}, { limit: 10 })).rows).toHaveLength(2);
});

test('a member is found by a part of name or address and by role, page after page, among ten thousand', async () => {
  const organization = await anotherOrganization(store, 'crowded');
  await sql`
    WITH made AS (
      INSERT INTO users (id, name, email, email_verified)
      SELECT gen_random_uuid(), 'Person ' || number, 'crowd-' || number || '@example.com', true
      FROM generate_series(1, 10000) AS number
      RETURNING id, name
    )
    INSERT INTO memberships (id, organization_id, user_id, role)
    SELECT gen_random_uuid(), ${uuidOf(organization.id)}, id,
      CASE WHEN name LIKE '%00' THEN 'admin' ELSE 'viewer' END FROM made`.execute(store.read);
  await joins(organization, 'Ada 100%_Moser', 'owner');
  const namesOf = async (filter: Parameters<typeof listMembers>[2]) => {
    const names: string[] = [];
    let position: readonly [string, string] | undefined;
    do {
      const page = { limit: 60, ...(position && { position }) };
      const { rows, next } = await listMembers(store.read, organization.id, filter, page);
      names.push(...rows.map(({ name }) => name));
      position = next;
    } while (position !== undefined);
    return names;
  };
  expect(await namesOf({ search: 'ada 100%_m' })).toEqual(['Ada 100%_Moser']);
  expect(await namesOf({ search: '100%_MOSER@EXAMPLE' })).toEqual(['Ada 100%_Moser']);
  // Nothing of it is a wildcard.
  expect(await namesOf({ search: '%_%' })).toEqual([]);
  expect(await namesOf({ search: "' OR true --" })).toEqual([]);
  const admins = await namesOf({ roles: ['admin'] });
  expect([admins.length, new Set(admins).size]).toEqual([100, 100]);
  expect(await namesOf({ roles: ['admin', 'owner'], search: 'crowd-9900@' })).toEqual([
    'Person 9900',
  ]);
});

const invite = (
  organization: Organization,
  email: string,
  token: string,
  databaseIds: readonly string[] | null = null,
) =>
  store.change(tester, (change) =>
    createInvitation(
      change,
      { organizationId: organization.id, email, role: 'developer', databaseIds },
      hash(token),
    ),
  );
const accept = (who: User, token: string) =>
  store.change(tester, (change) => acceptInvitation(change, who, hash(token), () => {}));

test('an invitation is accepted once, by whom the address is for sure', async () => {
  const organization = await anotherOrganization(store, 'invited');
  const database = await makeDatabase(store, organization, 'only');
  const grace = await user('grace');
  await invite(organization, 'grace@example.com', 'token', [database.id]);
  expect(await accept(await user('someone'), 'token')).toBeUndefined();
  const unproven = { ...grace, emailVerified: false };
  expect(await accept(unproven, 'token')).toBeUndefined();
  expect(await accept(grace, 'other')).toBeUndefined();
  expect(await accept(grace, 'token')).toMatchObject({
    member: { role: 'developer', databaseIds: [database.id] },
  });
  expect(await accept(grace, 'token')).toBeUndefined();
  const { rows } = await listBelongings(store.read, grace.id, { limit: 10 });
  expect(rows.map(({ organization: { slug }, role }) => ({ slug, role }))).toEqual([
    { slug: 'invited', role: 'developer' },
  ]);
  expect(await typesOf(organization)).toContain('member.joined');
});

test('an address has one open invitation, which can be renewed and taken back', async () => {
  const organization = await anotherOrganization(store, 'renewed');
  const hopper = await user('hopper');
  const made = await invite(organization, 'hopper@example.com', 'first');
  if (typeof made === 'string') throw new Error('it is the first');
  expect(await invite(organization, 'hopper@example.com', 'second')).toBe('exists');
  const renew = () =>
    store.change(tester, (change) =>
      renewInvitation(change, organization.id, made.id, hash('renewed')),
    );
  const sentAgo = (time: string) =>
    sql`UPDATE invitations SET sent_at = clock_timestamp() - ${time}::interval WHERE email = 'hopper@example.com'`.execute(
      store.read,
    );
  expect(await renew()).toBe('too_soon');
  await sentAgo('1 hour');
  expect(await renew()).toMatchObject({ id: made.id });
  expect(await renew()).toBe('too_soon');
  expect(await accept(hopper, 'first')).toBeUndefined();
  const revoke = () =>
    store.change(tester, (change) => revokeInvitation(change, organization.id, made.id));
  expect((await revoke())?.status).toBe('REVOKED');
  expect(await revoke()).toBeUndefined();
  expect(await renew()).toBeUndefined();
  expect(await accept(hopper, 'renewed')).toBeUndefined();
});

/** Sends an invitation and revokes it at once. */
async function inviteBriefly(organization: Organization, email: string) {
  const made = await invite(organization, email, randomUUID());
  if (typeof made === 'object') {
    await store.change(tester, (change) => revokeInvitation(change, organization.id, made.id));
  }
  return made;
}

test('an organization sends a bounded number of invitations in an hour, also when it takes them back', async () => {
  const organization = await anotherOrganization(store, 'mailing');
  for (let number = 0; number < invitationsPerHour; number += 1) {
    const email = `target-${number}@example.com`;
    expect(await inviteBriefly(organization, email)).toMatchObject({ email });
  }
  expect(await inviteBriefly(organization, 'target@example.com')).toBe('too_many');
});

test('one address gets a bounded number of invitations in an hour, also when they are taken back', async () => {
  const organization = await anotherOrganization(store, 'pestering');
  const email = 'target@example.com';
  for (let number = 0; number < invitationsPerAddressAndHour; number += 1) {
    expect(await inviteBriefly(organization, email)).toMatchObject({ email });
  }
  expect(await inviteBriefly(organization, email)).toBe('too_many_to_address');
  expect(await inviteBriefly(organization, 'other@example.com')).toMatchObject({ status: 'OPEN' });
});

test('an invitation that is past its time opens nothing, and makes place for another', async () => {
  const organization = await anotherOrganization(store, 'late');
  const late = await user('late');
  const made = await invite(organization, 'late@example.com', 'late');
  if (typeof made === 'string') throw new Error('it is the first');
  await sql`UPDATE invitations SET expires_at = clock_timestamp() WHERE email = 'late@example.com'`.execute(
    store.read,
  );
  expect((await findInvitation(store.read, organization.id, made.id))?.status).toBe('EXPIRED');
  expect(await accept(late, 'late')).toBeUndefined();
  expect(await invite(organization, 'late@example.com', 'another')).not.toBe('exists');
  const { rows } = await listInvitations(store.read, organization.id, { limit: 10 });
  expect(rows.map(({ status }) => status)).toEqual(['OPEN', 'REVOKED']);
});

const mailOf = (organization: string) =>
  invitationMail({
    organization,
    role: 'viewer',
    inviter: 'Grace',
    url: 'https://ledgerhouse.example.com/invitation?token=lhi_secret',
    expiresAt: new Date(0),
  });

const enqueue = (to: string, organization = 'Acme') =>
  store.change(tester, (change) => enqueueMail(change, sealer, { to, ...mailOf(organization) }));

const rowsTo = async (to: string) =>
  store.read.selectFrom('mails').selectAll().where('recipient', '=', to).execute();

async function withSender<T>(transport: MailTransport, work: () => Promise<T>): Promise<T> {
  const sender = new MailSender({ store, sealer, transport, logger: silent, everyMs: 20 });
  sender.start();
  try {
    return await work();
  } finally {
    await sender.stop();
  }
}

const untilEnded = (to: string) =>
  eventually(`the mail to ${to} has ended`, async () => {
    const [row] = await rowsTo(to);
    if (row === undefined || row.sealedContent !== null) throw new Error('not yet');
    return row;
  });

test('mail of development is a file, and its text is deleted from the store once it is sent', async () => {
  await enqueue('file@example.com', 'Acme\r\nBcc: everybody@example.com');
  const [waiting] = await rowsTo('file@example.com');
  expect(waiting?.sealedContent?.includes('lhi_secret')).toBe(false);
  const transport = createMailTransport({ kind: 'folder', folder, from: 'ledger@example.com' });
  const row = await withSender(transport, () => untilEnded('file@example.com'));
  expect(row.sentAt).not.toBeNull();
  const [file = ''] = readdirSync(folder);
  const text = readFileSync(join(folder, file), 'utf8');
  expect(text).toContain('To: file@example.com');
  expect(text).toContain('lhi_secret');
  expect(text).not.toMatch(/^Bcc:/m);
});

test('a mail that fails is tried again, and given up when it never can be sent', async () => {
  await enqueue('down@example.com');
  let tries = 0;
  const failing = (error: Error): MailTransport => ({
    send: () => {
      tries += 1;
      return Promise.reject(error);
    },
    close: nothing,
  });
  await withSender(failing(new Error('connection refused')), () =>
    eventually('it was tried', async () => {
      if (tries === 0) throw new Error('not yet');
      return true;
    }),
  );
  const [row] = await rowsTo('down@example.com');
  expect(row).toMatchObject({ attempts: 1, sentAt: null, givenUpAt: null });
  expect(Number(row?.dueAt) - Date.now()).toBeGreaterThan(30_000);
  await sql`UPDATE mails SET due_at = clock_timestamp()`.execute(store.read);
  const given = await withSender(failing(new PermanentMailFailure('no such mailbox')), () =>
    untilEnded('down@example.com'),
  );
  expect(given.givenUpAt).not.toBeNull();
});

test('with three senders, each mail is sent by one of them', async () => {
  const numbers = Array.from({ length: 12 }, (_, index) => index);
  for (const index of numbers) await enqueue(`many-${index}@example.com`);
  const sent: string[] = [];
  const transport: MailTransport = {
    send: async ({ to }) => void sent.push(to),
    close: nothing,
  };
  const allHaveEnded = () =>
    Promise.all(numbers.map((index) => untilEnded(`many-${index}@example.com`)));
  await withSender(transport, () =>
    withSender(transport, () => withSender(transport, allHaveEnded)),
  );
  const many = sent.filter((to) => to.startsWith('many-'));
  expect(many.toSorted()).toEqual([...new Set(many)].toSorted());
  expect(many).toHaveLength(12);
});
