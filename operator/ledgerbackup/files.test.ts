/** Backups of data files: all of one moment at which no replica of TigerBeetle ran, or none. */
import { expect, test } from '@jest/globals';
import type { KubeObject } from '../../base/kube/kube.ts';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import { resources, type Job, type Pod, type StatefulSet } from '../../domain/kinds.ts';
import { labels, podName } from '../../domain/names.ts';
import { typeIdOfUuid } from '../../domain/type-id.ts';
import { catalogObject } from '../../test/fixtures/catalog.ts';
import { backupEnvironment } from '../../test/support/operator/backup-environment.ts';
import { SimulatedCluster } from '../../test/support/operator/simulated-cluster.ts';
import { subjectOf } from '../../test/support/operator/subjects.ts';
import type { BackupObject } from './environment.ts';
import { reconcileBackup } from './reconcile.ts';

const namespace = 'acme';
const uid = '10000000-0000-4000-8000-000000000000';
const subject = { ...subjectOf('TigerBeetle', 'ha-3'), name: 'shop', namespace };
const { workload, clusterId } = subject;
const digest = 'd'.repeat(64);

/** A database that somebody suspended, and a backup of its data files. */
class Cold {
  readonly cluster = new SimulatedCluster();
  /** Fields of a backup's status that the API server's definition does not know, and so does not keep. */
  unknown: readonly ('databaseGeneration' | 'workloadRevision')[] = [];

  constructor(engine: 'TigerBeetle' | 'Builtin' = 'TigerBeetle') {
    this.cluster.put(catalogObject() as unknown as KubeObject);
    this.suspended(true, 4, engine);
    this.cluster.put<BackupObject>({
      apiVersion: 'ledgerhouse.dev/v1alpha1',
      kind: 'LedgerBackup',
      metadata: { namespace, name: 'cold', uid },
      spec: {
        database: 'shop',
        type: 'Manual',
        method: 'Files',
        reclaimPolicy: 'Retain',
        protected: false,
        removeRequested: false,
      },
    });
  }

  suspended(
    suspend: boolean,
    generation: number,
    engine = 'TigerBeetle',
    told = suspend,
    paused = false,
  ): void {
    const row = { reason: '', message: '', lastTransitionTime: '2027-01-01T00:00:00Z' };
    const resolved = { ...subject.resolved, engine: { ...subject.resolved.engine, name: engine } };
    const { endpoints, uid: ownUid } = subject;
    const databaseId = typeIdOfUuid('db', ownUid);
    this.cluster.put({
      apiVersion: 'ledgerhouse.dev/v1alpha1',
      kind: 'LedgerDatabase',
      metadata: { namespace, name: 'shop', uid: ownUid, generation },
      spec: { engine, suspend, ...(paused && { paused }) },
      status: {
        databaseId,
        workload,
        clusterId,
        resolved,
        endpoints,
        storage: { requestedGb: 1_000 },
        bootstrapped: true,
        conditions: [
          {
            type: 'Suspended',
            status: told ? 'True' : 'False',
            observedGeneration: generation,
            ...row,
          },
        ],
      },
    } as unknown as DatabaseObject);
  }

  /** Looks until what is said stays. */
  async look() {
    for (let requeueAfterMs: number | undefined = 1; requeueAfterMs === 1;) {
      const environment = backupEnvironment(this.cluster);
      ({ requeueAfterMs } = await reconcileBackup(environment, { namespace, name: 'cold' }));
      const { status, ...rest } = await this.#found();
      const kept = Object.entries(status ?? {}).filter(
        ([field]) => !this.unknown.some((one) => one === field),
      );
      this.cluster.put({ ...rest, status: Object.fromEntries(kept) });
    }
    const { status } = await this.#found();
    return { ...status, told: status?.conditions?.find(isSucceeded) };
  }

