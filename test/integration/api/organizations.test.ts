/** Organizations in the hands of the installation's administrator: name, quota, suspension, deletion; and what their keys see of it. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { requireRoom } from '../../../api/databases/guards.ts';
import { purgeOrganizations } from '../../../api/organizations/purge.ts';
import { purgeOrganization } from '../../../api/store/organization-lifecycle.ts';
import { updateDatabase } from '../../../api/store/databases.ts';
import { listEvents } from '../../../api/store/events.ts';
import { uuidOf } from '../../../api/store/ids.ts';
import { findOrganization, type Organization } from '../../../api/store/organizations.ts';
import { Store } from '../../../api/store/store.ts';
import { PeopleService, type Answered, type Asked } from '../../support/api/people-service.ts';
import { makeDatabase, patient, silent, tester } from '../../support/api/store.ts';
import { hiddenFields, type Browser } from '../../support/browser/browser.ts';

let service: PeopleService;
let store: Store;
let administrator: Browser;

beforeAll(async () => {
  service = await PeopleService.start();
  store = new Store({ logger: silent, ...patient, url: service.databaseUrl });
  await store.start();
  administrator = await service.administrator();
});
afterAll(async () => {
  await store?.close();
  await service?.stop();
});

const ask = (path: string, asked?: Asked) => service.ask(administrator, path, asked);

interface Tenant {
  readonly id: string;
  readonly path: string;
  readonly organization: Organization;
  readonly keyId: string;
  /** Sends a request with the organization's key. */
  withKey(path: string, asked?: Asked): Promise<Answered>;
}

async function tenant(slug: string): Promise<Tenant> {
  const made = await ask('/organizations', { method: 'POST', body: { slug, name: slug } });
  expect(made.status).toBe(201);
  const { id } = made.json.organization;
  const key = await ask('/api-keys', {
    method: 'POST',
    headers: { 'x-organization-id': id },
    body: { name: 'app', permissions: ['db:read', 'db:write'] },
  });
  expect(key.status).toBe(201);
  const headers = { 'x-api-key': key.json.secret };
  const organization = await findOrganization(store.read, id);
  if (organization === undefined) throw new Error('it is not there');
  return {
    id,
    path: `/organizations/${id}`,
    organization,
    keyId: key.json.apiKey.id,
    withKey: (path, asked = {}) =>
      service.ask(undefined, path, { ...asked, headers: { ...asked.headers, ...headers } }),
  };
}

const eventsOf = async ({ id }: Tenant) => {
  const { rows } = await listEvents(store.read, id, {}, { limit: 100 });
  return rows
    .map(({ type }) => type)
    .filter((type) => type.startsWith('organization.'))
    .reverse();
};

test('the administrator renames an organization and gives it a quota of its own; others do not', async () => {
  const acme = await tenant('acme');
  const patch = (body: object) => ask(acme.path, { method: 'PATCH', body });
  expect(await patch({ name: 'Acme Payments', databasesMax: 0 })).toMatchObject({
    status: 200,
    json: { organization: { name: 'Acme Payments', slug: 'acme', databasesMax: 0 } },
  });
  const room = () => store.change(tester, (change) => requireRoom(change, acme.id, 50, 1));
  await expect(room()).rejects.toMatchObject({ code: 'quota_exceeded' });
  const session = await acme.withKey('/session');
  expect(session.json.limits.maxDatabases).toBe(0);
  expect((await patch({ databasesMax: null })).json.organization.databasesMax).toBeNull();
  await room();
  expect(await eventsOf(acme)).toEqual([
    'organization.created',
    'organization.changed',
    'organization.changed',
  ]);

  const stranger = await service.signIn({ sub: 'stranger', name: 'A Stranger' });
  for (const [method, path, body] of [
    ['PATCH', acme.path, { name: 'Mine' }],
    ['POST', `${acme.path}/suspend`, { reason: 'x' }],
    ['POST', `${acme.path}/resume`, undefined],
    ['DELETE', acme.path, undefined],
    ['POST', `${acme.path}/restore`, undefined],
  ] as const) {
    const { json } = await service.ask(stranger, path, { method, body });
    const code = method === 'PATCH' ? 'organization_not_found' : 'provisioning_not_permitted';
    expect([method, path, json.code]).toEqual([method, path, code]);
    expect((await acme.withKey(path, { method, body })).json.code).toBe('session_required');
  }
});

