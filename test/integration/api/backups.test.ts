/** Backups over HTTP and with the CLI: API, worker, operator and a real control plane; a kubelet gives the Jobs their ends. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { V1StatefulSet } from '@kubernetes/client-node';
import type { KubeObject } from '../../../base/kube/kube.ts';
import type { OperationId } from '../../../api/contract/routes.ts';
import { kindOfType, mailKindsOfRole } from '../../../api/model/notification-kinds.ts';
import { uuidOf } from '../../../api/store/ids.ts';
import type { LedgerBackup, LedgerDatabase } from '../../../domain/custom-resources.ts';
import { resources } from '../../../domain/kinds.ts';
import { written } from '../../../domain/recovery.ts';
import { annotations, backupIdOf, labels } from '../../../domain/names.ts';
import type {
  AcceptedBackup,
  AcceptedChange,
  AcceptedInPlaceRestore,
  AuditEventList,
  Backup,
  BackupList,
  Change,
  ChangeList,
  ChangePreview,
  ConfigurationAnswer,
  DatabaseWithJob,
  RestoringDatabase,
  DatabaseWithProfile,
  InPlaceRestorePreview,
  JobAnswer,
  Problem,
  RecoveryWindowAnswer,
  RestorePreviewAnswer,
} from '../../../gen/api.ts';
import { ask as askAt, type Answer, type Sending } from '../../support/api/asking.ts';
import {
  endBackupJobs,
  madeOfFiles,
  madeBackup as made,
  operatorWithStore,
} from '../../support/api/backup-store.ts';
import { TestService, type Headers } from '../../support/api/service.ts';
import { Cli } from '../../support/cli/cli.ts';
import { lifeOf, type Life } from '../../support/operator/dying-kube.ts';
import { eventually } from '../../support/shell.ts';

type Resource = LedgerBackup & KubeObject;
type StatefulSet = V1StatefulSet & KubeObject;

let service: TestService;
let cli: Cli;
let me: Headers;
let namespace: string;
/** How Jobs of backups end. */
let says: { readonly exitCode: number; readonly message: string } | 'runs';
/** How those of last backups end; as all others if it is undefined. */
let lastSays: typeof says | undefined;
/** After how many writes the operator dies; never if it is undefined. */
let life: Life | undefined;

beforeAll(async () => {
  service = await TestService.start({
    settings: { BACKUPS: 'on', DATABASES_MAX: '60' },
    operator: { ...operatorWithStore, wrap: (kube) => life?.wrap(kube) ?? kube },
  });
  endBackupJobs(service.world.kubelet, (backup) =>
    backup.endsWith('-final') ? (lastSays ?? says) : says,
  );
  const { secret } = await service.makeKey(['db:read', 'db:write']);
  me = { 'x-api-key': secret };
  cli = new Cli({ LEDGERHOUSE_BASE_URL: service.url, LEDGERHOUSE_API_KEY: secret });
});
beforeEach(async () => {
  says = { exitCode: 0, message: `${JSON.stringify(made)}\n` };
  lastSays = undefined;
  life = undefined;
  // One that failed may have left the service without it.
  await service.startOperator();
});
afterAll(async () => {
  cli?.remove();
  await service?.stop();
});

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the answer it expects
const ask = <T>(operation: OperationId, sending: Sending = {}): Promise<Answer<T>> =>
  askAt<T>(service.url, me, operation, sending);

interface Made {
  readonly of: { readonly databaseId: string };
  readonly name: string;
}

async function make(name: string, more: object = {}): Promise<Made> {
  const { database } = await service.createDatabase(me, { name, ...more });
  const found = (await service.world.kube.list(resources.database)).find(
    ({ metadata }) => metadata.name === name,
  );
  namespace = found?.metadata.namespace ?? '';
  return { of: { databaseId: database.id }, name };
}

async function request({ of }: Made, body: object = {}): Promise<AcceptedBackup> {
  const { status, json } = await ask<AcceptedBackup>('createBackup', { of, body });
  expect({ status, json }).toMatchObject({ status: 202 });
  return json;
}

type Of = Pick<Backup, 'id' | 'databaseId'>;
const pathOf = ({ id, databaseId }: Of) => ({ databaseId, backupId: id });
/** On a busy machine the store may be away for a moment, which the API says and clients ask again for. */
const read = (backup: Of) =>
  eventually(`${backup.id} is read`, async () => {
    const { status, json } = await ask<{ backup: Backup }>('getBackup', { of: pathOf(backup) });
    return status === 503 ? undefined : json.backup;
  });
const until = (backup: Of, status: Backup['status']) =>
  eventually(`${backup.id} is ${status}`, async () => {
    const now = await read(backup);
    if (now.status !== status) throw new Error(JSON.stringify(now));
    return now;
  });
const list = async ({ of }: Made, query = '') =>
  (await ask<BackupList>('listBackups', { of, query })).json.data;
const jobOf = async (jobId: string) => (await ask<JobAnswer>('getJob', { of: { jobId } })).json.job;
const untilJob = (jobId: string, status: string) =>
  eventually(`${jobId} is ${status}`, async () => {
    const job = await jobOf(jobId);
    if (job.status !== status) throw new Error(JSON.stringify(job));
    return job;
  });

const ours = () => service.world.kube.list<Resource>(resources.backup, { namespace });
const resourceOf = async ({ databaseId }: Of): Promise<Resource> => {
  const found = (await ours()).find(
    ({ metadata }) => metadata.labels?.[labels.databaseId] === databaseId,
  );
  if (found === undefined) throw new Error(`${databaseId} has no LedgerBackup`);
  return found;
};
const apply = (name: string, spec: object, own: Readonly<Record<string, string>> = {}) =>
  service.world.kube.create<KubeObject>(
    resources.backup,
    {
      apiVersion: 'ledgerhouse.dev/v1alpha1',
      kind: 'LedgerBackup',
      metadata: { name, namespace, labels: own },
      spec,
    } as KubeObject,
    { fieldManager: 'kubectl' },
  );
const patch = (name: string, spec: object) =>
  service.world.kube.mergePatch<Resource>(
    { resource: resources.backup, namespace, name },
    { spec },
    { fieldManager: 'kubectl' },
  );
const audited = async ({ of }: Made): Promise<AuditEventList['data']> => {
  const { json } = await askAt<AuditEventList>(
    service.url,
    await service.administrator(),
    'listAuditEvents',
    { query: `?targetId=${of.databaseId}&limit=100` },
  );
  return json.data;
};
const typesOf = async (made: Made): Promise<readonly string[]> =>
  (await audited(made)).map(({ type }) => type);
const toldOf = async (made: Made, wanted: string) =>
  (await audited(made)).find(({ type }) => type === wanted)?.data;
const eventsOf = async (made: Made) =>
  (await typesOf(made)).filter((type) => type.startsWith('backup.'));

test('a backup that is requested is made once, its job tells how it went, and the backup what it holds', async () => {
  const database = await make('payments');
  const headers = { 'idempotency-key': 'one-backup' };
  const body = { name: 'before-migration', retentionDays: 30 };
  const sent = { of: database.of, body, headers };
  const { json: first } = await ask<AcceptedBackup>('createBackup', sent);
  const { json: again } = await ask<AcceptedBackup>('createBackup', sent);
  expect(again).toEqual(first);
  expect(first.backup).toMatchObject({ status: 'QUEUED', type: 'MANUAL', managed: false });
  const backup = await until(first.backup, 'SUCCEEDED');
  expect(backup).toMatchObject({
    name: 'before-migration',
    managed: true,
    engineVersion: '0.17.9',
    op: 126,
    clusterTimestamp: made.timestamp,
    stateHash: made.stateHash,
    transfers: 1_000,
    storedBytes: 27_000,
    verification: null,
    restores: [],
    jobId: first.job.id,
    actor: { type: 'api_key' },
  });
  const job = await untilJob(first.job.id, 'SUCCEEDED');
  expect(job).toMatchObject({ type: 'backup.create', progress: { percent: 100 } });
  expect(new Set(job.steps.map(({ status }) => status))).toEqual(new Set(['SUCCEEDED']));
  const resource = await resourceOf(backup);
  expect(resource.spec).toMatchObject({
    database: 'payments',
    type: 'Manual',
    reclaimPolicy: 'Delete',
    expiresAt: backup.expiresAt,
  });
  expect(backup.archiveId).toBe(resource.status?.backupId);
  const days = (Date.parse(backup.expiresAt ?? '') - Date.parse(backup.createdAt)) / 86_400_000;
  expect(days).toBeCloseTo(30, 3);
  expect(await list(database)).toEqual([backup]);
  expect(await eventsOf(database)).toEqual(['backup.succeeded', 'backup.requested']);
  // The audit log, in which nobody changes anything unseen, has the digest that proves the objects in the bucket.
  expect(resource.status?.sha256).toMatch(/^[0-9a-f]{64}$/);
  const succeeded = (await audited(database)).find(({ type }) => type === 'backup.succeeded');
  expect(succeeded?.data['backup']).toEqual({
    id: backup.id,
    name: 'before-migration',
    type: 'MANUAL',
    status: 'SUCCEEDED',
    recordSha256: resource.status?.sha256,
  });
});

