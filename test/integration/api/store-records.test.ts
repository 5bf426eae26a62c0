/** Migrations, and the records of the store: keys, sessions, webhook endpoints, idempotency keys. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import pino from 'pino';
import { systemTimers } from '../../../base/timers.ts';
import { generateApiKey } from '../../../api/auth/api-key-format.ts';
import { Authenticator, rememberedMs } from '../../../api/auth/authenticator.ts';
import { BootstrapToken } from '../../../api/auth/bootstrap-token.ts';
import {
  apiKeyStatus,
  createApiKey,
  findApiKey,
  findApiKeyBySecret,
  noteApiKeyUse,
  revokeApiKey,
  rotateApiKey,
  type NewApiKey,
} from '../../../api/store/api-keys.ts';
import type { Change } from '../../../api/store/change.ts';
import { onBehalfOf } from '../../../api/store/connection-shares.ts';
import { listApiKeys } from '../../../api/store/key-list.ts';
import { readUsage } from '../../../api/billing/usage.ts';
import { writeUsage } from '../../../api/store/billing-usage.ts';
import { suspendAndResume } from '../../../api/billing/suspending.ts';
import type { DatabaseWriter } from '../../../api/kubernetes/database-writer.ts';
import { ensureBillingAccount } from '../../../api/store/billing-accounts.ts';
import { isSuspensionDue } from '../../../api/store/billing-suspensions.ts';
import {
  endSession,
  findSession,
  findSessionByAccessToken,
  openSession,
} from '../../../api/store/sessions.ts';
import { issueTokens, rotateTokens } from '../../../api/store/tokens.ts';
import { markPurged } from '../../../api/databases/purge.ts';
import {
  countDatabases,
  createDatabase,
  findDatabase,
  updateDatabase,
} from '../../../api/store/databases.ts';
import { uuidOf } from '../../../api/store/ids.ts';
import { listEvents } from '../../../api/store/events.ts';
import {
  abandonIdempotent,
  beginIdempotent,
  endIdempotent,
  IdempotencyLeaseLost,
  sweepIdempotencyKeys,
} from '../../../api/store/idempotency.ts';
import {
  createImport,
  forgetParts,
  markWhole,
  partDigests,
  recordPart,
  recordUpload,
} from '../../../api/store/imports.ts';
import { linesAfter } from '../../../api/store/log-lines.ts';
import { keepLogDays, openLogSources, writeLogLines } from '../../../api/store/log-writes.ts';
import { migrations } from '../../../api/store/migrations/all.ts';
import type { Migration } from '../../../api/store/migrations/migration.ts';
import type { Organization } from '../../../api/store/organizations.ts';
import { Sealer } from '../../../api/store/sealing.ts';
import { resealSecrets } from '../../../api/store/resealing.ts';
import { SigningKeys } from '../../../api/store/signing-keys.ts';
import { SchemaMismatch } from '../../../api/store/store-errors.ts';
import { Store } from '../../../api/store/store.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  findWebhookEndpoint,
  listWebhookEndpoints,
  revealWebhookSecret,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from '../../../api/store/webhook-endpoints.ts';
import { createDeliveries } from '../../../api/store/webhook-deliveries.ts';
import { takeEndpoints } from '../../../api/store/webhook-work.ts';
import { sweptAtOnce } from '../../../api/store/sweeping.ts';
import { newTypeId } from '../../../domain/type-id.ts';
import { beside, held, untilLocked } from '../../support/api/beside.ts';
import { TestPostgres } from '../../support/api/postgres.ts';
import { eventually } from '../../support/shell.ts';
import {
  anotherOrganization,
  choice,
  makeDatabase,
  makeServingDatabase,
  newDatabase,
  openTestStore,
  patient,
  signingKeys,
  silent,
  tester,
} from '../../support/api/store.ts';

let postgres: TestPostgres;
let store: Store;
let organization: Organization;

beforeAll(async () => {
  postgres = await TestPostgres.create();
  ({ store, organization } = await openTestStore(postgres));
});

afterAll(async () => {
  await store?.close();
  await postgres?.remove();
});

const hash = (text: string) => createHash('sha256').update(text).digest();
const eventTypesOf = async (subjectId: string) =>
  (await listEvents(store.read, organization.id, { subjectId }, { limit: 100 })).rows
    .map(({ type }) => type)
    .reverse();

test('when six processes start on an empty store at once, each step of the schema is made by one of them', async () => {
  const url = await postgres.createDatabase();
  const applied: number[] = [];
  const logger = pino(
    {},
    {
      write: (line: string) => {
        const { migration } = JSON.parse(line) as { migration?: number };
        if (migration !== undefined) applied.push(migration);
      },
    },
  );
  const stores = Array.from({ length: 6 }, () => new Store({ url, logger, ...patient }));
  await Promise.all(stores.map((one) => one.start()));
  expect(applied).toEqual(migrations.map(({ number }) => number));
  expect(stores.every(({ ready }) => ready)).toBe(true);
  await Promise.all(stores.map((one) => one.close()));
});

const first: Migration = { number: 1, name: 'first', sql: 'CREATE TABLE one (id int)' };
const second: Migration = { number: 2, name: 'second', sql: 'CREATE TABLE two (id int)' };

async function start(url: string, steps: readonly Migration[]): Promise<unknown> {
  const one = new Store({ url, logger: silent, ...patient, migrations: steps });
  try {
    return await one.start().catch((error: unknown) => error);
  } finally {
    await one.close();
  }
}

const tablesOf = async (url: string) => {
  const one = new Store({ url, logger: silent, ...patient, migrations: [] });
  const { rows } = await sql<{ name: string }>`
    SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1`.execute(
    one.read,
  );
  await one.close();
  return rows.map(({ name }) => name);
};

test('a later release adds its steps, and the one before still runs on what they made', async () => {
  const url = await postgres.createDatabase();
  expect(await start(url, [first])).toBeUndefined();
  expect(await start(url, [first, second])).toBeUndefined();
  expect(await start(url, [first])).toBeUndefined();
  expect(await tablesOf(url)).toEqual(['one', 'schema_migrations', 'two']);
});

test('a store that was made by other steps is not touched', async () => {
  const url = await postgres.createDatabase();
  await start(url, [first]);
  const failure = await start(url, [{ ...first, sql: 'CREATE TABLE other (id int)' }, second]);
  expect(failure).toBeInstanceOf(SchemaMismatch);
  expect(failure).toMatchObject({
    code: 'schema_mismatch',
    message: expect.stringContaining('1 (first)'),
  });
  expect(await tablesOf(url)).toEqual(['one', 'schema_migrations']);
});

/** Deadlines of a process in production. */
async function startUsually(url: string, steps: readonly Migration[], signal?: AbortSignal) {
  const one = new Store({ url, logger: silent, signingKeys, migrations: steps });
  try {
    return await one.start(signal).catch((error: unknown) => error);
  } finally {
    await one.close();
  }
}

