// People against a real identity provider in its own process: signing in, being invited, letting a device in.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import pino from 'pino';
import type { JobType } from '../../../api/model/job.ts';
import { IdentityProvider } from '../../../api/sign-in/identity-provider.ts';
import { defaultSlug, findOrganizationBySlug } from '../../../api/store/organizations.ts';
import { Sealer } from '../../../api/store/sealing.ts';
import { Store } from '../../../api/store/store.ts';
import { Browser, hiddenFields } from '../../support/browser/browser.ts';
import type { ProviderOrders } from '../../support/api/oidc-provider-process.ts';
import { bootstrapToken, PeopleService } from '../../support/api/people-service.ts';
import { eventually } from '../../support/shell.ts';
import { makeDatabase, makeJob, patient, signingKeys } from '../../support/api/store.ts';

let service: PeopleService;
beforeAll(async () => {
  service = await PeopleService.start();
});
afterAll(async () => {
  await service?.stop();
});
afterEach(async () => {
  await service.provider.order({});
});

const person = (name: string, verified = true) => ({
  sub: `sub-${name}`,
  name,
  email: `${name}@example.com`,
  email_verified: verified,
});

const signedIn = (browser: Browser) => browser.cookiesOf(service.url).has('__Host-session');
const isCallback = (url: string) => url.startsWith(`${service.url}/auth/callback`);

async function inviteAs(
  administrator: Browser,
  email: string,
  role: string,
  more: object = {},
): Promise<string> {
  const { status, json } = await service.ask(administrator, '/invitations', {
    method: 'POST',
    body: { email, role, ...more },
  });
  expect({ status, json }).toMatchObject({ status: 201, json: { mailed: true } });
  return json.token as string;
}

async function acceptAs(browser: Browser, token: string) {
  return service.ask(browser, '/invitations/accept', { method: 'POST', body: { token } });
}

test('a person who signs in has no organization until they accept an invitation, which came by mail', async () => {
  const ada = await service.signIn(person('ada'));
  expect((await service.ask(ada, '/session')).json).toMatchObject({
    user: { display: 'ada', email: 'ada@example.com', administrator: false },
    organization: null,
    organizations: [],
    credential: { type: 'session', permissions: [] },
  });
  expect(await service.ask(ada, '/databases')).toMatchObject({
    status: 403,
    json: { code: 'organization_required' },
  });
  const administrator = await service.administrator();
  await inviteAs(administrator, 'Ada@Example.com', 'viewer');
  const mail = await service.mailTo('ada@example.com');
  const [url = ''] = /http:\S+\/invitation\?token=\S+/.exec(mail) ?? [];
  const form = hiddenFields(await ada.open(url));
  const done = await ada.open(`${service.url}/invitation`, { form });
  expect({ status: done.status, text: done.text }).toMatchObject({
    status: 200,
    text: expect.stringContaining('You are a member'),
  });
  expect((await service.ask(ada, '/session')).json).toMatchObject({
    organization: { slug: 'default', role: 'viewer' },
    credential: { permissions: ['db:read'] },
  });
  expect((await service.ask(ada, '/databases')).status).toBe(200);
  const write = await service.ask(ada, '/databases', { method: 'POST', body: {} });
  expect(write).toMatchObject({
    status: 403,
    json: { code: 'insufficient_scope', requiredRoles: ['owner', 'admin', 'developer'] },
  });
  // A denial is logged while the answer is sent, not before.
  await eventually('all of it is in the audit log', async () => {
    const audit = await service.ask(administrator, '/audit-events');
    const types = audit.json.data.map(({ type }: { type: string }) => type);
    expect(types).toEqual(
      expect.arrayContaining(['member.invited', 'member.joined', 'access.denied']),
    );
    return true;
  });
});

