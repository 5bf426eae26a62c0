// The command line of people: signing in by the device flow, keys, the audit log, signing out.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { defaultSlug, findOrganizationBySlug } from '../../../api/store/organizations.ts';
import { uuidOf } from '../../../api/store/ids.ts';
import { Store } from '../../../api/store/store.ts';
import { hiddenFields, type Browser } from '../../support/browser/browser.ts';
import { Cli } from '../../support/cli/cli.ts';
import { PeopleService } from '../../support/api/people-service.ts';
import { eventually, type Ended } from '../../support/shell.ts';
import { makeDatabase, makeJob, patient, silent } from '../../support/api/store.ts';

let service: PeopleService;
let administrator: Browser;
let cli: Cli;

beforeAll(async () => {
  service = await PeopleService.start();
  administrator = await service.administrator();
  cli = new Cli();
});
afterAll(async () => {
  cli?.remove();
  await service?.stop();
});

/** Code of the waiting device. */
async function waitingCode(): Promise<string> {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  try {
    return await eventually('a device waits', async () => {
      const { rows } = await client.query<{ code: string }>(
        'SELECT user_code AS code FROM device_requests WHERE decision IS NULL',
      );
      if (rows[0] === undefined) throw new Error('not yet');
      return rows[0].code;
    });
  } finally {
    await client.end();
  }
}

async function login(
  browser: Browser,
  decision: 'approved' | 'denied',
  ...args: readonly string[]
): Promise<Ended> {
  const ended = cli.run(['login', '--base-url', service.url, ...args]);
  const code = await waitingCode();
  const page = await browser.open(`${service.url}/device?user_code=${code}`);
  await browser.open(`${service.url}/device`, { form: { ...hiddenFields(page), decision } });
  const { stderr } = await ended;
  expect(stderr).toContain(`${service.url}/device?user_code=${code}`);
  return ended;
}

const configFile = () => join(cli.home, 'config/ledgerhouse/config.json');

test('who signs in makes keys, reads the audit log, and signs out', async () => {
  expect(await login(administrator, 'approved')).toMatchObject({
    code: 0,
    stdout: 'local administrator, Default (profile default)\n',
  });
  expect(statSync(configFile()).mode & 0o077).toBe(0);
  const who = await cli.run(['whoami']);
  expect(who).toMatchObject({ code: 0, stdout: expect.stringMatching(/credential +access_token/) });
  const made = await cli.run(['keys', 'create', 'ci', '--permission', 'db:read', '--json']);
  const { apiKey, secret } = JSON.parse(made.stdout);
  expect(secret).toMatch(/^lhk_/);
  const withKey = await cli.run(['whoami', '--base-url', service.url, '--api-key', secret]);
  expect(withKey.stdout).toMatch(/credential +api_key ci/);
  // A key makes no keys.
  const refused = await cli.run(['keys', 'list', '--api-key', secret]);
  expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('session_required') });
  expect((await cli.run(['keys', 'list'])).stdout).toContain(apiKey.id);
  const rotated = await cli.run(['keys', 'rotate', apiKey.id, '--grace', '0s']);
  expect(rotated).toMatchObject({ code: 0, stdout: expect.stringMatching(/^lhk_\S+\n$/) });
  expect((await cli.run(['keys', 'revoke', apiKey.id])).code).toBe(0);
  const audit = await cli.run(['audit', 'list', '--type', 'api_key.created']);
  expect(audit.stdout).toMatch(/api_key\.created +SUCCESS +user local administrator/);
  const traced = await cli.run(['whoami', '--verbose']);
  expect(traced.stderr).not.toMatch(/lha_|lhr_/);
  expect((await cli.run(['logout'])).code).toBe(0);
  expect(readFileSync(configFile(), 'utf8')).not.toMatch(/lha_|lhr_/);
  const after = await cli.run(['whoami', '--base-url', service.url]);
  expect(after).toMatchObject({ code: 4, stderr: expect.stringContaining('ledgerhouse login') });
  expect((await cli.run(['logout'])).code).toBe(2);
});

