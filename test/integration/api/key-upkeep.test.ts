/** API keys over time: notices before they expire, renewal, and the keys and invitations of removed members. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { tellExpiringKeys } from '../../../api/keys/expiry-notices.ts';
import { removeMember } from '../../../api/store/members.ts';
import { defaultSlug, findOrganizationBySlug } from '../../../api/store/organizations.ts';
import { listEvents } from '../../../api/store/events.ts';
import { Sealer } from '../../../api/store/sealing.ts';
import { Store } from '../../../api/store/store.ts';
import type { Browser } from '../../support/browser/browser.ts';
import { PeopleService, type Answered } from '../../support/api/people-service.ts';
import { eventually } from '../../support/shell.ts';
import { patient, signingKeys, silent, tester } from '../../support/api/store.ts';

let service: PeopleService;
let administrator: Browser;
let store: Store;
/** Gives the notices as the service's housekeeping does now and then. */
let tell: () => Promise<number>;

beforeAll(async () => {
  service = await PeopleService.start();
  store = new Store({ url: service.databaseUrl, logger: silent, ...patient });
  const sealer = new Sealer(signingKeys);
  tell = () => tellExpiringKeys({ store, sealer, mails: true });
  administrator = await service.administrator();
});
afterAll(async () => {
  await store?.close();
  await service?.stop();
});

const person = (name: string) => ({
  sub: `sub-${name}`,
  name,
  email: `${name}@example.com`,
  email_verified: true,
});

/** A person who has accepted an invitation, in a browser, and the ID of their membership. */
async function join(name: string, role: string): Promise<{ browser: Browser; id: string }> {
  const browser = await service.signIn(person(name));
  const email = `${name}@example.com`;
  const body = { email, role };
  const { json } = await service.ask(administrator, '/invitations', { method: 'POST', body });
  const { token } = json;
  await service.ask(browser, '/invitations/accept', { method: 'POST', body: { token } });
  const list = await service.ask(administrator, '/members?limit=100');
  const found = list.json.data.find(
    ({ user }: { user: { email: string } }) => user.email === email,
  );
  return { browser, id: found.id };
}

async function makeKey(as: Browser, name: string): Promise<{ id: string; secret: string }> {
  const body = { name, permissions: ['db:read'] };
  const { status, json } = await service.ask(as, '/api-keys', { method: 'POST', body });
  expect({ status, json }).toMatchObject({ status: 201 });
  return { id: json.apiKey.id, secret: json.secret };
}

/** Lets days pass for a key. */
const age = (name: string, days: number) =>
  sql`UPDATE api_keys SET expires_at = expires_at - ${days} * interval '1 day',
    created_at = created_at - ${days} * interval '1 day',
    renewed_at = renewed_at - ${days} * interval '1 day' WHERE name = ${name}`.execute(store.read);

const works = async ({ secret }: { secret: string }) =>
  (await service.ask(undefined, '/session', { headers: { 'x-api-key': secret } })).status;

/** The mail to that address about the key, after those about other things. */
const mailAbout = (name: string, address: string) =>
  eventually(`a mail to ${address} is about ${name}`, async () => {
    const mail = await service.mailTo(address);
    if (!mail.includes(name)) throw new Error(mail);
    return mail;
  });

async function noticesOf(name: string): Promise<readonly unknown[]> {
  const organization = await findOrganizationBySlug(store.read, defaultSlug);
  const filter = { types: ['api_key.expiring'] } as const;
  const { rows } = await listEvents(store.read, organization?.id ?? '', filter, { limit: 100 });
  return rows
    .filter(({ subject }) => subject.display === name)
    .map(({ data }) => (data as { days: number }).days)
    .reverse();
}

test('a key is told of a week and a day before it expires, once each, and its maker gets mail', async () => {
  const { browser } = await join('ada', 'developer');
  const key = await makeKey(browser, 'nightly');
  await tell();
  expect(await noticesOf('nightly')).toEqual([]);
  await age('nightly', 84);
  await Promise.all([tell(), tell()]);
  await tell();
  expect(await noticesOf('nightly')).toEqual([7]);
  const mail = await mailAbout('nightly', 'ada@example.com');
  expect(mail).toContain(`ledgerhouse keys renew ${key.id}`);
  await age('nightly', 5.5);
  await tell();
  await tell();
  expect(await noticesOf('nightly')).toEqual([7, 1]);
  await age('nightly', 1);
  await tell();
  expect(await noticesOf('nightly')).toEqual([7, 1]);
});

