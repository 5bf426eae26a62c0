/** What others do to backups over HTTP: strangers, people with kubectl, many at once, and whoever is faster. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../base/kube/kube.ts';
import type { OperationId } from '../../../api/contract/routes.ts';
import type { LedgerBackup } from '../../../domain/custom-resources.ts';
import { resources } from '../../../domain/kinds.ts';
import { labels } from '../../../domain/names.ts';
import type {
  AcceptedBackup,
  AuditEventList,
  Backup,
  BackupList,
  DatabaseWithJob,
  JobAnswer,
  Problem,
} from '../../../gen/api.ts';
import { ask as askAt, type Answer, type Sending } from '../../support/api/asking.ts';
import { TestService, type Headers } from '../../support/api/service.ts';
import { eventually } from '../../support/shell.ts';

type Resource = LedgerBackup & KubeObject;

/** What the program of a backup says of one that it has made. */
const made = {
  backupId: 'bkp_x',
  key: 'db_x/backups/1.ndjson',
  sha256: 'a'.repeat(64),
  clusterId: '5',
  op: 126,
  timestamp: '1795372852090008189',
  stateHash: 'b'.repeat(32),
  release: '0.17.9',
  accounts: 2,
  transfers: 1_000,
  sizeBytes: 146_000,
  storedBytes: 27_000,
  newBytes: 300,
  seconds: 1.1,
};

let service: TestService;
let me: Headers;

beforeAll(async () => {
  service = await TestService.start({
    settings: { BACKUPS: 'on', DATABASES_MAX: '50' },
    operator: {
      store: {
        url: 's3://backups/house',
        endpoint: 'http://s3.example:7070',
        region: 'eu-1',
        accessKeyId: 'key',
        secretAccessKey: 'very-secret',
      },
      askForCheckpoint: () => Promise.resolve({ op: 99 }),
    },
  });
  service.world.kubelet.ending = ({ metadata }) =>
    metadata?.labels?.[labels.backup] === undefined
      ? undefined
      : { exitCode: 0, message: JSON.stringify(made) };
  const { secret } = await service.makeKey(['db:read', 'db:write']);
  me = { 'x-api-key': secret };
});
beforeEach(() => service.startOperator());
afterAll(() => service?.stop());

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the answer it expects
const ask = <T>(operation: OperationId, sending: Sending = {}, as = me): Promise<Answer<T>> =>
  askAt<T>(service.url, as, operation, sending);

interface Made {
  readonly of: { readonly databaseId: string };
  readonly namespace: string;
}

async function make(name: string, more: object = {}, as = me): Promise<Made> {
  const { database } = await service.createDatabase(as, { name, ...more });
  const found = (await service.world.kube.list(resources.database)).find(
    ({ metadata }) => metadata.labels?.[labels.databaseId] === database.id,
  );
  return { of: { databaseId: database.id }, namespace: found?.metadata.namespace ?? '' };
}

async function request({ of }: Made, body: object = {}): Promise<AcceptedBackup> {
  const { status, json } = await ask<AcceptedBackup>('createBackup', { of, body });
  expect({ status, json }).toMatchObject({ status: 202 });
  return json;
}

type Of = Pick<Backup, 'id' | 'databaseId'>;
const pathOf = ({ id, databaseId }: Of) => ({ databaseId, backupId: id });
const read = async (backup: Of) =>
  (await ask<{ backup: Backup }>('getBackup', { of: pathOf(backup) })).json.backup;
const until = (backup: Of, status: Backup['status']) =>
  eventually(`${backup.id} is ${status}`, async () => {
    const now = await read(backup);
    if (now.status !== status) throw new Error(JSON.stringify(now));
    return now;
  });
const untilJob = (jobId: string, status: string) =>
  eventually(`${jobId} is ${status}`, async () => {
    const { job } = (await ask<JobAnswer>('getJob', { of: { jobId } })).json;
    if (job.status !== status) throw new Error(JSON.stringify(job));
    return job;
  });
async function good(of: Made): Promise<Backup> {
  const { backup } = await request(of);
  return until(backup, 'SUCCEEDED');
}