test('of several commands at once one refreshes the token, and all of them succeed', async () => {
  await login(administrator, 'approved', '--profile', 'busy');
  const all = JSON.parse(readFileSync(configFile(), 'utf8'));
  const before = all.profiles.busy.signIn;
  all.profiles.busy.signIn = { ...before, expiresAt: new Date(0).toISOString() };
  writeFileSync(configFile(), JSON.stringify(all));
  const ended = await Promise.all(
    [1, 2, 3].map(() => cli.run(['whoami', '--profile', 'busy', '--json'])),
  );
  expect(ended.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
    ended.map(() => ({ code: 0, stderr: '' })),
  );
  const after = JSON.parse(readFileSync(configFile(), 'utf8')).profiles.busy.signIn;
  expect(after.refreshToken).not.toBe(before.refreshToken);
  // Tokens go to the service that they came from, and nowhere else.
  const elsewhere = ['whoami', '--profile', 'busy', '--base-url', 'http://127.0.0.1:9'];
  expect((await cli.run(elsewhere)).code).toBe(4);
});

test('who is refused on the page is not signed in, and a viewer is told what a write takes', async () => {
  const vera = await service.signIn({
    sub: 'vera',
    name: 'vera',
    email: 'vera@example.com',
    email_verified: true,
  });
  const denied = await login(vera, 'denied', '--profile', 'vera');
  expect(denied).toMatchObject({ code: 4, stderr: expect.stringContaining('The person refused') });
  const { json } = await service.ask(administrator, '/invitations', {
    method: 'POST',
    body: { email: 'vera@example.com', role: 'viewer' },
  });
  await service.ask(vera, '/invitations/accept', { method: 'POST', body: { token: json.token } });
  expect(await login(vera, 'approved', '--profile', 'vera')).toMatchObject({ code: 0 });
  const write = await cli.run([
    'api',
    'POST',
    '/databases',
    '--payload',
    '{}',
    '--profile',
    'vera',
    '--json',
  ]);
  expect(write.code).toBe(5);
  expect(JSON.parse(write.stdout)).toMatchObject({
    code: 'insufficient_scope',
    requiredRoles: ['owner', 'admin', 'developer'],
  });
});

/** A job that waits for people, of a database of the first organization. */
async function waitingJob(name: string): Promise<string> {
  const store = new Store({ url: service.databaseUrl, logger: silent, ...patient });
  try {
    const organization = await findOrganizationBySlug(store.read, defaultSlug);
    if (organization === undefined) throw new Error('there is no organization');
    const { id: databaseId } = await makeDatabase(store, organization, name);
    const job = await makeJob(store, organization, { databaseId });
    await store.read
      .updateTable('jobs')
      .set({ status: 'WAITING', dueAt: new Date(Date.now() + 3_600_000) })
      .where('id', '=', uuidOf(job.id))
      .execute();
    return job.id;
  } finally {
    await store.close();
  }
}

test('the administrator of the installation completes and refuses jobs; an owner may not', async () => {
  const owen = await service.signIn({
    sub: 'owen',
    name: 'owen',
    email: 'owen@example.com',
    email_verified: true,
  });
  const { json } = await service.ask(administrator, '/invitations', {
    method: 'POST',
    body: { email: 'owen@example.com', role: 'owner' },
  });
  await service.ask(owen, '/invitations/accept', { method: 'POST', body: { token: json.token } });
  await login(owen, 'approved', '--profile', 'owen');
  await login(administrator, 'approved', '--profile', 'admin');
  const [wanted, unwanted] = [await waitingJob('wanted'), await waitingJob('unwanted')];
  for (const args of [
    ['complete', wanted],
    ['refuse', unwanted, '--reason', 'No.'],
  ]) {
    expect(await cli.run(['jobs', ...args, '--profile', 'owen'])).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('administrator of the installation'),
    });
  }
  const completed = await cli.run(['jobs', 'complete', wanted, '--profile', 'admin']);
  expect(completed).toMatchObject({ code: 0, stdout: expect.stringContaining(wanted) });
  const without = await cli.run(['jobs', 'refuse', unwanted, '--profile', 'admin']);
  expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('--reason') });
  const refuse = ['jobs', 'refuse', unwanted, '--reason', 'No room.', '--profile', 'admin'];
  expect((await cli.run(refuse)).code).toBe(0);
  // Decided once, it waits for nobody any more.
  expect((await cli.run(refuse)).stderr).toContain('not_waiting');
  const audit = await cli.run(['audit', '--type', 'job.refused', '--json', '--profile', 'admin']);
  expect(JSON.parse(audit.stdout).data).toHaveLength(1);
});
