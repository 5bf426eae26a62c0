/** The API's real surroundings: PostgreSQL, a worker, a control plane, an operator until the database exists, and its engine. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { readConfig } from '../../api/config.ts';
import { startWorker } from '../../api/worker.ts';
import type { KubeHttp } from '../../base/kube/kube-http.ts';
import { resources } from '../../domain/kinds.ts';
import { labels } from '../../domain/names.ts';
import type { ApiKeyWithSecret, Database, CreatedDatabase } from '../../gen/api.ts';
import { TestEngine } from '../../test/support/engine/engine.ts';
import { startOperatorWorld } from '../../test/support/operator/operator-world.ts';
import { TestPostgres } from '../../test/support/api/postgres.ts';
import { startTestOperator } from '../../test/support/operator/test-operator.ts';
import { waitFor } from '../../tools/cluster/run.ts';
import { call } from '../../tools/up/http.ts';
import { ApiProcess, environmentOf } from './api-process.ts';
import { accountCount } from './codec-bodies.ts';

/** An organization with a database that runs. */
export interface Tenant {
  readonly engine: TestEngine;
  readonly apiKey: string;
  readonly databaseId: string;
}

export interface World extends Tenant {
  readonly api: ApiProcess;
  /** All tenants; the world's own is the first. */
  readonly tenants: readonly Tenant[];
  stop(): Promise<void>;
}

interface WorldOptions {
  readonly nodeFlags?: readonly string[];
  /** Names without `LEDGERHOUSE_API_`; by default nobody meets a limit. */
  readonly limits?: Readonly<Record<string, string>>;
  readonly tenants?: number;
}

const name = 'payments';
const bootstrapToken = 'lhb_0123456789abcdefghij';
/** The setting's maximum: requests are counted against the limits as usual, but never reach them. */
const noLimit = '9999999';

export async function startWorld({
  nodeFlags = [],
  limits = { CONTROL_REQUESTS_PER_MINUTE: noLimit, LEDGER_REQUESTS_PER_SECOND: noLimit },
  tenants: count = 1,
}: WorldOptions = {}): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-bench-api-'));
  const ends: (() => Promise<void> | void)[] = [
    () => rmSync(folder, { recursive: true, force: true }),
  ];
  const stop = async () => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    const postgres = await TestPostgres.create();
    ends.push(() => postgres.remove());
    const cluster = await startOperatorWorld();
    ends.push(() => cluster.stop());
    writeFileSync(join(folder, 'token'), bootstrapToken);
    writeFileSync(join(folder, 'key'), 'k'.repeat(48));
    const settings = {
      DATABASE_URL: await postgres.createDatabase(),
      SIGNING_KEY_FILE: join(folder, 'key'),
      BOOTSTRAP_TOKEN_FILE: join(folder, 'token'),
      ...limits,
    };
    const api = new ApiProcess({
      folder,
      kubeconfig: cluster.plane.kubeconfig,
      nodeFlags,
      settings,
    });
    ends.push(() => api.stop());
    await api.whenReady();
    // It runs in this process, for its cost is not measured.
    const worker = await startWorker({
      config: readConfig({
        ...environmentOf(settings),
        LEDGERHOUSE_API_HEALTH_LISTEN: '127.0.0.1:0',
      }),
      kubeConfig: cluster.kubeConfig,
      logger: pino({ level: 'silent' }),
    });
    ends.push(async () => void (await worker.stop(5_000)));
    const session = await openSession(api.url);
    const operator = await startTestOperator({ kubeConfig: cluster.kubeConfig });
    const made: { readonly apiKey: string; readonly database: Database }[] = [];
    try {
      for (let index = 0; index < count; index += 1) {
        const apiKey = await makeKey(api.url, await organizationFor(api.url, session, index));
        made.push({ apiKey, database: await makeDatabase(api.url, apiKey) });
      }
    } finally {
      // A running operator would put back the addresses of pods, in which nothing runs.
      await operator.stop();
    }
    const tenants: Tenant[] = [];
    for (const { apiKey, database } of made) {
      const engine = await TestEngine.create({ cluster: BigInt(database.clusterId ?? 0) });
      ends.push(() => engine.dispose());
      const addresses = `127.0.0.1:${engine.port}`;
      await setAddresses(cluster.kube, database.id, addresses);
      await makeAccounts(api.url, apiKey, database.id, addresses);
      tenants.push({ engine, apiKey, databaseId: database.id });
    }
    const [own] = tenants;
    if (own === undefined) throw new Error('a world has a tenant');
    return { api, ...own, tenants, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function setAddresses(kube: KubeHttp, databaseId: string, addresses: string): Promise<void> {
  const found = (await kube.list(resources.database)).find(
    ({ metadata }) => metadata.labels?.[labels.databaseId] === databaseId,
  );
  const namespace = found?.metadata.namespace ?? '';
  await kube.mergePatch(
    { resource: resources.database, namespace, name },
    { status: { addresses } },
    { fieldManager: 'bench', subresource: 'status' },
  );
}

type Headers = Readonly<Record<string, string>>;

/** Headers of the installation's administrator. */
async function openSession(url: string): Promise<Headers> {
  const opened = await fetch(`${url}/api/v1/session/administrator`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: bootstrapToken }),
  });
  const { csrfToken } = (await opened.json()) as { csrfToken: string };
  const cookies = opened.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
  return { cookie: cookies.join('; '), 'x-csrf-token': csrfToken };
}