const referenceOf = (namespace: string, name: string) => ({
  resource: resources.backup,
  namespace,
  name,
});
const resourceOf = ({ archiveId, id }: Pick<Backup, 'archiveId' | 'id'>, { namespace }: Made) =>
  eventually(`${id} has a resource`, async () => {
    const all = await service.world.kube.list<Resource>(resources.backup, { namespace });
    return all.find(
      ({ metadata, status }) =>
        metadata.name.endsWith(id.slice(-20)) ||
        (archiveId !== null && status?.backupId === archiveId),
    );
  });
const patch = ({ metadata }: Resource, body: object, subresource?: 'status') =>
  service.world.kube.mergePatch<Resource>(
    referenceOf(metadata.namespace ?? '', metadata.name),
    body,
    { fieldManager: 'kubectl', subresource },
  );
const drop = ({ metadata: { namespace = '', name, uid = '' } }: Resource) =>
  service.world.kube.delete(referenceOf(namespace, name), { uid });
const eventsOf = async ({ of }: Made) => {
  const { json } = await askAt<AuditEventList>(
    service.url,
    await service.administrator(),
    'listAuditEvents',
    { query: `?targetId=${of.databaseId}&limit=100` },
  );
  return json.data.map(({ type }) => type).filter((type) => type.startsWith('backup.'));
};

test('a backup that cannot begin fails once and by name, whoever sees its resource go first', async () => {
  const database = await make('no-bucket');
  await service.stopOperator();
  for (let turn = 0; turn < 8; turn += 1) {
    const { backup, job } = await request(database);
    const resource = await resourceOf(backup, database);
    const waiting = {
      type: 'Succeeded',
      status: 'Unknown',
      reason: 'StoreNotConfigured',
      message: 'the operator knows no bucket',
      lastTransitionTime: '2026-11-21T02:03:04Z',
    };
    await patch(resource, { status: { conditions: [waiting] } }, 'status');
    const ended = await untilJob(job.id, 'FAILED');
    expect(ended.error?.code).toBe('backups_not_configured');
    const failed = await eventually('its resource is seen to be gone', async () => {
      const now = await read(backup);
      return now.managed ? undefined : now;
    });
    expect(failed).toMatchObject({
      status: 'FAILED',
      statusReason: { code: 'backups_not_configured' },
    });
  }
  const told = (await eventsOf(database)).filter((type) => type === 'backup.failed');
  expect(told).toHaveLength(8);
});

/** As if everything had been asked for an hour before. */
const anHourPasses = async () => {
  await service.alter(`UPDATE backups SET created_at = created_at - interval '1 hour'`);
  await service.alter(
    `UPDATE jobs SET created_at = created_at - interval '1 hour', started_at = started_at - interval '1 hour' WHERE finished_at IS NULL`,
  );
};

test('a worker that was away for an hour finds a backup that was made meanwhile, and gives none up', async () => {
  const database = await make('worked-on');
  await service.stopOperator();
  const { backup, job } = await request(database);
  const resource = await resourceOf(backup, database);
  await eventually('it is known', async () => ((await read(backup)).managed ? true : undefined));
  await service.stopWorker('SIGKILL');
  await service.startOperator();
  await eventually('it is made', async () => {
    const found = await service.world.kube.read<Resource>(
      referenceOf(database.namespace, resource.metadata.name),
    );
    return found?.status?.completedAt;
  });
  await anHourPasses();
  await service.alter(
    'UPDATE jobs SET lease_owner = NULL, lease_token = NULL, lease_until = NULL, due_at = clock_timestamp()',
  );
  await service.startWorker();
  await untilJob(job.id, 'SUCCEEDED');
  expect(await read(backup)).toMatchObject({ status: 'SUCCEEDED', managed: true });
});

test('a backup that waited for a worker for an hour has its time to begin', async () => {
  const database = await make('waited');
  await service.stopWorker('SIGKILL');
  await service.stopOperator();
  const { backup, job } = await request(database);
  await anHourPasses();
  await service.startWorker();
  await resourceOf(backup, database);
  await eventually('the job waits for the operator', async () => {
    const { job: now } = (await ask<JobAnswer>('getJob', { of: { jobId: job.id } })).json;
    return now.progress.percent === 0 ? undefined : true;
  });
  await service.startOperator();
  await untilJob(job.id, 'SUCCEEDED');
  expect((await read(backup)).status).toBe('SUCCEEDED');
});

