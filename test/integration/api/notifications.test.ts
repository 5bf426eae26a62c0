/** Notifications over HTTP and by the command, with a real PostgreSQL: who gets which, what is read, what is muted. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { MemberPrincipal } from '../../../api/auth/principal.ts';
import type { Role } from '../../../api/model/access.ts';
import type { Author } from '../../../api/model/actor.ts';
import { eventTypes, type EventType } from '../../../api/model/event-types.ts';
import { kindOfType, notificationKindNames } from '../../../api/model/notification-kinds.ts';
import { notificationHandlers } from '../../../api/notifications/handlers.ts';
import { Cursors } from '../../../api/store/cursor.ts';
import type { Organization } from '../../../api/store/organizations.ts';
import type { Store } from '../../../api/store/store.ts';
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
  tester,
} from '../../support/api/store.ts';
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
    handlers: notificationHandlers({ store, cursors: new Cursors(signingKeys) }),
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

let count = 0;
beforeEach(async () => {
  count += 1;
  organization = await anotherOrganization(store, `acme-${count}`);
  ({ id: payments } = await makeDatabase(store, organization, 'payments'));
  ({ id: wages } = await makeDatabase(store, organization, 'wages'));
  people.clear();
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

test('what is read stays read, and what came later is unread', async () => {
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
  } finally {
    cli.remove();
  }
});

test('each type of event belongs to one kind', () => {
  expect([...kindOfType.keys()].every((type) => type in eventTypes)).toBe(true);
  expect(new Set(kindOfType.values())).toEqual(new Set(notificationKindNames));
});
