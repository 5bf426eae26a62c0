import { expect, test } from '@jest/globals';
import { ApiError, type KubeObject } from '../../base/kube/kube.ts';
import { resources, type Job, type Pod } from '../../domain/kinds.ts';
import { annotations, backupIdOf } from '../../domain/names.ts';
import { writtenReturn } from '../../domain/returning.ts';
import { catalogObject } from '../../test/fixtures/catalog.ts';
import { backupEnvironment } from '../../test/support/operator/backup-environment.ts';
import { SimulatedCluster } from '../../test/support/operator/simulated-cluster.ts';
import { endOf } from './end-of.ts';
import type { BackupObject } from './environment.ts';
import { reconcileBackup } from './reconcile.ts';
import { surroundingsOf } from './surroundings.ts';

const namespace = 'acme';
const name = 'unwanted';
const unwantedUid = '10000000-0000-4000-8000-000000000000';
const backupId = backupIdOf(unwantedUid);

/** A good backup that is to be removed, and what its Jobs come to. */
class Unwanted {
  readonly cluster = new SimulatedCluster();

  constructor() {
    this.cluster.put(catalogObject() as unknown as KubeObject);
    const done = new Date(this.cluster.nowMs).toISOString();
    const row = { status: 'True', reason: 'Completed', message: '', lastTransitionTime: done };
    this.cluster.put({
      apiVersion: 'ledgerhouse.dev/v1alpha1',
      kind: 'LedgerBackup',
      metadata: { namespace, name, uid: unwantedUid },
      spec: {
        database: 'shop',
        type: 'Manual',
        reclaimPolicy: 'Delete',
        protected: false,
        removeRequested: true,
      },
      status: {
        databaseId: 'db_1',
        backupId,
        completedAt: done,
        conditions: [{ type: 'Succeeded', ...row }],
      },
    } as unknown as KubeObject);
  }

  async look() {
    await reconcileBackup(backupEnvironment(this.cluster), { namespace, name });
    const found = await this.cluster.read<BackupObject>({ resource: resources.backup, name });
    return found?.status?.conditions?.find(({ type }) => type === 'Removed');
  }

  get jobs(): readonly Job[] {
    return this.cluster.all('Job').filter(({ metadata }) => !metadata.deletionTimestamp);
  }

  /** The store refuses what the Job wants. */
  fail(): void {
    const [job] = this.jobs;
    if (job === undefined) throw new Error('there is no Job');
    const own = { ...job.metadata.labels, 'batch.kubernetes.io/job-name': job.metadata.name ?? '' };
    const message = JSON.stringify({ error: 'store_refused', message: 'no right' });
    this.cluster.put({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        namespace,
        name: 'unwanted-pod',
        labels: own,
        ownerReferences: [{ kind: 'Job', name: job.metadata.name, uid: job.metadata.uid }],
      },
      status: {
        containerStatuses: [{ name: 'remove', state: { terminated: { exitCode: 1, message } } }],
      },
    } as unknown as Pod);
    this.cluster.put({ ...job, status: { conditions: [{ type: 'Failed', status: 'True' }] } });
  }
}

test('why a removal failed is told also when the API server does not take it at once, and no second Job is needed for it', async () => {
  const unwanted = new Unwanted();
  // The beginning is noted first.
  await unwanted.look();
  await unwanted.look();
  unwanted.fail();
  unwanted.cluster.onWrite = ({ kind }) => {
    if (kind === 'LedgerBackup')
      throw new ApiError('conflict', { status: 409, reason: 'Conflict' });
  };
  await expect(unwanted.look()).rejects.toThrow('conflict');
  unwanted.cluster.onWrite = () => {};
  expect(await unwanted.look()).toMatchObject({ status: 'False', reason: 'StoreRefused' });
  await unwanted.look();
  expect(unwanted.jobs).toEqual([]);
});

