/**
 * Change of the shape by a last backup, in a simulated cluster whose clients write whenever anybody serves: the worker of the API and the
 * operator die after any of their writes, in any order, backups fail, somebody writes another policy, and the new shape is given up.
 */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import pino from 'pino';
import { replaceResource } from '../../../api/configuration/replace-resource.ts';
import { asItIs } from '../../../api/configuration/replacement-specs.ts';
import type { JobOutcome } from '../../../api/jobs/handler.ts';
import { BackupWriter } from '../../../api/kubernetes/backup-writer.ts';
import { DatabaseWriter } from '../../../api/kubernetes/database-writer.ts';
import type {
  ConfigurationChange,
  ReplacedResource,
} from '../../../api/model/configuration-change.ts';
import type { Job } from '../../../api/model/job.ts';
import { ApiError, type Kube } from '../../../base/kube/kube.ts';
import type {
  DatabaseObject,
  DatabaseSpec,
  LedgerBackup,
  TopologyName,
} from '../../../domain/custom-resources.ts';
import { resources, type Pod } from '../../../domain/kinds.ts';
import { annotations, backupIdOf, labels, uidOf } from '../../../domain/names.ts';
import { keptMs, writtenReturn } from '../../../domain/returning.ts';
import { endOf } from '../../../operator/ledgerbackup/end-of.ts';
import { reconcileDatabase } from '../../../operator/ledgerdatabase/reconcile.ts';
import { isReady, replicaPods } from '../../../operator/ledgerdatabase/replica-pods.ts';
import { engineSays } from '../engine/engine-says.ts';
import { disorder, name, namespace, uid, workload } from './disordered-database.ts';
import { Killed, lifeOf } from './dying-kube.ts';
import { recipeOf } from './plan-of.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';
import { environmentIn } from './simulated-environment.ts';

const logger = pino({ level: 'silent' });
const job = { steps: [], progress: {} } as unknown as Job;
const store = { url: 's3://b/p', region: 'r', accessKeyId: 'k', secretAccessKey: 's' };

type Policy = DatabaseSpec['deletionPolicy'];
type Way = readonly [from: TopologyName, to: TopologyName];

/** The backup to which a database goes back. */
const wanted = 'bkp_wanted';

/** The cluster, what the API's rows say, and what each volume and backup holds of what was answered. */
class World {
  readonly cluster: SimulatedCluster;
  readonly databaseId: string;
  readonly #wanted: TopologyName;
  request: ConfigurationChange['request'];
  replaced: ReplacedResource;
  kubernetesUid: string = uid;
  outcome: JobOutcome | undefined;
  /** Whether the worker has the job still. */
  isOurs = true;
  /** Whether the backup to which it goes back has been removed. */
  isGone = false;
  /** Whether nothing is being replaced any more. */
  isForgotten = false;
  /** What the worker reaches the cluster through. */
  through: (cluster: SimulatedCluster) => Kube = (cluster) => cluster;
  /** Whether a backup that ends now fails. */
  failing = false;
  /** Whether no backup begins, as when the store is away. */
  isIdle = false;
  /** Writes that clients were answered. */
  answered = 0;
  /** How many of them a claim holds, by its uid; a last backup, by its ID. */
  readonly #held = new Map<string, number>();
  readonly #backedUp = new Map<string, number>();
  /** Resources, by uid, whose several replicas take no more writes. */
  readonly #paused = new Set<string>();
  /** Whether it serves as it was. */
  #wentBack = false;

  constructor(deletionPolicy: Policy, [from, to]: Way) {
    this.#wanted = to;
    this.request = { clusterConfiguration: to };
    this.cluster = disorder(
      recipeOf({
        kind: { engine: 'Builtin', topology: from },
        changes: { size: 'lh-40', sizeGb: 2, version: 'none' },
        deletionPolicy,
      }),
    );
    const { metadata, status } = this.database!;
    this.databaseId = status?.databaseId ?? '';
    const spec = { ...asItIs(this.database!), deletionProtection: true };
    const { clusterId = '' } = status ?? {};
    this.replaced = { uid: metadata.uid ?? '', workload, clusterId, spec };
    for (const claim of this.cluster.all('PersistentVolumeClaim')) this.#held.set(uidOf(claim), 0);
    this.#putMade('shape-1', 'bkp_before');
  }

