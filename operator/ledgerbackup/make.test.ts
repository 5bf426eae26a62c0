import { expect, test } from '@jest/globals';
import { ApiError, type KubeObject } from '../../base/kube/kube.ts';
import type { ObjectCache } from '../../base/kube/object-cache.ts';
import { resources, type Job, type Pod, type StatefulSet } from '../../domain/kinds.ts';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import { backupIdOf, finalBackupName, labels, podName } from '../../domain/names.ts';
import { typeIdOfUuid } from '../../domain/type-id.ts';
import { catalogObject } from '../../test/fixtures/catalog.ts';
import { subjectOf } from '../../test/support/operator/subjects.ts';
import { backupEnvironment } from '../../test/support/operator/backup-environment.ts';
import { SimulatedCluster } from '../../test/support/operator/simulated-cluster.ts';
import type { BackupObject } from './environment.ts';
import { reconcileBackup } from './reconcile.ts';
import { startJob } from './own-jobs.ts';

const uid = '10000000-0000-4000-8000-000000000000';
const namespace = 'acme';
const said = {
  backupId: 'bkp_1',
  key: 'k',
  sha256: 'f',
  clusterId: '1',
  op: 7,
  timestamp: '1',
  stateHash: 'e',
  release: '1.0.0',
  accounts: 1,
  transfers: 2,
  sizeBytes: 3,
  storedBytes: 4,
  newBytes: 5,
  seconds: 6,
};

/** The last backup of a database that somebody let go meanwhile, and what its Job has come to. */
class LastBackup {
  readonly cluster = new SimulatedCluster();
  readonly unseen = new Set<string>();

  constructor() {
    this.cluster.put({
      apiVersion: 'ledgerhouse.dev/v1alpha1',
      kind: 'LedgerBackup',
      metadata: { namespace, name: 'last', uid },
      spec: {
        database: 'shop',
        type: 'Final',
        reclaimPolicy: 'Retain',
        protected: false,
        removeRequested: false,
      },
      status: { databaseId: 'db_1', startedAt: this.#now() },
    });
  }

  #now(): string {
    return new Date(this.cluster.nowMs).toISOString();
  }

  runs(status: Job['status'] = {}): Job {
    return this.cluster.put<Job>({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        namespace,
        name: 'shop-1-backup',
        labels: { [labels.backup]: 'last', [labels.uid]: 'u1' },
        ownerReferences: [{ apiVersion: 'x', kind: 'LedgerBackup', name: 'last', uid }],
      },
      ...(status === undefined ? {} : { status }),
    });
  }

  succeeds(): void {
    this.#ends(
      {
        conditions: [{ type: 'Complete', status: 'True' }],
        completionTime: this.#now() as unknown as Date,
      },
      { exitCode: 0, message: JSON.stringify(said) },
    );
  }

  /** Its work ends beside a proxy that was put before it and goes on: so the Job does not end. */
  endsBesideProxy(exitCode: number, words: object): void {
    this.#ends({ active: 1 }, { exitCode, message: JSON.stringify(words) }, [
      { name: 'proxy', state: { running: {} } },
    ]);
  }

  #ends(status: Job['status'], terminated: object, before: readonly object[] = []): void {
    const { metadata } = this.runs(status);
    const its = { ...metadata.labels, 'batch.kubernetes.io/job-name': metadata.name ?? '' };
    this.cluster.put({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        namespace,
        name: 'shop-1-backup-x',
        labels: its,
        ownerReferences: [{ kind: 'Job', name: metadata.name, uid: metadata.uid }],
      },
      status: { containerStatuses: [...before, { name: 'backup', state: { terminated } }] },
    } as unknown as Pod);
  }

  async look() {
    const status = await this.statusAfterALook();
    return status?.conditions?.find(({ type }) => type === 'Succeeded');
  }

  async statusAfterALook() {
    const environment = backupEnvironment(this.cluster, undefined, this.unseen);
    await reconcileBackup(environment, { namespace, name: 'last' });
    const reference = { resource: resources.backup, namespace, name: 'last' };
    return (await this.cluster.read<BackupObject>(reference))?.status;
  }
}