/** The session's headers in the organization that is there; for every tenant but the first in one of its own. */
async function organizationFor(url: string, session: Headers, index: number): Promise<Headers> {
  if (index === 0) return session;
  const slug = `tenant-${index}`;
  const { organization } = await call<{ organization: { id: string } }>(url, {
    method: 'POST',
    path: '/api/v1/organizations',
    headers: session,
    body: { name: slug, slug },
  });
  return { ...session, 'x-organization-id': organization.id };
}

async function makeKey(url: string, headers: Headers): Promise<string> {
  const { secret } = await call<ApiKeyWithSecret>(url, {
    method: 'POST',
    path: '/api/v1/api-keys',
    headers,
    body: { name: 'bench', permissions: ['db:read', 'db:write'] },
  });
  return secret;
}

async function makeDatabase(url: string, apiKey: string): Promise<Database> {
  const headers = { 'x-api-key': apiKey };
  const made = await call<CreatedDatabase>(url, {
    method: 'POST',
    path: '/api/v1/databases',
    headers,
    body: { name, clusterConfiguration: 'single' },
  });
  const path = `/api/v1/databases/${made.database.id}`;
  return waitFor(
    'a database that is READY',
    async () => {
      const { database } = await call<{ database: Database }>(url, { path, headers });
      return database.status === 'READY' ? database : undefined;
    },
    { timeoutMs: 60_000 },
  );
}

async function makeAccounts(
  url: string,
  apiKey: string,
  databaseId: string,
  address: string,
): Promise<void> {
  const headers = { 'x-api-key': apiKey };
  const path = `/api/v1/databases/${databaseId}`;
  await waitFor(
    `a database at ${address}`,
    async () => {
      const { database } = await call<{ database: Database }>(url, { path, headers });
      return database.connection.addresses.includes(address) ? true : undefined;
    },
    { timeoutMs: 30_000 },
  );
  const accounts = Array.from({ length: accountCount }, (_, i) => ({
    id: String(i + 1),
    ledger: 1,
    code: 1,
  }));
  // The target of the ledger route is remembered for a second.
  await waitFor(
    'accounts',
    async () => {
      await call(url, {
        method: 'POST',
        path: `${path}/tb/create_accounts`,
        headers,
        body: accounts,
      });
      return true;
    },
    { timeoutMs: 30_000 },
  );
}