test('a step of the schema may take longer than a request may, and other processes wait for it', async () => {
  const url = await postgres.createDatabase();
  const slow: Migration = { ...second, sql: `${second.sql}; SELECT pg_sleep(8)` };
  const steps = [first, slow];
  expect(await Promise.all([startUsually(url, steps), startUsually(url, steps)])).toEqual([
    undefined,
    undefined,
  ]);
  expect(await tablesOf(url)).toEqual(['one', 'schema_migrations', 'two']);
});

test('a step that waits for a table in use gives up, so that nobody waits behind it, and is tried again', async () => {
  const url = await postgres.createDatabase();
  expect(await start(url, [first])).toBeUndefined();
  const user = new pg.Client({ connectionString: url });
  await user.connect();
  await user.query('BEGIN; SELECT * FROM one');
  const altering: Migration = { ...second, sql: 'ALTER TABLE one ADD COLUMN more int' };
  const stopping = new AbortController();
  const starting = startUsually(url, [first, altering], stopping.signal);
  // Waits behind the step, and comes through when that gives up.
  await eventually('the step waits', async () => {
    const { rows } = await user.query<{ count: string }>(
      'SELECT count(*) FROM pg_locks WHERE NOT granted',
    );
    return rows[0]?.count === '1' ? true : undefined;
  });
  const reader = new pg.Client({ connectionString: url });
  await reader.connect();
  expect((await reader.query('SELECT * FROM one')).rows).toEqual([]);
  await reader.end();
  await user.query('COMMIT');
  await user.end();
  expect(await starting).toBeUndefined();
});

test('a step that fails leaves nothing of itself or of the steps before it', async () => {
  const url = await postgres.createDatabase();
  const failing = { ...second, sql: 'CREATE TABLE two (id int); SELECT 1/0' };
  expect(await start(url, [first, failing])).toMatchObject({ code: '22012' });
  expect(await tablesOf(url)).toEqual([]);
  expect(await start(url, [first, second])).toBeUndefined();
});

test('the list of steps is in order, and no number is given twice', () => {
  const numbers = migrations.map(({ number }) => number);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
});

test('a step whose number is lower than that of one already applied is applied as well', async () => {
  const url = await postgres.createDatabase();
  const third: Migration = { number: 3, name: 'third', sql: 'CREATE TABLE three (id int)' };
  expect(await start(url, [first, third])).toBeUndefined();
  expect(await start(url, [first, second, third])).toBeUndefined();
  expect(await tablesOf(url)).toEqual(['one', 'schema_migrations', 'three', 'two']);
  expect(await start(url, [first, third, second])).toMatchObject({
    message: expect.stringContaining('in the order of their numbers'),
  });
});

const newKey = (more: Partial<NewApiKey> = {}): NewApiKey => ({
  organizationId: organization.id,
  name: 'deploy',
  databaseId: null,
  permissions: ['db:read', 'db:write'],
  expiresAt: null,
  ...more,
});

const origin = { ip: '127.0.0.1', userAgent: null, organizationId: undefined };
function newAuthenticator(): Authenticator {
  const file = join(tmpdir(), 'no-bootstrap-token');
  const bootstrapToken = new BootstrapToken({ file, signingKeys, logger: silent });
  return new Authenticator({ store, bootstrapToken, logger: silent });
}

const secretOf = (text: string) => ({
  publicId: randomBytes(6).toString('hex'),
  secretHash: hash(text),
  lastFour: text.slice(-4),
});