test('backups that kubectl and schedules made are shown, with where they come from; one that fails says why', async () => {
  const database = await make('followed');
  await apply('by-hand', { database: 'followed' });
  await apply(
    'nightly-1',
    { database: 'followed', type: 'Scheduled', protected: true },
    { [labels.schedule]: 'nightly' },
  );
  const found = await eventually('both are made', async () => {
    const rows = await list(database, '?status=SUCCEEDED');
    if (rows.length < 2) throw new Error(JSON.stringify(rows));
    return rows;
  });
  expect(found.find(({ name }) => name === 'by-hand')).toMatchObject({
    type: 'MANUAL',
    jobId: null,
    actor: { type: 'kubernetes', display: 'kubectl' },
  });
  const scheduled = await list(database, '?type=SCHEDULED');
  expect(scheduled).toMatchObject([{ name: 'nightly-1', schedule: 'nightly', protected: true }]);
  // The ID of a backup that was found is that in the store.
  for (const { id, archiveId } of found) expect(id).toBe(archiveId);

  const beetle = await make('beetle', {
    engine: 'TigerBeetle',
    clusterConfiguration: 'single',
    clusterSize: 'lh-40',
  });
  const error = { error: 'cluster_unreachable', message: 'it did not answer' };
  says = { exitCode: 1, message: JSON.stringify(error) };
  await apply('of-a-beetle', { database: 'beetle' });
  const failed = await eventually('its failure is told', async () => {
    const [row] = await list(beetle, '?status=FAILED');
    return row;
  });
  expect(failed.statusReason?.code).toBe('ClusterUnreachable');
  const of = pathOf(failed);
  const refused = await ask<Problem>('restoreBackup', { of, body: { name: 'nothing' } });
  expect(refused).toMatchObject({ status: 409, json: { code: 'backup_not_restorable' } });

  says = { exitCode: 0, message: `${JSON.stringify(made)}\n` };
  const { backup } = await request(beetle);
  await until(backup, 'SUCCEEDED');
  const body = { name: 'beetle-again', clusterSize: 'lh-10' };
  const restored = await ask<DatabaseWithProfile>('restoreBackup', { of: pathOf(backup), body });
  expect(restored).toMatchObject({
    status: 202,
    json: { database: { engine: { name: 'Builtin' } } },
  });

  // The same into TigerBeetle: what does not survive is said beforehand, and the job has a step for it.
  const into = { name: 'beetle-filled', engine: 'TigerBeetle', dropTimeouts: true } as const;
  const filling = await ask<RestoringDatabase>('restoreBackup', { of: pathOf(backup), body: into });
  expect(filling).toMatchObject({
    status: 202,
    json: { database: { engine: { name: 'TigerBeetle' } } },
  });
  expect(filling.json.warnings.join(' ')).toContain('exists_with_different_flags');
  expect(filling.json.job.steps.map(({ name }) => name)).toContain('fill');
  const { spec } = await eventually('its resource', () =>
    service.world.database(namespace, 'beetle-filled'),
  );
  expect(spec).toMatchObject({
    engine: 'TigerBeetle',
    bootstrap: { backup: { dropTimeouts: true } },
  });
  await untilJob(filling.json.job.id, 'SUCCEEDED');
  const kept = { name: 'kept', dropTimeouts: true };
  const builtin = await ask<Problem>('restoreBackup', { of: pathOf(backup), body: kept });
  expect(builtin).toMatchObject({ status: 422, json: { code: 'validation_failed' } });
  const last = await ask<Problem>('deleteDatabase', { of: beetle.of, query: '?finalBackup=true' });
  expect(last).toMatchObject({ status: 409, json: { code: 'backups_not_supported' } });
});

test('data files of a suspended database of TigerBeetle are backed up, listed, tested and restored as they are', async () => {
  const cold = await make('cold', {
    engine: 'TigerBeetle',
    clusterConfiguration: 'ha-3',
    clusterSize: 'lh-40',
  });
  const body = { method: 'FILES' } as const;
  const running = await ask<Problem>('createBackup', { of: cold.of, body });
  expect(running).toMatchObject({ status: 409, json: { code: 'database_not_ready' } });
  const suspension = await ask<AcceptedChange>('createChange', {
    of: cold.of,
    body: { suspended: true },
  });
  await untilJob(suspension.json.job?.id ?? '', 'SUCCEEDED');
  await untilDatabaseIs(cold, 'SUSPENDED');
  says = { exitCode: 0, message: JSON.stringify(madeOfFiles) };
  const { backup, job } = await request(cold, body);
  const found = await until(backup, 'SUCCEEDED');
  await untilJob(job.id, 'SUCCEEDED');
  expect(found).toMatchObject({
    method: 'FILES',
    clusterId: '77',
    engineVersion: '0.17.8',
    files: madeOfFiles.files.map(({ sizeBytes, sha256 }) => ({ sizeBytes, sha256 })),
    op: null,
    stateHash: null,
    transfers: null,
    encrypted: true,
  });
  expect((await resourceOf(backup)).spec.method).toBe('Files');
  const of = pathOf(backup);
  const tested = await ask<AcceptedBackup>('verifyBackup', { of });
  await untilJob(tested.json.job.id, 'SUCCEEDED');
  const shown = await cli.run(['backups', 'get', 'cold', backup.id]);
  expect(shown.stdout).toMatch(/^method +data files$/m);
  expect(shown.stdout).toMatch(/^file 2 +700000000 bytes, sha256 2{64}$/m);

  for (const [change, code] of [
    [{ engine: 'Builtin' }, 'engine_unsupported'],
    [{ clusterConfiguration: 'single' }, 'topology_differs'],
  ] as const) {
    const answer = await ask<Problem>('restoreBackup', {
      of,
      body: { name: 'not-made', ...change },
    });
    expect(answer.json).toMatchObject({ code: 'catalog_choice_unavailable', errors: [{ code }] });
  }
  const restored = await ask<RestoringDatabase>('restoreBackup', { of, body: { name: 'thawed' } });
  expect(restored).toMatchObject({
    status: 202,
    json: { database: { engine: { name: 'TigerBeetle' } } },
  });
  expect(restored.json.warnings.join(' ')).toContain('cluster ID');
  await untilJob(restored.json.job.id, 'SUCCEEDED');
  const { spec, status } = (await service.world.database(namespace, 'thawed')) ?? {};
  expect(spec).toMatchObject({
    engine: 'TigerBeetle',
    topology: 'ha-3',
    bootstrap: { backup: { clusterId: '77', backupId: found.archiveId } },
  });
  expect(status).toMatchObject({ clusterId: '77', bootstrapped: true });
  expect(status?.filled).toBeUndefined();
});

test('a worker that is killed, before the resource is made and while it is being made, is followed by one that goes on; changes go on beside', async () => {
  const database = await make('steady');
  await service.stopOperator();
  await service.stopWorker('SIGKILL');
  const { backup, job } = await request(database);
  await service.startWorker();
  await eventually('its resource', () => resourceOf(backup));
  const { of } = database;
  expect(await ask<Problem>('createBackup', { of, body: {} })).toMatchObject({
    status: 409,
    json: { code: 'operation_in_progress', blockingJobId: job.id },
  });
  const change = await ask<AcceptedChange>('createChange', { of, body: { labels: { a: 'b' } } });
  await untilJob(change.json.job?.id ?? '', 'SUCCEEDED');

  await service.stopWorker('SIGKILL');
  // As if it had died between making the resource and recording it.
  await service.alter(
    `UPDATE backups SET kubernetes_uid = NULL, resource_version = NULL, status = 'QUEUED' WHERE resource_name LIKE 'steady-%'`,
  );
  await service.startOperator();
  await service.startWorker();
  await until(backup, 'SUCCEEDED');
  await untilJob(job.id, 'SUCCEEDED');
  expect((await ours()).filter(({ spec }) => spec.database === 'steady')).toHaveLength(1);
});

test('a protected backup is not removed; unprotected, it is, and stays visible as DELETED', async () => {
  const database = await make('guarded');
  const { backup } = await request(database, { protected: true });
  await until(backup, 'SUCCEEDED');
  const of = pathOf(backup);
  const refused = await ask<Problem>('deleteBackup', { of });
  expect(refused).toMatchObject({ status: 409, json: { code: 'backup_protected' } });
  const { metadata } = await resourceOf(backup);
  const changed = await ask<{ backup: Backup }>('updateBackup', {
    of,
    body: { protected: false, name: 'unneeded' },
  });
  expect(changed.json.backup).toMatchObject({ protected: false, name: 'unneeded' });
  expect((await resourceOf(backup)).spec.protected).toBe(false);

  // Somebody protects it in Kubernetes while nobody watches.
  await service.stopWorker('SIGKILL');
  const first = await ask<AcceptedBackup>('deleteBackup', { of });
  expect(first).toMatchObject({ status: 202, json: { backup: { status: 'DELETING' } } });
  const repeated = await ask<AcceptedBackup>('deleteBackup', { of });
  expect(repeated.json.job.id).toBe(first.json.job.id);
  await patch(metadata.name, { protected: true });
  await service.startWorker();
  const job = await untilJob(first.json.job.id, 'FAILED');
  expect(job.error?.code).toBe('backup_protected');
  expect(await until(backup, 'SUCCEEDED')).toMatchObject({ protected: true });

  await ask('updateBackup', { of, body: { protected: false } });
  const second = await ask<AcceptedBackup>('deleteBackup', { of });
  const gone = await until(backup, 'DELETED');
  expect(gone.removedAt).not.toBeNull();
  await untilJob(second.json.job.id, 'SUCCEEDED');
  expect(await list(database)).toEqual([]);
  expect(await list(database, '?status=DELETED')).toEqual([gone]);
  expect((await ask<Problem>('deleteBackup', { of })).status).toBe(404);
  const restore = await ask<Problem>('restoreBackup', { of, body: { name: 'too-late' } });
  expect(restore.json.code).toBe('backup_not_restorable');
});