test.each([
  ['its Job', ['Job']],
  ['the pod of its Job', ['Pod']],
  ['both', ['Job', 'Pod']],
])('a good last backup is good, however late the watches show %s', async (_, unseen) => {
  const last = new LastBackup();
  last.succeeds();
  for (const kind of unseen) last.unseen.add(kind);
  last.cluster.nowMs += 120_000;
  expect(await last.look()).toMatchObject({ status: 'True', reason: 'Completed' });
});

test('a backup has the ID of its resource at each moment, whatever its program calls it', async () => {
  const last = new LastBackup();
  last.succeeds();
  const made = await last.statusAfterALook();
  expect(made).toMatchObject({ backupId: backupIdOf(uid), key: said.key });
  expect(await last.statusAfterALook()).toMatchObject({ backupId: backupIdOf(uid) });
});

test('a backup is good when its work is done, also beside a proxy that goes on', async () => {
  const last = new LastBackup();
  last.endsBesideProxy(0, said);
  expect(await last.look()).toMatchObject({ status: 'True', reason: 'Completed' });
  await last.look();
  const staying = last.cluster.all('Job').filter((job) => !job.metadata.deletionTimestamp);
  expect(staying).toEqual([]);
});

test('a backup that cannot be tried again because a proxy goes on in its pod says so', async () => {
  const last = new LastBackup();
  last.endsBesideProxy(1, { error: 'store_unreachable', message: 'no answer' });
  expect(await last.look()).toMatchObject({
    status: 'Unknown',
    reason: 'Delayed',
    message: expect.stringMatching(/no answer.*; its pod does not end, because proxy goes on/),
  });
});

test('a last backup that is at work has not failed because its Job is seen late', async () => {
  const last = new LastBackup();
  last.runs();
  last.unseen.add('Job');
  expect(await last.look()).toMatchObject({ status: 'Unknown', reason: 'Running' });
});

test('a backup whose database went before it was made has failed', async () => {
  const last = new LastBackup();
  expect(await last.look()).toMatchObject({ status: 'False', reason: 'DatabaseNotFound' });
});

test('a failure to make a Job is told if a person must act, and tried again if not', async () => {
  const last = new LastBackup();
  const job = last.runs();
  const failsWith = (status: number) => () =>
    Promise.reject(new ApiError('its words', { status, reason: 'Any' }));
  const start = (status: number) =>
    startJob({ kube: last.cluster }, { ...job, metadata: { uid } }, job, failsWith(status));
  for (const status of [400, 403, 422]) {
    expect(await start(status)).toBe('Job shop-1-backup cannot be made: its words');
  }
  for (const status of [0, 409, 429, 500, 503]) {
    await expect(start(status)).rejects.toThrow('its words');
  }
});

interface Going {
  readonly deletionTimestamp?: string;
  readonly deletionPolicy?: string;
  /** Whether the watch does not show the deletion yet. */
  readonly late?: boolean;
  /** Replicas that its StatefulSet is to have; by default there is no StatefulSet. */
  readonly replicas?: number;
  /** Whether its log is archived. */
  readonly archived?: boolean;
}

