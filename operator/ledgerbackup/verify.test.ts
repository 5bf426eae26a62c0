import { expect, test } from '@jest/globals';
import { ApiError, type KubeObject } from '../../base/kube/kube.ts';
import { resources, type Job, type Pod } from '../../domain/kinds.ts';
import { labels } from '../../domain/names.ts';
import { catalogObject } from '../../test/fixtures/catalog.ts';
import { SimulatedCluster } from '../../test/support/operator/simulated-cluster.ts';
import { backupEnvironment } from '../../test/support/operator/backup-environment.ts';
import type { BackupObject, BackupStatus } from './environment.ts';
import { reconcileBackup } from './reconcile.ts';
import { TestTurns } from './test-turns.ts';

const SECONDS = 1_000;
const MINUTES = 60 * SECONDS;

interface Asked extends Partial<BackupStatus> {
  readonly archived?: boolean;
}

/** Backups that were asked to be tested, and the operator that looks after them. */
class Tested {
  readonly cluster = new SimulatedCluster();
  readonly #turns = new TestTurns();
  /** Kinds whose watches are late. */
  readonly unseen = new Set<string>();
  #backups = 0;

  constructor() {
    this.cluster.put(catalogObject() as unknown as KubeObject);
  }

  /** Puts a good backup there whose test was asked for; the log of its database is archived or not. */
  asked(namespace: string, name: string, { archived = false, ...more }: Asked = {}): void {
    this.#backups += 1;
    const uid = `${this.#backups}0000000-0000-4000-8000-000000000000`;
    const done = new Date(this.cluster.nowMs).toISOString();
    const { databaseId = `db_${name}` } = more;
    const recovery = archived ? { latest: { op: 9, timestamp: '9' } } : undefined;
    this.cluster.put({
      apiVersion: 'ledgerhouse.dev/v1alpha1',
      kind: 'LedgerDatabase',
      metadata: { namespace, name: `db-${name}`, uid: `db-${uid}` },
      spec: {},
      status: { databaseId, ...(archived && { recovery }) },
    } as KubeObject);
    const row = { status: 'True', reason: 'Completed', message: '', lastTransitionTime: done };
    this.cluster.put({
      apiVersion: 'ledgerhouse.dev/v1alpha1',
      kind: 'LedgerBackup',
      metadata: { namespace, name, uid },
      spec: {
        database: `db-${name}`,
        type: 'Manual',
        reclaimPolicy: 'Retain',
        protected: false,
        removeRequested: false,
        verifyRequestedAt: done,
      },
      status: {
        databaseId,
        backupId: `bkp_${name}`,
        completedAt: done,
        sizeBytes: 2 ** 20,
        ...more,
        conditions: [{ type: 'Succeeded', ...row }],
      },
    } as BackupObject);
  }

  /** Looks at each of the backups, in this order, until what it says stays. */
  async look(...backups: readonly [namespace: string, name: string][]): Promise<void> {
    for (const [namespace, name] of backups) {
      for (let requeueAfterMs: number | undefined = 1; requeueAfterMs === 1;) {
        ({ requeueAfterMs } = await reconcileBackup(
          backupEnvironment(this.cluster, this.#turns, this.unseen),
          { namespace, name },
        ));
      }
    }
  }

  /** The backups whose tests run. */
  get running(): readonly string[] {
    return this.#jobs().map((job) => job.metadata.labels?.[labels.backup] ?? '');
  }

  #jobs(): readonly Job[] {
    const isOver = ({ metadata, status }: Job) =>
      metadata.deletionTimestamp !== undefined || status?.conditions !== undefined;
    return this.cluster.all('Job').filter((job) => !isOver(job));
  }