test('an invitation is worth nothing to another, to an unproven address, and a second time', async () => {
  const administrator = await service.administrator();
  const token = await inviteAs(administrator, 'grace@example.com', 'developer');
  const refused = { status: 404, json: { code: 'invitation_not_found' } };
  const other = await service.signIn(person('mallory'));
  const answers = [
    await acceptAs(other, token),
    await acceptAs(other, 'lhi_unknown'),
    await acceptAs(await service.signIn(person('grace', false)), token),
    await acceptAs(administrator, token),
  ];
  for (const answer of answers) expect(answer).toMatchObject(refused);
  expect(new Set(answers.map(({ json }) => json.detail)).size).toBe(1);
  const grace = await service.signIn(person('grace'));
  expect((await acceptAs(grace, token)).status).toBe(200);
  expect(await acceptAs(grace, token)).toMatchObject(refused);
});

const outcomes: readonly (readonly [string, ProviderOrders, number])[] = [
  ['an ID token for another audience', { forge: { aud: 'another-client' } }, 400],
  ['an ID token of another issuer', { forge: { iss: 'https://other.example.com' } }, 400],
  ['an ID token with another nonce', { forge: { nonce: 'another' } }, 400],
  ['an ID token without a nonce', { forge: { nonce: null } }, 400],
  ['an expired ID token', { forge: { exp: Math.floor(Date.now() / 1_000) - 120 } }, 400],
  ['an ID token signed with an unpublished key', { forgeSignature: true }, 400],
  ['a provider whose clock is 20 s ahead', { skewSeconds: 20 }, 200],
  ['a provider whose clock is 20 s behind', { skewSeconds: -20 }, 200],
  ['a provider whose clock is 10 min ahead', { skewSeconds: 600 }, 400],
  ['a provider whose clock is 20 min behind', { skewSeconds: -1_200 }, 400],
];

test.each(outcomes)('%s', async (_what, orders, status) => {
  await service.provider.order({ person: person('eve'), ...orders });
  const browser = new Browser();
  const page = await browser.open(`${service.url}/auth/login`);
  expect({ status: page.status, text: page.text }).toMatchObject({ status });
  expect(signedIn(browser)).toBe(status === 200);
  if (status !== 200) expect(page.text).toContain('sign_in_failed');
});

/** Signs in up to the callback, which is not requested. */
async function untilCallback(browser: Browser, change: (url: URL) => void = () => {}) {
  await service.provider.order({ person: person('eve') });
  const toProvider = await browser.open(`${service.url}/auth/login`, { stopAt: () => true });
  const url = new URL(toProvider.url);
  change(url);
  return (await browser.open(url.href, { stopAt: isCallback })).url;
}

test('a nonce that was exchanged on the way is not taken', async () => {
  const browser = new Browser();
  const callback = await untilCallback(browser, (url) => url.searchParams.set('nonce', 'another'));
  expect((await browser.open(callback)).status).toBe(400);
  expect(signedIn(browser)).toBe(false);
});

test('a callback with another state, or in another browser, signs nobody in', async () => {
  const browser = new Browser();
  const callback = new URL(await untilCallback(browser));
  const other = new Browser();
  expect((await other.open(callback.href)).status).toBe(400);
  callback.searchParams.set('state', 'another');
  expect((await browser.open(callback.href)).status).toBe(400);
  expect(signedIn(browser) || signedIn(other)).toBe(false);
});

test('a code is good once, even in the browser that has it', async () => {
  const browser = new Browser();
  const callback = await untilCallback(browser);
  const ticket = browser.cookiesOf(service.url).get('__Host-sign-in') ?? '';
  expect((await browser.open(callback)).status).toBe(200);
  expect(signedIn(browser)).toBe(true);
  const again = new Browser();
  again.cookiesOf(service.url).set('__Host-sign-in', ticket);
  expect((await again.open(callback)).status).toBe(400);
  expect(signedIn(again)).toBe(false);
});