/** A resource of type Final that has the name of the database's last backup, whoever made it. */
function goingDatabase(goes: Going, pods: number) {
  const { deletionTimestamp, deletionPolicy = 'Retain', late = false, replicas, archived } = goes;
  const cluster = new SimulatedCluster();
  cluster.put(catalogObject() as unknown as KubeObject);
  const subject = { ...subjectOf('Builtin', 'single'), name: 'shop', namespace };
  const { workload, clusterId, resolved, endpoints, uid: ownUid } = subject;
  const database = {
    apiVersion: 'ledgerhouse.dev/v1alpha1',
    kind: 'LedgerDatabase',
    metadata: {
      namespace,
      name: 'shop',
      uid: ownUid,
      ...(deletionTimestamp && { deletionTimestamp }),
    },
    spec: {
      engine: 'Builtin',
      deletionPolicy,
      ...(archived === true && { backup: { continuous: { enabled: true } } }),
    },
    status: {
      databaseId: typeIdOfUuid('db', ownUid),
      workload,
      clusterId,
      resolved,
      endpoints,
      storage: { requestedGb: 10 },
      bootstrapped: true,
      members: [{ index: 0, pod: podName(workload, 0), state: 'Ready', role: 'primary' }],
    },
  } as unknown as DatabaseObject;
  cluster.put(database);
  for (let index = 0; index < pods; index += 1)
    cluster.put<Pod>({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        namespace,
        name: podName(workload, index),
        labels: { [labels.uid]: ownUid, [labels.workload]: workload },
      },
      status: { podIP: '10.1.0.1' },
    });
  if (replicas !== undefined)
    cluster.put({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { namespace, name: workload },
      spec: { replicas },
    } as unknown as StatefulSet);
  const name = finalBackupName(workload);
  cluster.put({
    apiVersion: 'ledgerhouse.dev/v1alpha1',
    kind: 'LedgerBackup',
    metadata: { namespace, name, uid },
    spec: {
      database: 'shop',
      type: 'Final',
      reclaimPolicy: 'Retain',
      protected: false,
      removeRequested: false,
    },
  });
  const look = async (isThere = true) => {
    const environment = backupEnvironment(cluster);
    // As the watch shows it while it goes.
    const databases = environment.databases as ObjectCache<DatabaseObject>;
    const { deletionTimestamp: _, ...before } = database.metadata;
    if (isThere) databases.put(late ? { ...database, metadata: before } : database);
    const asked = { ...environment, askForCheckpoint: () => Promise.resolve({ op: 5 }) };
    await reconcileBackup(asked, { namespace, name });
    const found = await cluster.read<BackupObject>({ resource: resources.backup, namespace, name });
    return found?.status;
  };
  return { cluster, look };
}

/** One look at it. */
async function finalOf(goes: Going, pods: number) {
  const { cluster, look } = goingDatabase(goes, pods);
  const row = (await look())?.conditions?.find(({ type }) => type === 'Succeeded');
  return { ...row, jobs: cluster.all('Job').length };
}

/** The status of the last backup of a stopped database once its program has said this. */
async function endedWith(words: object, goes: Pick<Going, 'archived'>) {
  const going = { deletionTimestamp, deletionPolicy: 'BackupThenRetain', ...goes };
  const { cluster, look } = goingDatabase(going, 0);
  await look();
  endJob(cluster, cluster.all('Job')[0]!, words);
  return look();
}

function endJob(cluster: SimulatedCluster, job: Job, words: object): void {
  const { metadata } = cluster.put<Job>({
    ...job,
    status: { conditions: [{ type: 'Complete', status: 'True' }] },
  });
  const terminated = { exitCode: 0, message: JSON.stringify(words) };
  cluster.put({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace,
      name: 'of-the-job',
      labels: metadata.labels,
      ownerReferences: [{ kind: 'Job', name: metadata.name, uid: metadata.uid }],
    },
    status: { containerStatuses: [{ name: 'backup', state: { terminated } }] },
  } as unknown as Pod);
}

/** An operator that ends right after it has made the Job has noted nothing. Its successor finds the Job, and maybe no database. */
test.each([true, false])(
  'a backup says of which database it is, although the operator ended right after it made the Job (database there: %s)',
  async (isThere) => {
    const going = { deletionTimestamp, deletionPolicy: 'BackupThenRetain' };
    const { cluster, look } = goingDatabase(going, 0);
    await look();
    const [backup] = [...cluster.objects.values()].filter(({ kind }) => kind === 'LedgerBackup');
    const { status: _, ...unwritten } = backup as BackupObject;
    cluster.put(unwritten);
    const [job] = cluster.all('Job');
    const { databaseId } = cluster.all('LedgerDatabase')[0]?.status ?? {};
    endJob(cluster, job!, said);
    expect(databaseId).toMatch(/^db_/);
    const status = await look(isThere);
    expect(status).toMatchObject({
      databaseId,
      startedAt: job?.metadata.creationTimestamp,
      conditions: [{ type: 'Succeeded', status: 'True' }],
    });
  },
);