  #jobOf(name: string): Job {
    const job = this.#jobs().find(({ metadata }) => metadata.labels?.[labels.backup] === name);
    if (job === undefined) throw new Error(`no test of ${name} runs`);
    return job;
  }

  /** The program in a test's pod says that the backup is good. */
  pass(name: string, says: object = {}): void {
    const job = this.#jobOf(name);
    const message = JSON.stringify({ backupId: `bkp_${name}`, seconds: 2, ...says });
    const terminated = { exitCode: 0, message };
    this.podOf(
      name,
      { nodeName: 'n-0' },
      { containerStatuses: [{ name: 'verify', state: { terminated } }] },
    );
    const completionTime = new Date(this.cluster.nowMs).toISOString() as unknown as Date;
    const conditions = [{ type: 'Complete', status: 'True' }];
    this.cluster.put({ ...job, status: { conditions, completionTime } });
  }

  /** The program in a test's pod says that the bucket has the removal of the backup. */
  removed(name: string): void {
    this.fail(name, JSON.stringify({ error: 'backup_removed', message: 'removed at noon' }));
  }

  /** The test's Job fails, and these are the last words of its pod. */
  fail(name: string, message: string): void {
    const job = this.#jobOf(name);
    const terminated = { exitCode: 1, message };
    this.podOf(
      name,
      { nodeName: 'n-0' },
      { containerStatuses: [{ name: 'verify', state: { terminated } }] },
    );
    this.cluster.put({ ...job, status: { conditions: [{ type: 'Failed', status: 'True' }] } });
  }

  /** The test's Job has had its time: its pod is gone. */
  runsOutOfTime(name: string): void {
    const conditions = [{ type: 'Failed', status: 'True', reason: 'DeadlineExceeded' }];
    this.cluster.put({ ...this.#jobOf(name), status: { conditions } });
  }

  args(name: string): readonly string[] {
    return this.#jobOf(name).spec?.template.spec?.containers[0]?.args ?? [];
  }

  /** The flag for a replay, and the room that the Job asks for. */
  replay(name: string): readonly unknown[] {
    const { containers, volumes } = this.#jobOf(name).spec?.template.spec ?? {};
    const limits = containers?.[0]?.resources?.limits;
    const scratch = this.args(name).find((arg) => arg.startsWith('--scratch'));
    const room = volumes?.find(({ emptyDir }) => emptyDir !== undefined)?.emptyDir?.sizeLimit;
    return [scratch, limits?.['ephemeral-storage'], room];
  }

  podOf(name: string, spec: object, status: object): void {
    const job = this.#jobOf(name);
    const own = { 'batch.kubernetes.io/job-name': job.metadata.name ?? '' };
    const { namespace = '' } = job.metadata;
    const creationTimestamp = new Date(this.cluster.nowMs).toISOString();
    const marks = { ...job.metadata.labels, ...own };
    const ownerReferences = [{ kind: 'Job', name: job.metadata.name, uid: job.metadata.uid }];
    const podName = `${name}-pod`;
    const metadata = {
      namespace,
      name: podName,
      labels: marks,
      ownerReferences,
      creationTimestamp,
    };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec, status };
    this.cluster.put(pod as unknown as Pod);
  }

  async verified(name: string) {
    const found = await this.cluster.read<BackupObject>({ resource: resources.backup, name });
    const row = found?.status?.conditions?.find(({ type }) => type === 'Verified');
    const { verification, lastReplayedAt } = found?.status ?? {};
    return { ...row, verification, lastReplayedAt };
  }
}

test('a tenant has one of the test restores at a time, and the other one is for the others', async () => {
  const tested = new Tested();
  for (const name of ['a1', 'a2', 'a3']) tested.asked('acme', name);
  tested.asked('bolt', 'b1');
  await tested.look(['acme', 'a1'], ['acme', 'a2'], ['acme', 'a3'], ['bolt', 'b1']);
  expect(tested.running).toEqual(['a1', 'b1']);
  expect(await tested.verified('a2')).toMatchObject({
    status: 'Unknown',
    reason: 'Running',
    message: 'it waits for its turn: 2 test restores run at a time, one of each namespace',
  });
  expect((await tested.verified('a2')).verification).toBeUndefined();
});

