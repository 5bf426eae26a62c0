/** Notifications over HTTP and by the command, with a real PostgreSQL: who gets which, what is read, what is muted. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { MemberPrincipal } from '../../../api/auth/principal.ts';
import type { Role } from '../../../api/model/access.ts';
import type { Author } from '../../../api/model/actor.ts';
import { eventTypes, type EventType } from '../../../api/model/event-types.ts';
import { kindOfType, notificationKindNames } from '../../../api/model/notification-kinds.ts';
import { notificationHandlers } from '../../../api/notifications/handlers.ts';
import { NotificationMailer } from '../../../api/notifications/mailer.ts';
import { UnsubscribeLinks } from '../../../api/notifications/unsubscribe-links.ts';
import { addUnsubscribePage } from '../../../api/notifications/unsubscribe-page.ts';
import { Cursors } from '../../../api/store/cursor.ts';
import type { Organization } from '../../../api/store/organizations.ts';
import { takeMail, type TakenMail } from '../../../api/store/mails.ts';
import { addMember } from '../../../api/store/members.ts';
import { Sealer } from '../../../api/store/sealing.ts';
import type { Store } from '../../../api/store/store.ts';
import { ensureUser } from '../../../api/store/users.ts';
import { sql } from 'kysely';
import { newTypeId } from '../../../domain/type-id.ts';
import type { Notification, NotificationList } from '../../../gen/api.ts';
import { startTestApp, type TestApp } from '../../support/api/api-app.ts';
import { TestPostgres } from '../../support/api/postgres.ts';
import {
  anotherOrganization,
  makeDatabase,
  openTestStore,
  signingKeys,
  silent,
  tester,
} from '../../support/api/store.ts';
import { onOneDay } from '../../support/on-one-day.ts';
import { eventually } from '../../support/shell.ts';
import { Cli } from '../../support/cli/cli.ts';

let postgres: TestPostgres;
let store: Store;
let organization: Organization;
let app: TestApp;
let payments = '';
let wages = '';
const people = new Map<string, MemberPrincipal>();

beforeAll(async () => {
  postgres = await TestPostgres.create();
  ({ store } = await openTestStore(postgres));
  app = await startTestApp({
    handlers: notificationHandlers({ store, cursors: new Cursors(signingKeys), mails: true }),
    addPages: (pages) => addUnsubscribePage(pages, links, { store, logger: silent }),
    gate: {
      authenticate: async (credential) => {
        const person = credential.kind === 'token' ? people.get(credential.text) : undefined;
        if (person === undefined) throw new Error('nobody');
        return person;
      },
    },
  });
});
afterAll(async () => {
  await app?.stop();
  await store?.close();
  await postgres?.remove();
});

const sealer = new Sealer(signingKeys);
const links = new UnsubscribeLinks(signingKeys, 'https://ledger.example');

let count = 0;
beforeEach(async () => {
  count += 1;
  organization = await anotherOrganization(store, `acme-${count}`);
  ({ id: payments } = await makeDatabase(store, organization, 'payments'));
  ({ id: wages } = await makeDatabase(store, organization, 'wages'));
  people.clear();
  await store.read.deleteFrom('mails').execute();
});

function person(role: Role, databaseIds: readonly string[] | null = null): string {
  const id = newTypeId('usr');
  const user = { id, name: role, email: null, emailVerified: false };
  people.set(id, {
    type: 'access_token',
    credentialId: newTypeId('ses'),
    name: role,
    expiresAt: null,
    actor: { type: 'user', id, display: role },
    user,
    administrator: false,
    csrfHash: null,
    organization,
    role,
    databaseIds,
  });
  return id;
}

const emit = (type: EventType, databaseId: string | null = null, author: Author = tester) =>
  store.change(author, async (change) => {
    change.emit({
      organizationId: organization.id,
      type,
      subject: { type: 'database', id: databaseId, display: 'payments' },
      databaseId,
      data: {},
    });
  });

const headers = (id: string) => ({ authorization: `Bearer ${id}` });

async function list(id: string, query = ''): Promise<NotificationList> {
  const answer = await app.ask(`/api/v1/notifications${query}`, {
    operation: 'listNotifications',
    headers: headers(id),
  });
  expect(answer.status).toBe(200);
  return answer.json as unknown as NotificationList;
}

const typesFor = async (id: string, query = ''): Promise<readonly string[]> =>
  (await list(id, query)).data.map(({ type }: Notification) => type);

function patch(
  operation: 'readNotifications' | 'updateNotificationPreferences',
  id: string,
  body: object,
) {
  const path = operation === 'readNotifications' ? 'notifications' : 'notification-preferences';
  return app.ask(`/api/v1/${path}`, {
    operation,
    method: 'PATCH',
    headers: headers(id),
    body: JSON.stringify(body),
  });
}

test('every role gets what concerns it, of the databases that the person may see', async () => {
  await emit('database.unavailable', payments);
  await emit('engine.upgraded', wages);
  await emit('api_key.expiring');
  await emit('member.joined');
  await emit('billing.payment_failed');
  await emit('webhook.endpoint_disabled');
  await emit('database.connected', payments);
  const all = [
    'webhook.endpoint_disabled',
    'billing.payment_failed',
    'member.joined',
    'api_key.expiring',
    'engine.upgraded',
    'database.unavailable',
  ];
  expect(await typesFor(person('owner'))).toEqual(all);
  expect(await typesFor(person('admin'))).toEqual(
    all.filter((type) => !type.startsWith('billing')),
  );
  expect(await typesFor(person('viewer'))).toEqual(['engine.upgraded', 'database.unavailable']);
  expect(await typesFor(person('developer', [payments]))).toEqual(['database.unavailable']);
  expect(await typesFor(person('billing'))).toEqual(['billing.payment_failed']);
});

test('nobody is notified of what they did themselves, of other organizations, or of what is long ago', async () => {
  const [ada, bob] = [person('owner'), person('owner')];
  const author = { ...tester, actor: { type: 'user', id: ada, display: 'Ada' } } as const;
  await emit('member.invited', null, author);
  expect(await typesFor(ada)).toEqual([]);
  expect((await list(bob)).data).toMatchObject([
    { kind: 'member_changed', actor: { display: 'Ada' }, read: false },
  ]);
  const before = organization;
  organization = await anotherOrganization(store, `other-${count}`);
  await emit('member.joined');
  organization = before;
  expect(await typesFor(bob)).toEqual(['member.invited']);
  // The table refuses changes, so the days pass without its trigger.
  for (const statement of [
    'ALTER TABLE events DISABLE TRIGGER events_stay',
    `UPDATE events SET occurred_at = occurred_at - interval '91 days' WHERE type = 'member.invited'`,
    'ALTER TABLE events ENABLE TRIGGER events_stay',
  ]) {
    await sql.raw(statement).execute(store.read);
  }
  expect(await typesFor(bob)).toEqual([]);
});

test('a read notification stays read, and a later one is unread', async () => {
  const [ada, bob] = [person('owner'), person('owner')];
  for (let i = 0; i < 3; i += 1) await emit('database.unavailable', payments);
  const { data, unread } = await list(ada);
  expect([unread, data.map(({ read }) => read)]).toEqual([3, [false, false, false]]);
  const seen = data[1]?.sequence ?? '';
  const answer = await patch('readNotifications', ada, { readThrough: seen });
  expect(answer.json).toEqual({ success: true, unread: 1 });
  expect((await list(ada)).data.map(({ read }) => read)).toEqual([false, true, true]);
  expect(await typesFor(ada, '?unreadOnly=true')).toHaveLength(1);
  // An earlier number takes nothing back, and a number of the future reads nothing in advance.
  await patch('readNotifications', ada, { readThrough: '1' });
  expect((await list(ada)).unread).toBe(1);
  await patch('readNotifications', ada, { readThrough: '9'.repeat(18) });
  expect((await list(ada)).unread).toBe(0);
  await emit('database.recovered', payments);
  expect((await list(ada)).unread).toBe(1);
  expect((await list(bob)).unread).toBe(4);
});

test('pages have each notification once', async () => {
  const ada = person('owner');
  for (let i = 0; i < 5; i += 1) await emit('database.unavailable', payments);
  const seen: string[] = [];
  let query = '?limit=2';
  for (let pages = 1; ; pages += 1) {
    const { data, page, unread } = await list(ada, query);
    expect(unread).toBe(5);
    seen.push(...data.map(({ sequence }) => sequence));
    if (page.nextCursor === null) {
      expect(pages).toBe(3);
      break;
    }
    query = `?limit=2&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
  expect(new Set(seen).size).toBe(5);
  expect(seen.map(Number)).toEqual(seen.map(Number).sort((a, b) => b - a));
});

test('kinds and databases that a person mutes are silent for them alone', async () => {
  const [ada, bob] = [person('owner'), person('owner')];
  await emit('database.unavailable', payments);
  await emit('database.unavailable', wages);
  await emit('engine.upgraded', payments);
  const muted = await patch('updateNotificationPreferences', ada, {
    mutedKinds: ['engine_upgraded'],
    mutedDatabases: [wages],
  });
  expect(muted.json['notificationPreferences']).toEqual({
    kinds: notificationKindNames,
    mutedKinds: ['engine_upgraded'],
    mutedDatabases: [wages],
    mailKinds: [
      'database_trouble',
      'database_filling',
      'backup_trouble',
      'engine_update',
      'payment',
    ],
    digestKinds: [],
    mailAddress: null,
  });
  const { data, unread } = await list(ada);
  expect([unread, data.map(({ databaseId }) => databaseId)]).toEqual([1, [payments]]);
  expect((await list(bob)).unread).toBe(3);
  // What is absent stays as it is.
  await patch('updateNotificationPreferences', ada, { mutedKinds: [] });
  expect(await typesFor(ada)).toEqual(['engine.upgraded', 'database.unavailable']);
  const unknown = newTypeId('db');
  const refused = await patch('updateNotificationPreferences', ada, { mutedDatabases: [unknown] });
  expect([refused.status, refused.json['code']]).toEqual([404, 'database_not_found']);
  const viewer = person('viewer', [payments]);
  const hidden = await patch('updateNotificationPreferences', viewer, { mutedDatabases: [wages] });
  expect(hidden.status).toBe(404);
});

test('the local administrator, who is no user, reads and mutes as everybody', async () => {
  const administrator = person('owner');
  const principal = people.get(administrator) as MemberPrincipal;
  const actor = { ...principal.actor, id: null };
  people.set(administrator, { ...principal, actor, user: null, administrator: true });
  await emit('database.unavailable', payments);
  await emit('engine.upgraded', payments);
  await patch('updateNotificationPreferences', administrator, { mutedKinds: ['engine_upgraded'] });
  const { data, unread } = await list(administrator);
  expect([unread, data.map(({ type }) => type)]).toEqual([1, ['database.unavailable']]);
  await patch('readNotifications', administrator, { readThrough: data[0]?.sequence ?? '' });
  expect((await list(administrator)).unread).toBe(0);
  expect((await list(person('owner'))).unread).toBe(2);
});

test('the command lists, reads and mutes', async () => {
  const ada = person('owner');
  const cli = new Cli({ LEDGERHOUSE_API_KEY: ada, LEDGERHOUSE_BASE_URL: app.url });
  const run = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await cli.run(['notifications', ...args]);
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
    return stdout;
  };
  try {
    await emit('database.unavailable', payments);
    await emit('engine.upgraded', payments);
    expect(await run('list', '--unread')).toContain(eventTypes['database.unavailable'].description);
    expect(await run('mute', 'engine_upgraded')).toMatch(/muted kinds +engine_upgraded/);
    expect(await run('list')).not.toContain('engine_upgraded');
    expect(await run('mute', payments)).toMatch(new RegExp(`muted databases +${payments}`));
    expect(await run('unmute', payments)).toMatch(/muted databases +none/);
    expect(await run('read-all')).toBe('0 unread\n');
    expect(await run('list', '--unread')).toBe('(nothing)\n');
    expect(await run('preferences')).toMatch(/muted kinds +engine_upgraded/);
    expect(await run('mail', 'change_failed', 'daily')).toMatch(/daily mail +change_failed/);
    const moved = await run('mail', 'change_failed', 'at-once');
    expect(moved).toMatch(/mail at once .*change_failed/);
    expect(moved).toMatch(/daily mail +none/);
    expect(await run('mail', 'change_failed', 'never')).not.toMatch(/mail .*change_failed/);
    const wrong = await cli.run(['notifications', 'mail', 'change_failed', 'sometimes']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('at-once, daily')]);
  } finally {
    cli.remove();
  }
});

/** A member whose address is verified. */
async function member(
  name: string,
  role: Role,
  {
    databaseIds = null,
    verified = true,
  }: { databaseIds?: string[] | null; verified?: boolean } = {},
): Promise<string> {
  return store.change(tester, async (change) => {
    const subject = `${name}-${count}`;
    const email = `${name}@example.com`;
    const issuer = 'https://id.example.com';
    const user = await ensureUser(change, {
      issuer,
      subject,
      email,
      emailVerified: verified,
      name,
    });
    const organizationId = organization.id;
    await addMember(change, { organizationId, user, role, databaseIds });
    people.set(user.id, { ...(people.get(person(role, databaseIds)) as MemberPrincipal), user });
    return user.id;
  });
}