test('a suspended organization can be read and emptied, and does nothing else until it is resumed', async () => {
  const late = await tenant('late');
  const database = await makeDatabase(store, late.organization, 'ledger');
  const reason = 'The contract has ended.';
  const suspended = await ask(`${late.path}/suspend`, { method: 'POST', body: { reason } });
  expect(suspended.json.organization).toMatchObject({
    status: 'SUSPENDED',
    suspensionReason: reason,
  });

  const tb = `/databases/${database.id}/tb`;
  const write = { method: 'POST', body: [] };
  for (const [path, asked] of [
    [`${tb}/create_transfers`, write],
    ['/databases', { method: 'POST', body: { name: 'more' } }],
    [`/databases/${database.id}`, { method: 'PATCH', body: { labels: { a: 'b' } } }],
  ] as const) {
    const refused = await late.withKey(path, asked);
    expect([path, refused.status, refused.json.code]).toEqual([
      path,
      403,
      'organization_suspended',
    ]);
    expect(refused.json.detail).toContain(reason);
  }
  expect((await late.withKey('/databases')).status).toBe(200);
  // Not refused for the suspension: this database is not ready.
  const read = await late.withKey(`${tb}/lookup_accounts`, { method: 'POST', body: ['1'] });
  expect(read.json.code).toBe('database_not_ready');
  const own = { 'x-organization-id': late.id };
  const another = { method: 'POST', headers: own, body: { name: 'x', permissions: ['db:read'] } };
  expect((await ask('/api-keys', another)).json.code).toBe('organization_suspended');

  expect((await ask(`${late.path}/resume`, { method: 'POST' })).json.organization).toMatchObject({
    status: 'ACTIVE',
    suspensionReason: null,
  });
  expect((await late.withKey(`${tb}/create_transfers`, write)).json.code).not.toBe(
    'organization_suspended',
  );
  await ask(`${late.path}/suspend`, { method: 'POST', body: { reason } });
  expect((await late.withKey(`/databases/${database.id}`, { method: 'DELETE' })).status).toBe(202);
  const revoked = await ask(`/api-keys/${late.keyId}`, { method: 'DELETE', headers: own });
  expect(revoked.status).toBe(204);
  expect(await eventsOf(late)).toEqual([
    'organization.created',
    'organization.suspended',
    'organization.resumed',
    'organization.suspended',
  ]);
});