test('a backup whose resource somebody deleted stays in the store: it is restored, and not removed', async () => {
  const database = await make('detached');
  const { backup } = await request(database);
  await until(backup, 'SUCCEEDED');
  const { metadata } = await resourceOf(backup);
  await service.world.kube.delete(
    { resource: resources.backup, namespace, name: metadata.name },
    { uid: metadata.uid ?? '' },
  );
  const left = await eventually('it is seen', async () => {
    const now = await read(backup);
    return now.managed ? undefined : now;
  });
  expect(left.status).toBe('SUCCEEDED');
  const of = pathOf(backup);
  for (const operation of ['deleteBackup', 'updateBackup', 'verifyBackup'] as const) {
    const body = operation === 'updateBackup' ? { body: { protected: true } } : {};
    expect(await ask<Problem>(operation, { of, ...body })).toMatchObject({
      status: 409,
      json: { code: 'backup_not_managed' },
    });
  }
});

test('a test restore that is requested ends with its result and duration in the backup, damage fails it', async () => {
  const database = await make('tested');
  const { backup } = await request(database);
  await until(backup, 'SUCCEEDED');
  const of = pathOf(backup);
  const test = async () => {
    const { status, json } = await ask<AcceptedBackup>('verifyBackup', { of });
    expect({ status, json }).toMatchObject({
      status: 202,
      json: { job: { type: 'backup.verify' } },
    });
    return json.job;
  };
  says = { exitCode: 0, message: JSON.stringify({ ...made, seconds: 1.8 }) };
  await untilJob((await test()).id, 'SUCCEEDED');
  const proven = await read(backup);
  expect(proven.verification).toMatchObject({ status: 'PASSED', seconds: 1.8 });
  expect(proven.verification?.lastPassedAt).not.toBeNull();
  // Resources keep whole seconds: a test that began in the second of a request answers it.
  const startedMs = Date.parse(proven.verification?.startedAt ?? '');
  await eventually('the next second', async () => Date.now() - startedMs >= 1_000 || undefined);

  // A worker that is killed is followed by one that goes on; asked for again meanwhile, it is the same job.
  await service.stopOperator();
  const first = await test();
  await eventually('the resource is told', async () => {
    const { spec, status } = await resourceOf(backup);
    return (spec.verifyRequestedAt ?? '') > (status?.verification?.startedAt ?? '') || undefined;
  });
  expect((await test()).id).toBe(first.id);
  await service.stopWorker('SIGKILL');
  const message = JSON.stringify({ error: 'object_damaged', message: 'rows/1: is damaged' });
  says = { exitCode: 1, message };
  await service.startOperator();
  await service.startWorker();
  const job = await untilJob(first.id, 'FAILED');
  expect(job.error).toMatchObject({
    code: 'backup_damaged',
    detail: expect.stringContaining('rows/1'),
  });
  expect((await read(backup)).verification).toMatchObject({ status: 'FAILED' });
  expect(await eventsOf(database)).toEqual([
    'backup.damaged',
    'backup.test_requested',
    'backup.test_requested',
    'backup.succeeded',
    'backup.requested',
  ]);
});

test('a restore is a new database that begins with the backup, as large as asked for; the backup stays while it is begun', async () => {
  const source = await make('source', { selectedStorageGb: 4 });
  const { backup } = await request(source);
  const good = await until(backup, 'SUCCEEDED');
  await service.stopOperator();
  const of = pathOf(backup);
  const body = { name: 'again', clusterConfiguration: 'ha-3', clusterSize: 'lh-10' };
  const taken = await ask<Problem>('restoreBackup', { of, body: { name: 'source' } });
  expect(taken).toMatchObject({ status: 409, json: { code: 'database_name_taken' } });
  const absent = await ask<Problem>('restoreBackup', { of, body: { ...body, clusterSize: 'xl' } });
  expect(absent).toMatchObject({ status: 422, json: { code: 'catalog_choice_unavailable' } });
  // The price of yesterday's catalog was shown.
  const priced = { ...body, catalogVersion: 'of-yesterday' };
  expect(await ask<Problem>('restoreBackup', { of, body: priced })).toMatchObject({
    status: 409,
    json: { code: 'catalog_changed' },
  });
  const { status, json } = await ask<DatabaseWithJob>('restoreBackup', { of, body });
  expect({ status, json }).toMatchObject({ status: 202 });
  const restored = json.database;
  const before = (await ask<DatabaseWithProfile>('getDatabase', { of: source.of })).json.database;
  expect(restored.id).not.toBe(before.id);
  expect(restored.clusterId).toMatch(/^\d+$/);
  expect(restored.clusterId).not.toBe(before.clusterId);
  expect(restored).toMatchObject({ clusterConfiguration: 'ha-3', selectedStorageGb: 4 });
  const resource = await eventually('its resource', () =>
    service.world.database(namespace, 'again'),
  );
  expect(resource.spec).toMatchObject({
    engine: 'Builtin',
    topology: 'ha-3',
    size: 'lh-10',
    clusterId: restored.clusterId,
    bootstrap: { backup: { databaseId: before.id, backupId: good.archiveId } },
  });
  expect((await ask<Problem>('deleteBackup', { of })).json.code).toBe('operation_in_progress');
  await service.startOperator();
  await untilJob(json.job.id, 'SUCCEEDED');
  expect((await read(backup)).restores).toEqual([{ databaseId: restored.id, status: 'READY' }]);
  expect(await eventsOf(source)).toContain('backup.restore_requested');
});

const second = (seconds: number) => 1_795_372_800_000_000_000n + BigInt(seconds) * 1_000_000_000n;
/** Every operation but those between two runs of the log; the backup, operation 126, begins the second one. */
const recovery = {
  earliest: written({ op: 0, timestamp: 0n }),
  latest: written({ op: 300, timestamp: second(200) }),
  gaps: [
    {
      after: written({ op: 100, timestamp: second(10) }),
      before: written({ op: 126, timestamp: BigInt(made.timestamp) }),
      operations: 25,
    },
  ],
};
const toldToHave = async (name: string, window: object) => {
  const at = { resource: resources.database, namespace, name };
  await service.world.kube.mergePatch<KubeObject>(
    at,
    { status: { recovery: window } },
    { fieldManager: 'operator', subresource: 'status' },
  );
};
const windowOf = async ({ of }: Made) =>
  (await ask<RecoveryWindowAnswer>('getRecoveryWindow', { of })).json.recoveryWindow;
async function recoverable(name: string): Promise<{ readonly database: Made; backup: Backup }> {
  const database = await make(name);
  const { backup } = await request(database);
  await until(backup, 'SUCCEEDED');
  await service.stopOperator();
  await toldToHave(name, recovery);
  await eventually(
    'its window is known',
    async () => (await windowOf(database)).latest ?? undefined,
  );
  return { database, backup };
}

test('the window over HTTP names its gaps, and a preview what a restore would use', async () => {
  const { database, backup } = await recoverable('windowed');
  const { of } = database;
  expect(await windowOf(database)).toEqual({
    ...recovery,
    databaseId: of.databaseId,
    archiving: null,
  });
  const preview = async (body: object) =>
    (await ask<RestorePreviewAnswer>('previewRestore', { of, body })).json.preview;
  expect(await preview({ targetOp: 60 })).toMatchObject({
    op: 60,
    atOrBefore: null,
    backup: null,
    begins: { op: 0 },
    operationsMax: 60,
    operationsLater: 240,
    // Nobody runs that could be asked.
    moment: null,
    lastTransfer: null,
  });
  expect(await preview({ targetTimestamp: String(second(199)) })).toMatchObject({
    op: null,
    atOrBefore: { time: '2026-11-22T18:43:19.000000000Z' },
    backup: { id: backup.id, storedBytes: 27_000 },
    begins: { op: 126 },
    operationsMax: 174,
    operationsLater: null,
  });
  const refusals: readonly (readonly [object, string, number | null, number | null])[] = [
    [{ targetOp: 101 }, 'in_a_gap', 100, 126],
    [{ targetTimestamp: String(second(11)) }, 'in_a_gap', 100, 126],
    [{ targetOp: 301 }, 'after_the_window', 300, null],
    [{ targetTime: '2999-01-01T00:00:00Z' }, 'after_the_window', 300, null],
  ];
  for (const [body, reason, before, after] of refusals) {
    for (const operation of ['previewRestore', 'restoreToMoment'] as const) {
      const named = operation === 'restoreToMoment' ? { ...body, name: 'nothing' } : body;
      const { status, json } = await ask<Problem>(operation, { of, body: named });
      expect({ body, status, json }).toMatchObject({
        status: 409,
        json: {
          code: 'moment_unavailable',
          moments: {
            reason,
            before: before === null ? null : { op: before },
            after: after === null ? null : { op: after },
          },
        },
      });
    }
  }
  for (const body of [
    {},
    { targetOp: 60, targetTime: '2026-11-22T18:43:19Z' },
    { targetTime: '2026-02-30T00:00:00Z' },
    { targetTime: 'yesterday' },
    { targetTimestamp: '-1' },
    { targetOp: 0 },
  ]) {
    const { status, json } = await ask<Problem>('previewRestore', { of, body });
    expect({ body, status, code: json.code }).toEqual({
      body,
      status: 422,
      code: 'validation_failed',
    });
  }
  await service.startOperator();
  // An operator whose engines are silent keeps what it has said.
  const { backup: next } = await request(database);
  await until(next, 'SUCCEEDED');
  expect((await windowOf(database)).latest).toEqual(recovery.latest);
});

