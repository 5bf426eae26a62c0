import { expect, test } from '@jest/globals';
import { ApiError } from '../../base/kube/kube.ts';
import { resources, type Job, type Pod } from '../../domain/kinds.ts';
import { labels } from '../../domain/names.ts';
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
    const { metadata } = this.runs({
      conditions: [{ type: 'Complete', status: 'True' }],
      completionTime: this.#now() as unknown as Date,
    });
    const its = { ...metadata.labels, 'batch.kubernetes.io/job-name': metadata.name ?? '' };
    const terminated = { exitCode: 0, message: JSON.stringify(said) };
    this.cluster.put({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace, name: 'shop-1-backup-x', labels: its },
      status: { containerStatuses: [{ state: { terminated } }] },
    } as unknown as Pod);
  }

  async look() {
    const environment = backupEnvironment(this.cluster, undefined, this.unseen);
    await reconcileBackup(environment, { namespace, name: 'last' });
    const reference = { resource: resources.backup, namespace, name: 'last' };
    const found = await this.cluster.read<BackupObject>(reference);
    return found?.status?.conditions?.find(({ type }) => type === 'Succeeded');
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