test('a sign-in that has succeeded is not repeated, even with a code that is still good', async () => {
  const browser = new Browser();
  await service.provider.order({ person: person('eve') });
  const toProvider = await browser.open(`${service.url}/auth/login`, { stopAt: () => true });
  const ticket = browser.cookiesOf(service.url).get('__Host-sign-in') ?? '';
  const codes: string[] = [];
  for (const one of [browser, new Browser()]) {
    codes.push((await one.open(toProvider.url, { stopAt: isCallback })).url);
  }
  const [first = '', second = ''] = codes;
  expect(new URL(second).searchParams.get('code')).not.toBe(
    new URL(first).searchParams.get('code'),
  );
  const attempts = [first, second].map(async (callback) => {
    const one = new Browser();
    one.cookiesOf(service.url).set('__Host-sign-in', ticket);
    const { status, text } = await one.open(callback);
    return { status, text, signedIn: signedIn(one) };
  });
  // At once: one of them opens the session.
  const answers = await Promise.all(attempts);
  expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 400]);
  expect(answers.filter((one) => one.signedIn)).toHaveLength(1);
  expect(answers.find(({ status }) => status === 400)?.text).toContain('sign_in_failed');
});

test('keys may be rotated at any moment; a provider that is down is told as such, and sessions go on', async () => {
  const before = await service.signIn(person('ida'));
  await service.provider.stop();
  const browser = new Browser();
  const callbackless = await browser.open(`${service.url}/auth/login`, { stopAt: () => true });
  // The API still knows the provider's address; the browser is the first to notice that it is gone.
  expect(callbackless.url).toContain(service.provider.issuer);
  const finished = await browser.open(
    `${service.url}/auth/callback?code=some&state=${new URL(callbackless.url).searchParams.get('state')}&iss=${encodeURIComponent(service.provider.issuer)}`,
  );
  expect({ status: finished.status, text: finished.text }).toMatchObject({
    status: 503,
    text: expect.stringContaining('identity_provider_unavailable'),
  });
  expect((await service.ask(before, '/session')).status).toBe(200);
  await service.provider.start();
  const after = await service.signIn(person('ida'));
  expect(signedIn(after)).toBe(true);
});

test('a provider that was never there is told as such too', async () => {
  const settings = { issuer: 'http://127.0.0.1:1', clientId: 'ledgerhouse', clientSecret: 'x' };
  const provider = new IdentityProvider(settings, new Sealer(signingKeys), service.url);
  await expect(provider.begin('/')).rejects.toMatchObject({
    code: 'identity_provider_unavailable',
  });
});

test('a person’s sign-ins are listed, and ended one by one, by that person alone', async () => {
  const [here, there] = [
    await service.signIn(person('joan')),
    await service.signIn(person('joan')),
  ];
  const other = await service.signIn(person('mallory'));
  const { json } = await service.ask(here, '/sessions');
  expect(json.data.map(({ current }: { current: boolean }) => current)).toEqual([false, true]);
  const [{ id }] = json.data as [{ id: string }];
  const end = { method: 'DELETE' };
  expect((await service.ask(other, `/sessions/${id}`, end)).status).toBe(404);
  expect((await service.ask(there, '/session')).status).toBe(200);
  expect((await service.ask(here, `/sessions/${id}`, end)).status).toBe(204);
  expect((await service.ask(there, '/session')).status).toBe(401);
  const cookies = here.cookiesOf(service.url);
  const forged = { ...end, headers: { 'x-csrf-token': 'forged' } };
  expect(await service.ask(here, '/session', forged)).toMatchObject({
    status: 403,
    json: { code: 'csrf_failed' },
  });
  expect((await service.ask(here, '/session', end)).status).toBe(204);
  expect(cookies.size).toBeGreaterThan(0);
  expect((await service.ask(here, '/session')).status).toBe(401);
});

