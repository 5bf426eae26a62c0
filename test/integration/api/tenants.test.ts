/** Organizations beside each other: whatever one of them has, no route tells, changes or uses it for another one. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { routeEntries, routes, type OperationId } from '../../../api/contract/routes.ts';
import type { RouteSpec } from '../../../api/contract/route.ts';
import {
  namesInPath,
  pathParameters,
  type PathParameter,
} from '../../../api/contract/path-parameters.ts';
import { createSchedule } from '../../../api/store/backup-schedules.ts';
import { createBackup } from '../../../api/store/backups.ts';
import { createChangeStream } from '../../../api/store/change-streams.ts';
import { createConfigurationChange } from '../../../api/store/configuration-changes.ts';
import { createImport } from '../../../api/store/imports.ts';
import { createConnectionCheck } from '../../../api/store/connection-checks.ts';
import { findOrganization } from '../../../api/store/organizations.ts';
import { createSavedQuery } from '../../../api/store/saved-queries.ts';
import { Sealer } from '../../../api/store/sealing.ts';
import { Store } from '../../../api/store/store.ts';
import { addMember } from '../../../api/store/members.ts';
import { ensureUser } from '../../../api/store/users.ts';
import { createDeliveries } from '../../../api/store/webhook-deliveries.ts';
import { newTypeId } from '../../../domain/type-id.ts';
import type { Browser } from '../../support/browser/browser.ts';
import { PeopleService, type Answered, type Asked } from '../../support/api/people-service.ts';
import {
  makeDatabase,
  makeJob,
  patient,
  signingKeys,
  silent,
  tester,
} from '../../support/api/store.ts';
import { newBackup } from '../../support/api/stored-backups.ts';

let service: PeopleService;
let store: Store;
let administrator: Browser;
/** An ID of each kind that the first organization has. */
let ours: Readonly<Partial<Record<PathParameter, string>>>;
let ourSecondDatabase: string;
let us: string;
let them: string;

beforeAll(async () => {
  service = await PeopleService.start();
  store = new Store({ logger: silent, ...patient, url: service.databaseUrl });
  await store.start();
  administrator = await service.administrator();
  us = await organization('ours');
  them = await organization('theirs');
  ours = await everything();
});
afterAll(async () => {
  await store?.close();
  await service?.stop();
});

const asOwner = (organizationId: string, path: string, asked: Asked = {}): Promise<Answered> =>
  service.ask(administrator, path, {
    ...asked,
    headers: { ...asked.headers, 'x-organization-id': organizationId },
  });

const post = async (organizationId: string, path: string, body: object) => {
  const made = await asOwner(organizationId, path, { method: 'POST', body });
  expect([path, made]).toMatchObject([path, { status: 201 }]);
  return made.json;
};

async function organization(slug: string): Promise<string> {
  const { json } = await service.ask(administrator, '/organizations', {
    method: 'POST',
    body: { slug, name: slug },
  });
  return json.organization.id;
}