test('a backup that was protected in Kubernetes while it was removed is freed over HTTP, and goes', async () => {
  const database = await make('held-up');
  const backup = await good(database);
  await service.stopOperator();
  const of = pathOf(backup);
  await ask('deleteBackup', { of });
  const resource = await eventually('its removal is asked for', async () => {
    const found = await resourceOf(backup, database);
    return found.spec.removeRequested ? found : undefined;
  });
  await patch(resource, { spec: { protected: true } });
  await eventually('it is seen', async () => ((await read(backup)).protected ? true : undefined));
  await service.startOperator();
  const again = await ask<Problem>('updateBackup', { of, body: { protected: true } });
  expect(again).toMatchObject({ status: 409, json: { code: 'operation_in_progress' } });
  const freed = await ask<{ backup: Backup }>('updateBackup', { of, body: { protected: false } });
  expect(freed).toMatchObject({ status: 200, json: { backup: { protected: false } } });
  await until(backup, 'DELETED');
});

test('a backup whose removal never reached its resource is again what it was, and can be restored', async () => {
  const database = await make('not-reached');
  const backup = await good(database);
  await service.stopWorker('SIGKILL');
  const { job } = (await ask<AcceptedBackup>('deleteBackup', { of: pathOf(backup) })).json;
  await service.alter('UPDATE jobs SET deadline_at = clock_timestamp() WHERE finished_at IS NULL');
  await service.startWorker();
  expect((await untilJob(job.id, 'FAILED')).error?.code).toBe('job_deadline_exceeded');
  expect(await read(backup)).toMatchObject({ status: 'SUCCEEDED', managed: true });
});

test('a backup that succeeds before its removal reaches it, and whose resource somebody deletes, stays in the store', async () => {
  const database = await make('kept-in-store');
  await service.stopOperator();
  const { backup } = await request(database);
  const resource = await resourceOf(backup, database);
  await eventually('it is known', async () => ((await read(backup)).managed ? true : undefined));
  await service.stopWorker('SIGKILL');
  const { job } = (await ask<AcceptedBackup>('deleteBackup', { of: pathOf(backup) })).json;
  const wake = (dueAt: string, isWoken: boolean) =>
    service.alter(
      `UPDATE jobs SET due_at = clock_timestamp() + $1::interval, woken = $2 WHERE finished_at IS NULL`,
      [dueAt, isWoken],
    );
  await wake('1 hour', true);
  await service.startOperator();
  await service.startWorker();
  await eventually('it is made', async () => ((await read(backup)).op === null ? undefined : true));
  await drop(resource);
  await eventually('it is gone', async () => ((await read(backup)).managed ? undefined : true));
  await wake('0', false);
  expect((await untilJob(job.id, 'FAILED')).error?.code).toBe('backup_not_managed');
  expect(await read(backup)).toMatchObject({ status: 'SUCCEEDED', managed: false });
});

test('a worker that is frozen for longer than its lease, and goes on, makes and removes nothing a second time', async () => {
  const database = await make('frozen');
  const [making, other] = [await request(database), await make('frozen-too')];
  const thaw = await service.replaceFrozenWorker();
  const backup = await until(making.backup, 'SUCCEEDED');
  await untilJob(making.job.id, 'SUCCEEDED');
  const { job } = (await ask<AcceptedBackup>('deleteBackup', { of: pathOf(backup) })).json;
  await untilJob(job.id, 'SUCCEEDED');
  thaw();
  // Both workers are at work on what comes now.
  await good(other);
  const names = (await service.world.kube.list<Resource>(resources.backup)).map(
    ({ spec }) => spec.database,
  );
  expect(names).not.toContain('frozen');
  expect(await eventsOf(database)).toEqual([
    'backup.deleted',
    'backup.delete_requested',
    'backup.succeeded',
    'backup.requested',
  ]);
});