test('a person acts for the organization that they name, as what they are in it', async () => {
  const administrator = await service.administrator();
  const made = await service.ask(administrator, '/organizations', {
    method: 'POST',
    body: { name: 'Second', slug: 'second' },
  });
  const { id } = made.json.organization as { id: string };
  const second = { 'x-organization-id': id };
  const max = await service.signIn(person('max'));
  await acceptAs(max, await inviteAs(administrator, 'max@example.com', 'billing'));
  const invited = await service.ask(administrator, '/invitations', {
    method: 'POST',
    body: { email: 'max@example.com', role: 'admin' },
    headers: second,
  });
  await acceptAs(max, invited.json.token as string);
  const first = (await service.ask(max, '/session')).json;
  expect(first).toMatchObject({ organization: { slug: 'default', role: 'billing' } });
  expect(
    first.organizations.map(({ slug, role }: { slug: string; role: string }) => [slug, role]),
  ).toEqual([
    ['default', 'billing'],
    ['second', 'admin'],
  ]);
  const there = await service.ask(max, '/session', { headers: second });
  expect(there.json).toMatchObject({ organization: { slug: 'second', role: 'admin' } });
  expect((await service.ask(max, '/members')).status).toBe(403);
  expect((await service.ask(max, '/members', { headers: second })).status).toBe(200);
  const owner = await service.ask(max, '/invitations', {
    method: 'POST',
    body: { email: 'boss@example.com', role: 'owner' },
    headers: second,
  });
  expect(owner).toMatchObject({ status: 403, json: { requiredRoles: ['owner'] } });
  const stranger = await service.signIn(person('mallory'));
  expect(await service.ask(stranger, '/session', { headers: second })).toMatchObject({
    status: 404,
    json: { code: 'organization_not_found' },
  });
});

test('a developer makes keys that read, sees their own, and no others', async () => {
  const administrator = await service.administrator();
  const dev = await service.signIn(person('dev'));
  await acceptAs(dev, await inviteAs(administrator, 'dev@example.com', 'developer'));
  const make = (as: Browser, permissions: readonly string[]) =>
    service.ask(as, '/api-keys', { method: 'POST', body: { name: 'one', permissions } });
  expect((await make(dev, ['db:read', 'db:write'])).status).toBe(403);
  const own = (await make(dev, ['db:read'])).json.apiKey as { id: string };
  const foreign = (await make(administrator, ['db:read'])).json.apiKey as { id: string };
  const list = await service.ask(dev, '/api-keys');
  expect(list.json.data.map(({ id }: { id: string }) => id)).toEqual([own.id]);
  const end = { method: 'DELETE' };
  expect((await service.ask(dev, `/api-keys/${foreign.id}`, end)).status).toBe(404);
  expect((await service.ask(dev, `/api-keys/${own.id}`, end)).status).toBe(204);
});

test('jobs that delete and restore are stopped and repeated by those who may do that', async () => {
  const administrator = await service.administrator();
  const dev = await service.signIn(person('jobber'));
  await acceptAs(dev, await inviteAs(administrator, 'jobber@example.com', 'developer'));
  const logger = pino({ level: 'silent' });
  const store = new Store({ url: service.databaseUrl, logger, ...patient });
  const organization = await findOrganizationBySlug(store.read, defaultSlug);
  if (organization === undefined) throw new Error('there is no organization');
  const jobOf = async (name: string, type: JobType) => {
    const { id: databaseId } = await makeDatabase(store, organization, name);
    return makeJob(store, organization, { databaseId, type });
  };
  const ask = (as: Browser, id: string, what: string) =>
    service.ask(as, `/jobs/${id}/${what}`, { method: 'POST' });
  try {
    for (const type of ['database.delete', 'database.restore_deleted'] as const) {
      const { id } = await jobOf(type.replaceAll(/[._]/g, '-'), type);
      for (const what of ['retry', 'cancel']) {
        const refused = await ask(dev, id, what);
        expect(refused).toMatchObject({
          status: 403,
          json: { code: 'insufficient_scope', requiredRoles: ['owner', 'admin'] },
        });
        expect((await ask(administrator, id, what)).status).not.toBe(403);
      }
    }
    const { id } = await jobOf('made', 'database.create');
    expect((await ask(dev, id, 'cancel')).status).not.toBe(403);
  } finally {
    await store.close();
  }
});

async function oauth(path: string, form: Readonly<Record<string, string>>) {
  const answer = await fetch(`${service.url}/oauth/${path}`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: 'ledgerhouse-cli', ...form }),
  });
  return { status: answer.status, json: (await answer.json()) as Record<string, string> };
}

