/** Ledger writes of people in the audit log: the handlers, PostgreSQL and a real engine. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { MetricRegistry } from '../../../base/metrics/metrics.ts';
import { Gateway } from '../../../api/gateway/gateway.ts';
import { ledgerHandlers } from '../../../api/gateway/handlers.ts';
import { recordPersonsWrite } from '../../../api/gateway/persons-writes.ts';
import type { LedgerTargets } from '../../../api/gateway/targets.ts';
import type { Author } from '../../../api/model/actor.ts';
import { listEvents } from '../../../api/store/events.ts';
import type { Organization } from '../../../api/store/organizations.ts';
import type { Store } from '../../../api/store/store.ts';
import { TestPostgres } from '../../support/api/postgres.ts';
import { makeDatabase, openTestStore, silent } from '../../support/api/store.ts';
import { TestEngine } from '../../support/engine/engine.ts';

let postgres: TestPostgres;
let store: Store;
let organization: Organization;
let databaseId: string;
let engine: TestEngine;
let gateway: Gateway;
let handlers: ReturnType<typeof ledgerHandlers>;
let storeFails = false;

beforeAll(async () => {
  postgres = await TestPostgres.create();
  ({ store, organization } = await openTestStore(postgres));
  ({ id: databaseId } = await makeDatabase(store, organization, 'payments'));
  engine = await TestEngine.create();
  gateway = new Gateway({ logger: silent, registry: new MetricRegistry() });
  const target = {
    databaseId,
    cluster: 0n,
    addresses: [{ host: '127.0.0.1', port: engine.port }],
    name: 'payments',
    engine: 'Builtin',
    engineVersion: '0.1.0',
  };
  handlers = ledgerHandlers({
    gateway,
    targets: { resolve: async () => target } as unknown as LedgerTargets,
    whySuspended: async () => undefined,
    personWrites: async (author, write) => {
      if (storeFails) throw new Error('the store is away');
      await recordPersonsWrite(store, author, write);
    },
    lookedUp: () => {},
    finished: () => {},
  });
});
afterAll(async () => {
  gateway?.close();
  await engine?.dispose();
  await store?.close();
  await postgres?.remove();
});
beforeEach(() => {
  storeFails = false;
});

const author: Author = {
  actor: { type: 'user', id: null, display: 'Ada' },
  requestId: 'req_1',
  ip: '203.0.113.7',
  userAgent: 'Firefox',
};

type Operation = 'createAccounts' | 'createTransfers' | 'lookupAccounts';

function send(operation: Operation, payload: unknown, type: 'session' | 'api_key' = 'session') {
  const body = new TextEncoder().encode(JSON.stringify(payload));
  const request = {
    params: { databaseId },
    principal: { type, organization },
    author,
    body,
    requestId: 'req_1',
    signal: new AbortController().signal,
    format: 'json',
    takeEvents: async () => {},
    holdAnswer: () => {},
    ip: author.ip,
    userAgent: author.userAgent,
  };
  const sha256 = createHash('sha256').update(body).digest('hex');
  return { sha256, answer: handlers[operation](request as never) };
}

async function recorded() {
  const filter = { types: ['database.ledger_written'] as const };
  const { rows } = await listEvents(store.read, organization.id, filter, {
    limit: 100,
    order: 'asc',
  });
  return rows;
}

const account = (id: number) => ({ id, ledger: 1, code: 1 });

test('a write of a person is recorded with who, where, how much and the hash of the payload', async () => {
  const { sha256, answer } = send('createAccounts', [account(1), account(2)]);
  await answer;
  const rows = await recorded();
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({
    type: 'database.ledger_written',
    databaseId,
    subject: { type: 'database', id: databaseId, display: 'payments' },
    author,
    data: { operation: 'create_accounts', events: 2, payloadSha256: sha256 },
  });
});

test('reads, writes of keys, and what was never sent are not recorded', async () => {
  const before = await recorded();
  await send('lookupAccounts', [1]).answer;
  await send('createAccounts', [account(3)], 'api_key').answer;
  await expect(send('createAccounts', [{ id: 4 }]).answer).rejects.toThrow('validation_failed');
  expect(await recorded()).toEqual(before);
});

test('a write that cannot be recorded is not executed', async () => {
  storeFails = true;
  await expect(send('createAccounts', [account(5)]).answer).rejects.toThrow('the store is away');
  storeFails = false;
  const found = await send('lookupAccounts', [5]).answer;
  expect(JSON.parse(new TextDecoder().decode(found.bytes))).toMatchObject({ missing: ['5'] });
});