test('ten restores at once are as many databases as the quota has room for, a name is given once, and a repeated key is one restore', async () => {
  const database = await make('much-wanted');
  const backup = await good(database);
  const of = pathOf(backup);
  const restore = (name: string, headers: Headers = {}) =>
    ask<{ readonly code?: string }>('restoreBackup', { of, body: { name }, headers });
  const [{ count }] = (await service.query(
    'SELECT count(*)::int AS count FROM databases WHERE purged_at IS NULL',
  )) as [{ count: number }];
  const setMax = (most: number | null) =>
    service.alter(`UPDATE organizations SET databases_max = $1 WHERE slug = 'default'`, [most]);
  await setMax(count + 3);
  const many = await Promise.all(
    Array.from({ length: 10 }, (_, index) => restore(`many-${index}`)),
  );
  const codes = many.map(({ status, json }) => (status === 202 ? 'made' : json.code));
  expect(codes.filter((code) => code === 'made')).toHaveLength(3);
  expect(codes.filter((code) => code === 'quota_exceeded')).toHaveLength(7);
  await setMax(null);
  const same = await Promise.all(Array.from({ length: 5 }, () => restore('the-same')));
  expect(same.map(({ status }) => status).sort((one, other) => one - other)).toEqual([
    202, 409, 409, 409, 409,
  ]);
  const key = { 'idempotency-key': 'one-restore' };
  const first = await restore('with-key', key);
  const repeated = await restore('with-key', key);
  expect(repeated.json).toEqual(first.json);
  const other = await restore('another', key);
  expect(other.status).toBe(422);
});

test('a backup of another organization, named under a database of one’s own, is not found', async () => {
  const database = await make('ours');
  const backup = await good(database);
  const administrator = await service.administrator();
  const { json } = await ask<{ organization: { id: string } }>(
    'createOrganization',
    { body: { name: 'Strangers', slug: 'strangers' } },
    administrator,
  );
  const key = await ask<{ secret: string }>(
    'createApiKey',
    { body: { name: 'strangers', permissions: ['db:read', 'db:write'] } },
    { ...administrator, 'x-organization-id': json.organization.id },
  );
  const strangers = { 'x-api-key': key.json.secret };
  const theirs = await make('theirs', {}, strangers);
  const of = { ...theirs.of, backupId: backup.id };
  for (const [operation, body] of [
    ['getBackup', undefined],
    ['updateBackup', { protected: true, name: 'taken' }],
    ['holdBackup', { reason: 'theirs' }],
    ['releaseBackup', undefined],
    ['deleteBackup', undefined],
    ['restoreBackup', { name: 'stolen' }],
  ] as const) {
    const answer = await ask<Problem>(operation, { of, ...(body && { body }) }, strangers);
    expect([operation, answer.status, answer.json.code]).toEqual([
      operation,
      404,
      'backup_not_found',
    ]);
  }
  expect(await read(backup)).toEqual(backup);

  // A resource in their namespace that says it is a backup of ours.
  await service.stopOperator();
  const claim = await service.world.kube.create<KubeObject>(
    resources.backup,
    {
      apiVersion: 'ledgerhouse.dev/v1alpha1',
      kind: 'LedgerBackup',
      metadata: {
        name: 'claim',
        namespace: theirs.namespace,
        labels: { [labels.databaseId]: database.of.databaseId },
      },
      spec: { database: 'ours' },
    } as KubeObject,
    { fieldManager: 'kubectl' },
  );
  const status = { databaseId: database.of.databaseId, backupId: backup.archiveId, op: 1 };
  await patch(claim as Resource, { status }, 'status');
  const own = { ...(claim as Resource), metadata: { ...claim.metadata, name: 'own' } };
  const { uid: _, resourceVersion: __, ...metadata } = own.metadata;
  await service.world.kube.create<KubeObject>(
    resources.backup,
    { ...own, metadata, spec: { database: 'theirs' } } as unknown as KubeObject,
    { fieldManager: 'kubectl' },
  );
  const seen = await eventually('their own one is seen', async () => {
    const { data } = (await ask<BackupList>('listBackups', { of: theirs.of }, strangers)).json;
    return data.length > 0 ? data : undefined;
  });
  expect(seen.map(({ name }) => name)).toEqual(['own']);
  const { data } = (await ask<BackupList>('listBackups', { of: database.of })).json;
  expect(data).toEqual([backup]);
});

test('a hold and a removal at once: one comes first, a backup that is held stays, one that goes is not held', async () => {
  const database = await make('contested');
  for (let round = 0; round < 3; round += 1) {
    const backup = await good(database);
    const of = pathOf(backup);
    const [held, removed] = await Promise.all([
      ask<Problem>('holdBackup', { of, body: { reason: 'case 7' } }),
      ask<Pick<AcceptedBackup, 'job'> & Pick<Problem, 'code'>>('deleteBackup', { of }),
    ]);
    const { job } = removed.json;
    if (held.status !== 200) {
      // The removal was there before the hold was read, or came between its reading and its writing.
      expect(['operation_in_progress', 'resource_changed']).toContain(held.json.code);
      await untilJob(job.id, 'SUCCEEDED');
      continue;
    }
    if (removed.status === 202) await untilJob(job.id, 'FAILED');
    else expect(removed.json.code).toBe('backup_held');
    expect(await read(backup)).toMatchObject({ status: 'SUCCEEDED', hold: { reason: 'case 7' } });
    expect((await ask<Problem>('deleteBackup', { of })).json.code).toBe('backup_held');
  }
});