test('a removal that failed is tried again after ten minutes', async () => {
  const unwanted = new Unwanted();
  await unwanted.look();
  await unwanted.look();
  unwanted.fail();
  for (let times = 0; times < 3; times += 1) await unwanted.look();
  unwanted.cluster.move();
  unwanted.cluster.nowMs += 560_000;
  expect(await unwanted.look()).toMatchObject({ status: 'False', reason: 'StoreRefused' });
  expect(unwanted.jobs).toEqual([]);
  unwanted.cluster.nowMs += 60_000;
  expect(await unwanted.look()).toMatchObject({ status: 'Unknown', reason: 'Running' });
  expect(unwanted.jobs).toHaveLength(1);
});

test('nobody in another namespace keeps a backup by saying that a database goes back to it', () => {
  const { cluster } = new Unwanted();
  const says = (kind: string, at: string) =>
    cluster.put({
      apiVersion: 'ledgerhouse.dev/v1alpha1',
      kind,
      metadata: {
        namespace: at,
        name: 'hostile',
        uid: '20000000-0000-4000-8000-000000000000',
        annotations: {
          [annotations.returnsTo]: writtenReturn({ backupId }, cluster.nowMs + 60_000),
        },
      },
      spec: { database: 'shop', type: 'Manual', protected: false, removeRequested: false },
      status: { databaseId: 'db_1', bootstrapped: true },
    } as unknown as KubeObject);
  const end = () => {
    const environment = backupEnvironment(cluster);
    const unwanted = environment.backups.get(namespace, name)!;
    return endOf(unwanted, surroundingsOf(environment, unwanted))?.reason;
  };
  for (const kind of ['LedgerBackup', 'LedgerDatabase']) says(kind, 'bolt');
  expect(end()).toBe('asked');
  says('LedgerBackup', namespace);
  expect(end()).toBeUndefined();
});

test('a backup that is kept from the moment on in which the beginning of its removal is noted is not removed from the bucket', async () => {
  const unwanted = new Unwanted();
  const { cluster } = unwanted;
  const says = (leftMs: number) => ({
    apiVersion: 'ledgerhouse.dev/v1alpha1',
    kind: 'LedgerBackup',
    metadata: {
      namespace,
      name: 'before',
      uid: '20000000-0000-4000-8000-000000000000',
      annotations: {
        [annotations.returnsTo]: writtenReturn({ backupId }, cluster.nowMs + leftMs),
      },
    },
    spec: { database: 'shop', type: 'PreChange', protected: false, removeRequested: false },
    status: { databaseId: 'db_1' },
  });
  let times = 0;
  cluster.onWrite = () => {
    times += 1;
    // The operator has listed what there is, and writes now.
    if (times === 1) cluster.put(says(3_600_000));
  };
  for (let looks = 0; looks < 4; looks += 1) await unwanted.look();
  const found = await cluster.read<BackupObject>({ resource: resources.backup, namespace, name });
  expect(found?.status?.removalBegunAt).toBeDefined();
  expect(unwanted.jobs).toEqual([]);
  cluster.nowMs += 3_600_001;
  await unwanted.look();
  expect(unwanted.jobs).toHaveLength(1);
});

test('what is kept for a database that goes back is looked at when that time is over, without another event', async () => {
  const { cluster } = new Unwanted();
  const environment = () => backupEnvironment(cluster);
  const unwanted = environment().backups.get(namespace, name)!;
  const annotate = (leftMs: number) =>
    cluster.put({
      ...unwanted,
      metadata: {
        ...unwanted.metadata,
        annotations: {
          [annotations.returnsTo]: writtenReturn({ targetOp: 1 }, cluster.nowMs + leftMs),
        },
      },
    });
  annotate(90_000);
  expect(await reconcileBackup(environment(), { namespace, name })).toEqual({
    requeueAfterMs: 90_000,
  });
  annotate(3_600_000);
  expect(await reconcileBackup(environment(), { namespace, name })).toEqual({
    requeueAfterMs: 600_000,
  });
});