/** Makes one of everything that a path may name. */
async function everything(): Promise<typeof ours> {
  const organization = await findOrganization(store.read, us);
  if (organization === undefined) throw new Error('it is not there');
  const { id: databaseId } = await makeDatabase(store, organization, 'ledger');
  ({ id: ourSecondDatabase } = await makeDatabase(store, organization, 'second'));
  const { id: jobId } = await makeJob(store, organization, { databaseId });
  const key = { name: 'app', permissions: ['db:read'] };
  const hook = { url: 'https://receiver.example.com/', eventTypes: ['*'] };
  const { webhookEndpoint } = await post(us, '/webhook-endpoints', hook);
  const { apiKey } = await post(us, '/api-keys', key);
  const invited = { email: 'new@example.com', role: 'viewer' };
  const { invitation } = await post(us, '/invitations', invited);
  const inside = await store.change(tester, async (change) => {
    const check = await createConnectionCheck(change, {
      organizationId: us,
      databaseId,
      language: 'node',
      accountId: 7n,
    });
    const { id: changeId } = await createConfigurationChange(change, {
      organizationId: us,
      databaseId,
      origin: 'api',
      request: { labels: { a: 'b' } },
      diff: [],
      impact: {
        interruption: 'NONE',
        longestWaitSeconds: 0,
        rollingRestart: false,
        reversible: true,
        warnings: [],
      },
      priceDelta: null,
      applyAfter: new Date(Date.now() + 3_600_000),
      inWindow: false,
      previousRevision: 1,
      status: 'QUEUED',
    });
    const user = await ensureUser(change, {
      issuer: 'https://people.example.com',
      subject: 'anna',
      name: 'Anna',
      email: null,
      emailVerified: false,
    });
    const member = await addMember(change, {
      organizationId: us,
      user,
      role: 'viewer',
      databaseIds: [databaseId],
    });
    const [delivery] = await createDeliveries(change, [
      {
        organizationId: us,
        endpointId: webhookEndpoint.id,
        eventId: newTypeId('evt'),
        eventType: 'job.succeeded',
        databaseId,
      },
    ]);
    const backup = await createBackup(
      change,
      newBackup({
        organizationId: us,
        databaseId,
        name: 'nightly',
        kubernetesNamespace: 'ours',
      }),
    );
    const schedule = await createSchedule(change, {
      id: newTypeId('bks'),
      organizationId: us,
      databaseId,
      name: 'nightly',
      kubernetesNamespace: 'ours',
      resourceVersion: '1',
      spec: {
        database: 'ledger',
        schedule: '0 3 * * *',
        timeZone: 'Etc/UTC',
        startingDeadlineSeconds: 43_200,
        jitterSeconds: 0,
        immediate: false,
        keepLast: 7,
        keepFailed: 3,
        reclaimPolicy: 'Delete',
        verify: 'Weekly',
        suspend: false,
      },
      state: {
        status: 'ACTIVE',
        statusReason: null,
        lastRunAt: null,
        lastSucceededAt: null,
        lastVerifiedAt: null,
        backups: 0,
      },
      actor: tester.actor,
    });
    const imported = await createImport(change, {
      organizationId: us,
      partSizeBytes: 8_388_608,
      clusterId: null,
      rows: null,
      files: [{ replicaIndex: 0, sizeBytes: 1, head: null }],
      bytesMax: 1,
    });
    const sealer = new Sealer(signingKeys);
    const stream = await createChangeStream(change, sealer, {
      organizationId: us,
      databaseId,
      description: '',
      sink: { type: 'WEBHOOK', url: 'https://receiver.example.com/' },
      password: undefined,
      after: 0n,
      suspended: false,
    });
    const query = await createSavedQuery(
      change,
      { organizationId: us, databaseId },
      { name: 'Fees', operation: 'query_transfers', filters: { code: '4' } },
    );
    return {
      queryId: typeof query === 'string' ? '' : query.id,
      streamId: stream === 'too_many' ? '' : stream.stream.id,
      backupId: backup?.id ?? '',
      scheduleId: schedule.id,
      importId: typeof imported === 'string' ? '' : imported.made.id,
      checkId: check === 'too_many' ? '' : check.id,
      changeId,
      membershipId: member?.id ?? '',
      deliveryId: delivery?.id ?? '',
    };
  });
  return {
    databaseId,
    jobId,
    keyId: apiKey.id,
    endpointId: webhookEndpoint.id,
    invitationId: invitation.id,
    ...inside,
  };
}

/** Routes that name something which an organization has; the session and the organization itself are the caller's own. */
const named = routeEntries.filter(([, { path }]) => {
  const names = namesInPath(path);
  return names.length > 0 && !names.includes('organizationId') && !names.includes('sessionId');
});