test('a preview and the window say of a backup whose removal has begun what the restore says, in place and elsewhere, and when the backup is gone, too', async () => {
  const { database, backup } = await recoverable('previewed');
  const { of } = database;
  const owner = await service.administrator();
  const answers = async (moment: { backupId: string } | { targetOp: number }) => {
    const named = { ...moment, name: 'nothing' };
    const inPlace = { ...moment, confirmName: database.name };
    const byOwner = (operation: OperationId, body: object) =>
      askAt<Problem>(service.url, owner, operation, { of, body });
    return Promise.all([
      ...('backupId' in moment
        ? [ask<Problem>('restoreBackup', { of: { ...of, ...moment }, body: { name: 'nothing' } })]
        : [
            ask<Problem>('previewRestore', { of, body: moment }),
            ask<Problem>('restoreToMoment', { of, body: named }),
          ]),
      byOwner('previewInPlaceRestore', moment),
      byOwner('restoreInPlace', inPlace),
    ]);
  };
  const expectNone = async () => {
    expect(await windowOf(database)).toMatchObject({
      earliest: { op: 0 },
      latest: { op: 100 },
      gaps: [],
    });
    for (const targetOp of [126, 150]) {
      for (const { status, json } of await answers({ targetOp })) {
        expect({ status, json }).toMatchObject({
          status: 409,
          json: { code: 'moment_unavailable', moments: { before: { op: 100 }, after: null } },
        });
      }
    }
  };
  const { status, metadata } = await resourceOf(backup);
  const { name } = metadata;
  const at = new Date().toISOString();
  const going = { type: 'Removed', status: 'Unknown', reason: 'Running', message: 'it goes' };
  // As the operator notes it for one whose time is over.
  await service.world.kube.mergePatch<KubeObject>(
    { resource: resources.backup, namespace, name },
    {
      status: {
        removalBegunAt: at,
        conditions: [...(status?.conditions ?? []), { ...going, lastTransitionTime: at }],
      },
    },
    { fieldManager: 'operator', subresource: 'status' },
  );
  await eventually('the store knows it', async () => {
    const rows = await service.query('SELECT removing FROM backups WHERE id = $1', [
      uuidOf(backup.id),
    ]);
    return rows[0]?.['removing'] === true || undefined;
  });
  expect((await read(backup)).status).toBe('SUCCEEDED');
  await expectNone();
  for (const one of await answers({ backupId: backup.id })) {
    expect(one).toMatchObject({
      status: 409,
      json: {
        code: 'backup_not_restorable',
        detail: expect.stringContaining('is being removed, and cannot be restored any more'),
      },
    });
  }
  // What the log has from the first operation on needs no backup.
  expect((await ask('previewRestore', { of, body: { targetOp: 100 } })).status).toBe(200);
  // Nobody tells another window of a database that archives nothing any more.
  await service.alter(
    `UPDATE backups SET status = 'EXPIRED', removed_at = now() WHERE id = '${uuidOf(backup.id)}'`,
  );
  await expectNone();
});

test('a moment whose log may be deleted before a database has gone back is refused in place, and can be restored into a new database', async () => {
  const { database, backup } = await recoverable('nearly-gone');
  const { of } = database;
  const owner = await service.administrator();
  const body = { targetOp: 60 };
  const inPlace = (operation: OperationId, more: object = {}) =>
    askAt<Problem>(service.url, owner, operation, { of, body: { ...body, ...more } });
  const agedBy = (hours: number) =>
    service.alter(
      `UPDATE backups SET created_at = now() - interval '${hours} hours', completed_at = now() - interval '${hours} hours'
        WHERE id = '${uuidOf(backup.id)}'`,
    );
  await agedBy(8 * 24 - 11);
  for (const refused of [
    await inPlace('previewInPlaceRestore'),
    await inPlace('restoreInPlace', { confirmName: database.name }),
  ]) {
    expect(refused).toMatchObject({
      status: 409,
      json: {
        code: 'moment_unavailable',
        detail: expect.stringContaining('Restore into a new database instead'),
        moments: { reason: 'before_the_window', before: null, after: { op: 126 } },
      },
    });
  }
  expect((await ask('previewRestore', { of, body })).status).toBe(200);
  await agedBy(8 * 24 - 13);
  expect((await inPlace('previewInPlaceRestore')).status).toBe(200);
});

test('a preview names the last transfer that comes back, asked from the database itself', async () => {
  const { database } = await service.createDatabase(me, { name: 'last-one' });
  const of = { databaseId: database.id };
  const { backup } = await request({ of, name: 'last-one' });
  await until(backup, 'SUCCEEDED');
  await service.startEngine(database);
  const tb = async (operation: OperationId, body: object) =>
    (await ask<{ result: { id: string; timestamp: string }[] }>(operation, { of, body })).json
      .result;
  const account = { ledger: 1, code: 1 };
  await eventually('the ledger answers', async () => {
    const made = await tb('createAccounts', [
      { ...account, id: '1' },
      { ...account, id: '2' },
    ]);
    return made.length === 2 ? true : undefined;
  });
  const transfer = { debit_account_id: '1', credit_account_id: '2', amount: '1', ...account };
  await tb('createTransfers', [{ ...transfer, id: '11' }]);
  await tb('createTransfers', [{ ...transfer, id: '12' }]);
  const [first] = await tb('lookupTransfers', ['11']);
  const { timestamp = '' } = first ?? {};
  // The Job of this kubelet backs up nothing: its backup gets the moment of the first transfer.
  await service.alter(
    `UPDATE backups SET facts = jsonb_set(facts, '{timestamp}', to_jsonb($1::text)) WHERE name = $2`,
    [timestamp, backup.name],
  );
  // It waits two seconds for the ledger, and a busy machine may be slower.
  const previewed = await eventually('the ledger is asked', async () => {
    const body = { targetTimestamp: timestamp };
    const { json } = await ask<RestorePreviewAnswer>('previewRestore', { of, body });
    return json.preview.lastTransfer === null ? undefined : json.preview;
  });
  expect(previewed).toMatchObject({
    op: made.op,
    moment: { op: made.op, timestamp },
    lastTransfer: { id: '11', timestamp },
    operationsMax: 0,
  });
  await eventually('the CLI shows it', async () => {
    const shown = await cli.run(['backups', 'preview', 'last-one', '--to-timestamp', timestamp]);
    expect(shown.stdout).toMatch(/^last transfer +11, 20/m);
    return true;
  });
  await service.startOperator();
});

test('the CLI shows the window, previews a moment, and restores to it', async () => {
  const { database } = await recoverable('cli-window');
  const window = await cli.run(['backups', 'window', database.name]);
  expect(window.stdout).toMatch(/^earliest +the empty ledger$/m);
  expect(window.stdout).toMatch(/^latest +2026-11-22T18:43:20\.000000000Z \(operation 300\)$/m);
  expect(window.stdout).toMatch(/^gap +25 operations after 2026-11-22T18:40:10/m);
  const time = ['--to-time', '2026-11-22T18:43:19Z'];
  const preview = await cli.run(['backups', 'preview', database.name, ...time]);
  expect(preview.stdout).toMatch(/^replays +at most 174 operations$/m);
  const gap = await cli.run(['backups', 'preview', database.name, '--to-op', '110']);
  expect(gap).toMatchObject({ code: 7 });
  expect(gap.stderr).toContain('the last moment before is operation 100');
  const unclear = await cli.run(['backups', 'preview', database.name, ...time, '--to-op', '1']);
  expect(unclear).toMatchObject({ code: 2 });
  await service.startOperator();
  const made = await cli.run([
    'backups',
    'restore-to',
    database.name,
    'cli-moment',
    ...time,
    '--json',
  ]);
  expect(made).toMatchObject({ code: 0 });
  const { database: restored } = JSON.parse(made.stdout) as DatabaseWithProfile;
  expect(restored).toMatchObject({ name: 'cli-moment', status: 'READY' });
});

test('a restore to a moment is a new database that replays the log up to there; the backup that it needs stays', async () => {
  const { database, backup } = await recoverable('mistaken');
  const { of } = database;
  const restored = async (name: string, target: object) => {
    const body = { name, ...target };
    const { status, json } = await ask<DatabaseWithJob>('restoreToMoment', { of, body });
    expect({ status, json }).toMatchObject({ status: 202 });
    const resource = await eventually('its resource', () =>
      service.world.database(namespace, name),
    );
    return { job: json.job.id, bootstrap: resource.spec.bootstrap };
  };
  const { databaseId } = of;
  // A worker that is killed before the resource is made is followed by one that makes the same.
  await service.stopWorker('SIGKILL');
  const sent = await ask<DatabaseWithJob>('restoreToMoment', {
    of,
    body: { name: 'before-it', targetTime: '2026-11-22T18:43:18.5Z' },
  });
  await service.startWorker();
  const first = await eventually('its resource', () =>
    service.world.database(namespace, 'before-it'),
  );
  expect(first.spec.bootstrap).toEqual({
    backup: { databaseId, targetTimestamp: String(second(198) + 500_000_000n) },
  });
  const removal = await ask<Problem>('deleteBackup', { of: pathOf(backup) });
  expect(removal.json.code).toBe('operation_in_progress');
  const early = await restored('from-the-log', { targetOp: 50 });
  expect(early.bootstrap).toEqual({ backup: { databaseId, targetOp: 50 } });
  const between = { targetTimestamp: String(second(5)) };
  const unnumbered = await restored('between-two', between);
  expect(unnumbered.bootstrap).toEqual({ backup: { databaseId, ...between } });
  const exact = await restored('at-the-backup', { targetOp: 126 });
  expect(exact.bootstrap).toMatchObject({ backup: { databaseId, backupId: expect.any(String) } });
  await service.startOperator();
  for (const job of [sent.json.job.id, early.job, unnumbered.job, exact.job])
    await untilJob(job, 'SUCCEEDED');
  const events = (await eventsOf(database)).filter((type) => type === 'backup.restore_requested');
  expect(events).toHaveLength(4);
});