test('a key is found by its secret alone, and nothing stored gives the secret away', async () => {
  const secret = secretOf('s3cret-of-deploy');
  const key = await store.change(tester, (change) => createApiKey(change, newKey(), secret));
  const found = await findApiKeyBySecret(store.read, secret.publicId, hash('s3cret-of-deploy'));
  expect(found?.key).toEqual(key);
  expect(await findApiKeyBySecret(store.read, secret.publicId, hash('another'))).toBeUndefined();
  expect(
    await findApiKeyBySecret(store.read, 'nosuchkey000', hash('s3cret-of-deploy')),
  ).toBeUndefined();
  // Not even the hash that stands for "nobody" opens anything.
  expect(await findApiKeyBySecret(store.read, 'nosuchkey000', Buffer.alloc(32))).toBeUndefined();
  expect(JSON.stringify(key)).not.toContain('s3cret');
  expect('secretHash' in key).toBe(false);
  const { rows } = await sql<{ row: string }>`SELECT api_keys::text AS row FROM api_keys`.execute(
    store.read,
  );
  expect(rows.some(({ row }) => row.includes('s3cret'))).toBe(false);
  expect(await eventTypesOf(key.id)).toEqual(['api_key.created']);
});

test('a key that is replaced works beside the new one until the grace is over', async () => {
  const [one, two] = [secretOf('one'), secretOf('two')];
  const expiresAt = new Date(Date.now() + 3_600_000);
  const old = await store.change(tester, (change) =>
    createApiKey(change, newKey({ permissions: ['db:read'], expiresAt }), one),
  );
  const rotate = () =>
    store.change(tester, (change) =>
      rotateApiKey(change, { organizationId: organization.id, id: old.id, graceMs: 60_000 }, two),
    );
  const rotated = await rotate();
  const now = new Date();
  if (rotated === undefined) throw new Error('it was not rotated');
  expect(rotated.key).toMatchObject({
    name: 'deploy',
    permissions: ['db:read'],
    expiresAt,
    rotatedFrom: old.id,
    rotationEndsAt: null,
  });
  expect(apiKeyStatus(rotated.old, now)).toBe('ROTATING');
  expect(apiKeyStatus(rotated.key, now)).toBe('ACTIVE');
  expect(apiKeyStatus(rotated.old, new Date(now.getTime() + 61_000))).toBe('EXPIRED');
  expect(await rotate()).toBeUndefined();
  expect((await findApiKeyBySecret(store.read, one.publicId, one.secretHash))?.key.id).toBe(old.id);
  expect((await findApiKeyBySecret(store.read, two.publicId, two.secretHash))?.key.id).toBe(
    rotated.key.id,
  );
  expect(await eventTypesOf(old.id)).toEqual(['api_key.created', 'api_key.rotated']);
});

test('a revoked key is revoked at once, once, and not replaced', async () => {
  const secret = secretOf('leaked');
  const { id } = await store.change(tester, (change) => createApiKey(change, newKey(), secret));
  const revoke = (organizationId: string) =>
    store.change(tester, (change) => revokeApiKey(change, organizationId, id));
  const other = await anotherOrganization(store, 'thief');
  expect(await revoke(other.id)).toBeUndefined();
  const revoked = await revoke(organization.id);
  expect(revoked?.revokedBy).toEqual(tester.actor);
  expect(await revoke(organization.id)).toEqual(revoked);
  const found = await findApiKeyBySecret(store.read, secret.publicId, secret.secretHash);
  if (found === undefined) throw new Error('not found');
  expect(apiKeyStatus(found.key, new Date())).toBe('REVOKED');
  const rotated = await store.change(tester, (change) =>
    rotateApiKey(change, { organizationId: organization.id, id, graceMs: 1_000 }, secretOf('next')),
  );
  expect(rotated).toBeUndefined();
  expect(await eventTypesOf(id)).toEqual(['api_key.created', 'api_key.revoked']);
});

test('a client’s connections that all need its key at once share one look-up', async () => {
  const secret = generateApiKey();
  const { id } = await store.change(tester, (change) => createApiKey(change, newKey(), secret));
  const authenticator = newAuthenticator();
  // More than may wait for the connections of one network.
  const asked = await onBehalfOf('network', () =>
    Promise.all(
      Array.from({ length: 400 }, () =>
        authenticator.authenticate({ kind: 'token', text: secret.text }, origin),
      ),
    ),
  );
  expect(new Set(asked.map(({ credentialId }) => credentialId))).toEqual(new Set([id]));
});

test('a clock that is set back an hour lets no key live longer, neither a revoked nor an expired one', async () => {
  const keyOf = async (expiresAt?: Date) => {
    const secret = generateApiKey();
    const { id } = await store.change(tester, (change) =>
      createApiKey(change, newKey({ ...(expiresAt && { expiresAt }) }), secret),
    );
    return { id, credential: { kind: 'token', text: secret.text } as const };
  };
  const authenticator = newAuthenticator();
  const used = await keyOf();
  const expired = await keyOf(new Date(Date.now() - 1_000));
  let nowMs = 1_000;
  const clock = jest.spyOn(systemTimers, 'nowMs').mockImplementation(() => nowMs);
  try {
    expect(await authenticator.authenticate(used.credential, origin)).toMatchObject({
      credentialId: used.id,
    });
    // Another process revokes it; this one knows a few seconds later.
    await store.change(tester, (change) => revokeApiKey(change, organization.id, used.id));
    const dates = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
    nowMs += rememberedMs + 1;
    await expect(authenticator.authenticate(used.credential, origin)).rejects.toMatchObject({
      code: 'invalid_credentials',
    });
    await expect(authenticator.authenticate(expired.credential, origin)).rejects.toMatchObject({
      code: 'credential_expired',
    });
    dates.mockRestore();
  } finally {
    clock.mockRestore();
  }
});

