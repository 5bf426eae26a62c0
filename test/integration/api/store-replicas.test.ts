/** Two replicas of API and worker on one store and one cluster, of which one is killed, and the store too: nothing lost, nothing twice. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { generateApiKey } from '../../../api/auth/api-key-format.ts';
import { createApiKey } from '../../../api/store/api-keys.ts';
import { listEvents } from '../../../api/store/events.ts';
import { listDatabases } from '../../../api/store/database-list.ts';
import { listJobs } from '../../../api/store/jobs.ts';
import type { Organization } from '../../../api/store/organizations.ts';
import type { Store } from '../../../api/store/store.ts';
import { bareEnvironment, checkout, eventually } from '../../support/shell.ts';
import { TestPostgres } from '../../support/api/postgres.ts';
import { startOperatorWorld, type OperatorWorld } from '../../support/operator/operator-world.ts';
import { openTestStore, tester } from '../../support/api/store.ts';
import { startTestOperator, type TestOperator } from '../../support/operator/test-operator.ts';

/** Deadline that tells hanging from waiting; this test has several such waits. */
const patienceMs = 300_000;
jest.setTimeout(20 * 60_000);

let folder: string;
let postgres: TestPostgres;
let databaseUrl: string;
let world: OperatorWorld;
let operator: TestOperator;
let store: Store;
let organization: Organization;
let secret: string;
const replicas: Replica[] = [];

/** A process of the API and one of the worker, which live and die together here. */
interface Replica {
  readonly children: readonly ChildProcess[];
  readonly port: number;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-replicas-'));
  writeFileSync(join(folder, 'key'), 'k'.repeat(48));
  [postgres, world] = await Promise.all([TestPostgres.create(), startOperatorWorld()]);
  operator = await startTestOperator({ kubeConfig: world.kubeConfig });
  ({ store, organization, url: databaseUrl } = await openTestStore(postgres));
  const made = generateApiKey();
  secret = made.text;
  await store.change(tester, (change) =>
    createApiKey(
      change,
      {
        organizationId: organization.id,
        name: 'test',
        databaseId: null,
        permissions: ['db:read', 'db:write'],
        expiresAt: null,
      },
      made,
    ),
  );
});

afterAll(async () => {
  for (const { children } of replicas) for (const child of children) child.kill('SIGKILL');
  await store?.close();
  await operator?.stop();
  await world?.stop();
  await postgres?.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function startReplica(): Promise<Replica> {
  const [api, worker] = await Promise.all([
    startProgram('api/main.ts'),
    startProgram('api/worker-main.ts'),
  ]);
  const replica = { children: [api.child, worker.child], port: api.port ?? 0 };
  replicas.push(replica);
  return replica;
}

async function startProgram(
  entry: string,
): Promise<{ readonly child: ChildProcess; readonly port?: number | undefined }> {
  const child = spawn(process.execPath, [entry], {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...bareEnvironment,
      KUBECONFIG: world.plane.kubeconfig,
      LEDGERHOUSE_API_DATABASE_URL: databaseUrl,
      LEDGERHOUSE_API_LISTEN: '127.0.0.1:0',
      LEDGERHOUSE_API_HEALTH_LISTEN: '127.0.0.1:0',
      LEDGERHOUSE_API_SIGNING_KEY_FILE: join(folder, 'key'),
    },
  });
  const { stdout } = child;
  if (stdout === null) throw new Error('it has no output');
  const port = await new Promise<number | undefined>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${entry} ended with ${code}`)));
    createInterface({ input: stdout }).on('line', (line) => {
      const said = JSON.parse(line) as { msg: string; port?: number };
      if (said.msg === 'started') resolve(said.port);
    });
  });
  return { child, port };
}

async function kill({ children }: Replica): Promise<void> {
  const exited = Promise.all(children.map((child) => once(child, 'exit')));
  for (const child of children) child.kill('SIGKILL');
  await exited;
}

/** As a client does that wants its answer: the same request with the same key, to whoever is there, until it is answered. */
async function insist(
  servers: () => readonly Replica[],
  method: string,
  path: string,
  idempotencyKey: string,
  body?: object,
): Promise<{ status: number; json: { database: { id: string } } }> {
  let tries = 0;
  return eventually(
    `${method} ${path}`,
    async () => {
      const all = servers();
      const server = all[tries % all.length];
      tries += 1;
      const response = await fetch(`http://127.0.0.1:${server?.port}/api/v1${path}`, {
        method,
        headers: {
          'x-api-key': secret,
          'idempotency-key': idempotencyKey,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(20_000),
      });
      const json = (await response.json()) as { database: { id: string }; code?: string };
      const again =
        response.status >= 500 ||
        response.status === 429 ||
        json.code === 'idempotency_in_progress';
      if (again) throw new Error(JSON.stringify(json));
      return { status: response.status, json };
    },
    patienceMs,
  );
}