const beginDevice = async () => (await oauth('device_authorization', {})).json;
const redeem = (deviceCode = '') =>
  oauth('token', {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: deviceCode,
  });
const refresh = (token = '') =>
  oauth('token', { grant_type: 'refresh_token', refresh_token: token });
const bearer = (token = '') => ({ headers: { authorization: `Bearer ${token}` } });

async function decide(browser: Browser, url: string | undefined, decision: string) {
  const page = await browser.open(url ?? '');
  return browser.open(`${service.url}/device`, { form: { ...hiddenFields(page), decision } });
}

test('a device gets in when its person says so; a refresh token that comes again after the next one was used ends all of its tokens', async () => {
  const request = await beginDevice();
  expect(request['user_code']).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  const pending = await redeem(request['device_code']);
  expect(pending).toMatchObject({
    status: 400,
    json: { error: 'authorization_pending', code: 'sign_in_failed' },
  });
  // Twice within five seconds, which a slow machine may need for one request.
  await eventually('it is told to ask less often', async () => {
    expect((await redeem(request['device_code'])).json['error']).toBe('slow_down');
    return true;
  });
  // Not signed in yet: the page asks for that first, and comes back.
  await service.provider.order({ person: person('lin') });
  const lin = new Browser();
  const done = await decide(lin, request['verification_uri_complete'], 'approved');
  expect(done.text).toContain('The device was approved');
  const { json: first } = await redeem(request['device_code']);
  expect(first).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
  expect((await redeem(request['device_code'])).json['error']).toBe('expired_token');
  const me = await service.ask(undefined, '/session', bearer(first['access_token']));
  expect(me.json).toMatchObject({
    credential: { type: 'access_token' },
    user: { email: 'lin@example.com' },
  });
  const { json: second } = await refresh(first['refresh_token']);
  const ask = (token: string | undefined) =>
    service.ask(undefined, '/session', bearer(token)).then(({ status }) => status);
  expect(await ask(first['access_token'])).toBe(401);
  expect(await ask(second['access_token'])).toBe(200);
  const { json: third } = await refresh(second['refresh_token']);
  expect(await refresh(first['refresh_token'])).toMatchObject({
    status: 400,
    json: { error: 'invalid_grant' },
  });
  expect(await ask(third['access_token'])).toBe(401);
  expect((await refresh(third['refresh_token'])).json['error']).toBe('invalid_grant');
});

async function letIn(name: string) {
  const request = await beginDevice();
  await service.provider.order({ person: person(name) });
  await decide(new Browser(), request['verification_uri_complete'], 'approved');
  return (await redeem(request['device_code'])).json;
}

test('a refresh whose answer was lost can be repeated; use of the lost answer by somebody else ends the session', async () => {
  const first = await letIn('lost');
  const { json: lost } = await refresh(first['refresh_token']);
  const { status, json: second } = await refresh(first['refresh_token']);
  expect(status).toBe(200);
  const ask = async (token: string | undefined) =>
    (await service.ask(undefined, '/session', bearer(token))).status;
  expect(await ask(lost['access_token'])).toBe(401);
  expect(await ask(second['access_token'])).toBe(200);
  expect((await refresh(lost['refresh_token'])).json['error']).toBe('invalid_grant');
  expect(await ask(second['access_token'])).toBe(401);
});