  /** A backup that has been made. */
  #putMade(called: string, backupId: string, returnsTo?: string): void {
    this.cluster.put({
      apiVersion: 'ledgerhouse.dev/v1alpha1',
      kind: 'LedgerBackup',
      metadata: {
        name: called,
        namespace,
        ...(returnsTo !== undefined && { annotations: { [annotations.returnsTo]: returnsTo } }),
      },
      spec: { database: name, type: 'Manual', removeRequested: backupId === wanted },
      status: { databaseId: this.databaseId, backupId, ...this.#ended('True', 'Made') },
    } as never);
  }

  /**
   * The job of a restore in place instead, which is about to begin: back to a backup without any write, whose removal somebody has
   * asked for. The backup before is made.
   */
  goBack(): void {
    this.request = { restoredTo: { backupId: wanted } };
    this.#backedUp.set(wanted, 0);
    this.#putMade('wanted', wanted);
    const until = this.cluster.nowMs + keptMs;
    this.#putMade('shape-1', 'bkp_before', writtenReturn(this.request.restoredTo!, until));
  }

  /** Whether an operator that looks `afterMs` later leaves the backup to which it goes back. */
  isKept(afterMs = 0): boolean {
    const [backup] = this.#backups.filter(({ status }) => status?.backupId === wanted);
    const { database } = this;
    const around = {
      backups: this.#backups,
      schedules: [],
      databases: database === undefined ? [] : [database],
      nowMs: this.cluster.nowMs + afterMs,
    };
    return endOf(backup!, around) === undefined;
  }

  /** Somebody asks for the removal of the last backup, before the next replicas have begun. Whether it stays. */
  removeLast(): boolean {
    const { database } = this;
    const isBack = database?.metadata.uid !== uid && database?.status?.bootstrapped === true;
    if (isBack) return true;
    for (const one of this.#backups) {
      const { metadata, spec } = one;
      if (metadata.name?.endsWith('-final') === true && !spec.removeRequested)
        this.cluster.put({ ...one, spec: { ...spec, removeRequested: true } } as never);
    }
    const around = {
      backups: this.#backups,
      schedules: [],
      databases: database === undefined ? [] : [database],
      nowMs: this.cluster.nowMs,
    };
    const ends = this.#backups.map((one) => one.spec.type === 'Final' && endOf(one, around));
    return ends.every((end) => end === undefined || end === false);
  }

  /** Whether nobody needs it any more: the database serves, or is to come back as it was. */
  get isDecided(): boolean {
    const isBack = this.database?.metadata.uid !== uid && this.database?.status?.bootstrapped;
    return isBack === true || this.replaced.givenUp !== undefined;
  }

  get database(): DatabaseObject | undefined {
    return this.cluster.all('LedgerDatabase').find(({ metadata }) => metadata.name === name);
  }