test('a removal says that it waits for a database that failed to begin with the backup, and goes on', async () => {
  const { backup } = await request(await make('early'));
  await until(backup, 'SUCCEEDED');
  await service.stopOperator();
  const of = pathOf(backup);
  const { json } = await ask<DatabaseWithJob>('restoreBackup', { of, body: { name: 'late' } });
  await eventually('its resource', () => service.world.database(namespace, 'late'));
  const fail = () => service.alter(`UPDATE databases SET status = 'FAILED' WHERE name = 'late'`);
  // The job that makes the database goes on with one that has failed.
  const removal = await eventually('its removal is accepted', async () => {
    await fail();
    const asked = await ask<AcceptedBackup>('deleteBackup', { of });
    if (asked.status !== 202) throw new Error(`it answered ${asked.status}`);
    return asked;
  });
  await eventually('it says what it waits for', async () => {
    await fail();
    const { progress } = await jobOf(removal.json.job.id);
    if (!progress.message.startsWith('Waiting for a database that was begun with this backup'))
      throw new Error(progress.message);
    return true;
  });
  await service.startOperator();
  await untilJob(json.job.id, 'SUCCEEDED');
  await untilJob(removal.json.job.id, 'SUCCEEDED');
});

test('backups outlive their database over HTTP, and the quota counts what is restored', async () => {
  const database = await make('ephemeral', { deletionProtection: false });
  const { backup } = await request(database);
  await until(backup, 'SUCCEEDED');
  const { json } = await ask<{ job: { id: string } }>('deleteDatabase', { of: database.of });
  await untilJob(json.job.id, 'SUCCEEDED');
  expect(await list(database)).toMatchObject([{ id: backup.id, status: 'SUCCEEDED' }]);
  const of = pathOf(backup);
  expect((await ask<Problem>('createBackup', { of, body: {} })).json.code).toBe(
    'database_not_found',
  );
  const setMax = (most: number | null) =>
    service.alter(`UPDATE organizations SET databases_max = $1 WHERE slug = 'default'`, [most]);
  await setMax(1);
  const full = await ask<Problem>('restoreBackup', { of, body: { name: 'risen' } });
  expect(full).toMatchObject({ status: 403, json: { code: 'quota_exceeded' } });
  await setMax(null);
  const risen = await ask<DatabaseWithJob>('restoreBackup', { of, body: { name: 'risen' } });
  await untilJob(risen.json.job.id, 'SUCCEEDED');
});

const claimsOf = async (name: string) =>
  (await service.world.kube.list<KubeObject>(resources.claim, { namespace })).filter(
    ({ metadata }) => metadata.labels?.[labels.database] === name,
  );

test('a database is deleted with a last backup: its data go, and a new one begins with the backup', async () => {
  const database = await make('leaving', { deletionProtection: false });
  expect(await claimsOf('leaving')).toHaveLength(1);
  const { of } = database;
  const deleted = await ask<DatabaseWithJob>('deleteDatabase', { of, query: '?finalBackup=true' });
  expect(deleted).toMatchObject({ status: 202, json: { database: { status: 'DELETING' } } });
  await untilJob(deleted.json.job.id, 'SUCCEEDED');
  // Kubernetes removes a volume when the pod that had it has ended.
  await eventually('its data are gone', async () => {
    expect(await claimsOf('leaving')).toEqual([]);
    return true;
  });
  const final = await eventually('the last backup', async () => {
    const [row] = await list(database, '?type=FINAL&status=SUCCEEDED');
    return row;
  });
  const gone = await ask<Problem>('restoreDatabase', { of, body: {} });
  expect(gone.json.code).toBe('database_purged');
  const body = { name: 'come-back' };
  const restored = await ask<DatabaseWithJob>('restoreBackup', { of: pathOf(final), body });
  await untilJob(restored.json.job.id, 'SUCCEEDED');
});

test('a last backup that fails deletes nothing; without it the data stay as usual', async () => {
  const { of } = await make('stubborn', { deletionProtection: false });
  const message = JSON.stringify({ error: 'store_refused', message: 'no right' });
  says = { exitCode: 1, message };
  const first = await ask<DatabaseWithJob>('deleteDatabase', { of, query: '?finalBackup=true' });
  const job = await untilJob(first.json.job.id, 'FAILED');
  expect(job).toMatchObject({ retryable: true, error: { code: 'final_backup_failed' } });
  expect(job.error?.detail).toContain('StoreRefused');
  expect(job.error?.detail).not.toContain('no right');
  expect(await claimsOf('stubborn')).toHaveLength(1);
  const { json } = await ask<DatabaseWithJob>('deleteDatabase', { of });
  await untilJob(json.job.id, 'SUCCEEDED');
  expect(await claimsOf('stubborn')).toHaveLength(1);
  const restored = await ask<DatabaseWithJob>('restoreDatabase', { of, body: {} });
  await untilJob(restored.json.job.id, 'SUCCEEDED');
});

interface Held extends KubeObject {
  readonly spec: {
    readonly deletionPolicy: string;
    readonly clusterId?: string;
    readonly topology?: string;
    readonly bootstrap?: LedgerDatabase['spec']['bootstrap'];
    readonly changeDataCapture?: LedgerDatabase['spec']['changeDataCapture'];
  };
}
const held = async (name: string) =>
  (await service.world.kube.list<Held>(resources.database, { namespace })).find(
    ({ metadata }) => metadata.name === name,
  );
const finalsOf = async (name: string) =>
  (await ours()).filter(({ spec }) => spec.database === name && spec.type === 'Final');

test('a deletion without a last backup keeps the volumes, also while an earlier one still makes its own', async () => {
  const { of } = await make('second-thoughts', { deletionProtection: false });
  says = { exitCode: 1, message: JSON.stringify({ error: 'store_refused', message: 'no right' }) };
  const first = await ask<DatabaseWithJob>('deleteDatabase', { of, query: '?finalBackup=true' });
  await untilJob(first.json.job.id, 'FAILED');
  // An administrator has mended the store and lets the operator try again: nothing is wrong any more.
  says = 'runs';
  const [failed] = await finalsOf('second-thoughts');
  const at = { resource: resources.backup, namespace, name: failed?.metadata.name ?? '' };
  await service.world.kube.delete(at, { uid: failed?.metadata.uid ?? '' });
  await eventually('another last backup is being made', async () => {
    const [other] = await finalsOf('second-thoughts');
    return other !== undefined && other.metadata.uid !== failed?.metadata.uid ? true : undefined;
  });
  const { json } = await ask<DatabaseWithJob>('deleteDatabase', { of });
  expect(Date.parse(json.database.purgeAt ?? '')).toBeGreaterThan(Date.now());
  await eventually('the volumes are kept', async () => {
    const now = await held('second-thoughts');
    return now === undefined || now.spec.deletionPolicy === 'Retain' ? true : undefined;
  });
  says = { exitCode: 0, message: `${JSON.stringify(made)}\n` };
  await untilJob(json.job.id, 'SUCCEEDED');
  expect(await claimsOf('second-thoughts')).toHaveLength(1);
  const restored = await ask<DatabaseWithJob>('restoreDatabase', { of, body: {} });
  await untilJob(restored.json.job.id, 'SUCCEEDED');
});

test('a database that is let go without its last backup is never said to have one, and is restored', async () => {
  const { of } = await make('let-go', { deletionProtection: false });
  says = 'runs';
  const { json } = await ask<DatabaseWithJob>('deleteDatabase', { of, query: '?finalBackup=true' });
  expect(json.database.purgeAt).toBeNull();
  await eventually('its last backup is being made', async () =>
    (await finalsOf('let-go')).length === 1 ? true : undefined,
  );
  await service.world.kube.mergePatch(
    { resource: resources.database, namespace, name: 'let-go' },
    { spec: { deletionPolicy: 'Retain' } },
    { fieldManager: 'kubectl' },
  );
  const job = await untilJob(json.job.id, 'FAILED');
  expect(job).toMatchObject({ retryable: false, error: { code: 'final_backup_failed' } });
  expect(await claimsOf('let-go')).toHaveLength(1);
  const restored = await ask<DatabaseWithJob>('restoreDatabase', { of, body: {} });
  await untilJob(restored.json.job.id, 'SUCCEEDED');
});

const shaped = async ({ of }: Made, clusterConfiguration: string) => {
  const { status, json } = await ask<AcceptedChange>('createChange', {
    of,
    body: { clusterConfiguration },
  });
  expect({ status, json }).toMatchObject({ status: 202 });
  return json;
};
const changeUntil = ({ of }: Made, { id: changeId }: { readonly id: string }, status: string) =>
  eventually(`${changeId} is ${status}`, async () => {
    const { change } = (await ask<{ change: Change }>('getChange', { of: { ...of, changeId } }))
      .json;
    if (change.status !== status) throw new Error(JSON.stringify(change));
    return change;
  });
/** The record of a database follows its resource. */
const untilDatabaseIs = ({ of }: Made, status: DatabaseWithProfile['database']['status']) =>
  eventually(`the database is ${status}`, async () => {
    const { database } = (await ask<DatabaseWithProfile>('getDatabase', { of })).json;
    if (database.status !== status) throw new Error(JSON.stringify(database));
    return true;
  });

/** The Job of a database's last backup, once it is there. */
const lastJobOf = (name: string) =>
  eventually('its last backup is being made', async () => {
    const [last] = await finalsOf(name);
    const jobs = await service.world.kube.list<KubeObject>(resources.job, { namespace });
    return jobs.find(
      ({ metadata }) =>
        last !== undefined && metadata.labels?.[labels.backup] === last.metadata.name,
    );
  });