test('an expired key is expired, whatever else', async () => {
  const expiresAt = new Date(Date.now() - 1);
  const key = await store.change(tester, (change) =>
    createApiKey(change, newKey({ expiresAt }), secretOf('x')),
  );
  expect(apiKeyStatus(key, new Date())).toBe('EXPIRED');
  const rotated = await store.change(tester, (change) =>
    rotateApiKey(
      change,
      { organizationId: organization.id, id: key.id, graceMs: 1 },
      secretOf('y'),
    ),
  );
  expect(rotated).toBeUndefined();
});

test('the use of a key is written once a minute, not with every use', async () => {
  const { id } = await store.change(tester, (change) =>
    createApiKey(change, newKey(), secretOf('used')),
  );
  const use = { ip: '192.0.2.1', userAgent: 'curl/8' };
  await noteApiKeyUse(store.read, id, use);
  const noted = await findApiKey(store.read, organization.id, id);
  expect(noted).toMatchObject({ lastUsedIp: '192.0.2.1', lastUsedUserAgent: 'curl/8' });
  await noteApiKeyUse(store.read, id, { ip: '192.0.2.2', userAgent: null });
  expect(await findApiKey(store.read, organization.id, id)).toEqual(noted);
  await sql`UPDATE api_keys SET last_used_at = last_used_at - interval '61 seconds'`.execute(
    store.read,
  );
  await noteApiKeyUse(store.read, id, { ip: '192.0.2.3', userAgent: null });
  expect(await findApiKey(store.read, organization.id, id)).toMatchObject({
    lastUsedIp: '192.0.2.3',
    lastUsedUserAgent: null,
  });
});