test('an empty organization is deleted softly, can be restored for a week, and is purged then', async () => {
  const gone = await tenant('gone');
  const database = await makeDatabase(store, gone.organization, 'ledger');
  const remove = () => ask(gone.path, { method: 'DELETE' });
  expect(await remove()).toMatchObject({ status: 409, json: { code: 'organization_not_empty' } });
  // Deleted databases that can be restored do not count.
  const purgeAt = new Date(Date.now() + 86_400_000);
  const deletion = { status: 'DELETED', deletedAt: new Date(), purgeAt } as const;
  await store.change(tester, (change) => updateDatabase(change, database.id, deletion));
  const { organization } = (await remove()).json;
  expect(organization).toMatchObject({ status: 'DELETED' });
  const days = (Date.parse(organization.purgeAt) - Date.parse(organization.deletedAt)) / 86_400_000;
  expect(days).toBeCloseTo(7, 2);

  expect((await gone.withKey('/databases')).status).toBe(401);
  const slugs = async (query: string) =>
    (await ask(`/organizations${query}`)).json.data.map(({ slug }: { slug: string }) => slug);
  expect(await slugs('')).not.toContain('gone');
  expect(await slugs('?includeDeleted=true')).toContain('gone');
  const rename = { method: 'PATCH', body: { name: 'x' } };
  expect((await ask(gone.path, rename)).json.code).toBe('organization_not_found');

  const restore = () => ask(`${gone.path}/restore`, { method: 'POST' });
  expect((await restore()).json.organization).toMatchObject({ status: 'ACTIVE', deletedAt: null });
  expect((await restore()).json.code).toBe('organization_not_deleted');
  expect((await gone.withKey('/databases')).status).toBe(200);

  await remove();
  const over = { purgeAt: new Date(Date.now() - 60_000) };
  await store.read
    .updateTable('organizations')
    .set(over)
    .where('id', '=', uuidOf(gone.id))
    .execute();
  // A database of it can still be restored: nothing is purged before that has ended.
  await purgeOrganizations(store);
  expect((await findOrganization(store.read, gone.id))?.purgedAt).toBeNull();
  await store.change(tester, (change) =>
    updateDatabase(change, database.id, { purgedAt: new Date() }),
  );
  await purgeOrganizations(store);
  expect((await ask(gone.path)).status).toBe(404);
  expect((await restore()).json.code).toBe('organization_not_found');
  expect(await slugs('?includeDeleted=true')).not.toContain('gone');
  const again = await ask('/organizations', { method: 'POST', body: { slug: 'gone', name: 'x' } });
  expect(again.json.code).toBe('organization_slug_taken');
  expect(await eventsOf(gone)).toEqual([
    'organization.created',
    'organization.deleted',
    'organization.restored',
    'organization.deleted',
    'organization.purged',
  ]);
});

test('an organization that was restored and deleted again meanwhile is not purged before its new time', async () => {
  const { id, path } = await tenant('again');
  expect((await ask(path, { method: 'DELETE' })).status).toBe(200);
  expect(await store.change(tester, (change) => purgeOrganization(change, id))).toBeUndefined();
  expect((await ask(`${path}/restore`, { method: 'POST' })).status).toBe(200);
});

test('an owner renames the own organization and says how long events are kept, but not while it is suspended', async () => {
  const { id, path } = await tenant('owned');
  const headers = { 'x-organization-id': id };
  const email = 'owner@example.com';
  const owner = await service.signIn({ sub: 'owner', name: 'Owner', email, email_verified: true });
  const invitation = { method: 'POST', headers, body: { email, role: 'owner' } };
  const { token } = (await ask('/invitations', invitation)).json;
  await service.ask(owner, '/invitations/accept', { method: 'POST', body: { token } });
  const rename = (name: string) => service.ask(owner, path, { method: 'PATCH', body: { name } });
  expect((await rename('Owned Payments')).status).toBe(200);
  const keep = (auditRetentionDays: number) =>
    service.ask(owner, path, { method: 'PATCH', body: { auditRetentionDays } });
  expect((await keep(2_557)).json.organization.auditRetentionDays).toBe(2_557);
  for (const days of [89, 2_558]) {
    expect(await keep(days)).toMatchObject({
      status: 422,
      json: { errors: [{ pointer: '#/auditRetentionDays' }] },
    });
  }
  await ask(`${path}/suspend`, { method: 'POST', body: { reason: 'The contract has ended.' } });
  expect(await rename('Somebody Else')).toMatchObject({
    status: 403,
    json: { code: 'organization_suspended' },
  });
});

test('the administrator makes organizations while the first one is suspended or deleted', async () => {
  const { data } = (await ask('/organizations?limit=100')).json;
  const { id } = data.find(({ slug }: { slug: string }) => slug === 'default');
  const path = `/organizations/${id}`;
  const make = (slug: string) =>
    ask('/organizations', { method: 'POST', body: { slug, name: slug } });
  await ask(`${path}/suspend`, { method: 'POST', body: { reason: 'It is not used.' } });
  expect((await make('beside-suspended')).status).toBe(201);
  expect((await ask(path, { method: 'DELETE' })).status).toBe(200);
  expect((await make('beside-deleted')).status).toBe(201);
  expect((await ask(`${path}/restore`, { method: 'POST' })).status).toBe(200);
  expect((await ask(`${path}/resume`, { method: 'POST' })).status).toBe(200);
});