test('the tenant that has waited longest is tested next, and after its test it waits anew', async () => {
  const tested = new Tested();
  const all: [string, string][] = [];
  const ask = async (namespace: string, name: string) => {
    tested.asked(namespace, name);
    all.push([namespace, name]);
    await tested.look([namespace, name]);
    tested.cluster.nowMs += 10 * SECONDS;
  };
  for (const name of ['a1', 'a2', 'a3']) await ask('acme', name);
  await ask('bolt', 'b1');
  await ask('coal', 'c1');
  await ask('dune', 'd1');
  expect(tested.running).toEqual(['a1', 'b1']);
  const passes = async (name: string) => {
    tested.pass(name);
    // Those that came last are looked at first: order of looks is no order of turns.
    await tested.look(...all.toReversed());
    tested.cluster.nowMs += 10 * SECONDS;
    await tested.look(...all.toReversed());
    return tested.running;
  };
  expect(await passes('a1')).toEqual(['b1', 'c1']);
  expect(await passes('b1')).toEqual(['c1', 'd1']);
  expect(await passes('c1')).toEqual(['d1', 'a2']);
  expect(await passes('a2')).toEqual(['d1', 'a3']);
});

test('Jobs that somebody gave our labels take no turn from others', async () => {
  const tested = new Tested();
  for (const name of ['a1', 'a2']) {
    tested.asked('acme', name);
    const own = await tested.cluster.read<BackupObject>({ resource: resources.backup, name });
    const { uid = '' } = own?.metadata ?? {};
    tested.cluster.put({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        namespace: 'acme',
        name: `forged-${name}`,
        labels: { [labels.work]: 'verify', [labels.uid]: uid, [labels.backup]: `forged-${name}` },
        ownerReferences: [{ apiVersion: 'x', kind: 'LedgerBackup', name, uid }],
      },
    });
  }
  tested.asked('bolt', 'b1');
  tested.asked('coal', 'c1');
  await tested.look(['bolt', 'b1'], ['coal', 'c1']);
  expect(tested.running).toEqual(['forged-a1', 'forged-a2', 'b1', 'c1']);
});

const unschedulable = {
  phase: 'Pending',
  conditions: [
    {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message: '0/3 nodes are available: 3 Insufficient memory.',
    },
  ],
};

test.each([
  ['a pod', true, 'for 515 MiB of memory, found no node in 15 minutes: 0/3 nodes are available'],
  ['no pod', false, 'has no pod after 15 minutes; its events say why'],
])(
  'a test with %s that finds no node gives its turn back after a quarter of an hour, and says why',
  async (_, hasPod, words) => {
    const tested = new Tested();
    tested.asked('acme', 'a1');
    await tested.look(['acme', 'a1']);
    if (hasPod) tested.podOf('a1', {}, unschedulable);
    tested.cluster.nowMs += 14 * MINUTES;
    await tested.look(['acme', 'a1']);
    expect(tested.running).toEqual(['a1']);
    expect((await tested.verified('a1')).reason).toBe(hasPod ? 'Delayed' : 'Running');
    tested.cluster.nowMs += MINUTES;
    tested.asked('acme', 'a2');
    await tested.look(['acme', 'a1'], ['acme', 'a2']);
    expect(tested.running).toEqual(['a2']);
    const { status, reason, message, verification } = await tested.verified('a1');
    expect([status, reason]).toEqual(['Unknown', 'NotScheduled']);
    expect(message).toContain(words);
    expect(verification).toMatchObject({ completedAt: expect.any(String) });
    // And it is made again.
    tested.pass('a2');
    await tested.look(['acme', 'a2']);
    tested.cluster.move();
    tested.cluster.nowMs += 61 * MINUTES;
    await tested.look(['acme', 'a1']);
    expect(tested.running).toEqual(['a1']);
  },
);