/** Runs two workers until every event was told, and every daily mail that is due. Returns the mails. */
async function told(): Promise<TakenMail[]> {
  const mailers = [0, 1].map(
    () =>
      new NotificationMailer({
        store,
        sealer,
        links,
        publicUrl: 'https://ledger.example',
        logger: silent,
        everyMs: 20,
      }),
  );
  for (const mailer of mailers) mailer.start();
  try {
    await eventually('all events are told', async () => {
      const { rows } = await sql<{ waiting: string }>`
        SELECT (SELECT count(*) FROM event_heads LEFT JOIN event_positions
          ON event_positions.organization_id = event_heads.organization_id AND consumer = 'notification mails'
          WHERE coalesce(event_positions.sequence, 0) < event_heads.sequence)
        + (SELECT count(*) FROM notification_settings WHERE digest_due_at < clock_timestamp()) AS waiting`.execute(
        store.read,
      );
      return rows[0]?.waiting === '0' || undefined;
    });
  } finally {
    await Promise.all(mailers.map((mailer) => mailer.stop()));
  }
  const mails: TakenMail[] = [];
  for (;;) {
    const mail = await takeMail(store.read, sealer);
    if (mail === undefined) break;
    mails.push(mail);
  }
  await store.read.deleteFrom('mails').execute();
  return mails.toSorted((a, b) => a.to.localeCompare(b.to));
}

