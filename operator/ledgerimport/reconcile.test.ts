import { expect, test } from '@jest/globals';
import type { KubeObject } from '../../base/kube/kube.ts';
import { ObjectCache } from '../../base/kube/object-cache.ts';
import type { ImportObject } from '../../domain/custom-resources.ts';
import { resources, type Job, type Pod } from '../../domain/kinds.ts';
import { labels, uidOf } from '../../domain/names.ts';
import { catalogObject } from '../../test/fixtures/catalog.ts';
import { backupEnvironment } from '../../test/support/operator/backup-environment.ts';
import { SimulatedCluster } from '../../test/support/operator/simulated-cluster.ts';
import { TestTurns } from '../ledgerbackup/test-turns.ts';
import { reconcileImport } from './reconcile.ts';

const MINUTES = 60_000;

/** Trials, and the operator that looks after them. Their Jobs get no pods, as in namespaces whose quota is full. */
class Tried {
  readonly cluster = new SimulatedCluster();
  readonly #turns = new TestTurns();
  #trials = 0;

  constructor() {
    this.cluster.put(catalogObject() as unknown as KubeObject);
  }

  asked(namespace: string, name: string): void {
    this.#trials += 1;
    const rows = { accounts: 'a'.repeat(64), partSizeBytes: 8, now: '1', ignoreBalances: false };
    this.cluster.put({
      apiVersion: 'ledgerhouse.dev/v1alpha1',
      kind: 'LedgerImport',
      metadata: { namespace, name, uid: `${this.#trials}0000000-0000-4000-8000-000000000000` },
      spec: { importId: name, rows, sizeBytes: 2 ** 20 },
    });
  }

  async look(...trials: readonly [namespace: string, name: string][]): Promise<void> {
    for (const [namespace, name] of trials) {
      const around = backupEnvironment(this.cluster);
      const imports = new ObjectCache<ImportObject>(uidOf);
      for (const object of this.cluster.objects.values())
        if (object.kind === 'LedgerImport') imports.put(object as ImportObject);
      const own = { imports, importTurns: this.#turns };
      await reconcileImport({ ...around, ...own }, { namespace, name });
    }
  }

  /** The program of a trial says why it could not be made, for the last time. */
  fails(name: string, error: string): void {
    const job = this.#jobs().find(({ metadata }) => metadata.labels?.[labels.import] === name);
    if (job === undefined) throw new Error(`no trial of ${name} runs`);
    const { namespace = '', labels: marks } = job.metadata;
    const own = { 'batch.kubernetes.io/job-name': job.metadata.name ?? '' };
    const terminated = { exitCode: 1, message: JSON.stringify({ error, message: 'no answer.' }) };
    this.cluster.put({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        namespace,
        name: `${name}-pod`,
        labels: { ...marks, ...own },
        ownerReferences: [{ kind: 'Job', name: job.metadata.name, uid: job.metadata.uid }],
      },
      spec: { nodeName: 'n-0', containers: [] },
      status: { phase: 'Failed', containerStatuses: [{ name: 'trial', state: { terminated } }] },
    } as unknown as Pod);
    const lastTransitionTime = new Date(this.cluster.nowMs).toISOString() as unknown as Date;
    const conditions = [{ type: 'Failed', status: 'True', lastTransitionTime }];
    this.cluster.put({ ...job, status: { conditions } });
  }

  #jobs(): readonly Job[] {
    const isOver = ({ metadata, status }: Job) =>
      metadata.deletionTimestamp !== undefined || status?.conditions !== undefined;
    return this.cluster.all('Job').filter((job) => !isOver(job));
  }

  /** The trials whose Job is not over. */
  get running(): readonly string[] {
    return this.#jobs().map(({ metadata }) => metadata.labels?.[labels.import] ?? '');
  }

  async told(name: string) {
    const found = await this.cluster.read<ImportObject>({ resource: resources.import, name });
    return found?.status?.conditions?.[0];
  }
}

test('trials that nothing has room for give their turns back after a quarter of an hour, to those who wait', async () => {
  const tried = new Tried();
  const stuck: [string, string][] = [
    ['acme', 'a1'],
    ['bolt', 'b1'],
  ];
  const waiting: [string, string] = ['coal', 'c1'];
  for (const [namespace, name] of [...stuck, waiting]) tried.asked(namespace, name);
  await tried.look(...stuck, waiting);
  expect(tried.running).toEqual(['a1', 'b1']);
  expect((await tried.told('c1'))?.reason).toBe('Waiting');
  tried.cluster.nowMs += 14 * MINUTES;
  await tried.look(...stuck, waiting);
  expect(tried.running).toEqual(['a1', 'b1']);
  tried.cluster.nowMs += MINUTES;
  await tried.look(...stuck);
  expect(tried.running).toEqual([]);
  expect(await tried.told('a1')).toMatchObject({
    status: 'Unknown',
    reason: 'Delayed',
    message: expect.stringContaining('770 MiB of memory, has no pod after 15 minutes'),
  });
  tried.cluster.move();
  await tried.look(waiting, ...stuck);
  expect(tried.running).toEqual(['c1', 'a1']);
});

test('a store that does not answer ends no trial: others have their turn, and after ten minutes it is tried again', async () => {
  const tried = new Tried();
  tried.asked('acme', 'a1');
  await tried.look(['acme', 'a1']);
  tried.cluster.nowMs += 2 * MINUTES;
  tried.fails('a1', 'store_unreachable');
  await tried.look(['acme', 'a1']);
  expect(await tried.told('a1')).toMatchObject({ status: 'Unknown', reason: 'StoreUnreachable' });
  for (const [namespace, name] of [
    ['bolt', 'b1'],
    ['coal', 'c1'],
  ] as const) {
    tried.asked(namespace, name);
    await tried.look([namespace, name]);
  }
  expect(tried.running).toEqual(['b1', 'c1']);
  for (const name of ['b1', 'c1']) tried.fails(name, 'import_missing');
  tried.cluster.nowMs += 9 * MINUTES;
  await tried.look(['acme', 'a1'], ['bolt', 'b1'], ['coal', 'c1']);
  expect(tried.running).toEqual([]);
  expect(await tried.told('b1')).toMatchObject({ status: 'False', reason: 'FilesMissing' });
  tried.cluster.nowMs += 2 * MINUTES;
  await tried.look(['acme', 'a1'], ['acme', 'a1']);
  tried.cluster.move();
  await tried.look(['acme', 'a1']);
  expect(tried.running).toEqual(['a1']);
});

test('a trial asks for the room that its ledger may take on the node, so that it takes none of others', async () => {
  const tried = new Tried();
  tried.asked('acme', 'a1');
  await tried.look(['acme', 'a1']);
  const { containers = [], volumes = [] } = tried.cluster.all('Job')[0]?.spec?.template.spec ?? {};
  const limit = volumes.find(({ emptyDir }) => emptyDir !== undefined)?.emptyDir?.sizeLimit;
  expect(limit).toMatch(/^\d+Mi$/);
  expect(containers[0]?.resources).toMatchObject({
    requests: { 'ephemeral-storage': limit },
    limits: { 'ephemeral-storage': limit },
  });
});