test('another bootstrap token ends what came from the old one: sessions, approved devices, their tokens; people stay', async () => {
  const sessions = { method: 'POST', body: { token: bootstrapToken } };
  const old = await service.administrator();
  const device = await beginDevice();
  await decide(old, device['verification_uri_complete'], 'approved');
  const { json: tokens } = await redeem(device['device_code']);
  const approved = await beginDevice();
  await decide(old, approved['verification_uri_complete'], 'approved');
  const cookies = old.cookiesOf(service.url);
  const ada = await service.signIn(person('stays'));
  const status = async (as: Browser | undefined, asked = {}) =>
    (await service.ask(as, '/session', asked)).status;
  expect(await status(old)).toBe(200);
  expect(await status(undefined, bearer(tokens['access_token']))).toBe(200);
  const before = readFileSync(join(service.folder, 'token'), 'utf8');
  const next = 'lhb_another-token-0123456789';
  writeFileSync(join(service.folder, 'token'), next);
  try {
    expect(cookies.has('__Host-session')).toBe(true);
    expect(await status(old)).toBe(401);
    expect(await status(undefined, bearer(tokens['access_token']))).toBe(401);
    expect((await refresh(tokens['refresh_token'])).json['error']).toBe('invalid_grant');
    expect((await redeem(approved['device_code'])).json['error']).toBe('access_denied');
    expect((await service.ask(undefined, '/session/administrator', sessions)).status).toBe(401);
    expect(await status(ada)).toBe(200);
    const fresh = await service.administrator(next);
    const { json } = await service.ask(fresh, '/sessions');
    expect(json.data.map(({ current }: { current: boolean }) => current)).toEqual([true]);
    // Without a token nobody is the administrator.
    rmSync(join(service.folder, 'token'));
    expect(await status(fresh)).toBe(401);
  } finally {
    writeFileSync(join(service.folder, 'token'), before);
  }
});

test('a device that was let in signs in again after 90 days, however often it is used', async () => {
  const first = await letIn('old');
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  const age = (days: number) =>
    client.query(
      `UPDATE sessions SET created_at = clock_timestamp() - $1 * interval '1 day'
       WHERE user_id = (SELECT id FROM users WHERE name = 'old')`,
      [days],
    );
  try {
    await age(80);
    const { status, json: second } = await refresh(first['refresh_token']);
    expect(status).toBe(200);
    const { json } = await service.ask(undefined, '/session', bearer(second['access_token']));
    const daysLeft = (Date.parse(json.credential.expiresAt) - Date.now()) / 86_400_000;
    expect(daysLeft).toBeGreaterThan(9);
    expect(daysLeft).toBeLessThan(10.1);
    await age(91);
    const { json: third } = await refresh(second['refresh_token']);
    const seen = await service.ask(undefined, '/session', bearer(third['access_token']));
    expect(seen.status).toBe(401);
  } finally {
    await client.end();
  }
});

test('a device is refused, and a form without the session’s token lets none in', async () => {
  const refused = await beginDevice();
  const kim = await service.signIn(person('kim'));
  await decide(kim, refused['verification_uri_complete'], 'denied');
  expect((await redeem(refused['device_code'])).json['error']).toBe('access_denied');
  const forged = await beginDevice();
  const page = await kim.open(`${service.url}/device`, {
    form: { csrf: 'forged', user_code: forged['user_code'] ?? '', decision: 'approved' },
  });
  expect(page.status).toBe(403);
  expect((await redeem(forged['device_code'])).json['error']).toBe('authorization_pending');
});

test('the local administrator lets devices in too, where there is a provider and where there is none', async () => {
  const request = await beginDevice();
  const administrator = await service.administrator();
  await decide(administrator, request['verification_uri_complete'], 'approved');
  const { json } = await redeem(request['device_code']);
  const me = await service.ask(undefined, '/session', bearer(json['access_token']));
  expect(me.json).toMatchObject({ user: { administrator: true, id: null } });
  const end = { method: 'DELETE', ...bearer(json['access_token']) };
  expect((await service.ask(undefined, '/session', end)).status).toBe(204);
  expect((await service.ask(undefined, '/session', bearer(json['access_token']))).status).toBe(401);
});

test('an unknown OAuth client, grant or token gets OAuth’s error', async () => {
  const wrong = await oauth('token', { client_id: 'another', grant_type: 'refresh_token' });
  expect(wrong.json['error']).toBe('invalid_client');
  expect((await oauth('token', { grant_type: 'password' })).json['error']).toBe(
    'unsupported_grant_type',
  );
  expect((await oauth('token', {})).json['error']).toBe('invalid_request');
  expect((await refresh('lhr_unknown')).json['error']).toBe('invalid_grant');
});