test('a change of shape that fails brings the database back with its volumes; the next one goes on from the last backup, under the same ID', async () => {
  const database = await make('growing', { clusterSize: 'lh-10', deletionProtection: true });
  const { of } = database;
  const before = await held('growing');
  const [volume] = await claimsOf('growing');
  const body = { clusterConfiguration: 'ha-3' };
  const { json } = await ask<ChangePreview>('previewChange', { of, body });
  expect(json.preview).toMatchObject({
    diff: [{ path: '/clusterConfiguration', from: 'single', to: 'ha-3' }],
    impact: { interruption: 'MINUTES', reversible: true },
  });
  lastSays = 'runs';
  const first = await shaped(database, 'ha-3');
  expect([first.change.diff, first.change.impact]).toEqual([
    json.preview.diff,
    json.preview.impact,
  ]);
  const { metadata } = await lastJobOf('growing');
  await service.alter(`UPDATE databases SET deletion_protection = false WHERE name = 'growing'`);
  expect(await ask<Problem>('deleteDatabase', { of })).toMatchObject({
    status: 409,
    json: { code: 'operation_in_progress' },
  });
  await service.alter(`UPDATE databases SET deletion_protection = true WHERE name = 'growing'`);
  await service.world.kube.mergePatch(
    { resource: resources.job, namespace, name: metadata.name ?? '' },
    { spec: { activeDeadlineSeconds: 1 } },
    { fieldManager: 'test' },
  );
  const failed = await changeUntil(database, first.change, 'FAILED');
  expect(failed.error?.code).toBe('last_backup_failed');
  expect(failed.error?.state).toContain('its earlier cluster configuration');
  expect((await jobOf(first.job?.id ?? '')).error?.title).toBe('The last backup could not be made');
  expect((await held('growing'))?.spec).toMatchObject({
    topology: 'single',
    bootstrap: { volumes: { databaseId: of.databaseId } },
  });
  expect((await claimsOf('growing')).map((one) => one.metadata.uid)).toEqual([
    volume?.metadata.uid,
  ]);

  const second = await shaped(database, 'ha-3');
  const again = await lastJobOf('growing');
  await service.stopWorker();
  lastSays = undefined;
  await eventually('the resource is gone', async () =>
    (await held('growing')) === undefined ? true : undefined,
  );
  const [old] = await claimsOf('growing');
  const [last] = await finalsOf('growing');
  expect(again.metadata.uid).not.toBe(metadata.uid);
  expect(old?.metadata.annotations?.[annotations.replacedBy]).toBe(last?.metadata.name);
  await service.startWorker();
  const applied = await changeUntil(database, second.change, 'APPLIED');
  expect(applied).toMatchObject({ profileRevision: 2, error: null });
  const told = await jobOf(second.job?.id ?? '');
  expect(new Set(told.steps.map(({ status }) => status))).toEqual(new Set(['SUCCEEDED']));
  const after = await held('growing');
  expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
  expect(after?.spec).toMatchObject({
    topology: 'ha-3',
    size: 'lh-10',
    deletionProtection: true,
    deletionPolicy: 'Retain',
    bootstrap: {
      backup: { databaseId: of.databaseId, backupId: backupIdOf(last?.metadata.uid ?? '') },
    },
  });
  await untilDatabaseIs(database, 'READY');
  const row = (await ask<DatabaseWithProfile>('getDatabase', { of })).json;
  expect(row.database).toMatchObject({
    deletionProtection: true,
    nodeCount: 3,
    clusterId: after?.spec.clusterId,
  });
  expect(row.profile).toMatchObject({ clusterConfiguration: 'ha-3', revision: 2 });
  // The old volume is kept for some days only, though a database of its ID is there.
  const kept = await eventually('the old volume has a time', async () => {
    const found = await claimsOf('growing');
    const one = found.find((claim) => claim.metadata.uid === volume?.metadata.uid);
    return one?.metadata.annotations?.[annotations.purgeAt];
  });
  expect((Date.parse(kept) - Date.now()) / 86_400_000).toBeGreaterThan(6.9);
  expect((await typesOf(database)).includes('database.deleted')).toBe(false);

  // New replicas that get no data file are taken away again: the watch must not take that for a deletion of the database.
  const { kubelet } = service.world;
  const { ending } = kubelet;
  let unlucky: string | undefined;
  kubelet.ending = (pod) => {
    const { [labels.backup]: backup, [labels.workload]: workload = '' } = pod.metadata.labels ?? {};
    const isOld = workload === `growing-${after?.metadata.uid?.slice(0, 6)}`;
    if (backup !== undefined || !workload.startsWith('growing-') || isOld) return ending(pod);
    unlucky ??= workload;
    return workload === unlucky ? 'runs' : ending(pod);
  };
  const third = await shaped(database, 'single');
  const unbegun = await eventually('the new shape is being prepared', async () => {
    const found = await held('growing');
    return found?.spec.topology === 'single' ? found : undefined;
  });
  // The worker writes this column, too, and may take back what is written beside it.
  await service.stopWorker();
  await service.alter(
    `UPDATE configuration_changes SET replaced = replaced || '{"givenUp":{"from":"backup","code":"new_shape_not_begun","message":"no room"}}'
      WHERE id = '${uuidOf(third.change.id)}'`,
  );
  await service.startWorker();
  expect((await changeUntil(database, third.change, 'FAILED')).error?.code).toBe(
    'new_shape_not_begun',
  );
  kubelet.ending = ending;
  const back = await held('growing');
  expect(back?.metadata.uid).not.toBe(unbegun.metadata.uid);
  expect(back?.spec).toMatchObject({ topology: 'ha-3', deletionProtection: true });
  await untilDatabaseIs(database, 'READY');
  expect((await typesOf(database)).includes('database.deleted')).toBe(false);
});

test('a database changes its shape although somebody asks for the removal of its last backup while nothing else could bring it back; then that goes', async () => {
  const database = await make('changes-amid-removals');
  const { backup: other } = await request(database);
  const { archiveId } = await until(other, 'SUCCEEDED');
  lastSays = 'runs';
  const { change } = await shaped(database, 'ha-3');
  await lastJobOf(database.name);
  await service.stopWorker();
  lastSays = undefined;
  await eventually('the resource is gone', async () =>
    (await held(database.name)) === undefined ? true : undefined,
  );
  const [last] = await finalsOf(database.name);
  const place = last?.metadata.name ?? '';
  await patch(place, { removeRequested: true });
  // By when it has removed one that was asked for later, the operator has looked at both.
  const one = (await ours()).find(({ metadata }) => backupIdOf(metadata.uid ?? '') === archiveId);
  const named = one?.metadata.name ?? '';
  await patch(named, { removeRequested: true });
  const isThere = async (called: string) =>
    (await ours()).some(({ metadata }) => metadata.name === called);
  await eventually('the other one is gone', async () => !(await isThere(named)) || undefined);
  const [asked] = await finalsOf(database.name);
  expect(asked?.metadata.uid).toBe(last?.metadata.uid);
  expect(asked?.status?.removalBegunAt).toBeUndefined();
  await service.startWorker();
  expect((await changeUntil(database, change, 'APPLIED')).error).toBeNull();
  expect((await held(database.name))?.spec.bootstrap?.backup?.backupId).toBe(
    backupIdOf(last?.metadata.uid ?? ''),
  );
  await eventually('the last backup is gone', async () => !(await isThere(place)) || undefined);
  for (const { metadata } of await ours())
    expect(metadata.annotations?.[annotations.returnsTo]).toBeUndefined();
});

/** Over HTTP nothing is known of it here, since the operator of this suite has no lease. */
const untilHealthIs = ({ name }: Made, health: DatabaseWithProfile['database']['health']) =>
  eventually(`${name} is ${health}`, async () => {
    const [row] = await service.query('SELECT health FROM databases WHERE name = $1', [name]);
    return row?.['health'] === health || undefined;
  });

const back = async ({ of, name }: Made, body: object, as?: Headers) =>
  askAt<AcceptedInPlaceRestore>(
    service.url,
    as ?? (await service.administrator()),
    'restoreInPlace',
    { of, body: { confirmName: name, ...body } },
  );
const detailsOf = ({ json }: Answer<unknown>) => {
  const { code, errors } = json as Problem;
  return { code, errors: errors?.map((one) => one.code) };
};

test('a database goes back in place for an owner who names it, keeps ID, name and cluster ID, and undoes it by its last backup', async () => {
  const database = await make('regrets', { deletionProtection: true });
  const { of } = database;
  const { backup } = await request(database);
  await until(backup, 'SUCCEEDED');
  const before = await held('regrets');
  const row = (await ask<DatabaseWithProfile>('getDatabase', { of })).json.database;
  expect((await back(database, { backupId: backup.id }, me)).status).toBe(403);
  const misnamed = await back(database, { backupId: backup.id, confirmName: 'another' });
  expect(detailsOf(misnamed)).toEqual({ code: 'validation_failed', errors: ['name_differs'] });
  expect((await back(database, {})).status).toBe(422);
  expect(detailsOf(await back(database, { targetOp: 7 })).code).toBe('moment_unavailable');
  const { json: shown } = await ask<InPlaceRestorePreview>('previewInPlaceRestore', {
    of,
    body: { backupId: backup.id },
  });
  expect(shown.preview).toMatchObject({
    moment: { op: made.op },
    diff: [
      { path: '/restoredTo', to: { backupId: backup.archiveId ?? expect.any(String) } },
      { path: '/changeDataCapture', to: { suspended: true } },
    ],
    impact: { interruption: 'MINUTES', reversible: true },
  });

  // The last backup has two operations more.
  const end = { op: made.op + 2, timestamp: String(BigInt(made.timestamp) + 5n) };
  const last = { exitCode: 0, message: `${JSON.stringify({ ...made, ...end })}\n` };
  lastSays = 'runs';
  const accepted = await back(database, { backupId: backup.id });
  expect(accepted.status).toBe(202);
  const { change, job } = accepted.json;
  expect(change.diff).toEqual(shown.preview.diff);
  const told = {
    backup: { id: backup.id },
    requestedBy: { type: 'user' },
    change: { id: change.id },
    jobId: job.id,
  };
  expect(await toldOf(database, 'database.restore_in_place_requested')).toMatchObject(told);
  const lastJob = await lastJobOf('regrets');
  expect((await ask('cancelJob', { of: { jobId: job.id } })).status).toBe(409);
  expect((await back(database, { backupId: backup.id })).status).toBe(409);
  const proven = (await list(database, '?type=PRE_CHANGE'))[0];
  expect(proven).toMatchObject({ status: 'SUCCEEDED', verification: { status: 'PASSED' } });
  await service.stopWorker();
  lastSays = last;
  await eventually('the resource is gone', async () =>
    (await held('regrets')) === undefined ? true : undefined,
  );
  await service.startWorker();
  await changeUntil(database, change, 'APPLIED');
  expect((await jobOf(job.id)).status).toBe('SUCCEEDED');
  for (const { metadata } of await ours())
    expect(metadata.annotations?.[annotations.returnsTo]).toBeUndefined();
  expect(await toldOf(database, 'database.restored_in_place')).toMatchObject(told);
  expect(lastJob.metadata.name).toBeDefined();
  const after = await held('regrets');
  expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
  const archiveId = (await read(backup)).archiveId ?? '';
  expect(after?.spec).toMatchObject({
    topology: 'single',
    deletionProtection: true,
    deletionPolicy: 'Retain',
    changeDataCapture: { suspend: true },
    bootstrap: { backup: { databaseId: of.databaseId, backupId: archiveId, follows: end } },
  });
  await untilDatabaseIs(database, 'READY');
  const now = (await ask<DatabaseWithProfile>('getDatabase', { of })).json;
  expect(now.database).toMatchObject({ id: row.id, name: row.name, clusterId: row.clusterId });
  expect(now.profile.changeDataCapture).toEqual({ suspended: true });
  expect((await typesOf(database)).includes('database.deleted')).toBe(false);

  // The job sees that it serves by itself, maybe a moment before the watch.
  await untilHealthIs(database, 'HEALTHY');
  const [final] = await list(database, '?type=FINAL');
  const undone = (await back(database, { backupId: final?.id ?? '' })).json;
  await changeUntil(database, undone.change, 'APPLIED');
  expect((await held('regrets'))?.spec.bootstrap?.backup).toMatchObject({
    backupId: final?.archiveId,
    follows: end,
  });
});