const deletionTimestamp = '2026-11-21T09:59:00Z';

test('the name of a last backup is no other backup’s: what is written after that one would be lost with the volume', async () => {
  expect(await finalOf({}, 1)).toMatchObject({ status: 'False', reason: 'Failed', jobs: 0 });
});

test('a last backup has not failed because the watch shows the deletion late', async () => {
  const deletionPolicy = 'BackupThenRetain';
  const seen = await finalOf({ deletionTimestamp, deletionPolicy, late: true }, 0);
  expect(seen).toMatchObject({ status: 'Unknown', reason: 'DatabaseNotReady', jobs: 0 });
});

test('a database that is handed over has no last backup, whoever asks for one', async () => {
  const deletionPolicy = 'HandOver';
  for (const pods of [0, 1])
    expect(await finalOf({ deletionTimestamp, deletionPolicy }, pods)).toMatchObject({
      status: 'Unknown',
      reason: 'DatabaseNotReady',
      jobs: 0,
    });
});

test('the last backup of a single replica begins once that has stopped, whoever asked for it', async () => {
  const deletionPolicy = 'BackupThenRetain';
  const early = await finalOf({ deletionTimestamp, deletionPolicy }, 1);
  expect(early).toMatchObject({ status: 'Unknown', reason: 'DatabaseNotReady', jobs: 0 });
  const late = await finalOf({ deletionTimestamp, deletionPolicy }, 0);
  expect(late).toMatchObject({ status: 'Unknown', reason: 'Running', jobs: 1 });
});

test('the pod of a single replica that is about to come back has not stopped: what it is asked then would be in no backup', async () => {
  const goes = { deletionTimestamp, deletionPolicy: 'BackupThenDelete' } as const;
  const early = await finalOf({ ...goes, replicas: 1 }, 0);
  expect(early).toMatchObject({ status: 'Unknown', reason: 'DatabaseNotReady', jobs: 0 });
  const late = await finalOf({ ...goes, replicas: 0 }, 0);
  expect(late).toMatchObject({ status: 'Unknown', reason: 'Running', jobs: 1 });
});

test('operations that the archive lacks before a last backup are in its status, with the reason', async () => {
  const notArchived = 'the store took longer than 3 minutes';
  const partly = { ...said, archivedOps: 2, notArchived, notArchivedFromOp: 5 };
  const status = await endedWith(partly, { archived: true });
  expect(status).toMatchObject({
    archivedOps: 2,
    notArchived: { fromOp: 5, toOp: 7, message: notArchived },
    conditions: [{ type: 'Succeeded', status: 'True', reason: 'Completed' }],
  });
  expect(status?.conditions?.[0]?.message).toContain(
    `the archive of the log lacks the operations 5 to 7: ${notArchived}`,
  );
  // An engine of an earlier release does not say which.
  const { notArchivedFromOp: _, ...earlier } = partly;
  const unknown = await endedWith(earlier, { archived: true });
  expect(unknown?.notArchived).toEqual({ toOp: 7, message: notArchived });
  const whole = await endedWith({ ...said, archivedOps: 3 }, { archived: true });
  expect([whole?.archivedOps, whole?.notArchived]).toEqual([3, undefined]);
});

test('a database that is archived no more is not said to lack its log', async () => {
  const status = await endedWith({ ...said, archivedOps: 0, notArchived: 'it ends before' }, {});
  expect(status?.conditions).toMatchObject([{ type: 'Succeeded', status: 'True' }]);
  expect(status?.notArchived).toBeUndefined();
  expect(status?.conditions?.[0]?.message).not.toContain('lacks');
});