  async #found(): Promise<BackupObject> {
    const which = { resource: resources.backup, name: 'cold' };
    const found = await this.cluster.read<BackupObject>(which);
    if (found === undefined) throw new Error('the backup is gone');
    return found;
  }

  get jobs(): readonly Job[] {
    return this.cluster
      .all('Job')
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  get verbs(): readonly string[] {
    return this.jobs.map(({ spec }) => spec?.template.spec?.containers[0]?.args?.[0] ?? 'no verb');
  }

  /** A Job ends, and its program has said this. */
  ends(job: Job, type: 'Complete' | 'Failed', said: object): void {
    const { name = '', namespace: where = '', labels: marks } = job.metadata;
    const terminated = { exitCode: 0, message: JSON.stringify(said) };
    this.cluster.put({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        namespace: where,
        name: `${name}-x`,
        labels: { ...marks, 'batch.kubernetes.io/job-name': name },
        ownerReferences: [{ kind: 'Job', name, uid: job.metadata.uid }],
      },
      status: { containerStatuses: [{ name: 'backup', state: { terminated } }] },
    } as unknown as Pod);
    const completionTime = new Date(this.cluster.nowMs).toISOString() as unknown as Date;
    const conditions = [{ type, status: 'True' }];
    this.cluster.put({ ...job, status: { conditions, completionTime } });
  }

  copy(): void {
    for (const job of this.jobs) this.ends(job, 'Complete', { backupId: 'bkp_1' });
  }
}

const isSucceeded = ({ type }: { readonly type: string }) => type === 'Succeeded';

test('the file of each replica is copied by a Job that only reads its volume, and a last one makes them a backup', async () => {
  const cold = new Cold();
  expect(await cold.look()).toMatchObject({
    databaseGeneration: 4,
    clusterId,
    told: { status: 'Unknown', reason: 'Running' },
  });
  expect(cold.verbs).toEqual(['backup-file', 'backup-file', 'backup-file']);
  for (const [index, job] of cold.jobs.entries()) {
    const { containers = [], volumes = [] } = job.spec?.template.spec ?? {};
    expect(containers[0]?.args).toEqual(
      expect.arrayContaining([
        `--cluster=${clusterId}`,
        '--replica-count=3',
        `--replica=${index}`,
        `/data/${clusterId}_${index}.tigerbeetle`,
      ]),
    );
    expect(containers[0]?.image).not.toContain('tigerbeetle');
    expect(containers[0]?.volumeMounts?.[0]).toMatchObject({ mountPath: '/data', readOnly: true });
    expect(JSON.stringify(volumes)).toContain(`"data-${workload}-${index}"`);
  }
  const [first] = cold.jobs;
  cold.ends(first!, 'Complete', {});
  await cold.look();
  expect(cold.verbs).toHaveLength(3);
  cold.copy();
  await cold.look();
  expect(cold.verbs).toEqual(['backup-file', 'backup-file', 'backup-file', 'backup-files']);
  const files = [0, 1, 2].map((replica) => ({ replica, sizeBytes: 7, sha256: digest }));
  cold.ends(cold.jobs[3]!, 'Complete', {
    backupId: 'bkp_1',
    key: 'k',
    sha256: 'f',
    clusterId,
    release: '0.17.9',
    files,
    sizeBytes: 21,
    storedBytes: 5,
    encrypted: true,
    seconds: 1,
  });
  const made = await cold.look();
  expect(made).toMatchObject({ files, sizeBytes: 21, encrypted: true, told: { status: 'True' } });
  expect(made.op).toBeUndefined();
  await cold.look();
  // A finished Job would keep the volumes.
  expect(cold.jobs).toEqual([]);
});

test('the records of large files fit the memory of the Jobs that have them', async () => {
  const cold = new Cold();
  await cold.look();
  cold.copy();
  await cold.look();
  const memory = cold.jobs.map(({ spec }) => {
    const { limits } = spec?.template.spec?.containers[0]?.resources ?? {};
    return Number.parseInt(limits?.['memory'] ?? '', 10);
  });
  // A quarter of a mebibyte for each GiB of a file, measured.
  for (const mib of memory.slice(0, 3)) expect(mib).toBeGreaterThanOrEqual(384 + 250);
  expect(memory[3]).toBeGreaterThanOrEqual(384 + 3 * 250);
});

test('while a replica runs nothing is copied', async () => {
  for (const hinder of [
    (cold: Cold) => cold.suspended(false, 4),
    (cold: Cold) => cold.suspended(true, 4, 'TigerBeetle', false),
    // Its pods are about to be made.
    (cold: Cold) =>
      void cold.cluster.put<StatefulSet>({
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata: { namespace, name: workload },
        spec: { replicas: 3 } as NonNullable<StatefulSet['spec']>,
      }),
    (cold: Cold) =>
      void cold.cluster.put<Pod>({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          namespace,
          name: podName(workload, 1),
          labels: { [labels.uid]: subject.uid, [labels.role]: 'replica' },
          ownerReferences: [
            {
              apiVersion: 'apps/v1',
              kind: 'StatefulSet',
              name: workload,
              uid: 's',
              controller: true,
            },
          ],
        },
      }),
  ]) {
    const cold = new Cold();
    hinder(cold);
    expect(await cold.look()).toMatchObject({ told: { reason: 'DatabaseNotReady' } });
    expect(cold.jobs).toEqual([]);
  }
});