test('keys are listed newest first, and another organization’s are not', async () => {
  const own = await anotherOrganization(store, 'key-lists');
  const made: string[] = [];
  for (let index = 0; index < 5; index += 1) {
    const { id } = await store.change(tester, (change) =>
      createApiKey(
        change,
        newKey({ organizationId: own.id, name: `key ${index}` }),
        secretOf(`${index}`),
      ),
    );
    made.push(id);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const seen: string[] = [];
  let position: [string, string] | undefined;
  do {
    const page = await listApiKeys(
      store.read,
      own.id,
      {},
      { limit: 2, ...(position && { position }) },
    );
    seen.push(...page.rows.map(({ id }) => id));
    position = page.next;
  } while (position !== undefined);
  expect(seen).toEqual([...made].reverse());
  expect(await findApiKey(store.read, organization.id, made[0] ?? '')).toBeUndefined();
});

test('a session is found by its token until it ends or is over', async () => {
  const open = (token: string, lifetimeMs: number) =>
    store.change(tester, (change) =>
      openSession(change, {
        kind: 'browser',
        user: null,
        bootstrapMac: hash('bootstrap token'),
        tokenHash: hash(token),
        csrfHash: hash(`${token} csrf`),
        lifetimeMs,
      }),
    );
  const session = await open('token', 60_000);
  expect(await findSession(store.read, hash('token'))).toEqual(session);
  expect(session.csrfHash?.equals(hash('token csrf'))).toBe(true);
  expect(await findSession(store.read, hash('other'))).toBeUndefined();
  await store.change(tester, (change) => endSession(change, session.id));
  expect(await findSession(store.read, hash('token'))).toBeUndefined();
  await open('short', 1);
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(await findSession(store.read, hash('short'))).toBeUndefined();
});

test('a refresh token that comes again while the next one is being used ends the session', async () => {
  const bootstrapMac = hash('bootstrap token');
  const session = await store.change(tester, (change) =>
    openSession(change, {
      kind: 'device',
      user: null,
      bootstrapMac,
      tokenHash: null,
      csrfHash: null,
      lifetimeMs: 60_000,
    }),
  );
  const pair = (name: string) => ({ access: hash(`${name} access`), refresh: hash(name) });
  const rotate = (change: Change, from: string, to: string) =>
    rotateTokens(change, hash(from), pair(to), [bootstrapMac]);
  await store.change(tester, (change) => issueTokens(change, session.id, pair('device-1')));
  await store.change(tester, (change) => rotate(change, 'device-1', 'device-2'));
  const again = await beside(
    store,
    (change) => rotate(change, 'device-2', 'device-3'),
    () => store.change(tester, (change) => rotate(change, 'device-1', 'thief')),
  );
  expect(again).toBe(false);
  for (const { access } of [pair('device-3'), pair('thief')]) {
    expect(await findSessionByAccessToken(store.read, access)).toBeUndefined();
  }
});

const sealer = new Sealer(signingKeys);
const newEndpoint = (own: Organization) => ({
  organizationId: own.id,
  url: 'https://example.com/hook',
  description: '',
  eventTypes: ['database.*'],
  databaseId: null,
});

test('a deleted database is purged when its time is over, once, and says so', async () => {
  const own = await anotherOrganization(store, 'purge');
  const remove = async (name: string, purgeAt: Date) => {
    const { id } = await makeDatabase(store, own, name);
    await store.change(tester, (change) =>
      updateDatabase(change, id, { status: 'DELETED', deletedAt: new Date(), purgeAt }),
    );
    return id;
  };
  const [past, future] = [new Date(Date.now() - 1_000), new Date(Date.now() + 60_000)];
  const over = await remove('over', past);
  const kept = await remove('kept', future);
  const both = await Promise.all([markPurged(store), markPurged(store)]);
  expect(Math.max(...both)).toBe(1);
  expect(await markPurged(store)).toBe(0);
  expect((await findDatabase(store.read, own.id, over))?.purgedAt).toEqual(past);
  expect((await findDatabase(store.read, own.id, kept))?.purgedAt).toBeNull();
  const { rows } = await listEvents(
    store.read,
    own.id,
    { types: ['database.purged'] },
    { limit: 10 },
  );
  expect(rows.map(({ databaseId }) => databaseId)).toEqual([over]);
});

test('a database that is restored and deleted again while it is about to be purged is kept for its new time', async () => {
  const own = await anotherOrganization(store, 'purge-again');
  const { id } = await makeDatabase(store, own, 'again');
  const remove = (change: Change, aheadMs: number) =>
    updateDatabase(change, id, {
      status: 'DELETED',
      deletedAt: new Date(),
      purgeAt: new Date(Date.now() + aheadMs),
    });
  await store.change(tester, (change) => remove(change, -1_000));
  await beside(
    store,
    (change) => remove(change, 3_600_000),
    () => markPurged(store),
  );
  expect((await findDatabase(store.read, own.id, id))?.purgedAt).toBeNull();
});

test('a database whose organization is suspended anew while it is being started is started once that pays', async () => {
  const own = await anotherOrganization(store, 'pays-again');
  const { id } = await makeServingDatabase(store, own, 'pays-again');
  await ensureBillingAccount(store.read, own.id);
  const stand = (status: string) =>
    store.read
      .updateTable('billingAccounts')
      .set({ status })
      .where('organizationId', '=', uuidOf(own.id))
      .execute();
  const written: (boolean | undefined)[] = [];
  const run = (atWrite: () => Promise<unknown> = () => Promise.resolve()) => {
    const change: DatabaseWriter['change'] = async (_identity, _uid, { suspend }) => {
      written.push(suspend);
      await atWrite();
      return undefined;
    };
    return suspendAndResume(store, { change });
  };
  await stand('SUSPENDED');
  await run();
  await stand('READY');
  await run(() => stand('SUSPENDED'));
  expect(await isSuspensionDue(store.read, id)).toBe(true);
  // Another process has stopped it in the same moment, and so found nothing to note.
  await stand('READY');
  await run();
  expect(written).toEqual([true, false, false]);
});

test('after a rotation the secrets of webhooks do not need the earlier signing key any more', async () => {
  const own = await anotherOrganization(store, 'rotating');
  const [old, fresh] = [Buffer.alloc(32, 'o'), Buffer.alloc(32, 'f')];
  const make = () =>
    store.change(tester, (change) =>
      createWebhookEndpoint(change, new Sealer(new SigningKeys([old])), newEndpoint(own)),
    );
  const [one, two] = [await make(), await make()];
  if (one === 'too_many' || two === 'too_many') throw new Error('too many');
  // The one before still signs for a while, and must open too.
  const rotation = { organizationId: own.id, id: two.endpoint.id, graceSeconds: 3_600 };
  const newer = await store.change(tester, (change) =>
    rotateWebhookSecret(change, new Sealer(new SigningKeys([old])), rotation),
  );
  const rotated = new Sealer(new SigningKeys([fresh, old]));
  expect(await resealSecrets(store.read, rotated)).toBeGreaterThanOrEqual(2);
  expect(await resealSecrets(store.read, rotated)).toBe(0);
  const revealWith = (opener: Sealer, id: string) =>
    store.change(tester, (change) => revealWebhookSecret(change, opener, own.id, id));
  const without = new Sealer(new SigningKeys([fresh]));
  expect(await revealWith(without, one.endpoint.id)).toBe(one.secret);
  expect(await revealWith(without, two.endpoint.id)).toBe(newer?.secret);
  const row = await store.read
    .selectFrom('webhookEndpoints')
    .select('previousSealedSecret')
    .where('id', '=', uuidOf(two.endpoint.id))
    .executeTakeFirst();
  const previous = row?.previousSealedSecret ?? Buffer.alloc(0);
  expect(without.open(two.endpoint.id, previous)).toBe(two.secret);
  const stranger = new Sealer(new SigningKeys([Buffer.alloc(32, 's')]));
  await expect(resealSecrets(store.read, stranger)).rejects.toThrow('cannot be sealed anew');
});

test('secrets that no key opens hold up no other secret', async () => {
  const own = await anotherOrganization(store, 'holding-up');
  const old = new Sealer(new SigningKeys([Buffer.alloc(32, 'o')]));
  const made = await store.change(tester, (change) =>
    createWebhookEndpoint(change, old, newEndpoint(own)),
  );
  if (made === 'too_many') throw new Error('too many');
  const unreadable = 250;
  // Their IDs come before all others.
  await sql`
    INSERT INTO webhook_endpoints
    SELECT (jsonb_populate_record(row, jsonb_build_object(
      'id', '00000000-0000-7000-8000-' || lpad(n::text, 12, '0'), 'sealed_secret', '\\x00'))).*
    FROM webhook_endpoints AS row, generate_series(1, ${unreadable}::int) AS n
    WHERE row.id = ${uuidOf(made.endpoint.id)}
  `.execute(store.read);
  const rotated = new Sealer(new SigningKeys([Buffer.alloc(32, 'f'), Buffer.alloc(32, 'o')]));
  expect(await resealSecrets(store.read, rotated)).toBe(1);
  const without = new Sealer(new SigningKeys([Buffer.alloc(32, 'f')]));
  const { secret } = await store.change(tester, async (change) => ({
    secret: await revealWebhookSecret(change, without, own.id, made.endpoint.id),
  }));
  expect(secret).toBe(made.secret);
  const { numDeletedRows } = await store.read
    .deleteFrom('webhookEndpoints')
    .where('id', '<', '00000000-0000-7000-8001-000000000000')
    .executeTakeFirst();
  expect(Number(numDeletedRows)).toBe(unreadable);
});

const reveal = (organizationId: string, id: string) =>
  store.change(tester, (change) => revealWebhookSecret(change, sealer, organizationId, id));

test('a webhook’s secret is shown to those who may, and stored as nobody can read it', async () => {
  const made = await store.change(tester, (change) =>
    createWebhookEndpoint(change, sealer, newEndpoint(organization)),
  );
  if (made === 'too_many') throw new Error('too many');
  const { endpoint, secret } = made;
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(await reveal(organization.id, endpoint.id)).toBe(secret);
  expect('sealedSecret' in endpoint).toBe(false);
  const { rows } = await sql<{
    sealedSecret: Buffer;
  }>`SELECT sealed_secret FROM webhook_endpoints`.execute(store.read);
  expect(rows.some(({ sealedSecret }) => sealedSecret.includes(secret.slice(6)))).toBe(false);
  const update = (ifVersion: number) =>
    store.change(tester, (change) =>
      updateWebhookEndpoint(
        change,
        organization.id,
        endpoint.id,
        { status: 'DISABLED', eventTypes: ['*'] },
        onlyAt(ifVersion),
      ),
    );
  expect(await update(1)).toMatchObject({ status: 'DISABLED', eventTypes: ['*'], version: 2 });
  await expect(update(1)).rejects.toThrow('it is at 2');
  const other = await anotherOrganization(store, 'hooks-thief');
  expect(await findWebhookEndpoint(store.read, other.id, endpoint.id)).toBeUndefined();
  expect(await reveal(other.id, endpoint.id)).toBeUndefined();
  const remove = (by: Organization) =>
    store.change(tester, (change) => deleteWebhookEndpoint(change, by.id, endpoint.id));
  expect(await remove(other)).toBe(false);
  expect(await remove(organization)).toBe(true);
  expect(await remove(organization)).toBe(false);
  expect(await eventTypesOf(endpoint.id)).toEqual([
    'webhook.endpoint_created',
    'webhook.endpoint_secret_shown',
    'webhook.endpoint_changed',
    'webhook.endpoint_deleted',
  ]);
});

const onlyAt =
  (wanted: number) =>
  ({ version }: { readonly version: number }) => {
    if (version !== wanted) throw new Error(`it is at ${version}`);
  };

test('an endpoint gets what was made for it at the moment in which it got another receiver', async () => {
  const own = await anotherOrganization(store, 'moved-hooks');
  const made = await store.change(tester, (change) =>
    createWebhookEndpoint(change, sealer, newEndpoint(own)),
  );
  if (made === 'too_many') throw new Error('too many');
  const { id } = made.endpoint;
  const delivery = { endpointId: id, organizationId: own.id, databaseId: null };
  const deliver = (change: Change) =>
    createDeliveries(change, [
      { ...delivery, eventId: newTypeId('evt'), eventType: 'database.ready' },
    ]);
  const move = () =>
    store.change(tester, (change) =>
      updateWebhookEndpoint(change, own.id, id, { url: 'https://other.example.com/' }),
    );
  expect(await beside(store, deliver, move)).toMatchObject({ url: 'https://other.example.com/' });
  const wanted = { owner: 'test', leaseMs: 60_000, limit: 100, troubled: false };
  const taken = await takeEndpoints(store.read, wanted);
  expect(taken.map(({ endpoint }) => endpoint.id)).toContain(id);
});

test('an endpoint is not deleted by who saw it before somebody changed it, at the same moment', async () => {
  const own = await anotherOrganization(store, 'seen-hooks');
  const made = await store.change(tester, (change) =>
    createWebhookEndpoint(change, sealer, newEndpoint(own)),
  );
  if (made === 'too_many') throw new Error('too many');
  const { id } = made.endpoint;
  const change = (by: Change) => updateWebhookEndpoint(by, own.id, id, { description: 'new' });
  const remove = () =>
    store.change(tester, (by) => deleteWebhookEndpoint(by, own.id, id, onlyAt(1)));
  await expect(beside(store, change, remove)).rejects.toThrow('it is at 2');
  expect(await findWebhookEndpoint(store.read, own.id, id)).toMatchObject({ description: 'new' });
});

test('an organization has ten webhook endpoints at most, however many are made at once', async () => {
  const own = await anotherOrganization(store, 'hooks');
  const made = await Promise.all(
    Array.from({ length: 14 }, () =>
      store.change(tester, (change) => createWebhookEndpoint(change, sealer, newEndpoint(own))),
    ),
  );
  expect(made.filter((one) => one === 'too_many')).toHaveLength(4);
  expect(await listWebhookEndpoints(store.read, own.id)).toHaveLength(10);
});

const keyOf = (key: string) => ({ principal: 'key_1', key });
const request = hash('POST /api/v1/databases {}');
const sealed = Buffer.from('an answer that was encrypted');

test('ten identical requests at once are executed once, and afterwards all get the same answer', async () => {
  const begin = () => beginIdempotent(store.read, keyOf('ten'), request, 60_000);
  const begun = await Promise.all(Array.from({ length: 10 }, begin));
  const [own] = begun.flatMap((one) => (one.kind === 'begun' ? [one] : []));
  expect(begun.filter(({ kind }) => kind === 'begun')).toHaveLength(1);
  expect(begun.filter(({ kind }) => kind === 'in_progress')).toHaveLength(9);
  await store.change(tester, (change) => endIdempotent(change, own?.token ?? '', sealed));
  expect(await begin()).toEqual({ kind: 'answered', sealed });
  const other = hash('POST /api/v1/databases {"name":"other"}');
  expect(await beginIdempotent(store.read, keyOf('ten'), other, 60_000)).toEqual({
    kind: 'reused',
  });
  // Another's key of the same name is another key.
  const another = { ...keyOf('ten'), principal: 'key_2' };
  expect((await beginIdempotent(store.read, another, other, 60_000)).kind).toBe('begun');
});

test('a request whose process died is taken over, and the dead one’s change no longer counts', async () => {
  const own = await anotherOrganization(store, 'idempotent');
  const begin = (leaseMs: number) => beginIdempotent(store.read, keyOf('dead'), request, leaseMs);
  const dead = await begin(1);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect((await beginIdempotent(store.read, keyOf('dead'), hash('other'), 1)).kind).toBe('reused');
  const next = await begin(60_000);
  if (dead.kind !== 'begun' || next.kind !== 'begun') throw new Error('not begun');
  const create = (token: string) =>
    store.change(tester, async (change) => {
      await createDatabase(change, newDatabase(own, 'once'), choice);
      await endIdempotent(change, token, sealed);
    });
  await expect(create(dead.token)).rejects.toThrow(IdempotencyLeaseLost);
  expect((await countDatabases(store.read, own.id)).living).toBe(0);
  await create(next.token);
  expect((await countDatabases(store.read, own.id)).living).toBe(1);
  expect(await begin(1)).toEqual({ kind: 'answered', sealed });
});

test('a request that did nothing leaves its key as if it had never been used', async () => {
  const begun = await beginIdempotent(store.read, keyOf('refused'), request, 60_000);
  if (begun.kind !== 'begun') throw new Error('not begun');
  await abandonIdempotent(store.read, begun.token);
  expect((await beginIdempotent(store.read, keyOf('refused'), hash('other'), 60_000)).kind).toBe(
    'begun',
  );
});

test('a key is remembered for a day', async () => {
  const begun = await beginIdempotent(store.read, keyOf('old'), request, 60_000);
  if (begun.kind !== 'begun') throw new Error('not begun');
  await store.change(tester, (change) => endIdempotent(change, begun.token, sealed));
  const age = (hours: number) =>
    sql`UPDATE idempotency_keys SET expires_at = expires_at - ${hours} * interval '1 hour' WHERE key = 'old'`.execute(
      store.read,
    );
  await age(23);
  await sweepIdempotencyKeys(store.read);
  expect((await beginIdempotent(store.read, keyOf('old'), request, 60_000)).kind).toBe('answered');
  await age(2);
  expect((await beginIdempotent(store.read, keyOf('old'), hash('other'), 60_000)).kind).toBe(
    'begun',
  );
  await age(25);
  expect(await sweepIdempotencyKeys(store.read)).toBe(1);
});

test('a sweep after a long pause deletes a bounded number of keys at a time', async () => {
  await sql`INSERT INTO idempotency_keys (principal, key, request_hash, token, lease_until, expires_at)
    SELECT 'key_many', number::text, ${request}, gen_random_uuid(), clock_timestamp(), clock_timestamp() - interval '1 hour'
    FROM generate_series(1, ${sweptAtOnce + 7}) AS number`.execute(store.read);
  expect(await sweepIdempotencyKeys(store.read)).toBe(sweptAtOnce);
  expect(await sweepIdempotencyKeys(store.read)).toBe(7);
  expect(await sweepIdempotencyKeys(store.read)).toBe(0);
});

test('usage adds up exactly, of every month alone, and the forecast goes on as the last hour', async () => {
  const own = await anotherOrganization(store, 'usage');
  const databases = [
    await makeDatabase(store, own, 'one'),
    await makeDatabase(store, own, 'two'),
  ] as const;
  const use = async (text: string, amounts: readonly (bigint | null)[], currency = 'EUR') => {
    const hour = new Date(text);
    await store.read
      .insertInto('billingHours')
      .values({ hour })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const rows = amounts.map((amountMicros, index) => ({
      databaseId: uuidOf(databases[index]?.id ?? ''),
      organizationId: uuidOf(own.id),
      meter: 'storage' as const,
      seconds: 3_600,
      clusterConfiguration: 'single',
      clusterSize: 'lh-5',
      storageTier: 'network-ssd',
      storageGb: 1,
      currency: amountMicros === null ? null : currency,
      amountMicros,
    }));
    await store.change(tester, (change) => writeUsage(change, hour, rows));
  };
  await use('2026-01-31T23:00:00.000Z', [9_000_000n]);
  await use('2026-02-01T00:00:00.000Z', [333_333n, null]);
  await use('2026-02-27T22:00:00.000Z', [1n, 5_000_000n], 'USD');
  await use('2026-02-27T23:00:00.000Z', [333_334n, 1n]);
  const read = (month: string, by: 'database' | 'day') =>
    readUsage(store, new Date('2026-02-28T00:30:00.000Z'), {
      organizationId: own.id,
      currency: 'EUR',
      month,
      by,
      page: { limit: 50 },
    });
  const { found, ...sums } = await read('2026-02', 'database');
  const eur = (amount: string) => ({ currency: 'EUR', amount });
  expect(sums).toEqual({
    month: '2026-02',
    total: eur('0.666668'),
    usedUntil: '2026-02-28T00:00:00.000Z',
    // A day is left, at 333,335 millionths an hour.
    forecast: eur('8.666708'),
  });
  expect(found.rows.map((row) => [row.databaseName, row.storageMicros, row.unpriced])).toEqual([
    ['one', 666_667n, true],
    ['two', 1n, true],
  ]);
  const days = await read('2026-02', 'day');
  expect(days.found.rows.map((row) => [row.day, row.storageSeconds, row.storageMicros])).toEqual([
    ['2026-02-01', 7_200, 333_333n],
    ['2026-02-27', 14_400, 333_335n],
  ]);
  expect(await read('2026-01', 'day')).toMatchObject({
    total: eur('9.000000'),
    usedUntil: '2026-02-01T00:00:00.000Z',
    forecast: null,
  });
  expect(await read('2026-03', 'day')).toMatchObject({ usedUntil: null, forecast: null });
});

test('the parts that a file of an import was joined of stay known, whenever another request forgets some', async () => {
  const begun = await store.change(tester, (change) =>
    createImport(change, {
      organizationId: organization.id,
      partSizeBytes: 4,
      clusterId: null,
      rows: { ignoreBalances: false },
      files: [{ replicaIndex: 0, sizeBytes: 10, head: null }],
      bytesMax: 10,
    }),
  );
  if (typeof begun === 'string') throw new Error(begun);
  const { id } = begun.made;
  await recordUpload(store.read, id, 0, 'upload');
  for (const number of [1, 2, 3])
    await recordPart(store.read, id, 'upload', {
      replicaIndex: 0,
      number,
      sha256: hash(`${number}`),
    });
  const joined = await partDigests(store.read, id, 0);
  await forgetParts(store.read, id, 0, [2, 3]);
  expect([...(await partDigests(store.read, id, 0)).keys()]).toEqual([1]);
  await markWhole(store.read, id, 0, joined);
  expect(await partDigests(store.read, id, 0)).toEqual(joined);
  await forgetParts(store.read, id, 0, [2, 3]);
  expect(await partDigests(store.read, id, 0)).toEqual(joined);
});

/** Another container for each writer, so that none waits for another one's place. */
async function keepLine(databaseId: string, pod: string, at: Date, message: string) {
  const source = { databaseId, pod, container: 'engine' };
  const line = { at, level: 30, component: 'engine' as const, node: 0, message, attributes: '{}' };
  return writeLogLines(store.read, [{ source, expected: '', next: '1', lines: [line] }]);
}

test('a reader that follows a log misses no line, whatever the days of the lines that two workers keep at once', async () => {
  const { id } = await makeDatabase(store, organization, 'two-days');
  await keepLogDays(store.read, new Date());
  for (const pod of ['early', 'late'])
    await openLogSources(store.read, [{ databaseId: id, pod, container: 'engine' }]);
  const yesterday = new Date(Date.now() - 86_400_000);
  const follow = (after: string) => linesAfter(store.read, id, {}, { after, limit: 100 });
  // Holds a worker up that has the ID of its line already.
  const commit = await held(store, ({ db }) => {
    const day = yesterday.toISOString().slice(0, 10).replaceAll('-', '');
    return sql`LOCK TABLE ${sql.table(`log_lines_${day}`)} IN SHARE MODE`.execute(db);
  });
  const writing: Promise<unknown>[] = [];
  let seen: Awaited<ReturnType<typeof follow>>;
  try {
    writing.push(keepLine(id, 'early', yesterday, 'yesterday’s'));
    await untilLocked(store, 1);
    let hasEnded = false;
    const late = keepLine(id, 'late', new Date(), 'today’s');
    writing.push(late.finally(() => (hasEnded = true)));
    await untilLocked(store, 2, () => hasEnded);
    seen = await follow('0');
  } finally {
    await Promise.allSettled([commit(), ...writing]);
  }
  await Promise.all(writing);
  const rest = await follow(seen.after);
  expect([...seen.rows, ...rest.rows].map(({ message }) => message)).toEqual([
    'yesterday’s',
    'today’s',
  ]);
});