test('a restore in place that fails leaves the database as it was: without a last backup, and with an earlier state that cannot be had', async () => {
  const database = await make('regrets-in-vain', { clusterConfiguration: 'ha-3' });
  const { backup } = await request(database);
  await until(backup, 'SUCCEEDED');
  const { kubelet } = service.world;
  const { ending } = kubelet;
  const before = await held('regrets-in-vain');
  let unlucky: string | undefined;
  kubelet.ending = (pod) => {
    const { [labels.backup]: of, [labels.workload]: workload = '' } = pod.metadata.labels ?? {};
    const isOld = workload === `regrets-in-vain-${before?.metadata.uid?.slice(0, 6)}`;
    if (of !== undefined || !workload.startsWith('regrets-in-vain-') || isOld) return ending(pod);
    unlucky ??= workload;
    return workload === unlucky ? 'runs' : ending(pod);
  };
  const { change } = (await back(database, { backupId: backup.id })).json;
  const wanted = await eventually('the earlier state is being read', async () => {
    const found = await held('regrets-in-vain');
    return found?.spec.bootstrap?.backup?.follows === undefined ? undefined : found;
  });
  // The worker writes this column, too, and may take back what is written beside it.
  await service.stopWorker();
  await service.alter(
    `UPDATE configuration_changes SET replaced = replaced || '{"givenUp":{"from":"backup","code":"new_shape_not_begun","message":"no room"}}'
      WHERE id = '${uuidOf(change.id)}'`,
  );
  await service.startWorker();
  const failed = await changeUntil(database, change, 'FAILED');
  kubelet.ending = ending;
  expect(failed.error?.state).toContain('The database is as it was before');
  const [final] = await list(database, '?type=FINAL');
  const found = await held('regrets-in-vain');
  expect(found?.metadata.uid).not.toBe(wanted.metadata.uid);
  // The archive of several replicas may have more than their last backup.
  expect(found?.spec.bootstrap?.backup).toEqual({
    databaseId: database.of.databaseId,
    backupId: final?.archiveId,
    follows: { op: made.op, timestamp: made.timestamp },
  });
  expect(found?.spec.changeDataCapture?.suspend ?? false).toBe(false);
  await untilDatabaseIs(database, 'READY');

  const third = await make('regrets-early');
  const { backup: good } = await request(third);
  await until(good, 'SUCCEEDED');
  says = 'runs';
  const second = (await back(third, { backupId: good.id })).json;
  await eventually('a backup is made first', async () =>
    (await list(third, '?type=PRE_CHANGE'))[0]?.status === 'RUNNING' ? true : undefined,
  );
  const early = await held('regrets-early');
  const kept = async () =>
    (await ours()).filter(({ spec, metadata }) => {
      const isOf = spec.database === 'regrets-early';
      return isOf && metadata.annotations?.[annotations.returnsTo] !== undefined;
    });
  expect(await kept()).toHaveLength(1);
  expect((await ask('cancelJob', { of: { jobId: second.job.id } })).status).toBe(202);
  await changeUntil(third, second.change, 'CANCELED');
  const canceled = await untilJob(second.job.id, 'CANCELED');
  // Who wants it after all is shown again what would go.
  expect(canceled.retryable).toBe(false);
  expect(await kept()).toEqual([]);
  expect((await held('regrets-early'))?.metadata.uid).toBe(early?.metadata.uid);
  // A replica whose file is damaged does not start.
  const { status } = (await service.world.database(namespace, 'regrets-early')) ?? {};
  const pod = `${status?.workload}-0`;
  kubelet.unready.add(pod);
  await untilHealthIs(third, 'UNAVAILABLE');
  for (const refused of [
    await back(third, { backupId: good.id }),
    await ask<Problem>('previewInPlaceRestore', { of: third.of, body: { backupId: good.id } }),
  ])
    expect(refused).toMatchObject({
      status: 409,
      json: {
        code: 'database_not_ready',
        detail: expect.stringContaining('Restore into a new database instead'),
      },
    });
  kubelet.unready.delete(pod);
  await untilHealthIs(third, 'HEALTHY');
  says = { exitCode: 0, message: `${JSON.stringify(made)}\n` };
  lastSays = { exitCode: 1, message: '{"error":"store_refused","message":"no"}\n' };
  const { change: unbacked } = (await back(third, { backupId: good.id })).json;
  expect((await changeUntil(third, unbacked, 'FAILED')).error?.code).toBe('last_backup_failed');
  expect((await held('regrets-early'))?.spec.bootstrap).toEqual({
    volumes: { databaseId: third.of.databaseId },
  });
  expect(await kept()).toEqual([]);
  await untilDatabaseIs(third, 'READY');
});

test('three replicas go back in place although the operator dies after every few writes, and somebody removes the backup', async () => {
  const database = await make('regrets-amid-deaths', { clusterConfiguration: 'ha-3' });
  const { backup } = await request(database);
  const { archiveId } = await until(backup, 'SUCCEEDED');
  await untilHealthIs(database, 'HEALTHY');
  const { job } = (await back(database, { backupId: backup.id })).json;
  const lives = (writes: number) => {
    life = lifeOf(writes, { lastAnswerLost: writes % 2 === 0 });
    return life;
  };
  let [present, died] = [lives(4), 0];
  await eventually('it is kept', async () => {
    const [one] = await list(database, '?type=PRE_CHANGE');
    return one;
  });
  expect((await ask('deleteBackup', { of: pathOf(backup) })).status).toBe(202);
  const ended = await eventually('the job has ended', async () => {
    if (present.dead) {
      await service.stopOperator();
      died += 1;
      present = lives(3 + (died % 4));
      await service.startOperator();
    }
    const now = await jobOf(job.id);
    return now.finishedAt === null ? undefined : now;
  });
  expect(ended).toMatchObject({ status: 'SUCCEEDED' });
  expect(died).toBeGreaterThan(5);
  expect((await held('regrets-amid-deaths'))?.spec.bootstrap?.backup).toMatchObject({
    backupId: archiveId,
    follows: { op: made.op },
  });
  await service.stopOperator();
  life = undefined;
  await service.startOperator();
  await untilDatabaseIs(database, 'READY');
  await until(backup, 'DELETED');
});

test('what a change of shape could not archive before it is told: in the change, its event, the backup, its own event, and by mail', async () => {
  const database = await make('half-archived', { continuousArchiving: {} });
  const { of } = database;
  lastSays = 'runs';
  const { change, job } = await shaped(database, 'ha-3');
  await lastJobOf('half-archived');
  const step = await eventually('the step says what may be waited for', async () => {
    const { message } = (await jobOf(job?.id ?? '')).progress;
    return message?.includes('the end of the log is archived') === true ? message : undefined;
  });
  expect(step).toContain('within 4 minutes');
  const words = JSON.stringify({
    ...made,
    archivedOps: 2,
    notArchived: 'bucket backups at http://s3.example:7070 does not answer',
    notArchivedFromOp: 120,
  });
  lastSays = { exitCode: 0, message: `${words}\n` };
  const applied = await changeUntil(database, change, 'APPLIED');
  const lacks = expect.stringContaining('lacks operations from 120 to 126') as unknown;
  expect(applied.impact.warnings).toEqual([...change.impact.warnings, lacks]);
  const [final] = await list(database, '?type=FINAL');
  expect(final).toMatchObject({
    status: 'SUCCEEDED',
    archivedOps: 2,
    notArchived: { fromOp: 120, toOp: 126 },
  });
  expect(JSON.stringify([final, applied])).not.toContain('s3.example');
  const shown = await cli.run(['backups', 'get', 'half-archived', final?.id ?? '']);
  expect(shown.stdout).toMatch(/^not archived +operations 120 to 126$/m);
  const { json } = await askAt<AuditEventList>(
    service.url,
    await service.administrator(),
    'listAuditEvents',
    { query: `?targetId=${of.databaseId}&limit=100` },
  );
  const dataOf = (wanted: string) => json.data.find(({ type }) => type === wanted)?.data;
  expect(dataOf('configuration.change_applied')).toMatchObject({ warnings: [lacks] });
  expect(dataOf('backup.log_incomplete')).toMatchObject({
    backup: { id: final?.id },
    reason: { code: 'log_not_archived', message: lacks },
  });
  // The people who can change the database get it by mail at once.
  expect(kindOfType.get('backup.log_incomplete')).toBe('backup_trouble');
  expect(mailKindsOfRole('owner')).toContain('backup_trouble');
});