test('an operator whose definitions are older says that the chart of them is to be upgraded, and goes on once it is', async () => {
  for (const unknown of [
    ['workloadRevision'],
    ['databaseGeneration', 'workloadRevision'],
  ] as const) {
    const cold = new Cold();
    cold.unknown = unknown;
    const { told } = await cold.look();
    expect(told).toMatchObject({ status: 'Unknown', reason: 'Delayed' });
    expect(told?.message).toContain('upgrade the chart ledgerhouse-crds');
    expect(cold.jobs).toEqual([]);
    cold.unknown = [];
    await cold.look();
    expect(await cold.look()).toMatchObject({ databaseGeneration: 4, workloadRevision: '' });
    expect(cold.verbs).toEqual(['backup-file', 'backup-file', 'backup-file']);
  }
});

test('a backup whose copies another release of the operator began ends with that reason, and blames nobody who resumed the database', async () => {
  const cold = new Cold();
  await cold.look();
  expect(cold.jobs).toHaveLength(3);
  // What the other release wrote.
  cold.unknown = ['workloadRevision'];
  for (const status of ['Unknown', 'False']) {
    const { told } = await cold.look();
    expect(told?.status).toBe(status);
    if (status === 'Unknown') continue;
    expect(told).toMatchObject({ reason: 'FilesUnfit' });
    expect(told?.message).toContain('another release of the operator began to copy its files');
    expect(told?.message).not.toContain('resumed');
  }
});

test('nothing is copied while the operator only observes: replicas could be started by hand under one generation', async () => {
  const cold = new Cold();
  cold.suspended(true, 4, 'TigerBeetle', true, true);
  const { told } = await cold.look();
  expect(told).toMatchObject({ reason: 'DatabaseNotReady', status: 'Unknown' });
  expect(told?.message).toContain('spec.paused');
  expect(cold.jobs).toEqual([]);
});

test('files are no backup if the database was resumed while they were copied, however short', async () => {
  const cold = new Cold();
  await cold.look();
  const [one, ...others] = cold.jobs;
  cold.ends(one!, 'Complete', {});
  // Resumed, and suspended again before anybody looks.
  cold.suspended(true, 6);
  for (const job of others) cold.ends(job, 'Complete', {});
  expect(await cold.look()).toMatchObject({ told: { status: 'False', reason: 'FilesUnfit' } });
  await cold.look();
  expect(cold.jobs).toEqual([]);
});

test('files are no backup if the StatefulSet was scaled by hand while they were copied, though it was scaled back', async () => {
  const set = (setUid: string, generation: number) => ({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { namespace, name: workload, uid: setUid, generation },
    spec: { replicas: 0 } as NonNullable<StatefulSet['spec']>,
  });
  const first = set('s1', 2);
  // Scaled and scaled back, replaced, made.
  for (const [before, later] of [
    [first, set('s1', 4)],
    [first, set('s2', 2)],
    [undefined, first],
  ] as const) {
    const cold = new Cold();
    if (before !== undefined) cold.cluster.put<StatefulSet>(before);
    const { workloadRevision } = await cold.look();
    expect(workloadRevision).toBe(before === undefined ? '' : 's1/2');
    cold.copy();
    cold.cluster.put<StatefulSet>(later);
    const { told } = await cold.look();
    expect(told).toMatchObject({ status: 'False', reason: 'FilesUnfit' });
    // Nobody resumed it.
    expect(told?.message).toContain('its StatefulSet was scaled or changed');
    expect(told?.message).not.toContain('resumed');
  }
  const cold = new Cold();
  cold.cluster.put<StatefulSet>(first);
  await cold.look();
  cold.copy();
  await cold.look();
  expect(cold.verbs).toContain('backup-files');
});

test('a copy that fails ends the backup with the words of its program', async () => {
  const cold = new Cold();
  await cold.look();
  const said = { error: 'file_unfit', message: 'no two copies of its head agree' };
  cold.ends(cold.jobs[1]!, 'Failed', said);
  expect(await cold.look()).toMatchObject({
    told: { status: 'False', reason: 'FilesUnfit', message: said.message },
  });
});

test('data files of the built-in engine are no backup', async () => {
  const cold = new Cold('Builtin');
  expect(await cold.look()).toMatchObject({ told: { status: 'False', reason: 'FilesUnfit' } });
  expect(cold.jobs).toEqual([]);
});