test('nobody joins a suspended organization, and the invitation waits until it is resumed', async () => {
  const { id, path } = await tenant('not-joined');
  const headers = { 'x-organization-id': id };
  const email = 'joiner@example.com';
  const joiner = await service.signIn({
    sub: 'joiner',
    name: 'Joiner',
    email,
    email_verified: true,
  });
  const invitation = { method: 'POST', headers, body: { email, role: 'viewer' } };
  const { token } = (await ask('/invitations', invitation)).json;
  const accept = () =>
    service.ask(joiner, '/invitations/accept', { method: 'POST', body: { token } });
  await ask(`${path}/suspend`, { method: 'POST', body: { reason: 'The contract has ended.' } });
  expect(await accept()).toMatchObject({ status: 403, json: { code: 'organization_suspended' } });
  const form = { ...hiddenFields(await joiner.open(`${service.url}/invitation?token=${token}`)) };
  expect((await joiner.open(`${service.url}/invitation`, { form })).status).toBe(403);
  const members = (await ask('/members', { headers })).json.data;
  expect(members).toEqual([]);
  await ask(`${path}/resume`, { method: 'POST' });
  expect(await accept()).toMatchObject({ status: 200, json: { organization: { id } } });
});

test('a setting that somebody else changed meanwhile is not overwritten: organization, its window, and a role', async () => {
  const { id, path } = await tenant('matched');
  const headers = { 'x-organization-id': id };
  const email = 'matched@example.com';
  const person = { sub: 'matched', name: 'Matched', email, email_verified: true };
  const browser = await service.signIn(person);
  const invitation = { method: 'POST', headers, body: { email, role: 'viewer' } };
  const { token } = (await ask('/invitations', invitation)).json;
  await service.ask(browser, '/invitations/accept', { method: 'POST', body: { token } });
  const found = await ask(`/members?q=${email}`, { headers });
  const window = (weekday: string) => ({
    weekday,
    startTime: '02:00',
    lengthMinutes: 60,
    timeZone: 'Etc/UTC',
  });
  const cases = [
    [path, 'PATCH', { name: 'Theirs' }, { auditRetentionDays: 90 }],
    ['/maintenance-window', 'PUT', window('MONDAY'), window('FRIDAY')],
    [`/members/${found.json.data[0].id}`, 'PATCH', { role: 'developer' }, { role: 'admin' }],
  ] as const;
  for (const [of, method, theirs, ours] of cases) {
    const seen = await ask(of, { headers });
    // Nothing is answered as unchanged: the rest of the answer may be another one.
    const again = await ask(of, { headers: { ...headers, 'if-none-match': seen.etag ?? '' } });
    expect([of, again.status, again.etag]).toEqual([of, 200, seen.etag]);
    const sent = (body: object, etag: string | undefined) =>
      ask(of, { method, headers: { ...headers, ...(etag && { 'if-match': etag }) }, body });
    const first = await sent(theirs, seen.etag);
    expect([of, first.status]).toEqual([of, 200]);
    expect(await sent(ours, seen.etag)).toMatchObject({
      status: 412,
      json: { code: 'precondition_failed' },
    });
    const present = await ask(of, { headers });
    expect(present.etag).toBe(first.etag);
    expect(present.etag).not.toBe(seen.etag);
    expect([of, (await sent(ours, present.etag)).status]).toEqual([of, 200]);
  }
  const asked = { method: 'DELETE', headers: { ...headers, 'if-match': '"another"' } };
  expect((await ask('/maintenance-window', asked)).status).toBe(412);
});