test('other organizations are told nothing of a backup, and a key for one database manages none', async () => {
  const database = await make('private');
  const { backup } = await request(database);
  await until(backup, 'SUCCEEDED');
  const administrator = await service.administrator();
  const other = await askAt<{ organization: { id: string } }>(
    service.url,
    administrator,
    'createOrganization',
    { body: { name: 'Strangers', slug: 'strangers' } },
  );
  const key = await askAt<{ secret: string }>(
    service.url,
    { ...administrator, 'x-organization-id': other.json.organization.id },
    'createApiKey',
    { body: { name: 'strangers', permissions: ['db:read', 'db:write'] } },
  );
  const strangers = { 'x-api-key': key.json.secret };
  const theirs = { name: 'stolen' };
  const of = pathOf(backup);
  const cases: readonly (readonly [OperationId, Sending])[] = [
    ['listBackups', { of }],
    ['getBackup', { of }],
    ['createBackup', { of, body: {} }],
    ['updateBackup', { of, body: { protected: true } }],
    ['deleteBackup', { of }],
    ['verifyBackup', { of }],
    ['restoreBackup', { of, body: theirs }],
    ['getRecoveryWindow', { of }],
    ['previewRestore', { of, body: { targetOp: 126 } }],
    ['restoreToMoment', { of, body: { ...theirs, targetOp: 126 } }],
  ];
  for (const [operation, sending] of cases) {
    const answer = await askAt<Problem>(service.url, strangers, operation, sending);
    expect([operation, answer.status, answer.json.code]).toEqual([
      operation,
      404,
      'database_not_found',
    ]);
  }
  // By way of a database of the same organization that has no such backup.
  const sibling = (await make('sibling')).of.databaseId;
  for (const operation of ['getBackup', 'deleteBackup', 'restoreBackup'] as const) {
    const body = operation === 'restoreBackup' ? { body: theirs } : {};
    const sending = { of: { ...of, databaseId: sibling }, ...body };
    expect((await ask<Problem>(operation, sending)).json.code).toBe('backup_not_found');
  }
  const databaseScope = { type: 'DATABASE', databaseId: of.databaseId };
  const scoped = await service.makeKey(['db:read', 'db:write'], { name: 'one', databaseScope });
  const one = { 'x-api-key': scoped.secret };
  expect((await askAt(service.url, one, 'getBackup', { of })).status).toBe(200);
  const reads = new Set<OperationId>([
    'listBackups',
    'getBackup',
    'getRecoveryWindow',
    'previewRestore',
  ]);
  for (const [operation, sending] of cases) {
    const { status } = await askAt(service.url, one, operation, sending);
    expect([operation, status]).toEqual([operation, reads.has(operation) ? 200 : 403]);
  }
});

test('archiving is switched on and off as a change, and is what the resource asks for, whoever changed it', async () => {
  const { of, name } = await make('archived');
  const archivers = async () => {
    const workload = (await service.world.database(namespace, name))?.status?.workload;
    const sets = await service.world.kube.list<StatefulSet>(resources.statefulSet, { namespace });
    const set = sets.find(({ metadata }) => metadata.name === workload);
    return (set?.spec?.template.spec?.initContainers ?? [])
      .filter((one) => one.name === 'archive')
      .map(({ args }) => args?.find((flag) => flag.startsWith('--rpo=')));
  };
  const configured = async () =>
    (await ask<ConfigurationAnswer>('getConfiguration', { of })).json.configuration
      .continuousArchiving;
  const window = async () =>
    (await ask<RecoveryWindowAnswer>('getRecoveryWindow', { of })).json.recoveryWindow.archiving;
  expect([await configured(), await window(), await archivers()]).toEqual([null, null, []]);

  const plan = await cli.run([
    'backups',
    'archive',
    name,
    '--archive-within-seconds',
    '3',
    '--plan',
  ]);
  expect(plan).toMatchObject({ code: 0, stderr: '' });
  expect(plan.stdout).toMatch(/^change +continuousArchiving: - -> {"rpoSeconds":3}$/m);
  expect(plan.stdout).toMatch(/^warning .*15 to 110 bytes/m);
  expect(await configured()).toBeNull();
  const on = await cli.run(['backups', 'archive', name, '--archive-within-seconds', '3']);
  expect(on).toMatchObject({ code: 0 });
  expect([await configured(), await archivers()]).toEqual([{ rpoSeconds: 3 }, ['--rpo=3']]);
  // The record of the database follows its resource.
  await eventually('the window has it', async () => {
    expect(await window()).toMatchObject({ rpoSeconds: 3 });
    return true;
  });

  // Somebody switches it off in Kubernetes: the configuration follows, and says who it was.
  const backup = { continuous: { enabled: false } };
  await service.world.kube.mergePatch(
    { resource: resources.database, namespace, name },
    { spec: { backup } },
    { fieldManager: 'kubectl-edit' },
  );
  await eventually('the configuration follows', async () =>
    (await configured()) === null ? true : undefined,
  );
  const { data } = (await ask<ChangeList>('listChanges', { of })).json;
  expect(data[0]).toMatchObject({
    origin: 'kubernetes',
    diff: [{ path: '/continuousArchiving', from: { rpoSeconds: 3 }, to: null }],
    actor: { display: 'kubectl-edit' },
  });
  await eventually('the archiver is gone', async () =>
    (await archivers()).length === 0 ? true : undefined,
  );

  const back = await cli.run(['changes', 'create', name, '--revision', '2']);
  expect(back).toMatchObject({ code: 0 });
  expect(await configured()).toEqual({ rpoSeconds: 3 });
  const off = await cli.run(['backups', 'archive', name, '--no-archive']);
  expect(off.stdout).toMatch(/^reversible +no$/m);
  expect(await configured()).toBeNull();
  await eventually('the window has it no longer', async () => {
    expect(await window()).toBeNull();
    return true;
  });
});

test('a database is archived from its first operation if the request for it says so', async () => {
  const name = 'archived-early';
  const asked = [name, '--archive-within-seconds', '4'];
  const planned = await cli.run(['databases', 'create', ...asked, '--plan', '--json']);
  expect(planned).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(planned.stdout)).toMatchObject({
    plan: { continuousArchiving: { rpoSeconds: 4 } },
  });
  const { of } = await make(name, { continuousArchiving: {} });
  const { json } = await ask<ConfigurationAnswer>('getConfiguration', { of });
  expect(json.configuration.continuousArchiving).toEqual({ rpoSeconds: 5 });
  const resource = await service.world.database(namespace, name);
  expect(resource?.spec.backup).toEqual({ continuous: { enabled: true, rpoSeconds: 5 } });
  const { status, json: refused } = await ask<{ errors: object[] }>('createDatabase', {
    body: { name: 'not-archived', engine: 'TigerBeetle', continuousArchiving: {} },
  });
  expect([status, refused.errors]).toMatchObject([
    422,
    [{ pointer: '#/continuousArchiving', code: 'archiving_not_supported' }],
  ]);
});

test('the CLI makes, shows, protects, restores and removes backups, and waits for them', async () => {
  await make('cli-books');
  const json = async <T>(...args: readonly string[]): Promise<T> => {
    const { code, stdout, stderr } = await cli.run(['backups', ...args, '--json']);
    expect({ args, code, stderr }).toMatchObject({ code: 0 });
    return JSON.parse(stdout) as T;
  };
  const created = await cli.run(['backups', 'create', 'cli-books', '--name', 'first', '--json']);
  expect(created.stderr).toMatch(/^backup\.create SUCCEEDED 100%/m);
  const { backup } = JSON.parse(created.stdout) as { backup: Backup };
  expect(backup).toMatchObject({ name: 'first', status: 'SUCCEEDED', transfers: 1_000 });
  const listed = await cli.run(['backups', 'list', 'cli-books']);
  expect(listed.stdout).toMatch(new RegExp(`^${backup.id} +first +MANUAL +SUCCEEDED +1000 `, 'm'));
  const shown = await cli.run(['backups', 'get', 'cli-books', backup.id]);
  expect(shown.stdout).toMatch(/^transfers +1000$/m);
  const tested = await json<{ backup: Backup }>('verify', 'cli-books', backup.id);
  expect(tested.backup.verification).toMatchObject({ status: 'PASSED' });
  await json('update', 'cli-books', backup.id, '--protected');
  const confirmed = ['--confirm', backup.id];
  const refused = await cli.run(['backups', 'delete', 'cli-books', backup.id, ...confirmed]);
  expect(refused).toMatchObject({ code: 7 });
  expect(refused.stderr).toContain('is protected');
  await json('update', 'cli-books', backup.id, '--no-protected');
  const restored = await json<DatabaseWithProfile>('restore', 'cli-books', backup.id, 'cli-again');
  expect(restored.database).toMatchObject({ name: 'cli-again', status: 'READY' });
  const unconfirmed = await cli.run(['backups', 'delete', 'cli-books', backup.id]);
  expect(unconfirmed.code).toBe(2);
  const gone = await json<{ backup: Backup }>('delete', 'cli-books', backup.id, ...confirmed);
  expect(gone.backup.status).toBe('DELETED');
  const none = await cli.run(['backups', 'list', 'cli-books']);
  expect(none.stdout).toBe('(no backups)\n');
});