const choose = (id: string, body: object) => patch('updateNotificationPreferences', id, body);
const receivers = async () => (await told()).map(({ to }) => to);
const dailyIsDue = () =>
  sql`UPDATE notification_settings SET digest_due_at = clock_timestamp() WHERE digest_due_at IS NOT NULL`.execute(
    store.read,
  );

test('those who can do something get trouble by mail, once, and nobody else is woken', async () => {
  const ada = await member('ada', 'owner');
  await member('bob', 'admin');
  await member('vera', 'viewer');
  await member('carl', 'billing');
  await member('una', 'owner', { verified: false });
  await told();
  await emit('engine.upgraded', payments);
  await emit('database.connected', payments);
  expect(await told()).toEqual([]);
  await emit('database.unavailable', payments);
  const mails = await told();
  expect(mails.map(({ to }) => to)).toEqual(['ada@example.com', 'bob@example.com']);
  expect(mails[0]).toMatchObject({
    subject: `payments: ${eventTypes['database.unavailable'].description}`,
    text: expect.stringContaining(`https://ledger.example/o/${organization.slug}/notifications`),
    unsubscribeUrl: links.linkFor({ organizationId: organization.id, userId: ada }),
  });
  const byAda = { ...tester, actor: { type: 'user', id: ada, display: 'Ada' } } as const;
  await emit('database.failed', wages, byAda);
  await emit('billing.payment_failed');
  expect(await receivers()).toEqual(['ada@example.com', 'bob@example.com', 'carl@example.com']);
});