test('a test whose pod has a node may take hours', async () => {
  const tested = new Tested();
  tested.asked('acme', 'a1');
  await tested.look(['acme', 'a1']);
  tested.podOf('a1', { nodeName: 'n-0' }, { phase: 'Running' });
  tested.cluster.nowMs += 5 * 60 * MINUTES;
  await tested.look(['acme', 'a1']);
  expect(tested.running).toEqual(['a1']);
});

test('a test whose pods are replaced again and again before they start gives its turn back all the same', async () => {
  const tested = new Tested();
  tested.asked('acme', 'a1');
  await tested.look(['acme', 'a1']);
  for (let times = 0; times < 3; times += 1) {
    tested.podOf('a1', { nodeName: `n-${times}` }, { phase: 'Pending' });
    tested.cluster.nowMs += 5 * MINUTES;
    await tested.look(['acme', 'a1']);
  }
  expect(tested.running).toEqual([]);
  expect(await tested.verified('a1')).toMatchObject({ status: 'Unknown', reason: 'NotStarted' });
});

test('a pod that takes the place of one that ran has its own quarter of an hour', async () => {
  const tested = new Tested();
  tested.asked('acme', 'a1');
  await tested.look(['acme', 'a1']);
  tested.podOf('a1', { nodeName: 'n-0' }, { phase: 'Running' });
  tested.cluster.nowMs += 60 * MINUTES;
  await tested.look(['acme', 'a1']);
  tested.podOf('a1', {}, unschedulable);
  tested.cluster.nowMs += 14 * MINUTES;
  await tested.look(['acme', 'a1']);
  expect(tested.running).toEqual(['a1']);
  tested.cluster.nowMs += MINUTES;
  await tested.look(['acme', 'a1']);
  expect(tested.running).toEqual([]);
});

test.each([
  [
    'without its image',
    [{ state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } }],
    'no such image',
  ],
  ['without its volumes', [{ state: { waiting: { reason: 'ContainerCreating' } } }], 'the events'],
])(
  'a test that does not start on its node, %s, gives its turn back after a quarter of an hour, and says why',
  async (_, containerStatuses, words) => {
    const tested = new Tested();
    tested.asked('acme', 'a1');
    await tested.look(['acme', 'a1']);
    tested.podOf('a1', { nodeName: 'n-0' }, { phase: 'Pending', containerStatuses });
    tested.cluster.nowMs += 14 * MINUTES;
    await tested.look(['acme', 'a1']);
    expect(tested.running).toEqual(['a1']);
    tested.cluster.nowMs += MINUTES;
    tested.asked('acme', 'a2');
    await tested.look(['acme', 'a1'], ['acme', 'a2']);
    expect(tested.running).toEqual(['a2']);
    const { status, reason, message, verification } = await tested.verified('a1');
    expect([status, reason]).toEqual(['Unknown', 'NotStarted']);
    expect(message).toMatch(new RegExp(`did not start on node n-0 in 15 minutes: .*${words}`));
    expect(verification).toMatchObject({ completedAt: expect.any(String) });
  },
);

test('a test whose Job is refused ends at once, says why, and is made again in an hour', async () => {
  const tested = new Tested();
  tested.asked('acme', 'a1');
  tested.cluster.admission = (object) => {
    if (object.kind !== 'Job') return object;
    throw new ApiError('create jobs: 403 Forbidden: exceeded quota', {
      status: 403,
      reason: 'Forbidden',
    });
  };
  await tested.look(['acme', 'a1']);
  const { status, reason, message, verification } = await tested.verified('a1');
  expect([status, reason]).toEqual(['Unknown', 'NotStarted']);
  expect(message).toContain('exceeded quota');
  expect(verification).toMatchObject({ completedAt: expect.any(String) });
  tested.cluster.admission = (object) => object;
  // Its turn is free at once.
  tested.asked('acme', 'a2');
  await tested.look(['acme', 'a1'], ['acme', 'a2']);
  expect(tested.running).toEqual(['a2']);
  tested.pass('a2');
  await tested.look(['acme', 'a2']);
  tested.cluster.nowMs += 61 * MINUTES;
  await tested.look(['acme', 'a1']);
  expect(tested.running).toEqual(['a1']);
});