const requestOf = (
  { method, path, body }: RouteSpec,
  ids: typeof ours,
): [path: string, asked: Asked] => {
  const filled = path
    .replace('/api/v1', '')
    .replaceAll(/\{(\w+)\}/g, (_, name: PathParameter) => ids[name] ?? '1');
  const [example] = Object.values(body?.examples ?? {});
  return [filled + queryOf(path), { method, ...(body && { body: example }) }];
};

const queryOf = (path: string): string => {
  if (path.endsWith('/tunnel')) return '?replica=0';
  return path.endsWith('/snippets') ? '?language=node' : '';
};

test('nothing of an organization is there for another one, on any route that names it', async () => {
  const told: unknown[] = [];
  for (const [operation, route] of named) {
    const { status, json } = await asOwner(them, ...requestOf(route, ours));
    const notFound = namesInPath(route.path).map((name) => pathParameters[name].notFound);
    // A tunnel is asked for by an upgrade, which this request is not.
    const expected = operation === 'openTunnel' ? ['upgrade_required'] : notFound;
    if (!expected.includes(json?.code)) told.push({ operation, status, json });
  }
  expect(told).toEqual([]);
});

test('the organization itself finds all of it, also after another one has tried to change it', async () => {
  const readers = [
    'getDatabase',
    'getJob',
    'getChange',
    'getBackup',
    'getBackupSchedule',
    'getImport',
    'getConnectionCheck',
    'getChangeStream',
    'getSavedQuery',
    'getApiKey',
    'getMember',
    'getWebhookEndpoint',
    'getWebhookDelivery',
  ] as const satisfies readonly OperationId[];
  for (const operation of readers) {
    const { status } = await asOwner(us, ...requestOf(routes[operation], ours));
    expect([operation, status]).toEqual([operation, 200]);
  }
  const { json } = await asOwner(us, '/invitations');
  expect(json.data).toMatchObject([{ id: ours.invitationId, status: 'OPEN' }]);
});

test('no list of another organization has anything of it', async () => {
  const lists = routeEntries.filter(
    ([operation, { method, path, access }]) =>
      method === 'GET' &&
      namesInPath(path).length === 0 &&
      access.kind !== 'public' &&
      access.kind !== 'self' &&
      // Its lines are no JSON; it reads what the list of the events reads.
      operation !== 'exportAuditEvents' &&
      // Of the cluster, which this service has not.
      operation !== 'getCreateCatalog',
  );
  expect(lists.length).toBeGreaterThan(8);
  // This service bills nobody, and says so.
  const refused: ReadonlySet<OperationId> = new Set(['listUsage', 'listInvoices']);
  for (const [operation, { path }] of lists) {
    const { status, json } = await asOwner(them, path.replace('/api/v1', ''));
    const text = typeof json === 'string' ? json : JSON.stringify(json);
    const found = [us, ...Object.values(ours)].filter((id) => text.includes(id));
    expect([operation, status, found]).toEqual([operation, refused.has(operation) ? 409 : 200, []]);
  }
});

test('a key for one database opens nothing of another one, on any route that names it', async () => {
  const { secret } = await post(us, '/api-keys', {
    name: 'one',
    permissions: ['db:read', 'db:write'],
    databaseScope: { type: 'DATABASE', databaseId: ourSecondDatabase },
  });
  const headers = { 'x-api-key': secret };
  const told: unknown[] = [];
  for (const [operation, route] of named) {
    const [path, asked] = requestOf(route, ours);
    const { status, json } = await service.ask(undefined, path, { ...asked, headers });
    const refusals = ['insufficient_scope', 'session_required', 'job_not_found'];
    if (!refusals.includes(json?.code)) told.push({ operation, status, json });
  }
  expect(told).toEqual([]);
  const { json } = await service.ask(undefined, '/databases', { headers });
  expect(json.data.map(({ id }: { id: string }) => id)).toEqual([ourSecondDatabase]);
});