test('each person chooses by kind; what is muted or not to be seen is in no mail', async () => {
  const vera = await member('vera', 'viewer', { databaseIds: [payments] });
  expect((await choose(vera, { mailKinds: ['engine_upgraded'] })).json).toMatchObject({
    notificationPreferences: { mailKinds: ['engine_upgraded'], mailAddress: 'vera@example.com' },
  });
  await told();
  await emit('engine.upgraded', wages);
  await emit('database.unavailable', payments);
  expect(await told()).toEqual([]);
  await emit('engine.upgraded', payments);
  expect(await receivers()).toEqual(['vera@example.com']);
  await choose(vera, { mutedDatabases: [payments] });
  await emit('engine.upgraded', payments);
  expect(await told()).toEqual([]);
  const both = { mailKinds: ['engine_upgraded'], digestKinds: ['engine_upgraded'] };
  expect((await choose(vera, both)).json['code']).toBe('validation_failed');
});

test('a daily mail has what happened since the one before, and none is empty', async () => {
  const ada = await member('ada', 'owner');
  await told();
  await emit('configuration.change_failed', wages);
  const chosen = await choose(ada, { digestKinds: ['change_failed'] });
  expect(chosen.json).toMatchObject({
    notificationPreferences: { digestKinds: ['change_failed'] },
  });
  await emit('configuration.change_failed', payments);
  // To choose once more takes nothing from the mail that is on its way.
  await choose(ada, { digestKinds: ['change_failed', 'engine_upgraded'] });
  await emit('engine.upgraded', payments);
  expect(await told()).toEqual([]);
  await dailyIsDue();
  const [mail, ...more] = await told();
  expect(more).toEqual([]);
  expect(mail?.subject).toBe(`2 notifications of ${organization.name} since yesterday`);
  expect(mail?.text.split('\n').slice(0, 2)).toEqual([
    expect.stringContaining(eventTypes['configuration.change_failed'].description),
    expect.stringContaining(eventTypes['engine.upgraded'].description),
  ]);
  await dailyIsDue();
  expect(await told()).toEqual([]);
  const { digestDueAt } = await store.read
    .selectFrom('notificationSettings')
    .select('digestDueAt')
    .where('person', '=', ada)
    .executeTakeFirstOrThrow();
  const hours = ((digestDueAt?.getTime() ?? 0) - Date.now()) / 3_600_000;
  expect(hours).toBeGreaterThan(-0.1);
  expect(hours).toBeLessThan(24.1);
});