test('a key whose week went by while nothing ran gets one notice; one that was made for an hour gets none', async () => {
  await makeKey(administrator, 'overlooked');
  await age('overlooked', 89.5);
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const body = { name: 'hourly', permissions: ['db:read'], expiresAt };
  await service.ask(administrator, '/api-keys', { method: 'POST', body });
  await tell();
  expect([await noticesOf('overlooked'), await noticesOf('hourly')]).toEqual([[1], []]);
});

test('once its maker is no member, the owners get the mail', async () => {
  await join('grace', 'owner');
  const { browser, id } = await join('gone', 'developer');
  await makeKey(browser, 'left-behind');
  await service.ask(administrator, `/members/${id}`, { method: 'DELETE' });
  await age('left-behind', 84);
  await tell();
  expect(await mailAbout('left-behind', 'grace@example.com')).toContain('keys renew');
});

test('a renewed key keeps its secret, works on, and is told of again before its new expiry', async () => {
  const key = await makeKey(administrator, 'renewed');
  await age('renewed', 84);
  await tell();
  const renew = (body?: object) =>
    service.ask(administrator, `/api-keys/${key.id}/renew`, {
      method: 'POST',
      ...(body && { body }),
    });
  const { status, json } = await renew();
  expect({ status, json }).toMatchObject({ status: 200, json: { apiKey: { id: key.id } } });
  const days = (Date.parse(json.apiKey.expiresAt) - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(90);
  expect(await works(key)).toBe(200);
  await tell();
  expect(await noticesOf('renewed')).toEqual([7]);
  await age('renewed', 84);
  await tell();
  expect(await noticesOf('renewed')).toEqual([7, 7]);
  expect((await renew({ expiresAt: null })).json.apiKey.expiresAt).toBeNull();
  expect(await renew({ expiresAt: '2020-01-01T00:00:00Z' })).toMatchObject({
    status: 422,
    json: { errors: [{ pointer: '#/expiresAt', code: 'in_the_past' }] },
  });
  const audit = await service.ask(administrator, '/audit-events?type=api_key.renewed');
  expect(audit.json.data[0]).toMatchObject({ changes: [{ path: '/expiresAt', to: null }] });
});

test('a key that has ended is not renewed, and nobody renews another one’s', async () => {
  const notActive = { status: 409, json: { code: 'api_key_not_active' } };
  const renew = (as: Browser, { id }: { id: string }) =>
    service.ask(as, `/api-keys/${id}/renew`, { method: 'POST' });
  const revoked = await makeKey(administrator, 'revoked');
  await service.ask(administrator, `/api-keys/${revoked.id}`, { method: 'DELETE' });
  expect(await renew(administrator, revoked)).toMatchObject(notActive);
  const expired = await makeKey(administrator, 'expired');
  await age('expired', 91);
  expect(await renew(administrator, expired)).toMatchObject(notActive);
  const rotated = await makeKey(administrator, 'rotated');
  await service.ask(administrator, `/api-keys/${rotated.id}/rotate`, { method: 'POST' });
  expect(await renew(administrator, rotated)).toMatchObject(notActive);
  const foreign = await makeKey(administrator, 'foreign');
  const { browser } = await join('dev', 'developer');
  expect(await renew(browser, foreign)).toMatchObject({ status: 404 });
});

test('a key gets another name and other addresses, in turn with another tab, and is told of in the audit log', async () => {
  const key = await makeKey(administrator, 'misnamed');
  const path = `/api-keys/${key.id}`;
  const change = (body: object, ifMatch?: string, as = administrator) =>
    service.ask(as, path, {
      method: 'PATCH',
      body,
      ...(ifMatch !== undefined && { headers: { 'if-match': ifMatch } }),
    });
  const { etag = '' } = await service.ask(administrator, path);
  const named = await change({ name: 'named' }, etag);
  expect(named).toMatchObject({
    status: 200,
    json: { apiKey: { id: key.id, name: 'named', ipAllowList: [] } },
  });
  expect(named.etag).not.toBe(etag);
  const late = await change({ ipAllowList: ['192.0.2.1'] }, etag);
  expect(late).toMatchObject({ status: 412, json: { code: 'precondition_failed' } });
  expect(await works(key)).toBe(200);
  expect(await change({ ipAllowList: ['192.0.2.1', '2001:db8::/32'] }, named.etag)).toMatchObject({
    status: 200,
    json: { apiKey: { name: 'named', ipAllowList: ['192.0.2.1', '2001:db8::/32'] } },
  });
  // At once in this process, which had the key in its cache.
  expect(await works(key)).toBe(401);
  expect((await change({ ipAllowList: ['127.0.0.0/8', '::1'] })).status).toBe(200);
  expect(await works(key)).toBe(200);
  // What changes nothing is no event.
  const again = await change({ name: 'named' });
  expect(again).toMatchObject({ status: 200, json: { apiKey: { name: 'named' } } });
  const audit = await service.ask(
    administrator,
    `/audit-events?type=api_key.changed&targetId=${key.id}`,
  );
  expect(audit.json.data.map(({ changes }: { changes: unknown }) => changes)).toEqual([
    [{ path: '/ipAllowList', from: ['192.0.2.1', '2001:db8::/32'], to: ['127.0.0.0/8', '::1'] }],
    [{ path: '/ipAllowList', from: [], to: ['192.0.2.1', '2001:db8::/32'] }],
    [{ path: '/name', from: 'misnamed', to: 'named' }],
  ]);
  for (const wrong of [{ name: '' }, { ipAllowList: ['10.0.0.0/33'] }, { permissions: [] }]) {
    expect([wrong, (await change(wrong)).status]).toEqual([wrong, 422]);
  }
  const { browser } = await join('renamer', 'developer');
  expect((await change({ name: 'taken over' }, undefined, browser)).status).toBe(404);
  const own = await makeKey(browser, 'own');
  const ownChange = { method: 'PATCH', body: { name: 'mine' } };
  expect((await service.ask(browser, `/api-keys/${own.id}`, ownChange)).status).toBe(200);
  await service.ask(administrator, `${path}/rotate`, { method: 'POST' });
  expect((await change({ name: 'leaving' })).json.apiKey).toMatchObject({ status: 'ROTATING' });
  await service.ask(administrator, path, { method: 'DELETE' });
  const gone = await change({ name: 'gone' });
  expect(gone).toMatchObject({ status: 409, json: { code: 'api_key_not_active' } });
});

test('keys are found by name, status, permission, database, maker and end; a developer finds their own only', async () => {
  const { browser: dev, id: memberId } = await join('finder', 'developer');
  const { json } = await service.ask(administrator, `/members/${memberId}`);
  const { id: maker } = json.member.user;
  const one = await makeKey(administrator, '=cmd|"Find" <b>%_');
  const [soon, ended, gone] = [
    await makeKey(administrator, 'find soon'),
    await makeKey(administrator, 'find ended'),
    await makeKey(dev, 'find gone'),
  ];
  await age('find soon', 85);
  await age('find ended', 91);
  await service.ask(dev, `/api-keys/${gone.id}`, { method: 'DELETE' });
  const old = await makeKey(administrator, 'find old');
  const { json: fresh } = await service.ask(administrator, `/api-keys/${old.id}/rotate`, {
    method: 'POST',
    body: { gracePeriodSeconds: 3_600 },
  });
  const list = async (as: Browser, query: string) => {
    const { status, json: page } = await service.ask(as, `/api-keys?${query}`);
    return status === 200 ? page.data.map(({ id }: { id: string }) => id).sort() : status;
  };
  const found = (query: string, as = administrator) => list(as, `q=find&${query}`);
  const ids = (...keys: readonly { readonly id: string }[]) => keys.map(({ id }) => id).sort();
  const all = ids(fresh.apiKey, old, gone, ended, soon, one);
  expect(await found('')).toEqual(all);
  expect(await list(administrator, `q=${encodeURIComponent('"FIND" <B>%_')}`)).toEqual([one.id]);
  expect(await found('status=ACTIVE')).toEqual(ids(fresh.apiKey, soon, one));
  expect(await found('status=ROTATING,REVOKED')).toEqual(ids(old, gone));
  expect(await found('status=EXPIRED')).toEqual([ended.id]);
  expect(await found('expiresWithinDays=7')).toEqual(ids(old, soon));
  expect(await found('permission=db:write')).toEqual([]);
  expect(await found('databaseId=db_01jd8f3zk5e0v9t3m2q6r8w4x0')).toEqual([]);
  expect(await found(`createdBy=${maker}`)).toEqual([gone.id]);
  expect(await found('', dev)).toEqual([gone.id]);
  expect(await found('createdBy=usr_01jd8f3zk5e0v9t3m2q6r8w4x0', dev)).toEqual([]);
  for (const wrong of ['status=DEAD', 'databaseId=1', 'expiresWithinDays=0', 'q=%00']) {
    expect([wrong, await list(administrator, wrong)]).toEqual([wrong, 400]);
  }
  const first = await service.ask(administrator, '/api-keys?q=find&limit=4');
  const cursor = encodeURIComponent(first.json.page.nextCursor);
  const rest = await found(`limit=4&cursor=${cursor}`);
  expect(ids(...first.json.data, ...rest.map((id: string) => ({ id })))).toEqual(all);
  const other = await service.ask(administrator, `/api-keys?q=fin&limit=4&cursor=${cursor}`);
  expect(other).toMatchObject({ status: 400, json: { code: 'invalid_cursor' } });
  // No notice of it is due in the tests that follow.
  await service.ask(administrator, `/api-keys/${soon.id}`, { method: 'DELETE' });
});

test('audit events are found by group, outcome and database, in the list and in the export', async () => {
  const { browser: viewer } = await join('refused', 'viewer');
  expect((await service.ask(viewer, '/api-keys')).status).toBe(403);
  const typesOf = async (query: string) => {
    const { json } = await service.ask(administrator, `/audit-events?limit=100&${query}`);
    return [...new Set<string>(json.data.map(({ type }: { type: string }) => type))];
  };
  await eventually('the denial is written', async () => {
    expect(await typesOf('outcome=DENIED&type=access.*')).toEqual(['access.denied']);
    return true;
  });
  expect(await typesOf('type=member.*&outcome=SUCCESS')).toContain('member.invited');
  expect(await typesOf('type=member.*&outcome=FAILED')).toEqual([]);
  expect(await typesOf('databaseId=db_01jd8f3zk5e0v9t3m2q6r8w4x0')).toEqual([]);
  const exported = await service.ask(
    administrator,
    '/audit-events/export?format=csv&outcome=DENIED',
  );
  expect(exported.json).toContain(',access.denied,DENIED,');
  expect(exported.json).not.toContain(',SUCCESS,');
  for (const wrong of ['type=nothing.*', 'type=constructor', 'outcome=BAD', 'databaseId=x']) {
    const { status } = await service.ask(administrator, `/audit-events?${wrong}`);
    expect([wrong, status]).toEqual([wrong, 400]);
  }
});

test('a removal lists the keys and open invitations of the member, and revokes those that it names', async () => {
  const keyOf = ({ id }: { id: string }) => service.ask(administrator, `/api-keys/${id}`);
  const statusOf = async (key: { id: string }) => (await keyOf(key)).json.apiKey.status;
  const { browser, id } = await join('eve', 'admin');
  const kept = await makeKey(administrator, 'of-another');
  const [one, two] = [await makeKey(browser, 'eve-1'), await makeKey(browser, 'eve-2')];
  await service.ask(browser, `/api-keys/${two.id}`, { method: 'DELETE' });
  const body = { email: 'friend@example.com', role: 'viewer' };
  const invited = await service.ask(browser, '/invitations', { method: 'POST', body });
  const remove = (query = '') =>
    service.ask(administrator, `/members/${id}${query}`, { method: 'DELETE' });
  expect(await remove('?revoke=everything')).toMatchObject({ status: 400 });
  const removed = await remove('?revoke=apiKeys');
  expect(removed).toMatchObject({
    status: 200,
    json: {
      member: { id, user: { email: 'eve@example.com' } },
      apiKeys: [{ id: one.id, status: 'REVOKED' }],
      invitations: [{ id: invited.json.invitation.id, status: 'OPEN' }],
    },
  });
  expect(removed.json.apiKeys).toHaveLength(1);
  // At once in this process, which had the key in its cache.
  expect(await works(one)).toBe(401);
  expect([await works(kept), await statusOf(kept)]).toEqual([200, 'ACTIVE']);
  expect((await remove()).status).toBe(404);

  const again = await join('mallory', 'admin');
  const theirs = await makeKey(again.browser, 'mallory-1');
  const other = { email: 'other@example.com', role: 'viewer' };
  await service.ask(again.browser, '/invitations', { method: 'POST', body: other });
  const both = await service.ask(administrator, `/members/${again.id}?revoke=apiKeys,invitations`, {
    method: 'DELETE',
  });
  expect(both.json).toMatchObject({
    apiKeys: [{ id: theirs.id, status: 'REVOKED' }],
    invitations: [{ email: 'other@example.com', status: 'REVOKED' }],
  });
  const plain = await join('plain', 'admin');
  const stays = await makeKey(plain.browser, 'stays');
  await service.ask(administrator, `/members/${plain.id}`, { method: 'DELETE' });
  expect([await works(stays), await statusOf(stays)]).toEqual([200, 'ACTIVE']);
});

test('an admin who removes a former owner does not revoke the invitations of owners that they made', async () => {
  const former = await join('former', 'owner');
  const { browser: admin } = await join('boss', 'admin');
  const invite = (role: string) => {
    const body = { email: `future-${role}@example.com`, role };
    return service.ask(former.browser, '/invitations', { method: 'POST', body });
  };
  const invited = [await invite('owner'), await invite('viewer')].map(
    ({ json }) => json.invitation.id,
  );
  const lower = { method: 'PATCH', body: { role: 'viewer' } };
  await service.ask(administrator, `/members/${former.id}`, lower);
  const removal = { method: 'DELETE' };
  const { status, json } = await service.ask(
    admin,
    `/members/${former.id}?revoke=invitations`,
    removal,
  );
  expect(status).toBe(200);
  expect(json.invitations).toMatchObject([
    { id: invited[0], role: 'owner', status: 'OPEN' },
    { id: invited[1], role: 'viewer', status: 'REVOKED' },
  ]);
});

test('no notice is sent about the keys of a deleted organization unless it is restored', async () => {
  const body = { slug: 'closing', name: 'Closing' };
  const made = await service.ask(administrator, '/organizations', { method: 'POST', body });
  const { id } = made.json.organization;
  const key = { name: 'closing-key', permissions: ['db:read'] };
  const headers = { 'x-organization-id': id };
  await service.ask(administrator, '/api-keys', { method: 'POST', headers, body: key });
  await age('closing-key', 85);
  await service.ask(administrator, `/organizations/${id}`, { method: 'DELETE' });
  expect(await tell()).toBe(0);
  await service.ask(administrator, `/organizations/${id}/restore`, { method: 'POST' });
  expect(await tell()).toBe(1);
});

test('a request of a member that their removal overtakes makes no key and invites nobody', async () => {
  const { browser, id } = await join('racer', 'admin');
  const key = await makeKey(browser, 'racer-old');
  const organization = await findOrganizationBySlug(store.read, defaultSlug);
  const organizationId = organization?.id ?? '';
  const late = { name: 'racer-late', permissions: ['db:read'] };
  const friend = { email: 'racer-friend@example.com', role: 'viewer' };
  const answers: Answered[] = [];
  const sent: Promise<unknown>[] = [];
  const send = (path: string, body: object, method = 'POST') => {
    const asked = service.ask(browser, path, { method, body });
    sent.push(asked.then((answered) => answers.push(answered)));
  };
  await store.change(tester, async (change) => {
    await removeMember(change, { organizationId, id }, () => {});
    send('/api-keys', late);
    send(`/api-keys/${key.id}/rotate`, {});
    send(`/api-keys/${key.id}/renew`, {});
    send(`/api-keys/${key.id}`, { name: 'racer-renamed' }, 'PATCH');
    send('/invitations', friend);
    await eventually('all wait for the removal, or were answered', async () => {
      const { rows } = await sql`SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(store.read);
      if (rows.length + answers.length < sent.length) throw new Error('not yet');
      return true;
    });
  });
  await Promise.all(sent);
  for (const { status, json } of answers) {
    expect({ status, json }).toMatchObject({
      status: 403,
      json: { code: 'organization_required' },
    });
  }
});