test('a test whose Job has the name of another one ends and says so, and the other one stays', async () => {
  const tested = new Tested();
  tested.asked('acme', 'a1');
  await tested.look(['acme', 'a1']);
  const [own] = tested.cluster.all('Job');
  if (own === undefined) throw new Error('there is no Job');
  const { ownerReferences: _, ...metadata } = own.metadata;
  tested.cluster.put({ ...own, metadata });
  await tested.look(['acme', 'a1']);
  const { reason, message } = await tested.verified('a1');
  expect(reason).toBe('NotStarted');
  expect(message).toContain(`another Job has the name ${metadata.name}`);
  expect(tested.cluster.all('Job')[0]?.metadata.deletionTimestamp).toBeUndefined();
});

test('a test that has passed is not made again because its pod is seen late', async () => {
  const tested = new Tested();
  tested.asked('acme', 'a1');
  await tested.look(['acme', 'a1']);
  tested.unseen.add('Pod');
  tested.pass('a1');
  tested.cluster.nowMs += 2 * MINUTES;
  await tested.look(['acme', 'a1']);
  expect(await tested.verified('a1')).toMatchObject({ status: 'True', reason: 'Passed' });
});

test('a test whose result the API server does not take at once is not made again', async () => {
  const tested = new Tested();
  tested.asked('acme', 'a1');
  await tested.look(['acme', 'a1']);
  tested.pass('a1');
  tested.cluster.onWrite = ({ kind }) => {
    if (kind === 'LedgerBackup')
      throw new ApiError('conflict', { status: 409, reason: 'Conflict' });
  };
  await expect(tested.look(['acme', 'a1'])).rejects.toThrow('conflict');
  tested.cluster.onWrite = () => {};
  await tested.look(['acme', 'a1']);
  expect(await tested.verified('a1')).toMatchObject({ status: 'True', reason: 'Passed' });
  expect(tested.running).toEqual([]);
  expect(tested.cluster.all('Job').every(({ metadata }) => metadata.deletionTimestamp)).toBe(true);
});

test('a removed backup is not told as damaged by its test', async () => {
  const tested = new Tested();
  tested.asked('acme', 'a1');
  await tested.look(['acme', 'a1']);
  tested.removed('a1');
  await tested.look(['acme', 'a1']);
  const { status, reason, message, verification } = await tested.verified('a1');
  expect({ status, reason }).toEqual({ status: 'Unknown', reason: 'Removed' });
  expect(message).toBe('it cannot be restored any more: removed at noon');
  // `false` is damage, and an alarm.
  expect(verification?.passed).toBeUndefined();
  expect(verification?.completedAt).toBeDefined();
});

const none = [undefined, undefined, undefined];
const scratch = ['--scratch=/data', '515Mi', '515Mi'];

test('the log is replayed in a bounded room where it is archived, and the status says from where on and how long it took', async () => {
  const tested = new Tested();
  tested.asked('acme', 'a1', { archived: true });
  tested.asked('bolt', 'b1');
  await tested.look(['acme', 'a1'], ['bolt', 'b1']);
  expect([tested.replay('a1'), tested.replay('b1')]).toEqual([scratch, none]);
  tested.pass('a1', { replayedFrom: 7, replaySeconds: 1.5 });
  tested.pass('b1');
  await tested.look(['acme', 'a1'], ['bolt', 'b1']);
  const { message, verification, lastReplayedAt } = await tested.verified('a1');
  expect(message).toMatch(/the archived log after operation 7 leads to it$/);
  expect(verification).toMatchObject({
    passed: true,
    seconds: 2,
    replayedFrom: 7,
    replaySeconds: 1.5,
  });
  expect(lastReplayedAt).toBe(verification?.completedAt);
  const rows = await tested.verified('b1');
  expect(rows.message).toMatch(/the archived log was not replayed: NoLog$/);
  expect(rows.verification).toMatchObject({ passed: true, rowsOnly: { reason: 'NoLog' } });
  expect(rows.lastReplayedAt).toBeUndefined();
});