  get #backups(): readonly LedgerBackup[] {
    const found: readonly unknown[] = [...this.cluster.objects.values()].filter(
      ({ kind }) => kind === 'LedgerBackup',
    );
    return found as readonly LedgerBackup[];
  }

  /** A turn of the cluster, in which backups end, new files begin with theirs, and clients write. */
  move(): void {
    this.cluster.move();
    for (const backup of this.#backups) this.#endBackup(backup);
    this.#readIn();
    this.write();
  }

  #endBackup(backup: LedgerBackup): void {
    if (this.isIdle || backup.status?.conditions !== undefined) return;
    const status = this.failing ? 'False' : 'True';
    const reason = this.failing ? 'StoreFull' : 'Made';
    const held = { op: 100, timestamp: '1795372852090008189', stateHash: 'b'.repeat(32) };
    const ended = this.cluster.put({
      ...backup,
      status: {
        databaseId: this.databaseId,
        ...this.#ended(status, reason),
        ...(!this.failing && held),
      },
    } as never) as LedgerBackup;
    if (this.failing) return;
    this.#backedUp.set(backupIdOf(uidOf(ended)), this.answered);
    // The backup itself has several running replicas take no more writes; the only one is stopped before.
    const running = replicaPods(this.cluster.all('Pod'));
    if (running.length > 1) this.#paused.add(running[0]?.metadata.labels?.[labels.uid] ?? '');
  }

  #ended(status: string, reason: string): object {
    const at = new Date(this.cluster.nowMs).toISOString();
    const row = { status, reason, message: 'so it was', lastTransitionTime: at };
    return { startedAt: at, completedAt: at, conditions: [{ type: 'Succeeded', ...row }] };
  }

  #readIn(): void {
    for (const claim of this.cluster.all('PersistentVolumeClaim')) {
      const claimUid = uidOf(claim);
      if (!this.cluster.files.has(claimUid) || this.#held.has(claimUid)) continue;
      const { backup } = this.database?.spec.bootstrap ?? {};
      const has = this.#backedUp.get(backup?.backupId ?? '');
      if (has === undefined) throw new Error('a data file was made of nothing');
      this.#held.set(claimUid, has);
    }
  }

  /** One write to whoever serves, all of whose volumes have it then. */
  write(): void {
    const serving = replicaPods(this.cluster.all('Pod')).filter(
      (pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined,
    );
    const owners = new Set(serving.map(({ metadata }) => metadata.labels?.[labels.uid] ?? ''));
    // Never two clusters at once.
    expect(owners.size).toBeLessThanOrEqual(1);
    const [owner = ''] = owners;
    if (serving.length === 0 || this.#paused.has(owner)) return;
    if (!this.#wentBack && this.database?.spec.bootstrap?.backup?.backupId === wanted) {
      this.#wentBack = true;
      this.answered = 0;
    }
    for (const pod of serving) expect(this.#held.get(this.#claimOf(pod))).toBe(this.answered);
    this.answered += 1;
    const workloads = new Set(serving.map(({ metadata }) => metadata.labels?.[labels.workload]));
    for (const claim of this.cluster.all('PersistentVolumeClaim')) {
      const isOf = workloads.has(claim.metadata.labels?.[labels.workload]);
      if (isOf && this.#held.has(uidOf(claim))) this.#held.set(uidOf(claim), this.answered);
    }
  }

  #claimOf({ metadata }: Pod): string {
    const wanted = `data-${metadata.name}`;
    const found = this.cluster
      .all('PersistentVolumeClaim')
      .find((claim) => claim.metadata.name === wanted);
    return found === undefined ? '' : uidOf(found);
  }

  async operate(writes: number, lastAnswerLost: boolean): Promise<void> {
    const kube = lifeOf(writes, { lastAnswerLost }).wrap(this.cluster);
    const fetchStatus = (url: string) =>
      Promise.resolve(
        engineSays('Builtin', '0.1.0', url.includes('10.1.0.1:') ? 'primary' : 'backup'),
      );
    const environment = environmentIn(this.cluster, { kube, fetchStatus, store });
    const seen = { ...environment, backupsOf: () => ({ backups: this.#backups, schedules: [] }) };
    await survived(() => reconcileDatabase(seen, { namespace, name }, logger));
  }

  async work(writes: number, lastAnswerLost: boolean, forgets = false): Promise<void> {
    if (this.outcome !== undefined) return;
    const kube = lifeOf(writes, { lastAnswerLost }).wrap(this.through(this.cluster));
    const note = (write: () => void): Promise<void> => {
      if (forgets) return Promise.reject(new Killed('before its note'));
      write();
      return Promise.resolve();
    };
    const { replaced, databaseId, kubernetesUid } = this;
    await survived(async () => {
      const outcome = await replaceResource({
        writer: new DatabaseWriter(kube),
        backups: new BackupWriter(kube),
        nowMs: () => this.cluster.nowMs,
        context: { job, step: () => Promise.resolve() },
        notes: {
          record: (next) => note(() => (this.replaced = next)),
          forget: () => note(() => (this.isForgotten = true)),
          place: (made) => note(() => (this.kubernetesUid = uidOf(made))),
          whyGone: () => Promise.resolve(this.isGone ? 'It was removed.' : undefined),
          mustBeOurs: () =>
            this.isOurs ? Promise.resolve() : Promise.reject(new Killed('another worker has it')),
        },
        change: { id: 'chg_1', request: this.request },
        database: {
          id: databaseId,
          name,
          kubernetesNamespace: namespace,
          kubernetesUid,
          deletionProtection: true,
        },
        identity: { namespace, name, databaseId },
        replaced,
      });
      if (outcome.kind !== 'again') this.outcome = outcome;
    });
  }

  /** A worker that has lost its job looks before the one that has it, and writes nothing. */
  async lookInVain(): Promise<void> {
    this.isOurs = false;
    const written = await this.cluster.writesDuring(() => this.work(100, false, true));
    this.isOurs = true;
    expect(written).toEqual([]);
  }

  /** As `whyNotBegun` does, at any moment. */
  giveUp(): void {
    const now = this.database;
    const isNew = now?.spec.topology === this.#wanted && now.status?.bootstrapped !== true;
    if (!isNew || this.replaced.givenUp !== undefined) return;
    const givenUp = { from: 'backup', code: 'new_shape_not_begun', message: 'no room' } as const;
    this.replaced = { ...this.replaced, givenUp };
  }

  /** Somebody writes another policy into the resource that is being replaced. */
  async meddle(deletionPolicy: Policy): Promise<void> {
    if (this.database?.metadata.uid !== uid) return;
    const target = { resource: resources.database, namespace, name };
    await this.cluster.mergePatch(target, { spec: { deletionPolicy } });
  }

  /** Nobody has stopped several replicas for a day after their last backup: they take writes again. */
  endPause(): void {
    this.cluster.nowMs += 25 * 3_600_000;
    this.#paused.clear();
  }

  async untilDone(look = () => {}): Promise<void> {
    this.failing = false;
    for (let turn = 0; turn < 400 && this.outcome === undefined; turn += 1) {
      await this.operate(100, false);
      look();
      this.move();
      look();
      await this.work(100, false);
      look();
    }
    expect({ outcome: this.outcome?.kind, status: this.database?.status?.conditions }).toEqual({
      outcome: expect.any(String),
      status: expect.anything(),
    });
  }
}

async function survived(run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof ApiError) && !(error instanceof Killed)) throw error;
  }
}

interface Deed {
  readonly who:
    | 'worker'
    | 'operator'
    | 'cluster'
    | 'givesUp'
    | 'fails'
    | 'Retain'
    | 'BackupThenDelete';
  readonly writes: number;
  readonly lost: boolean;
  readonly forgets: boolean;
}
const deed: fc.Arbitrary<Deed> = fc.record({
  who: fc.oneof(
    {
      weight: 12,
      arbitrary: fc.constantFrom<Deed['who']>('worker', 'operator', 'operator', 'cluster'),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Deed['who']>('givesUp', 'fails', 'Retain', 'BackupThenDelete'),
    },
  ),
  writes: fc.integer({ min: 1, max: 3 }),
  lost: fc.boolean(),
  forgets: fc.boolean(),
});
const history = fc.array(deed, { minLength: 20, maxLength: 120 });
const policies = ['Retain', 'Delete', 'BackupThenDelete', 'BackupThenRetain'] as const;
const policy = fc.constantFrom<Policy>(...policies);
const way = fc.constantFrom<Way>(['ha-3', 'single'], ['single', 'ha-3'], ['ha-3', 'ha-6']);
const wayBack = fc.constantFrom<TopologyName>('ha-3', 'single');

/** `look` is called after each deed. */
async function live(world: World, deeds: readonly Deed[], look = () => {}): Promise<void> {
  for (const { who, writes, lost, forgets } of deeds) {
    if (who === 'worker') await world.work(writes, lost, forgets);
    else if (who === 'operator') await world.operate(writes, lost);
    else if (who === 'cluster') world.move();
    else if (who === 'givesUp') world.giveUp();
    else if (who === 'fails') world.failing = !world.failing;
    else await world.meddle(who);
    look();
  }
  await world.untilDone(look);
}

const turns = (extra: Deed['who'], times: number): Deed[] =>
  Array.from({ length: times }, () =>
    (['worker', 'operator', 'cluster', extra] as const).map((who) => ({
      who,
      writes: 3,
      lost: false,
      forgets: false,
    })),
  ).flat();

/** The database has kept its identity, is of `topology`, and takes the next write. */
function expectServes(world: World, topology: TopologyName): void {
  const { database } = world;
  expect(database?.spec).toMatchObject({ topology, deletionProtection: true });
  expect(database?.metadata.uid).toBe(world.kubernetesUid);
  expect(database?.status).toMatchObject({
    clusterId: world.replaced.clusterId,
    bootstrapped: true,
  });
  const before = world.answered;
  world.write();
  expect(world.answered).toBe(before + 1);
}

test('after the death of any process after any write, the new or the earlier shape has each write that was answered, and they never run together', async () => {
  const ends = new Set<string>();
  await fc.assert(
    fc.asyncProperty(policy, way, history, async (deletionPolicy, [from, to], deeds) => {
      const world = new World(deletionPolicy, [from, to]);
      await live(world, deeds);
      const { outcome } = world;
      ends.add(outcome?.kind ?? '');
      expectServes(world, outcome?.kind === 'succeeded' ? to : from);
    }),
    {
      numRuns: Number(process.env['OBSERVATIONS'] ?? '15'),
      // Chance need not bring both ends.
      examples: [
        ['Retain', ['ha-3', 'single'], []],
        ['Retain', ['single', 'ha-3'], turns('givesUp', 25)],
      ],
    },
  );
  expect([...ends].toSorted()).toEqual(['failed', 'succeeded']);
});

test('a database of whose volumes some were replaced by the last backup when somebody changed the policy goes on from that backup', async () => {
  const world = new World('Retain', ['ha-3', 'single']);
  const marked = () =>
    world.cluster
      .all('PersistentVolumeClaim')
      .filter(({ metadata }) => metadata.annotations?.[annotations.replacedBy] !== undefined);
  for (let turn = 0; turn < 100 && marked().length === 0; turn += 1) {
    await world.operate(1, false);
    if (marked().length > 0) break;
    world.move();
    await world.work(100, false);
  }
  expect(marked()).toHaveLength(1);
  await world.meddle('Retain');
  await world.work(100, false);
  await world.untilDone();
  expect(world.outcome).toMatchObject({ kind: 'failed', error: { code: 'last_backup_failed' } });
  expect(world.database?.spec).toMatchObject({
    topology: 'ha-3',
    bootstrap: { backup: { databaseId: world.databaseId } },
  });
});

test('a database of whose volumes some were deleted after the last backup when somebody changed the policy goes on from that backup', async () => {
  const world = new World('Retain', ['ha-3', 'single']);
  const isDeleted = () => world.database?.metadata.deletionTimestamp !== undefined;
  for (let turn = 0; turn < 100 && !isDeleted(); turn += 1) {
    await world.operate(100, false);
    world.move();
    await world.work(100, false);
  }
  await world.meddle('BackupThenDelete');
  const going = () =>
    world.cluster
      .all('PersistentVolumeClaim')
      .filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  for (let turn = 0; turn < 100 && going().length === 0; turn += 1) {
    await world.operate(1, false);
    if (going().length === 0) world.move();
  }
  expect(going()).toHaveLength(1);
  await world.meddle('Retain');
  await world.work(100, false);
  await world.untilDone();
  expect(world.outcome).toMatchObject({ kind: 'failed', error: { code: 'last_backup_failed' } });
  expect(world.database?.spec).toMatchObject({
    topology: 'ha-3',
    bootstrap: { backup: { databaseId: world.databaseId } },
  });
});

test('answers of several replicas after their pause are kept, also if somebody deletes the resource then and no worker sees it', async () => {
  const world = new World('Retain', ['ha-3', 'single']);
  const isDeleted = () => world.database?.metadata.deletionTimestamp !== undefined;
  for (let turn = 0; turn < 100 && !isDeleted(); turn += 1) {
    await world.operate(100, false);
    world.move();
    await world.work(100, false);
  }
  // The operator asks for the last backup, which is made; then it is away.
  await world.operate(100, false);
  world.move();
  world.endPause();
  const before = world.answered;
  world.move();
  expect(world.answered).toBeGreaterThan(before);
  await world.operate(100, false);
  await world.meddle('Retain');
  for (let turn = 0; turn < 100 && world.database !== undefined; turn += 1) {
    await world.operate(100, false);
    world.move();
  }
  expect(world.database).toBeUndefined();
  await world.untilDone();
  const { answered } = world;
  world.write();
  expect(world.answered).toBe(answered + 1);
  expect(world.outcome).toMatchObject({ kind: 'failed', error: { code: 'last_backup_failed' } });
});

test('the backup to which a database goes back is kept for as long as its replicas stop, however long their last backup takes', async () => {
  const world = new World('Retain', ['ha-3', 'ha-3']);
  world.goBack();
  world.isIdle = true;
  for (let turn = 0; turn < 10; turn += 1) {
    await world.work(100, false);
    expect(world.database?.metadata.uid).toBe(uid);
    // A worker may be away for so long, and clocks of API servers may differ by that.
    expect(world.isKept(49 * 60_000)).toBe(true);
    await world.operate(100, false);
    world.move();
    world.cluster.nowMs += (turn < 5 ? 9 : 25) * 60_000;
  }
  expect(world.database?.metadata.deletionTimestamp).toEqual(expect.any(String));
});

/** As somebody's admission rule may: no backup's resource is changed. */
function refusing(cluster: SimulatedCluster): Kube {
  const kube = lifeOf(Infinity).wrap(cluster);
  return {
    ...kube,
    mergePatch: (reference, ...rest) =>
      reference.resource.kind === 'LedgerBackup'
        ? Promise.reject(new ApiError('no', { status: 403, reason: 'Forbidden' }))
        : kube.mergePatch(reference, ...rest),
  };
}

test('a database that nobody serves comes back or goes on although the cluster refuses that what it goes back to is kept for longer', async () => {
  const world = new World('Retain', ['ha-3', 'ha-3']);
  world.goBack();
  for (let turn = 0; turn < 100 && world.database !== undefined; turn += 1) {
    await world.work(100, false);
    await world.operate(100, false);
    world.move();
  }
  // No worker was there for so long that it is time to ask again.
  world.cluster.nowMs += 50 * 60_000;
  world.through = refusing;
  await world.untilDone();
  expect(world.outcome).toEqual({ kind: 'succeeded' });
  expectServes(world, 'ha-3');
});

test('after the death of any process after any write, a database has gone back or is as it was, although somebody asks for the removal of its last backup', async () => {
  const ends = new Set<string>();
  await fc.assert(
    fc.asyncProperty(policy, wayBack, history, async (deletionPolicy, topology, deeds) => {
      const world = new World(deletionPolicy, [topology, topology]);
      world.goBack();
      await live(world, deeds, () => expect(world.removeLast()).toBe(true));
      ends.add(world.outcome?.kind ?? '');
      const { backup } = world.database?.spec.bootstrap ?? {};
      expect(backup?.backupId === wanted).toBe(world.outcome?.kind === 'succeeded');
      expectServes(world, topology);
    }),
    {
      numRuns: Number(process.env['OBSERVATIONS'] ?? '15'),
      examples: [
        ['Retain', 'ha-3', turns('cluster', 25)],
        ['Retain', 'single', turns('givesUp', 25)],
      ],
    },
  );
  expect([...ends].toSorted()).toEqual(['failed', 'succeeded']);
});

test('after the death of any process after any write, a database has its new or its earlier shape, although somebody asks for the removal of its last backup', async () => {
  const ends = new Set<string>();
  await fc.assert(
    fc.asyncProperty(policy, way, history, async (deletionPolicy, [from, to], deeds) => {
      const world = new World(deletionPolicy, [from, to]);
      await live(world, deeds, () => expect(world.removeLast()).toBe(true));
      const { outcome } = world;
      ends.add(outcome?.kind ?? '');
      expectServes(world, outcome?.kind === 'succeeded' ? to : from);
    }),
    {
      numRuns: Number(process.env['OBSERVATIONS'] ?? '15'),
      examples: [
        ['Retain', ['ha-3', 'single'], turns('cluster', 25)],
        ['Retain', ['ha-3', 'single'], turns('givesUp', 25)],
      ],
    },
  );
  expect([...ends].toSorted()).toEqual(['failed', 'succeeded']);
});

test('after the death of any process after any write, a database whose earlier state went before its replicas stop was never stopped', async () => {
  await fc.assert(
    fc.asyncProperty(policy, wayBack, history, async (deletionPolicy, topology, deeds) => {
      const world = new World(deletionPolicy, [topology, topology]);
      world.goBack();
      world.isGone = true;
      await live(world, deeds, () => {
        expect(world.database?.metadata).toMatchObject({ uid });
        expect(world.database?.metadata.deletionTimestamp).toBeUndefined();
      });
      expect(world.outcome).toMatchObject({ error: { code: 'moment_unavailable' } });
      expectServes(world, topology);
    }),
    { numRuns: Number(process.env['OBSERVATIONS'] ?? '15') },
  );
});

test.each(policies)(
  'a database under %s serves on as it was if what it was to go back to went while no worker was there',
  async (deletionPolicy) => {
    const world = new World(deletionPolicy, ['ha-3', 'ha-3']);
    world.goBack();
    world.isGone = true;
    for (let turn = 0; turn < 100 && world.outcome === undefined; turn += 1) {
      await world.work(100, false);
      await world.operate(100, false);
      world.move();
    }
    expect(world.outcome).toMatchObject({
      kind: 'failed',
      error: { code: 'moment_unavailable' },
      retryable: false,
    });
    expect(world.database?.metadata).toMatchObject({ uid });
    expect(world.database?.metadata.deletionTimestamp).toBeUndefined();
    expect(world.database?.spec).toMatchObject({ deletionPolicy, deletionProtection: true });
    expect(world.isForgotten).toBe(true);
    const { answered } = world;
    world.write();
    expect(world.answered).toBe(answered + 1);
  },
);

test('a database is as it was if the cluster refuses, while it serves, that what it goes back to is kept for longer', async () => {
  const world = new World('Retain', ['ha-3', 'ha-3']);
  world.goBack();
  world.cluster.nowMs += 50 * 60_000;
  world.through = refusing;
  await world.work(100, false);
  expect(world.outcome).toMatchObject({
    kind: 'failed',
    error: { code: 'forbidden_by_cluster' },
    retryable: false,
  });
  expect(world.database?.metadata).toMatchObject({ uid });
  expect(world.database?.metadata.deletionTimestamp).toBeUndefined();
  expect(world.isForgotten).toBe(true);
});

test('after the death of any process after any write, a database has gone back or is as it was, and what it goes back to is kept until then, also while it has no resource', async () => {
  const ends = new Set<string>();
  let hadNone = 0;
  await fc.assert(
    fc.asyncProperty(policy, wayBack, history, async (deletionPolicy, topology, deeds) => {
      const world = new World(deletionPolicy, [topology, topology]);
      world.goBack();
      await live(world, deeds, () => {
        if (world.database === undefined) hadNone += 1;
        expect(world.isDecided || world.isKept()).toBe(true);
      });
      const { database, outcome } = world;
      ends.add(outcome?.kind ?? '');
      const { backup } = database?.spec.bootstrap ?? {};
      expect(backup?.backupId === wanted).toBe(outcome?.kind === 'succeeded');
      expectServes(world, topology);
    }),
    {
      numRuns: Number(process.env['OBSERVATIONS'] ?? '15'),
      // Chance need not bring both ends.
      examples: [
        ['Retain', 'ha-3', turns('cluster', 25)],
        ['Retain', 'ha-3', turns('givesUp', 25)],
      ],
    },
  );
  expect([...ends].toSorted()).toEqual(['failed', 'succeeded']);
  expect(hadNone).toBeGreaterThan(0);
});

test.each<Way>([
  ['ha-3', 'single'],
  ['single', 'ha-3'],
])('a worker that has lost its job writes nothing at any step from %s to %s', async (...way) => {
  const world = new World('Retain', way);
  for (let turn = 0; turn < 400 && world.outcome === undefined; turn += 1) {
    await world.lookInVain();
    await world.work(100, false);
    await world.operate(100, false);
    world.move();
  }
  expect(world.outcome).toEqual({ kind: 'succeeded' });
});

test.each<Way>([
  ['ha-3', 'single'],
  ['single', 'ha-3'],
])(
  'from %s to %s, a database that somebody lets go before its last backup has begun comes back: nobody makes that any more',
  async (...way) => {
    const world = new World('Retain', way);
    world.isIdle = true;
    const isAsked = () =>
      [...world.cluster.objects.values()].some(
        ({ kind, metadata }) => kind === 'LedgerBackup' && metadata.name?.endsWith('-final'),
      );
    for (let turn = 0; turn < 100 && !isAsked(); turn += 1) {
      await world.work(100, false);
      await world.operate(100, false);
      world.move();
    }
    expect(isAsked()).toBe(true);
    // No worker sees it.
    await world.meddle('Retain');
    for (let turn = 0; turn < 100 && world.database !== undefined; turn += 1) {
      await world.operate(100, false);
      world.move();
    }
    expect(world.database).toBeUndefined();
    const { answered } = world;
    await world.untilDone();
    expect(world.outcome).toMatchObject({ kind: 'failed', error: { code: 'last_backup_failed' } });
    world.write();
    expect(world.answered).toBeGreaterThan(answered);
  },
);
