// The command line of people: signing in by the device flow, keys, the audit log, signing out.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { hiddenFields, type Browser } from '../../support/browser/browser.ts';
import { Cli } from '../../support/cli/cli.ts';
import { TestReceiver } from '../../support/api/receiver.ts';
import { PeopleService } from '../../support/api/people-service.ts';
import { eventually, type Ended } from '../../support/shell.ts';

let service: PeopleService;
let administrator: Browser;
let cli: Cli;

beforeAll(async () => {
  service = await PeopleService.start({ WEBHOOK_RANGES: '127.0.0.0/8' });
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

test('a person signs in, makes keys, reads the audit log, and signs out', async () => {
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
  const renewed = await cli.run(['keys', 'renew', apiKey.id, '--expires-in', 'never']);
  expect(renewed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^expires +never$/m) });
  const two = ['--allow-ip', '192.0.2.10', '--allow-ip', '2001:db8::/32'];
  const updated = await cli.run(['keys', 'update', apiKey.id, '--name', 'nightly', ...two]);
  expect(updated).toMatchObject({ code: 0, stdout: expect.stringMatching(/^name +nightly$/m) });
  expect(updated.stdout).toMatch(/^addresses +192\.0\.2\.10, 2001:db8::\/32$/m);
  const anywhere = await cli.run(['keys', 'update', apiKey.id, '--allow-any-ip']);
  expect(anywhere.stdout).toMatch(/^addresses +-$/m);
  expect((await cli.run(['keys', 'update', apiKey.id])).stderr).toContain('no change is given');
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

test('webhooks are made, tested, looked at and sent again, and events are followed', async () => {
  await login(administrator, 'approved', '--profile', 'hooks');
  const receiver = await TestReceiver.start();
  const run = (...args: readonly string[]) => cli.run([...args, '--profile', 'hooks']);
  const made = await run('webhooks', 'create', receiver.url, '--type', 'api_key.*');
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^whsec_\S+\n$/) });
  const [id = ''] = /whe_\w+/.exec(made.stderr) ?? [];
  expect(await run('webhooks', 'test', id)).toMatchObject({
    code: 0,
    stdout: 'the receiver answered 204\n',
  });
  receiver.verify(made.stdout.trim());
  expect((await run('webhooks', 'secret', id)).stdout).toBe(made.stdout);
  const change = ['webhooks', 'update', id];
  expect((await run(...change)).code).toBe(2);
  const changed = await run(...change, '--type', 'api_key.*', '--type', 'database.ready', '--json');
  expect(JSON.parse(changed.stdout).webhookEndpoint).toMatchObject({
    url: receiver.url,
    eventTypes: ['api_key.*', 'database.ready'],
  });
  const rotated = await run('webhooks', 'rotate-secret', id, '--grace', '0s');
  expect(rotated.stdout).not.toBe(made.stdout);
  expect(rotated.stderr).toContain('no longer signs');
  const listed = await run('deliveries', 'list', '--endpoint', id);
  expect(listed.stdout).toMatch(/webhook\.test +SUCCEEDED +1 +204/);
  const [delivery = ''] = /dlv_\w+/.exec(listed.stdout) ?? [];
  expect((await run('deliveries', 'get', delivery)).stdout).toContain('"type":"webhook.test"');
  expect((await run('deliveries', 'attempts', delivery)).stdout).toMatch(/SCHEDULED +SUCCESS +204/);
  const filter = ['--endpoint', id, '--status', 'SUCCEEDED'];
  const counted = await run('deliveries', 'replay-many', ...filter, '--count');
  expect(counted.stdout).toMatch(/would be made again +1\n/);
  expect(receiver.received).toHaveLength(1);
  expect((await run('deliveries', 'replay-many', ...filter)).stdout).toMatch(/made again +1\n/);
  await eventually('it comes again', async () =>
    receiver.received.length === 2 ? true : undefined,
  );
  expect((await run('webhooks', 'disable', id)).stdout).toMatch(/status +DISABLED/);
  expect(await run('deliveries', 'replay', delivery)).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('webhook_endpoint_disabled'),
  });
  expect((await run('webhooks', 'enable', id)).stdout).toMatch(/status +ENABLED/);

  const following = cli.start(['events', '--follow', '--limit', '1', '--profile', 'hooks']);
  await eventually('the last event is printed', async () =>
    following.said.stdout.includes('webhook.endpoint_changed') ? true : undefined,
  );
  expect((await run('webhooks', 'delete', id)).code).toBe(0);
  await eventually('the next event is printed', async () =>
    following.said.stdout.includes('webhook.endpoint_deleted') ? true : undefined,
  );
  following.interrupt();
  await following.ended;
  expect(following.said.stdout.split('\n').filter((line) => line !== '')).toHaveLength(2);
  await receiver.stop();
});

test('one of several concurrent commands refreshes the token, and all of them succeed', async () => {
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

test('a command that outlasts its access token goes on with a new one', async () => {
  await login(administrator, 'approved', '--profile', 'lasting');
  const signIn = () => JSON.parse(readFileSync(configFile(), 'utf8')).profiles.lasting.signIn;
  const following = cli.start(['events', '--follow', '--limit', '1', '--profile', 'lasting']);
  await eventually('the last event is printed', async () =>
    following.said.stdout === '' ? undefined : true,
  );
  const all = JSON.parse(readFileSync(configFile(), 'utf8'));
  const before = signIn();
  all.profiles.lasting.signIn = { ...before, expiresAt: new Date(0).toISOString() };
  writeFileSync(configFile(), JSON.stringify(all));
  await eventually('there is a new token', async () =>
    signIn().accessToken === before.accessToken ? undefined : true,
  );
  following.interrupt();
  await following.ended;
  expect(following.said.stderr).not.toContain('error');
});

test('a person refused on the page is not signed in, and a viewer is told which role a write needs', async () => {
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