test('a backup to which the log does not reach passes, and the status says why it was not replayed', async () => {
  const tested = new Tested();
  tested.asked('acme', 'a1', { archived: true });
  await tested.look(['acme', 'a1']);
  const rowsOnly = { reason: 'OtherHistory', message: 'x'.repeat(600) };
  tested.pass('a1', { rowsOnly });
  await tested.look(['acme', 'a1']);
  const { status, verification, lastReplayedAt } = await tested.verified('a1');
  expect([status, lastReplayedAt]).toEqual(['True', undefined]);
  expect(verification?.rowsOnly).toMatchObject({
    reason: 'OtherHistory',
    message: expect.stringMatching(/^x{511}…$/),
  });
});

test('a replay begins with the newest earlier backup to which a replay has led, unless damage of it or of a later one was told since', async () => {
  const replayed = { lastReplayedAt: '2026-11-01T00:00:00Z' };
  const damage = {
    verification: {
      startedAt: '2026-11-02T00:00:00Z',
      completedAt: '2026-11-02T00:00:00Z',
      passed: false,
    },
  };
  // It stays damaged, and all later tests would be of the rows alone.
  const lostBeginning = {
    verification: {
      ...damage.verification,
      passed: true,
      rowsOnly: { reason: 'BaseDamaged', message: 'it is cut' },
    },
  };
  // The same replay would take longer each time.
  const tookTooLong = {
    verification: {
      ...damage.verification,
      passed: true,
      rowsOnly: { reason: 'TooLong', message: 'it did not end' },
    },
  };
  for (const [at7, since] of [
    [{}, ['--since=bkp_proven']],
    [damage, []],
    [lostBeginning, []],
    [tookTooLong, []],
  ] as const) {
    const tested = new Tested();
    for (const [name, op, more] of [
      ['oldest', 3, replayed],
      ['proven', 5, replayed],
      ['between', 7, at7],
      ['own', 9, {}],
      ['later', 11, replayed],
    ] as const)
      tested.asked('acme', name, { archived: true, databaseId: 'db_same', op, ...more });
    tested.asked('acme', 'other', { archived: true, op: 8, ...replayed });
    await tested.look(['acme', 'own']);
    expect(tested.args('own').filter((arg) => arg.startsWith('--since'))).toEqual(since);
  }
});

/** The next try of backup a1, of its rows alone, which passes. */
async function passedWithoutReplay(tested: Tested) {
  await tested.look(['acme', 'a1']);
  tested.cluster.move();
  await tested.look(['acme', 'a1']);
  expect(tested.replay('a1')).toEqual(none);
  tested.pass('a1');
  await tested.look(['acme', 'a1']);
  const { status, verification } = await tested.verified('a1');
  expect(status).toBe('True');
  return verification;
}

test('an engine that knows no replay tests the backup as before', async () => {
  const tested = new Tested();
  tested.asked('acme', 'a1', { archived: true });
  await tested.look(['acme', 'a1']);
  tested.fail('a1', 'verify-backup has no flag --scratch; see: ledger-engine verify-backup --help');
  const verification = await passedWithoutReplay(tested);
  expect(verification).toMatchObject({
    passed: true,
    rowsOnly: { reason: 'NotPossible', message: expect.stringContaining('no flag --scratch') },
  });
});

test('a replay that does not end in its time says so, and from where on the log stays unproven', async () => {
  const tested = new Tested();
  const before = { op: 3, databaseId: 'db_same', lastReplayedAt: '2026-11-01T00:00:00Z' };
  tested.asked('acme', 'a0', { archived: true, ...before });
  tested.asked('acme', 'a1', { archived: true, databaseId: 'db_same', op: 5 });
  await tested.look(['acme', 'a1']);
  tested.runsOutOfTime('a1');
  const verification = await passedWithoutReplay(tested);
  expect(verification).toMatchObject({
    passed: true,
    rowsOnly: {
      reason: 'TooLong',
      message: expect.stringMatching(/from backup bkp_a0 did not end in 6 hours; .* unproven$/),
    },
  });
});

