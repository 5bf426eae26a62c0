/** A database's life as the API leads it: a real PostgreSQL, a real control plane, the real operator. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { KubeConfig } from '@kubernetes/client-node';
import {
  noBilling,
  type BillingGuard,
  type BillingReason,
} from '../../../api/databases/billing-guard.ts';
import { Background } from '../../../api/databases/background.ts';
import { createPlanned, planCreation, type CreateRequest } from '../../../api/databases/create.ts';
import type { DatabaseServices, WithJob } from '../../../api/databases/database-service.ts';
import { deleteDatabase } from '../../../api/databases/delete.ts';
import { restoreDatabase } from '../../../api/databases/restore.ts';
import { protectionIn } from '../../../api/databases/protection.ts';
import { changeDatabase } from '../../../api/databases/update.ts';
import { findDatabaseView } from '../../../api/store/database-list.ts';
import { listEvents } from '../../../api/store/events.ts';
import type { ManualDecision } from '../../../api/model/job.ts';
import { uuidOf } from '../../../api/store/ids.ts';
import { countDatabases } from '../../../api/store/databases.ts';
import { decideJob, findJob, requestJobCancel } from '../../../api/store/jobs.ts';
import type { Listener } from '../../../api/store/listener.ts';
import type { Organization } from '../../../api/store/organizations.ts';
import type { Store } from '../../../api/store/store.ts';
import { ApiError, type Kube, type KubeObject } from '../../../base/kube/kube.ts';
import { createKube, type KubeHttp } from '../../../base/kube/kube-http.ts';
import { watchMetrics } from '../../../base/metrics/kube-metrics.ts';
import { MetricRegistry } from '../../../base/metrics/metrics.ts';
import { resources } from '../../../domain/kinds.ts';
import { backupIdOf, labels } from '../../../domain/names.ts';
import { watchedResources } from '../../../api/kubernetes/cluster-view.ts';
import { restoreBackup } from '../../../api/backups/restore.ts';
import { createBackup, updateBackup } from '../../../api/store/backups.ts';
import { BackupWriter } from '../../../api/kubernetes/backup-writer.ts';
import { ScheduleWriter } from '../../../api/kubernetes/schedule-writer.ts';
import { DatabaseWriter } from '../../../api/kubernetes/database-writer.ts';
import { quotaFor } from '../../../api/kubernetes/namespace-defaults.ts';
import { TestPostgres } from '../../support/api/postgres.ts';
import { startOperatorWorld, type OperatorWorld } from '../../support/operator/operator-world.ts';
import { eventually } from '../../support/shell.ts';
import { openTestStore, silent, startListener, tester } from '../../support/api/store.ts';
import { newBackup } from '../../support/api/stored-backups.ts';
import { startTestOperator, type TestOperator } from '../../support/operator/test-operator.ts';

let postgres: TestPostgres;
let world: OperatorWorld;
let operator: TestOperator;
let store: Store;
let organization: Organization;
let listener: Listener;
let kube: KubeHttp;
let background: Background;

beforeAll(async () => {
  [postgres, world] = await Promise.all([TestPostgres.create(), startOperatorWorld()]);
  operator = await startTestOperator({ kubeConfig: world.kubeConfig });
  ({ store, organization } = await openTestStore(postgres));
  listener = startListener(store);
  kube = createKube(world.kubeConfig);
  background = startBackground();
  await background.view.whenSynced();
});
afterAll(async () => {
  await background?.stop(1_000);
  await listener?.stop();
  await store?.close();
  await operator?.stop();
  await kube?.close();
  await world?.stop();
  await postgres?.remove();
});

function startBackground(through: KubeHttp = kube): Background {
  const made = new Background({
    store,
    listener,
    kube: through,
    writer: new DatabaseWriter(through),
    backups: new BackupWriter(through),
    schedules: new ScheduleWriter(through),
    operatorNamespace: 'ledgerhouse-system',
    namespaceDefaults: { podSecurity: 'restricted', quota: quotaFor(50) },
    logger: silent,
    metrics: watchMetrics(new MetricRegistry(), 'test_', watchedResources),
    hooks: { ended: () => {}, troubled: () => {} },
    leaseMs: 5_000,
  });
  made.start();
  return made;
}

const services = (billing: BillingGuard = noBilling): DatabaseServices => ({
  store,
  billing,
  catalog: () => background.view.catalog,
  isProtected: protectionIn(background.view, background.writer),
  databasesMax: 50,
  now: () => new Date(),
});
const caller = () => ({ organization, author: tester });
const nothingElse = () => Promise.resolve();

async function create(request: CreateRequest): Promise<WithJob> {
  const plan = await planCreation(services(), caller(), request);
  return createPlanned(services(), caller(), plan, {}, nothingElse);
}

const untilStatus = (id: string, status: string) =>
  eventually(`${id} ${status}`, async () => {
    const view = await findDatabaseView(store.read, organization.id, id);
    if (view?.database.status !== status) throw new Error(JSON.stringify(view, undefined, 1));
    return view;
  });

const untilJobEnded = (id: string) =>
  eventually(`${id} ended`, async () => {
    const job = await findJob(store.read, organization.id, id);
    if (job === undefined || job.finishedAt === null) throw new Error(JSON.stringify(job));
    return job;
  });

async function eventsOf(databaseId: string): Promise<readonly string[]> {
  const { rows } = await listEvents(store.read, organization.id, { databaseId }, { limit: 100 });
  // News of its health come as they come, on a slow machine more of them.
  const health = /degraded|recovered|unavailable/;
  return rows
    .map(({ type }) => type)
    .filter((type) => !health.test(type))
    .reverse();
}

test('created, served, deleted, restored: each is told once, and the resource follows', async () => {
  const made = await create({ name: 'payments' });
  const { id, clusterId } = made.database;
  expect([made.database.status, made.profile.revision, made.job.status]).toEqual([
    'PROVISIONING',
    1,
    'QUEUED',
  ]);
  const ready = await untilStatus(id, 'READY');
  expect(ready.database.observed?.addresses).toHaveLength(1);
  expect(ready.database.clusterId).toBe(clusterId);
  const job = await untilJobEnded(made.job.id);
  expect([job.status, job.progress.percent]).toEqual(['SUCCEEDED', 100]);
  expect(job.steps.every(({ status }) => status === 'SUCCEEDED')).toBe(true);
  const resource = await world.database(organization.namespace, 'payments');
  expect(resource?.metadata.labels?.[labels.databaseId]).toBe(id);
  expect(resource?.spec.clusterId).toBe(clusterId);

  const deleting = await deleteDatabase(services(), caller(), id, undefined);
  expect(deleting.database.status).toBe('DELETING');
  const again = await deleteDatabase(services(), caller(), id, undefined);
  expect(again).toMatchObject({ job: { id: deleting.job.id } });
  const deleted = await untilStatus(id, 'DELETED');
  expect(deleted.database.purgeAt?.getTime()).toBeGreaterThan(Date.now() + 6 * 86_400_000);
  await untilJobEnded(deleting.job.id);
  expect(await world.database(organization.namespace, 'payments')).toBeUndefined();

  const restoring = await restoreDatabase(services(), caller(), id, 'payments-2', nothingElse);
  const restored = await untilStatus(id, 'READY');
  expect([restored.database.name, restored.database.clusterId]).toEqual(['payments-2', clusterId]);
  await untilJobEnded(restoring.job.id);
  const told = await eventsOf(id);
  expect(told.filter((type) => type.startsWith('database.'))).toEqual([
    'database.created',
    'database.provisioning_started',
    'database.ready',
    'database.delete_requested',
    'database.deleted',
    'database.restore_requested',
    'database.provisioning_started',
    'database.restored',
  ]);
});

test('the name of a living database is taken, that of a deleted one is free at once', async () => {
  const { database } = await create({ name: 'orders' });
  await expect(create({ name: 'orders' })).rejects.toThrow('already has a database orders');
  await deleteDatabase(services(), caller(), database.id, undefined);
  const next = await create({ name: 'orders' });
  await untilStatus(next.database.id, 'READY');
  await expect(
    restoreDatabase(services(), caller(), database.id, undefined, nothingElse),
  ).rejects.toMatchObject({
    code: expect.stringMatching(/database_name_taken|operation_in_progress/) as unknown,
  });
});

test('a database that is deleted while it is being made leaves nothing, and the next gets its name', async () => {
  const reached = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const slow = new Proxy(kube, {
    get(target, key) {
      if (key !== 'create') return (target[key as keyof KubeHttp] as () => unknown).bind(target);
      return async (...args: Parameters<KubeHttp['create']>) => {
        if (args[0].kind === 'LedgerDatabase') {
          reached.resolve();
          await release.promise;
        }
        return kube.create(...args);
      };
    },
  });
  await background.stop(1_000);
  background = startBackground(slow);
  await background.view.whenSynced();
  const first = await create({ name: 'hasty' });
  await reached.promise;
  await deleteDatabase(services(), caller(), first.database.id, undefined);
  const next = await create({ name: 'hasty' });
  await sleep(2_000);
  release.resolve();
  await untilStatus(first.database.id, 'DELETED');
  await untilStatus(next.database.id, 'READY');
  const resource = await world.database(organization.namespace, 'hasty');
  expect(resource?.metadata.labels?.[labels.databaseId]).toBe(next.database.id);
});

test('a database that was applied with kubectl is taken in, labelled, and marked when it is deleted so', async () => {
  await create({ name: 'first-of-namespace' });
  await eventually('the namespace', async () => {
    const found = await world.kube.read({
      resource: { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false },
      name: organization.namespace,
    });
    return found === undefined ? undefined : true;
  });
  const applied = await world.createDatabase(organization.namespace, 'applied', {});
  const id = await eventually('its ID', async () => {
    const found = await world.database(organization.namespace, 'applied');
    return found?.metadata.labels?.[labels.databaseId];
  });
  const { database } = await untilStatus(id, 'READY');
  expect([database.adopted, database.kubernetesUid]).toEqual([true, applied.metadata.uid]);
  await world.deleteDatabase(organization.namespace, 'applied');
  await untilStatus(id, 'DELETED');
  expect(await eventsOf(id)).toEqual(['database.adopted', 'database.ready', 'database.deleted']);
});

test('a protected database is deleted neither over HTTP nor with kubectl', async () => {
  const { database } = await create({ name: 'guarded', deletionProtection: true });
  await untilStatus(database.id, 'READY');
  await expect(deleteDatabase(services(), caller(), database.id, undefined)).rejects.toMatchObject({
    code: 'deletion_protected',
  });
  await expect(world.deleteDatabase(organization.namespace, 'guarded')).rejects.toThrow(/protect/i);
  const change = { deletionProtection: false };
  await changeDatabase(services(), background.writer, caller(), database.id, change, undefined);
  const resource = await world.database(organization.namespace, 'guarded');
  expect(resource?.spec.deletionProtection).toBe(false);
  await deleteDatabase(services(), caller(), database.id, undefined);
  await untilStatus(database.id, 'DELETED');
});

test('one of two concurrent changes of the same version is refused', async () => {
  const { database } = await create({ name: 'versions' });
  const { database: ready } = await untilStatus(database.id, 'READY');
  const change = (by: string) =>
    changeDatabase(
      services(),
      background.writer,
      caller(),
      ready.id,
      { labels: { by } },
      ready.version,
    );
  const both = await Promise.allSettled([change('one'), change('other')]);
  const refused = both.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  // News of its health may have come between: then both are refused.
  expect(refused.length).toBeGreaterThan(0);
  for (const refusal of refused) expect(refusal).toMatchObject({ code: 'precondition_failed' });
});

test('labels are merged as RFC 7396 has it: null takes one off, or all of them', async () => {
  const { database } = await create({ name: 'labelled' });
  const labelsAfter = async (labels: Readonly<Record<string, string | null>> | null) => {
    const request = { labels };
    const view = await changeDatabase(
      services(),
      background.writer,
      caller(),
      database.id,
      request,
      undefined,
    );
    return view.database.labels;
  };
  expect(await labelsAfter({ a: '1', b: '2' })).toEqual({ a: '1', b: '2' });
  expect(await labelsAfter({ b: null, c: '3' })).toEqual({ a: '1', c: '3' });
  const many = Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`k${index}`, '']));
  await expect(labelsAfter(many)).rejects.toMatchObject({ code: 'validation_failed' });
  expect(await labelsAfter(null)).toEqual({});
});

test('labels need no cluster, and protection reaches it when it is asked for again', async () => {
  const { database } = await create({ name: 'cut-off' });
  await untilStatus(database.id, 'READY');
  const nowhere = new KubeConfig();
  nowhere.loadFromClusterAndUser(
    { name: 'none', server: 'http://127.0.0.1:1', skipTLSVerify: false },
    { name: 'nobody' },
  );
  const away = createKube(nowhere);
  const change = (through: DatabaseWriter, request: object) =>
    changeDatabase(services(), through, caller(), database.id, request, undefined);
  try {
    const writer = new DatabaseWriter(away);
    expect(await change(writer, { labels: { a: 'b' } })).toMatchObject({
      database: { labels: { a: 'b' } },
    });
    await expect(change(writer, { deletionProtection: true })).rejects.toThrow(ApiError);
  } finally {
    await away.close();
  }
  expect(await change(background.writer, { deletionProtection: true })).toMatchObject({
    database: { deletionProtection: true },
  });
  const resource = await world.database(organization.namespace, 'cut-off');
  expect(resource?.spec.deletionProtection).toBe(true);
});

test('a change is made though others write to the resource at the same moment, and never to one that took its place', async () => {
  const { database } = await create({ name: 'contended' });
  const { id: databaseId, kubernetesUid } = (await untilStatus(database.id, 'READY')).database;
  const { namespace } = organization;
  const identity = { namespace, name: 'contended', databaseId };
  const meanwhile = (write: () => Promise<unknown>): Kube =>
    new Proxy(kube, {
      get(target, key) {
        if (key !== 'read') return (target[key as keyof KubeHttp] as () => unknown).bind(target);
        return async (...args: Parameters<KubeHttp['read']>) => {
          const found = await kube.read(...args);
          await write();
          return found;
        };
      },
    });
  // As the operator does with every status.
  const busy = meanwhile(() =>
    world.patchDatabase(namespace, 'contended', { metadata: { labels: { at: String(count++) } } }),
  );
  let count = 0;
  const changed = await new DatabaseWriter(busy).change(identity, kubernetesUid ?? '', {
    deletionProtection: true,
  });
  expect([changed?.spec.deletionProtection, count > 0]).toEqual([true, true]);

  await world.patchDatabase(namespace, 'contended', { spec: { deletionProtection: false } });
  const replaced = meanwhile(async () => {
    if ((await world.database(namespace, 'contended'))?.metadata.uid !== kubernetesUid) return;
    await world.deleteDatabase(namespace, 'contended');
    await eventually('it is gone', async () =>
      (await world.database(namespace, 'contended')) === undefined ? true : undefined,
    );
    await world.createDatabase(namespace, 'contended', {});
  });
  expect(
    await new DatabaseWriter(replaced).change(identity, kubernetesUid ?? '', {
      deletionProtection: true,
    }),
  ).toBeUndefined();
  const other = await world.database(namespace, 'contended');
  expect(other?.spec.deletionProtection).toBe(false);
});

test('deletions made while no process watched are found by the next one', async () => {
  const { database, job } = await create({ name: 'unseen' });
  await untilStatus(database.id, 'READY');
  await untilJobEnded(job.id);
  await background.stop(1_000);
  await world.deleteDatabase(organization.namespace, 'unseen');
  await eventually('it is gone', async () =>
    (await world.database(organization.namespace, 'unseen')) === undefined ? true : undefined,
  );
  background = startBackground();
  await untilStatus(database.id, 'DELETED');
});

test('billing that is not ready: a checkout instead of a database, and it is told', async () => {
  const blocked: BillingGuard = {
    ensureReady: () =>
      Promise.resolve({
        ready: false,
        checkoutUrl: 'https://checkout.example.com/c/1',
        expiresAt: null,
        reason: 'NO_PAYMENT_METHOD',
        sessionId: 'cs_1',
      }),
    reasonNotReady: () => Promise.resolve('NO_PAYMENT_METHOD'),
  };
  const planning = planCreation(services(blocked), caller(), { name: 'unpaid' });
  await expect(planning).rejects.toMatchObject({
    code: 'billing_required',
    occasion: {
      members: {
        billing: { checkoutUrl: 'https://checkout.example.com/c/1', reason: 'NO_PAYMENT_METHOD' },
        provisioning: { status: 'BLOCKED_BY_BILLING', started: false },
      },
    },
  });
  const { rows } = await listEvents(
    store.read,
    organization.id,
    { types: ['billing.setup_required'] },
    { limit: 1 },
  );
  expect(rows[0]?.outcome).toBe('DENIED');
});

test('a resource of that name that somebody else made is a conflict, not something to write over', async () => {
  await background.stop(1_000);
  await world.createDatabase(organization.namespace, 'occupied', {});
  const { database, job } = await create({ name: 'occupied' });
  background = startBackground();
  await untilStatus(database.id, 'FAILED');
  const ended = await untilJobEnded(job.id);
  expect(ended.error).toMatchObject({ code: 'name_conflict' });
  expect((await eventsOf(database.id)).slice(-2).sort()).toEqual(['database.failed', 'job.failed']);
});

test('protection that was set in Kubernetes protects over HTTP, at once and after it was taken over', async () => {
  const { database } = await create({ name: 'shielded' });
  await untilStatus(database.id, 'READY');
  const protect = (deletionProtection: boolean) =>
    world.patchDatabase(organization.namespace, 'shielded', { spec: { deletionProtection } });
  await protect(true);
  await eventually('the row follows', async () => {
    const view = await findDatabaseView(store.read, organization.id, database.id);
    return view?.database.deletionProtection === true ? true : undefined;
  });
  await expect(deleteDatabase(services(), caller(), database.id, undefined)).rejects.toMatchObject({
    code: 'deletion_protected',
  });
  const { rows } = await listEvents(
    store.read,
    organization.id,
    { databaseId: database.id, types: ['database.changed'] },
    { limit: 10 },
  );
  expect(rows).toMatchObject([
    {
      author: { actor: { type: 'kubernetes', id: null, display: 'test' } },
      changes: [{ path: '/deletionProtection', from: false, to: true }],
    },
  ]);
  await protect(false);
  await eventually('the row follows', async () => {
    const view = await findDatabaseView(store.read, organization.id, database.id);
    return view?.database.deletionProtection === false ? true : undefined;
  });
});

test('a deletion that meets protection deletes nothing, and the database goes on', async () => {
  const { database } = await create({ name: 'rescued' });
  await untilStatus(database.id, 'READY');
  // The worker is away between the acceptance and the deletion.
  await background.stop(1_000);
  const unseen = { ...services(), isProtected: () => Promise.resolve(false) };
  const { job } = await deleteDatabase(unseen, caller(), database.id, undefined);
  await world.patchDatabase(organization.namespace, 'rescued', {
    spec: { deletionProtection: true },
  });
  background = startBackground();
  await background.view.whenSynced();
  expect((await untilJobEnded(job.id)).error).toMatchObject({ code: 'deletion_protected' });
  const { database: after } = await untilStatus(database.id, 'READY');
  expect(after).toMatchObject({ deletionProtection: true, deletedAt: null, purgeAt: null });
});

test('a database that is deleted over HTTP keeps its volumes, whatever its policy was', async () => {
  const applied = await world.createDatabase(organization.namespace, 'policy', {
    deletionPolicy: 'Delete',
  });
  const id = await eventually('its ID', async () => {
    const found = await world.database(organization.namespace, 'policy');
    return found?.metadata.labels?.[labels.databaseId];
  });
  await untilStatus(id, 'READY');
  const policies: (string | undefined)[] = [];
  const writer = new Proxy(kube, {
    get(target, key) {
      if (key !== 'delete') return (target[key as keyof KubeHttp] as () => unknown).bind(target);
      return async (...args: Parameters<KubeHttp['delete']>) => {
        const found = await world.database(organization.namespace, 'policy');
        policies.push(found?.spec.deletionPolicy);
        return kube.delete(...args);
      };
    },
  });
  await background.stop(1_000);
  background = startBackground(writer);
  await background.view.whenSynced();
  await deleteDatabase(services(), caller(), id, undefined);
  await untilStatus(id, 'DELETED');
  expect([applied.spec.deletionPolicy, policies[0]]).toEqual(['Delete', 'Retain']);
  await background.stop(1_000);
  background = startBackground();
  await background.view.whenSynced();
});

test('a change of the spec with kubectl is a new revision, at its price, by its field manager; and a restore is of it', async () => {
  const { database, profile } = await create({ name: 'grown' });
  await untilStatus(database.id, 'READY');
  const selectedStorageGb = profile.selectedStorageGb + 5;
  await world.patchDatabase(organization.namespace, 'grown', {
    spec: { storage: { sizeGb: selectedStorageGb } },
  });
  const view = await eventually('the next revision', async () => {
    const found = await findDatabaseView(store.read, organization.id, database.id);
    return found?.profile.selectedStorageGb === selectedStorageGb ? found : undefined;
  });
  expect(view.profile).toMatchObject({ revision: 2, active: true });
  expect(Number(view.profile.price?.monthly)).toBeGreaterThan(Number(profile.price?.monthly));
  const { rows } = await listEvents(
    store.read,
    organization.id,
    { databaseId: database.id, types: ['database.changed'] },
    { limit: 10 },
  );
  expect(rows[0]).toMatchObject({
    author: { actor: { type: 'kubernetes', display: 'test' } },
  });
  expect(rows.map(({ changes }) => changes)).toEqual([
    [{ path: '/selectedStorageGb', from: profile.selectedStorageGb, to: selectedStorageGb }],
  ]);
  await world.patchDatabase(organization.namespace, 'grown', { spec: { size: 'lh-10' } });
  await eventually('its size', async () => {
    const found = await findDatabaseView(store.read, organization.id, database.id);
    return found?.profile.clusterSize === 'lh-10' ? true : undefined;
  });
  const { job: deletion } = await deleteDatabase(services(), caller(), database.id, undefined);
  await untilJobEnded(deletion.id);
  await restoreDatabase(services(), caller(), database.id, undefined, nothingElse);
  const restored = await untilStatus(database.id, 'READY');
  expect(restored.profile).toMatchObject({ clusterSize: 'lh-10', selectedStorageGb });
});

test('a label makes no resource another tenant’s database', async () => {
  const { database } = await create({ name: 'victim' });
  await untilStatus(database.id, 'READY');
  await world.createNamespace('attacker').catch(() => {});
  const fake = {
    apiVersion: 'ledgerhouse.dev/v1alpha1',
    kind: 'LedgerDatabase',
    metadata: {
      name: 'victim',
      namespace: 'attacker',
      labels: { [labels.databaseId]: database.id },
    },
    spec: { deletionProtection: false },
  };
  const made = await kube.create<KubeObject>(resources.database, fake, {
    fieldManager: 'attacker',
  });
  // The same after its own resource is gone, when the row has no uid.
  const { job: deletion } = await deleteDatabase(services(), caller(), database.id, undefined);
  await untilJobEnded(deletion.id);
  await background.stop(1_000);
  const { database: restoring } = await restoreDatabase(
    services(),
    caller(),
    database.id,
    undefined,
    nothingElse,
  );
  expect(restoring.kubernetesUid).toBeNull();
  background = startBackground();
  await background.view.whenSynced();
  const { database: after } = await untilStatus(database.id, 'READY');
  expect(after.kubernetesUid).not.toBe(made.metadata.uid);
  const own = await world.database(organization.namespace, 'victim');
  expect(after.kubernetesUid).toBe(own?.metadata.uid);
});

const blockedBy = (reason: BillingReason): BillingGuard => ({
  ensureReady: () =>
    Promise.resolve({
      ready: false,
      checkoutUrl: 'https://checkout.example.com/c/2',
      expiresAt: null,
      reason,
      sessionId: null,
    }),
  reasonNotReady: () => Promise.resolve(reason),
});

test('a restore asks the same guards as a create: billing, the organization’s status, the quota', async () => {
  const { database } = await create({ name: 'guarded-restore' });
  await untilStatus(database.id, 'READY');
  const { job: deletion } = await deleteDatabase(services(), caller(), database.id, undefined);
  await untilJobEnded(deletion.id);
  const restore = (through: DatabaseServices) =>
    restoreDatabase(through, caller(), database.id, undefined, nothingElse);
  await expect(restore(services(blockedBy('PAYMENT_FAILED')))).rejects.toMatchObject({
    code: 'billing_required',
    occasion: { members: { billing: { reason: 'PAYMENT_FAILED' } } },
  });
  // The caller was authenticated before: the store is what counts.
  const setStatus = (status: 'ACTIVE' | 'SUSPENDED') =>
    store.change(caller().author, ({ db }) =>
      db
        .updateTable('organizations')
        .set({ status })
        .where('slug', '=', organization.slug)
        .execute(),
    );
  await setStatus('SUSPENDED');
  await expect(restore(services())).rejects.toMatchObject({ code: 'organization_suspended' });
  await setStatus('ACTIVE');
  await expect(restore({ ...services(), databasesMax: 0 })).rejects.toMatchObject({
    code: 'quota_exceeded',
  });
  await restore(services());
  await untilStatus(database.id, 'READY');
});

test('a database that begins with a backup asks the guards of a create, and is never saved for later, as an empty one', async () => {
  const { database } = await create({ name: 'backed-up' });
  await untilStatus(database.id, 'READY');
  const kubernetesUid = '0190a6e6-0000-7000-8000-00000000000b';
  const backup = await store.change(tester, async (change) => {
    const made = await createBackup(
      change,
      newBackup({
        organizationId: organization.id,
        databaseId: database.id,
        name: 'good',
        kubernetesNamespace: database.kubernetesNamespace,
        kubernetesUid,
      }),
    );
    return updateBackup(change, made?.id ?? '', { status: 'SUCCEEDED', resourceGone: true });
  });
  const of = { databaseId: database.id, backupId: backup.id };
  const restore = (through: DatabaseServices, name: string) =>
    restoreBackup(
      { ...through, backups: new BackupWriter(kube), backupStore: true },
      caller(),
      of,
      { name },
      nothingElse,
    );
  const unpaid = services(blockedBy('PAYMENT_FAILED'));
  await expect(restore(unpaid, 'unpaid')).rejects.toMatchObject({
    code: 'billing_required',
    occasion: { members: { billing: { reason: 'PAYMENT_FAILED', draftId: null } } },
  });
  await expect(restore({ ...services(), databasesMax: 0 }, 'many')).rejects.toMatchObject({
    code: 'quota_exceeded',
  });
  // It fails before it has ever served: a restore from its volumes begins with the backup, too.
  await background.stop(1_000);
  const { database: begun } = await restore(services(), 'begun');
  const { job: deletion } = await deleteDatabase(services(), caller(), begun.id, undefined);
  background = startBackground();
  await background.view.whenSynced();
  await untilJobEnded(deletion.id);
  await restoreDatabase(services(), caller(), begun.id, undefined, nothingElse);
  const resource = await eventually('its resource', () =>
    world.database(begun.kubernetesNamespace, 'begun'),
  );
  expect(resource.spec.bootstrap).toEqual({
    backup: { databaseId: database.id, backupId: backupIdOf(kubernetesUid) },
  });
  await deleteDatabase(services(), caller(), begun.id, undefined);
});

test('a restore that is cancelled can be begun again, from the same volumes', async () => {
  const { database } = await create({ name: 'again' });
  const { database: served } = await untilStatus(database.id, 'READY');
  const { job: deletion } = await deleteDatabase(services(), caller(), database.id, undefined);
  await untilJobEnded(deletion.id);
  const { database: deleted } = await untilStatus(database.id, 'DELETED');
  await background.stop(1_000);
  const first = await restoreDatabase(services(), caller(), database.id, undefined, nothingElse);
  await store.change(tester, (change) => requestJobCancel(change, organization.id, first.job.id));
  background = startBackground();
  await background.view.whenSynced();
  expect((await untilJobEnded(first.job.id)).status).toBe('CANCELED');
  const { database: canceled } = await untilStatus(database.id, 'DELETED');
  // Nothing touched its volumes: they are kept as long as they were to be.
  expect(canceled.purgeAt).toEqual(deleted.purgeAt);
  const second = await restoreDatabase(services(), caller(), database.id, undefined, nothingElse);
  await untilJobEnded(second.job.id);
  const { database: again } = await untilStatus(database.id, 'READY');
  expect(again.clusterId).toBe(served.clusterId);
});

test('concurrent creates succeed up to the quota; deleted databases count until they are purged', async () => {
  const { living, deleted } = await countDatabases(store.read, organization.id);
  const tight = { ...services(), databasesMax: living + deleted + 2 };
  const plan = await planCreation(tight, caller(), { name: 'quota-0' });
  const made = await Promise.allSettled(
    Array.from({ length: 6 }, (_, index) =>
      createPlanned(tight, caller(), { ...plan, name: `quota-${index}` }, {}, nothingElse),
    ),
  );
  const created = made.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const refused = made.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(created).toHaveLength(2);
  for (const refusal of refused) expect(refusal).toMatchObject({ code: 'quota_exceeded' });
  const [gone] = created;
  const { job } = await deleteDatabase(tight, caller(), gone?.database.id ?? '', undefined);
  await untilJobEnded(job.id);
  await expect(planCreation(tight, caller(), { name: 'quota-9' })).rejects.toMatchObject({
    code: 'quota_exceeded',
  });
});

test('a database of a provider whose databases people make waits without a deadline, until they complete or refuse it', async () => {
  const manual = async (name: string) => {
    const made = await create({ name, provider: 'elsewhere' });
    const waiting = await eventually(`${name} waits`, async () => {
      const job = await findJob(store.read, organization.id, made.job.id);
      return job?.status === 'WAITING' ? job : undefined;
    });
    return { ...made, waiting };
  };
  const wanted = await manual('by-hand');
  // However long no worker lived: nobody's deadline runs.
  await store.read
    .updateTable('jobs')
    .set({ deadlineAt: new Date(0), dueAt: new Date(0) })
    .where('id', '=', uuidOf(wanted.job.id))
    .execute();
  await eventually('it was looked at', async () => {
    const job = await findJob(store.read, organization.id, wanted.job.id);
    return job?.status === 'WAITING' && job.deadlineAt.getTime() > Date.now() ? true : undefined;
  });
  const decide = (id: string, decision: ManualDecision) =>
    store.change(tester, (change) => decideJob(change, organization.id, id, decision));
  expect(await decide(wanted.job.id, { kind: 'completed' })).toMatchObject({
    id: wanted.job.id,
  });
  expect(await decide(wanted.job.id, { kind: 'completed' })).toBe('not_waiting');
  expect((await untilJobEnded(wanted.job.id)).status).toBe('SUCCEEDED');
  await untilStatus(wanted.database.id, 'READY');

  const unwanted = await manual('by-nobody');
  await decide(unwanted.job.id, { kind: 'refused', reason: 'There is no room.' });
  expect(await untilJobEnded(unwanted.job.id)).toMatchObject({
    status: 'FAILED',
    retryable: false,
    error: { code: 'refused_by_provider', message: 'There is no room.' },
  });
  const { database } = await untilStatus(unwanted.database.id, 'FAILED');
  expect(database.statusReason).toMatchObject({ code: 'refused_by_provider' });
});

test('a process that does not know the catalog yet makes nothing that waits for people', async () => {
  const made = await create({ name: 'early', provider: 'elsewhere' });
  const jobNow = async () => {
    const job = await findJob(store.read, organization.id, made.job.id);
    if (job === undefined) throw new Error('the job is gone');
    return job;
  };
  await eventually('it waits', async () => (await jobNow()).status === 'WAITING' || undefined);
  await background.stop(1_000);
  const held = Promise.withResolvers<void>();
  const slow = new Proxy(kube, {
    get(target, key) {
      if (key !== 'listPage') return (target[key as keyof KubeHttp] as () => unknown).bind(target);
      return async (...args: Parameters<KubeHttp['listPage']>) => {
        if (args[0].kind === 'LedgerCatalog') await held.promise;
        return kube.listPage(...args);
      };
    },
  });
  await store.read
    .updateTable('jobs')
    .set({ deadlineAt: new Date(0), dueAt: new Date(0) })
    .where('id', '=', uuidOf(made.job.id))
    .execute();
  background = startBackground(slow);
  await eventually(
    'it was looked at',
    async () => (await jobNow()).deadlineAt.getTime() > Date.now() || undefined,
  );
  const { status, progress } = await jobNow();
  expect([status, progress.message]).toEqual(['WAITING', 'Waiting for the catalog.']);
  expect(await world.database(organization.namespace, 'early')).toBeUndefined();
  held.resolve();
  await background.view.whenSynced();
  await store.change(tester, (change) =>
    decideJob(change, organization.id, made.job.id, { kind: 'completed' }),
  );
  await untilStatus(made.database.id, 'READY');
});

test('a resource with the label of a deleted database does not run behind its row', async () => {
  const { database } = await create({ name: 'ghost' });
  await untilStatus(database.id, 'READY');
  const { job } = await deleteDatabase(services(), caller(), database.id, undefined);
  await untilJobEnded(job.id);
  const { database: deleted } = await untilStatus(database.id, 'DELETED');
  const object = {
    apiVersion: 'ledgerhouse.dev/v1alpha1',
    kind: 'LedgerDatabase',
    metadata: {
      name: 'ghost',
      namespace: organization.namespace,
      labels: { [labels.databaseId]: database.id },
    },
    spec: { deletionProtection: false },
  };
  await kube.create<KubeObject>(resources.database, object, { fieldManager: 'test' });
  // One that is applied after it is taken in after it.
  await world.createDatabase(organization.namespace, 'after-ghost', {});
  await eventually('the later one is taken in', async () => {
    const found = await world.database(organization.namespace, 'after-ghost');
    return found?.metadata.labels?.[labels.databaseId];
  });
  const view = await findDatabaseView(store.read, organization.id, database.id);
  expect(view?.database).toEqual(deleted);
  await world.deleteDatabase(organization.namespace, 'ghost');
});