test('a burst comes in one mail, and a day has a bounded number of mails', async () => {
  await member('ada', 'owner');
  await told();
  await store.change(tester, async (change) => {
    for (let made = 0; made < 60; made += 1) {
      change.emit({
        organizationId: organization.id,
        type: 'database.unavailable',
        subject: { type: 'database', id: payments, display: 'payments\r\nBcc: eve@example.com' },
        databaseId: payments,
        data: { database: { id: payments, name: 'payments', status: 'READY' } },
      });
    }
  });
  const [burst, ...others] = await told();
  expect(others).toEqual([]);
  expect(burst?.subject).toBe(`More than 50 notifications of ${organization.name}`);
  expect(burst?.text).not.toMatch(/^Bcc/m);
  const mails = await onOneDay(async () => {
    await sql`UPDATE notification_settings SET mails_of_day = 18, mail_day = (now() AT TIME ZONE 'UTC')::date`.execute(
      store.read,
    );
    const lasts: boolean[][] = [];
    for (let count = 0; count < 3; count += 1) {
      await emit('database.unavailable', payments);
      lasts.push((await told()).map(({ text }) => text.includes('last mail')));
    }
    return lasts;
  });
  expect(mails).toEqual([[false], [true], []]);
  await sql`UPDATE notification_settings SET mail_day = mail_day - 1`.execute(store.read);
  await emit('database.unavailable', payments);
  expect(await receivers()).toEqual(['ada@example.com']);
});

test('the link of a mail ends the mails of its person without a sign-in, and only when it is sent', async () => {
  const ada = await member('ada', 'owner');
  await member('bob', 'owner');
  await choose(ada, { digestKinds: ['change_failed'] });
  await told();
  const { pathname, search } = new URL(
    links.linkFor({ organizationId: organization.id, userId: ada }),
  );
  const open = (query: string, method = 'GET') =>
    fetch(`${app.url}${pathname}${query}`, {
      method,
      headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
      ...(method === 'POST' && { body: 'List-Unsubscribe=One-Click' }),
    });
  const page = await open(search);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('method="post"')]);
  await emit('database.unavailable', payments);
  expect(await receivers()).toEqual(['ada@example.com', 'bob@example.com']);
  const forged = `${search.slice(0, -1)}${search.endsWith('A') ? 'B' : 'A'}`;
  for (const wrong of [forged, '?token=', '', '?token=%00', `${search}${search.slice(7)}`]) {
    expect([wrong, (await open(wrong, 'POST')).status]).toEqual([wrong, 404]);
  }
  expect((await open(search, 'POST')).status).toBe(200);
  await emit('database.unavailable', payments);
  await emit('configuration.change_failed', payments);
  await dailyIsDue();
  expect(await receivers()).toEqual(['bob@example.com']);
  // Somebody who never was a member, or is none any more, has nothing that could end.
  const stranger = links.linkFor({ organizationId: organization.id, userId: newTypeId('usr') });
  expect((await open(new URL(stranger).search, 'POST')).status).toBe(200);
  expect((await choose(ada, { mailKinds: ['database_trouble'] })).status).toBe(200);
  await emit('database.unavailable', payments);
  expect(await receivers()).toEqual(['ada@example.com', 'bob@example.com']);
});

test('each type of event belongs to one kind', () => {
  expect([...kindOfType.keys()].every((type) => type in eventTypes)).toBe(true);
  expect(new Set(kindOfType.values())).toEqual(new Set(notificationKindNames));
});