test('a test that goes on without the replay keeps its turn while it has no Job', async () => {
  const tested = new Tested();
  for (const [namespace, name] of [
    ['acme', 'a1'],
    ['beta', 'b1'],
  ] as const) {
    tested.asked(namespace, name, { archived: true });
    await tested.look([namespace, name]);
  }
  tested.asked('acme', 'a2');
  tested.asked('gamma', 'c1');
  tested.cluster.nowMs += 2 * MINUTES;
  tested.fail('a1', 'out of memory');
  await tested.look(['acme', 'a1']);
  tested.cluster.move();
  // The replay's Job is gone, and that of the rows is still to come.
  await tested.look(['gamma', 'c1'], ['acme', 'a2'], ['acme', 'a1']);
  expect([...tested.running].toSorted()).toEqual(['a1', 'b1']);
});

test('the Job of a replay whose deletion is seen late does not end the test of the rows', async () => {
  const tested = new Tested();
  tested.asked('acme', 'a1', { archived: true });
  await tested.look(['acme', 'a1']);
  tested.fail('a1', 'out of memory');
  const [late] = tested.cluster.all('Job');
  await tested.look(['acme', 'a1']);
  tested.cluster.move();
  // As an old watch shows it.
  if (late === undefined) throw new Error('there is no Job');
  tested.cluster.put(late);
  await tested.look(['acme', 'a1']);
  expect((await tested.verified('a1')).verification?.completedAt).toBeUndefined();
  tested.cluster.move();
  await tested.look(['acme', 'a1']);
  expect(tested.replay('a1')).toEqual(none);
});

test.each(['finds no node', 'is refused by a quota'])(
  'a replay that %s does not keep the backup from being tested',
  async (how) => {
    const tested = new Tested();
    tested.asked('acme', 'a1', { archived: true });
    const { admission } = tested.cluster;
    if (how === 'finds no node') {
      await tested.look(['acme', 'a1']);
      tested.podOf('a1', {}, unschedulable);
      tested.cluster.nowMs += 15 * MINUTES;
    } else {
      tested.cluster.admission = (object) => {
        if (JSON.stringify(object).includes('ephemeral-storage'))
          throw new ApiError('exceeded quota: disk', { status: 403, reason: 'Forbidden' });
        return object;
      };
    }
    await tested.look(['acme', 'a1']);
    tested.cluster.move();
    await tested.look(['acme', 'a1']);
    expect(tested.replay('a1')).toEqual(none);
    tested.cluster.admission = admission;
    // If that test cannot be made either, the next one does not begin with the replay again.
    tested.fail('a1', JSON.stringify({ error: 'store_unreachable', message: 'no answer' }));
    await tested.look(['acme', 'a1']);
    expect((await tested.verified('a1')).reason).toBe('StoreUnreachable');
    tested.cluster.move();
    tested.cluster.nowMs += 61 * MINUTES;
    await tested.look(['acme', 'a1']);
    expect(tested.replay('a1')).toEqual(none);
    tested.pass('a1');
    await tested.look(['acme', 'a1']);
    const { verification } = await tested.verified('a1');
    expect(verification).toMatchObject({ passed: true, rowsOnly: { reason: 'NotPossible' } });
  },
);

test('a log that contradicts its backup is damage', async () => {
  const tested = new Tested();
  tested.asked('acme', 'a1', { archived: true });
  await tested.look(['acme', 'a1']);
  tested.fail('a1', JSON.stringify({ error: 'state_rejected', message: 'other rows of table 2' }));
  await tested.look(['acme', 'a1']);
  const { status, reason, message, verification } = await tested.verified('a1');
  expect([status, reason, verification?.passed]).toEqual(['False', 'ArchiveDamaged', false]);
  expect(message).toContain('other rows');
});
