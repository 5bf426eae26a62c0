/** Connection checks from the handlers to PostgreSQL: what a process sees of lookups, and what it writes about them. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { CheckIds } from '../../../api/connections/check-ids.ts';
import { ClusterLookups } from '../../../api/connections/cluster-lookups.ts';
import { connectionHandlers, type ConnectionServices } from '../../../api/connections/handlers.ts';
import { ConnectionWatch, watchHttp } from '../../../api/connections/watch.ts';
import { IdempotentRequests } from '../../../api/http/idempotent.ts';
import { sweepConnectionChecks } from '../../../api/store/connection-checks.ts';
import type { Organization } from '../../../api/store/organizations.ts';
import { Sealer } from '../../../api/store/sealing.ts';
import type { Store } from '../../../api/store/store.ts';
import { fetchStatus } from '../../../domain/fetch-status.ts';
import { TestPostgres } from '../../support/api/postgres.ts';
import {
  makeDatabase,
  openTestStore,
  signingKeys,
  silent,
  tester,
} from '../../support/api/store.ts';
import { TestEngine } from '../../support/engine/engine.ts';
import { connectTo, lookupAccounts } from '../../support/engine/ledger.ts';
import { eventually } from '../../support/shell.ts';
import { sql } from 'kysely';

let postgres: TestPostgres;
let store: Store;
let organization: Organization;
let engine: TestEngine;
let databaseId = '';
let engineName = 'Builtin';
let watch: ConnectionWatch;
let handlers: ReturnType<typeof connectionHandlers>;

beforeAll(async () => {
  postgres = await TestPostgres.create();
  engine = await TestEngine.create();
  ({ store, organization } = await openTestStore(postgres));
  ({ id: databaseId } = await makeDatabase(store, organization, 'payments'));
});
afterAll(async () => {
  await store.close();
  await engine.dispose();
  await postgres.remove();
});
beforeEach(() => {
  engineName = 'Builtin';
  const ids = new CheckIds(signingKeys);
  watch = new ConnectionWatch(ids, store, silent);
  handlers = connectionHandlers({
    store,
    requests: new IdempotentRequests(store, new Sealer(signingKeys)),
    targets: {
      resolve: async () => ({
        databaseId,
        addresses: [{ host: '127.0.0.1', port: engine.port }],
        engine: engineName,
      }),
    } as unknown as ConnectionServices['targets'],
    ids,
    clusterLookups: new ClusterLookups({
      fetchStatus,
      statusUrl: () => `http://127.0.0.1:${engine.statusPort}/status`,
    }),
    publicUrl: 'https://ledger.test',
  });
});

const facts = () =>
  ({
    principal: { organization, credentialId: 'key_test' },
    author: tester,
    idempotency: undefined,
    signal: new AbortController().signal,
  }) as never as Record<string, unknown>;

async function begin() {
  const request = { ...facts(), params: { databaseId }, body: { language: 'node' } };
  const { body } = await handlers.createConnectionCheck(request as never);
  return body.connectionCheck;
}

async function read(checkId: string, waitSeconds = 0) {
  const request = { ...facts(), params: { databaseId, checkId }, query: { waitSeconds } };
  const { body } = await handlers.getConnectionCheck(request as never);
  return body.connectionCheck;
}

test('a check waits, and is verified by the first lookup that a tunnel sees', async () => {
  const check = await begin();
  expect(check).toMatchObject({ status: 'WAITING', language: 'node', observed: null });
  const id = BigInt(check.accountId);
  expect(watch.checksIn(databaseId, [1n, id, 2n])).toEqual([id]);
  const lookup = {
    via: 'tunnel',
    client: null,
    clientVersion: '0.17.9',
    ip: '203.0.113.7',
    latencyMs: 1.5,
  } as const;
  const waiting = read(check.id, 20);
  watch.observed(databaseId, [id], lookup);
  expect(await waiting).toMatchObject({ status: 'VERIFIED', observed: lookup });
  new ConnectionWatch(watch.ids, store, silent).observed(databaseId, [id], { ...lookup, ip: null });
  expect((await read(check.id)).observed).toMatchObject(lookup);
});

test('a lookup from inside the cluster, which only the engine sees, verifies', async () => {
  const check = await begin();
  expect(check.seenBy).toContain('cluster');
  const client = connectTo(engine.port);
  const lookedAtMs = performance.now();
  await lookupAccounts(client, [BigInt(check.accountId)]);
  client.close();
  // For three seconds it may still turn out to be one of the tunnel's.
  const { status } = await read(check.id);
  expect(status === 'WAITING' || performance.now() - lookedAtMs >= 3_000).toBe(true);
  const verified = await eventually('it is verified', async () => {
    const found = await read(check.id, 25);
    return found.status === 'WAITING' ? undefined : found;
  });
  expect(verified).toMatchObject({
    status: 'VERIFIED',
    observed: {
      via: 'cluster',
      client: null,
      clientVersion: '0.17.9',
      ip: '127.0.0.1',
      latencyMs: expect.any(Number),
    },
  });
});

test('a check of TigerBeetle says that lookups inside the cluster are not seen', async () => {
  engineName = 'TigerBeetle';
  const check = await begin();
  expect(check.seenBy).toEqual(['tunnel', 'http']);
  expect((await read(check.id)).seenBy).toEqual(['tunnel', 'http']);
});

test('a lookup over HTTP verifies, with the program that its header names', async () => {
  const check = await begin();
  watchHttp(watch, {
    databaseId,
    body: new TextEncoder().encode(`{"ids": ["${check.accountId}"]}`),
    ip: '203.0.113.7',
    userAgent: 'curl/8.5.0',
    ms: 3.14159,
  });
  expect(await read(check.id, 20)).toMatchObject({
    status: 'VERIFIED',
    observed: { via: 'http', client: 'curl', clientVersion: '8.5.0', latencyMs: 3.14 },
  });
});

test('the reason that keeps clients away is told by the checks that wait, once', async () => {
  const check = await begin();
  const trouble = { code: 'wrong_cluster', detail: 'The client uses the cluster ID 7.' };
  watch.trouble(databaseId, trouble);
  new ConnectionWatch(watch.ids, store, silent).trouble(databaseId, trouble);
  const seen = await eventually('the trouble is told', async () => {
    const { troubles, status } = await read(check.id);
    return troubles.length > 0 ? { troubles, status } : undefined;
  });
  expect(seen).toMatchObject({ status: 'WAITING', troubles: [trouble] });
});

test('a check that expired is not verified any more, and is swept after a day', async () => {
  const check = await begin();
  await sql`UPDATE connection_checks SET expires_at = clock_timestamp() - interval '1 second'`.execute(
    store.read,
  );
  watch.observed(databaseId, [BigInt(check.accountId)], {
    via: 'http',
    client: null,
    clientVersion: null,
    ip: null,
    latencyMs: null,
  });
  expect((await read(check.id)).status).toBe('EXPIRED');
  await sql`UPDATE connection_checks SET expires_at = clock_timestamp() - interval '25 hours'`.execute(
    store.read,
  );
  expect(await sweepConnectionChecks(store.read)).toBeGreaterThan(0);
  await expect(read(check.id)).rejects.toMatchObject({ code: 'connection_check_not_found' });
});

test('a snippet looks up the account of its check', async () => {
  const check = await begin();
  const query = { language: 'go', checkId: check.id };
  const { body } = await handlers.getConnectionSnippet({
    ...facts(),
    params: { databaseId },
    query,
  } as never);
  expect(body.snippet.file?.content).toContain(check.accountId);
  expect(body.snippet.run).toContain('ledgerhouse connect payments --exec');
  expect(body.snippet.environment).toEqual({ LEDGERHOUSE_BASE_URL: 'https://ledger.test' });
});