test('two replicas, one killed and the store killed too while databases are made: each is made once, and told once', async () => {
  const doomed = await startReplica();
  const survivor = await startReplica();
  let servers: readonly Replica[] = [doomed, survivor];
  const count = 12;
  let answered = 0;
  const creating = Array.from({ length: count }, async (_, index) => {
    // One after the other begins, so that some are under way whenever something is killed.
    await new Promise((resolve) => setTimeout(resolve, index * 150));
    const name = `ledger-${index}`;
    const answer = await insist(() => servers, 'POST', '/databases', `create-${index}`, { name });
    answered += 1;
    expect(answer.status).toBe(202);
    return answer.json.database.id;
  });
  const all = Promise.all(creating);
  await eventually(
    'some are answered',
    () => Promise.resolve(answered >= 4 || undefined),
    patienceMs,
  );
  await kill(doomed);
  servers = [survivor];
  // Another process takes the dead one's work only when its claim has expired.
  await eventually(
    'more are answered',
    () => Promise.resolve(answered >= 7 || undefined),
    patienceMs,
  );
  await postgres.kill();
  await postgres.start();
  const ids = await all;
  expect(new Set(ids).size).toBe(count);

  const views = await eventually(
    'all serve',
    async () => {
      const page = await listDatabases(
        store.read,
        organization.id,
        {},
        { sort: 'name', limit: 100 },
      );
      const unready = page.rows.filter(({ database }) => database.status !== 'READY');
      if (unready.length > 0) {
        throw new Error(
          unready.map(({ database }) => `${database.name} ${database.status}`).join(),
        );
      }
      return page.rows;
    },
    patienceMs,
  );
  expect(views.map(({ database }) => database.id).sort()).toEqual([...ids].sort());
  // Asked again long after, the answer is the same, and nothing is made.
  const [first] = ids;
  const again = await insist(() => servers, 'POST', '/databases', 'create-0', { name: 'ledger-0' });
  expect([again.status, again.json.database.id]).toEqual([202, first]);

  const { rows: jobs } = await eventually('all jobs have ended', async () => {
    const page = await listJobs(store.read, organization.id, {}, { limit: 100 });
    return page.rows.every(({ finishedAt }) => finishedAt !== null) ? page : undefined;
  });
  expect(jobs.map(({ type, status, attempt }) => `${type} ${status} ${attempt}`)).toEqual(
    Array.from({ length: count }, () => 'database.create SUCCEEDED 1'),
  );
  for (const { database } of views) {
    const resource = await world.database(organization.namespace, database.name);
    expect(resource?.metadata.uid).toBe(database.kubernetesUid);
    const { rows } = await listEvents(
      store.read,
      organization.id,
      { databaseId: database.id },
      { limit: 100 },
    );
    expect(
      rows
        .map(({ type }) => type)
        // Readiness may be followed by news of health, which come as they come.
        .filter((type) => !/degraded|recovered|unavailable/.test(type))
        .sort(),
    ).toEqual([
      'database.created',
      'database.provisioning_started',
      'database.ready',
      'job.succeeded',
    ]);
  }
});

test('the chain of events is complete: no number is missing, and each event holds the hash of the one before', async () => {
  const { rows } = await listEvents(store.read, organization.id, {}, { limit: 1_000 });
  let previous: Buffer = Buffer.alloc(32);
  for (const [index, { previousHash, hash, ...event }] of [...rows].reverse().entries()) {
    expect(event.sequence).toBe(BigInt(index + 1));
    expect(previousHash.equals(previous)).toBe(true);
    expect(store.chain.hash(previousHash, event)?.equals(hash)).toBe(true);
    previous = hash;
  }
  expect(rows.length).toBeGreaterThan(40);
});