test('a hold says who, when and why, is told of once, also if the API died before it noted it, and is not replaced', async () => {
  const database = await make('held');
  const backup = await good(database);
  const of = pathOf(backup);
  const { json } = await ask<{ backup: Backup }>('holdBackup', { of, body: { reason: 'case 7' } });
  expect(json.backup.hold).toMatchObject({ reason: 'case 7', by: backup.actor.display });
  const again = await ask<Problem>('holdBackup', { of, body: { reason: 'case 8' } });
  expect([again.status, again.json.code]).toEqual([409, 'backup_held']);
  expect(again.json.detail).toContain('case 7');
  expect((await ask('holdBackup', { of, body: { reason: '' } })).status).toBe(422);
  const released = await ask<{ backup: Backup }>('releaseBackup', { of });
  expect(released.json.backup.hold).toBeNull();
  expect((await ask('releaseBackup', { of })).status).toBe(200);
  // As after an API that died between the resource and its row.
  const hold = { reason: 'case 9', by: 'ada', at: '2027-01-31T12:00:00Z' };
  await patch(await resourceOf(backup, database), { spec: { hold } });
  await eventually('the hold is seen', async () =>
    (await read(backup)).hold?.reason === 'case 9' ? true : undefined,
  );
  const events = (await eventsOf(database)).filter((type) => /held|released/.test(type));
  expect(events.sort()).toEqual(['backup.held', 'backup.held', 'backup.released']);
});

test('a protected backup outlives its database, its purge and its schedule’s clock, and is restored', async () => {
  const database = await make('purged', { deletionProtection: false });
  const { backup } = await request(database, { protected: true, retentionDays: 1 });
  const before = await until(backup, 'SUCCEEDED');
  const { json } = await ask<{ job: { id: string } }>('deleteDatabase', { of: database.of });
  await untilJob(json.job.id, 'SUCCEEDED');
  await service.alter(
    'UPDATE databases SET purge_at = clock_timestamp() WHERE id = (SELECT database_id FROM backups ORDER BY created_at DESC LIMIT 1)',
  );
  const of = pathOf(backup);
  await patch(await resourceOf(before, database), { spec: { expiresAt: '2026-01-01T00:00:00Z' } });
  await eventually('its end is seen', async () => {
    const now = await read(backup);
    return now.expiresAt?.startsWith('2026-01-01') === true ? true : undefined;
  });
  expect((await ask<Problem>('deleteBackup', { of })).json.code).toBe('backup_protected');
  const restored = await ask<DatabaseWithJob>('restoreBackup', { of, body: { name: 'unpurged' } });
  await untilJob(restored.json.job.id, 'SUCCEEDED');
  expect(await read(backup)).toMatchObject({ status: 'SUCCEEDED', protected: true });
});

test('each of ten thousand backups is listed once, also those of one moment', async () => {
  const database = await make('old-books');
  await good(database);
  const columns = `organization_id, database_id, type, status, protected, kubernetes_namespace, resource_name, actor, resource_gone`;
  await service.alter(
    `INSERT INTO backups (id, name, created_at, kubernetes_uid, ${columns})
     SELECT gen_random_uuid(), 'n' || n, timestamptz '2026-01-01Z' + (n / 150) * interval '1 hour', gen_random_uuid(),
       organization_id, database_id, 'SCHEDULED', 'SUCCEEDED', false, kubernetes_namespace, 'n' || n, actor, true
     FROM generate_series(1, 10000) n, (SELECT * FROM backups ORDER BY created_at DESC LIMIT 1) one`,
  );
  const names = new Set<string>();
  let query = '?limit=100&type=SCHEDULED';
  for (;;) {
    const { json } = await ask<BackupList>('listBackups', { of: database.of, query });
    for (const { name } of json.data) names.add(name);
    if (json.page.nextCursor === null) break;
    query = `?limit=100&type=SCHEDULED&cursor=${json.page.nextCursor}`;
  }
  expect(names.size).toBe(10_000);
});
