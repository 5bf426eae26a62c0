/**
 * Change of one replica to three where its volume is, in a simulated cluster: the worker of the API and the operator die after any of their
 * writes, in any order, and somebody gives the new shape up at any moment.
 */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import pino from 'pino';
import { replaceResource } from '../../../api/configuration/replace-resource.ts';
import {
  askForReplicas,
  forgetReplicas,
  nextReplicas,
} from '../../../api/configuration/next-replicas.ts';
import { asItIs } from '../../../api/configuration/replacement-specs.ts';
import type { JobOutcome } from '../../../api/jobs/handler.ts';
import { BackupWriter } from '../../../api/kubernetes/backup-writer.ts';
import { DatabaseWriter } from '../../../api/kubernetes/database-writer.ts';
import type { ReplacedResource } from '../../../api/model/configuration-change.ts';
import type { Job } from '../../../api/model/job.ts';
import { ApiError } from '../../../base/kube/kube.ts';
import type { DatabaseObject, DatabaseSpec } from '../../../domain/custom-resources.ts';
import { resources } from '../../../domain/kinds.ts';
import {
  annotations,
  backupIdOf,
  finalBackupName,
  labels,
  uidOf,
  volumesFinalizer,
} from '../../../domain/names.ts';
import { reconcileDatabase } from '../../../operator/ledgerdatabase/reconcile.ts';
import { decide } from '../../../operator/volumes/decide.ts';
import { engineSays } from '../engine/engine-says.ts';
import { disorder, name, namespace, uid, workload } from './disordered-database.ts';
import { Killed, lifeOf } from './dying-kube.ts';
import { recipeOf } from './plan-of.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';
import { environmentIn } from './simulated-environment.ts';

const logger = pino({ level: 'silent' });
const job = { steps: [], progress: {} } as unknown as Job;

type Policy = DatabaseSpec['deletionPolicy'];

/** The cluster, and what the API's rows say. */
class World {
  readonly cluster: SimulatedCluster;
  readonly volume: string;
  readonly databaseId: string;
  replaced: ReplacedResource;
  kubernetesUid: string = uid;
  /** Whether the row says that nothing is replaced. */
  forgotten = false;
  /** Whether the worker has stopped waiting for the further replicas, and stops the single one. */
  stops: boolean;
  /** What was said of the further replicas when it did. */
  waited = '';
  outcome: JobOutcome | undefined;
  /** Whether the worker has the job still. */
  isOurs = true;

  constructor(deletionPolicy: Policy, inPlace = true, stops = true) {
    this.stops = stops;
    this.cluster = disorder(
      recipeOf({
        kind: { engine: 'Builtin', topology: 'single' },
        changes: { size: 'lh-40', sizeGb: 2, version: 'none' },
        deletionPolicy,
      }),
    );
    const { metadata, status } = this.database!;
    this.databaseId = status?.databaseId ?? '';
    const { clusterId = '' } = status ?? {};
    const spec = { ...asItIs(this.database!), deletionProtection: true };
    this.replaced = {
      uid: metadata.uid ?? '',
      workload,
      clusterId,
      spec,
      ...(inPlace && { inPlace }),
    };
    this.volume = this.first?.metadata.uid ?? '';
    this.cluster.onWrite = () => this.check();
  }

  get database(): DatabaseObject | undefined {
    return this.cluster.all('LedgerDatabase').find(({ metadata }) => metadata.name === name);
  }

  get first() {
    return this.cluster
      .all('PersistentVolumeClaim')
      .find(({ metadata }) => metadata.name === `data-${workload}-0`);
  }

  /** The only volume is there at every moment, and no time would delete it, even where volumes of deleted databases are kept for none. */
  check(): void {
    const { first } = this;
    expect(first?.metadata.uid).toBe(this.volume);
    if (first === undefined) return;
    expect(first.metadata.deletionTimestamp).toBeUndefined();
    const near = {
      databases: this.cluster.all('LedgerDatabase') as never,
      pods: [],
      statefulSets: [],
      goneWithVolumes: true,
    };
    const { kind } = decide(first, near, 0, this.cluster.nowMs);
    expect(['nothing', 'unmark', 'left']).toContain(kind);
  }

  move(): void {
    this.cluster.move();
    this.check();
  }

  async operate(writes: number, lastAnswerLost: boolean): Promise<void> {
    const kube = lifeOf(writes, { lastAnswerLost }).wrap(this.cluster);
    const fetchStatus = (url: string) =>
      Promise.resolve(
        engineSays('Builtin', '0.1.0', url.includes('10.1.0.1:') ? 'primary' : 'backup'),
      );
    const environment = environmentIn(this.cluster, { kube, fetchStatus });
    await survived(() => reconcileDatabase(environment, { namespace, name }, logger));
  }

  /**
   * An operator of the release before `HandOver`, as during an upgrade: it takes its own finalizer off a database under a policy that it does not
   * know, and deletes volumes without a database, kept for no day, unless the API server refuses it.
   */
  async operateAsBefore(): Promise<void> {
    const { database, cluster } = this;
    const finalizers = database?.metadata.finalizers ?? [];
    if (database?.spec.deletionPolicy === 'HandOver' && finalizers.includes(volumesFinalizer)) {
      const metadata = { finalizers: finalizers.filter((one) => one !== volumesFinalizer) };
      await cluster.mergePatch({ resource: resources.database, namespace, name }, { metadata });
    }
    for (const { metadata } of cluster.all('PersistentVolumeClaim')) {
      const isOwned = this.database?.metadata.uid === metadata.labels?.[labels.uid];
      if (isOwned || metadata.annotations?.[annotations.handedOver] !== undefined) continue;
      const target = { resource: resources.claim, namespace, name: metadata.name ?? '' };
      await cluster.delete(target, { uid: uidOf({ metadata }), resourceVersion: undefined });
    }
  }

  /** `forgets`: the worker dies before it notes anything in the row; otherwise it dies after its last write. */
  async work(writes: number, lastAnswerLost: boolean, forgets = false): Promise<void> {
    if (this.outcome !== undefined) return;
    const kube = lifeOf(writes, { lastAnswerLost }).wrap(this.cluster);
    const note = (write: () => void): Promise<void> => {
      if (forgets) return Promise.reject(new Killed('before its note'));
      write();
      return Promise.resolve();
    };
    const { replaced, databaseId, kubernetesUid } = this;
    await survived(async () => {
      if (!this.stops) return this.await(new DatabaseWriter(kube));
      const outcome = await replaceResource({
        writer: new DatabaseWriter(kube),
        backups: new BackupWriter(kube),
        nowMs: () => this.cluster.nowMs,
        context: { job, step: () => Promise.resolve() },
        notes: {
          record: (next) => note(() => (this.replaced = next)),
          forget: () => note(() => (this.forgotten = true)),
          place: (made) => note(() => (this.kubernetesUid = uidOf(made))),
          mustBeOurs: () => this.mustBeOurs(),
          whyGone: () => Promise.resolve(undefined),
        },
        change: { id: 'chg_1', request: { clusterConfiguration: 'ha-3' } },
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

  mustBeOurs(): Promise<void> {
    return this.isOurs ? Promise.resolve() : Promise.reject(new Killed('another worker has it'));
  }

  /** Has the further replicas made while the single one serves, as `changeShape` does. */
  async await(writer: DatabaseWriter): Promise<void> {
    const object = this.database!;
    const { nowMs } = this.cluster;
    await askForReplicas(writer, object, 'ha-3', { nowMs, mustBeOurs: () => this.mustBeOurs() });
    const { kind } = nextReplicas(object, 'ha-3', nowMs);
    if (kind === 'failed') await forgetReplicas(writer, object);
    this.waited = kind;
    this.stops = kind === 'ready';
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
    const isNew = now?.spec.topology === 'ha-3' && now.status?.bootstrapped !== true;
    if (!isNew || this.replaced.givenUp !== undefined || this.replaced.turned === true) return;
    const givenUp = { from: 'volumes', code: 'new_shape_not_begun', message: 'no room' } as const;
    this.replaced = { ...this.replaced, givenUp };
  }

  async untilDone(): Promise<void> {
    for (let turn = 0; turn < 300 && this.outcome === undefined; turn += 1) {
      await this.operate(100, false);
      this.move();
      await this.work(100, false);
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

const policy = fc.constantFrom<Policy>('Retain', 'Delete', 'BackupThenDelete', 'BackupThenRetain');
interface Deed {
  readonly who: 'worker' | 'operator' | 'former operator' | 'cluster' | 'givesUp' | 'stops';
  readonly writes: number;
  readonly lost: boolean;
  readonly forgets: boolean;
}
const deed: fc.Arbitrary<Deed> = fc.record({
  who: fc.constantFrom<Deed['who']>(
    'worker',
    'operator',
    'operator',
    'former operator',
    'cluster',
    'givesUp',
    'stops',
  ),
  writes: fc.integer({ min: 1, max: 3 }),
  lost: fc.boolean(),
  forgets: fc.boolean(),
});
const history = fc.array(deed, { minLength: 20, maxLength: 80 });

const givenUpAtOnce: readonly Deed[] = Array.from({ length: 25 }, () =>
  (['worker', 'operator', 'cluster', 'givesUp'] as const).map((who) => ({
    who,
    writes: 3,
    lost: false,
    forgets: false,
  })),
).flat();

async function live(world: World, deeds: readonly Deed[], givesUp: boolean) {
  for (const { who, writes, lost, forgets } of deeds) {
    if (who === 'worker') await world.work(writes, lost, forgets);
    else if (who === 'operator') await world.operate(writes, lost);
    else if (who === 'former operator') await world.operateAsBefore();
    else if (who === 'cluster') world.move();
    else if (who === 'stops') world.stops = true;
    else if (givesUp) world.giveUp();
  }
  await world.untilDone();
}

test('after the death of any process after any write, the volume goes on with three replicas, or with one, and always has an owner', async () => {
  const ends = new Set<string>();
  await fc.assert(
    fc.asyncProperty(policy, history, fc.boolean(), async (deletionPolicy, deeds, givesUp) => {
      const world = new World(deletionPolicy, true, false);
      world.cluster.lingers = deeds.length % 3;
      await live(world, deeds, givesUp);
      const { database, outcome, first, cluster } = world;
      const topology = outcome?.kind === 'succeeded' ? 'ha-3' : 'single';
      ends.add(topology);
      if (!givesUp) expect(outcome).toEqual({ kind: 'succeeded' });
      if (outcome?.kind === 'failed')
        expect(outcome).toMatchObject({ retryable: false, error: { code: 'new_shape_not_begun' } });
      expect(database?.spec).toMatchObject({ topology, deletionPolicy, deletionProtection: true });
      expect(database?.metadata.uid).toBe(world.kubernetesUid);
      expect(database?.metadata.uid).not.toBe(uid);
      expect(database?.status).toMatchObject({
        workload,
        clusterId: world.replaced.clusterId,
        bootstrapped: true,
      });
      expect(first?.metadata.labels).toMatchObject({
        [labels.uid]: database?.metadata.uid,
        [labels.topology]: topology,
      });
      for (const note of [annotations.handedOver, annotations.reshaping])
        expect(first?.metadata.annotations?.[note]).toBeUndefined();
      for (const { metadata } of cluster.all('PersistentVolumeClaim')) {
        expect(metadata.annotations?.[annotations.madeFor]).toBeUndefined();
        expect(cluster.files.has(metadata.uid ?? '')).toBe(true);
      }
      expect(cluster.all('StatefulSet').map(({ spec }) => spec?.replicas)).toEqual([
        topology === 'single' ? 1 : 3,
      ]);
      // None is kept of replicas that have never run.
      cluster.move();
      expect(cluster.all('PersistentVolumeClaim')).toHaveLength(topology === 'single' ? 1 : 3);
    }),
    {
      numRuns: Number(process.env['OBSERVATIONS'] ?? '25'),
      // Chance need not bring both ends.
      examples: [
        ['Retain', [], false],
        ['Retain', givenUpAtOnce, true],
      ],
    },
  );
  expect([...ends].toSorted()).toEqual(['ha-3', 'single']);
});

/** Until the further replicas of the new shape have their files, and the single one is about to stop. */
async function furtherAreMade(world: World): Promise<void> {
  for (let turn = 0; turn < 60 && !world.stops; turn += 1) {
    await world.work(100, false);
    if (world.stops) break;
    await world.operate(100, false);
    world.move();
  }
  expect(world).toMatchObject({ stops: true, waited: 'ready' });
}

const further = ({ cluster }: World) =>
  cluster
    .all('PersistentVolumeClaim')
    .filter(({ metadata }) => metadata.name !== `data-${workload}-0`);

test('no file is taken over while the replica of before still runs, though its node told of a crash before it knew that it goes', async () => {
  const world = new World('Retain', true, false);
  await furtherAreMade(world);
  world.cluster.lingers = 12;
  await world.untilDone();
  expect(world.outcome).toEqual({ kind: 'succeeded' });
});

test('while nobody is served no volume is made, and only the first replica’s file is touched', async () => {
  const world = new World('Retain', true, false);
  const { cluster } = world;
  await furtherAreMade(world);
  const made = further(world).map(({ metadata }) => metadata.uid);
  expect(made).toHaveLength(2);
  expect(cluster.all('StatefulSet').map(({ spec }) => spec?.replicas)).toEqual([1]);
  expect(world.database?.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'Ready', status: 'True' }),
  );
  const inTheGap: string[] = [];
  cluster.onWrite = ({ verb, kind, name: what }) => {
    world.check();
    if (verb === 'create' && (kind === 'Job' || kind === 'PersistentVolumeClaim'))
      inTheGap.push(what);
  };
  await world.untilDone();
  expect(world.outcome).toEqual({ kind: 'succeeded' });
  expect(inTheGap).toEqual([`${workload}-format-0`]);
  expect(further(world).map(({ metadata }) => metadata.uid)).toEqual(made);
});

test('further volumes of a change that does not come go after a while, and the database never stops', async () => {
  const world = new World('Retain', true, false);
  await furtherAreMade(world);
  for (let turn = 0; turn < 120 && further(world).length > 0; turn += 1) {
    await world.operate(1 + (turn % 3), turn % 2 === 0);
    world.move();
    const { cluster, database } = world;
    expect(cluster.all('StatefulSet').map(({ spec }) => spec?.replicas)).toEqual([1]);
    expect(database?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Available', status: 'True' }),
    );
  }
  expect(further(world)).toEqual([]);
  // Another change is another beginning: no Job of before is taken for one of its volumes.
  world.stops = false;
  await furtherAreMade(world);
  for (const { metadata } of further(world))
    expect(world.cluster.files.has(metadata.uid ?? '')).toBe(true);
});

test('volumes that were made for another topology are made anew, since their files are of that', async () => {
  const world = new World('Retain', true, false);
  await furtherAreMade(world);
  const others = further(world);
  for (const claim of others) {
    const { [annotations.madeFor]: made = '', ...noted } = claim.metadata.annotations ?? {};
    const own = { ...noted, [annotations.madeFor]: made.replace('ha-3', 'ha-6') };
    world.cluster.put({ ...claim, metadata: { ...claim.metadata, annotations: own } });
  }
  await world.untilDone();
  expect(world.outcome).toEqual({ kind: 'succeeded' });
  const now = further(world).map(({ metadata }) => metadata.uid);
  expect(now).toHaveLength(2);
  for (const { metadata } of others) expect(now).not.toContain(metadata.uid);
});

/** A Job that has succeeded says nothing of a volume that came after it. */
test('volumes that an operator of the release before has adopted, and whose files it is making, do not lose these to one of this release', async () => {
  const world = new World('Retain', true, false);
  const { cluster } = world;
  await furtherAreMade(world);
  const isAdopted = () =>
    world.database?.spec.topology === 'ha-3' &&
    further(world).every(
      ({ metadata }) => metadata.labels?.[labels.uid] === world.database?.metadata.uid,
    ) &&
    cluster.all('Job').some(({ metadata }) => metadata.name === `${workload}-format-0`);
  for (let turn = 0; turn < 100 && !isAdopted(); turn += 1) {
    await world.work(100, false);
    await world.operate(1, false);
    if (!isAdopted()) world.move();
  }
  expect(isAdopted()).toBe(true);
  const [job] = cluster
    .all('Job')
    .filter(({ metadata }) => metadata.name === `${workload}-format-0`);
  // It knows nothing of files that were made before, and makes each anew; it dies before it notes the last ones.
  for (const [at, claim] of further(world).entries()) {
    const { [annotations.formatted]: formatted = '', ...noted } = claim.metadata.annotations ?? {};
    const own = { ...noted, [annotations.madeFor]: `ha-3 ${formatted}` };
    cluster.put({ ...claim, metadata: { ...claim.metadata, annotations: own } });
    const { uid: _, ...metadata } = job!.metadata;
    const made = { type: 'Complete', status: 'True' };
    cluster.put({
      ...job!,
      metadata: { ...metadata, name: `${workload}-format-${at + 1}` },
      status: { conditions: [made] },
    });
  }
  await world.untilDone();
  expect(world.outcome).toEqual({ kind: 'succeeded' });
  for (const { metadata } of cluster.all('PersistentVolumeClaim'))
    expect(cluster.files.has(metadata.uid ?? '')).toBe(true);
});

test('further volumes go also if the operator dies while the earlier shape takes back what was handed over', async () => {
  const world = new World('Retain', true, false);
  await furtherAreMade(world);
  for (let turn = 0; turn < 60 && world.database !== undefined; turn += 1) {
    await world.work(100, false);
    await world.operate(100, false);
    world.move();
  }
  expect(further(world)).toHaveLength(2);
  // The cluster refuses the new shape.
  const givenUp = { from: 'volumes', code: 'refused', message: 'it is refused' } as const;
  world.replaced = { ...world.replaced, givenUp };
  const isTaken = () => world.first?.metadata.labels?.[labels.uid] === world.database?.metadata.uid;
  for (let turn = 0; turn < 60 && !isTaken(); turn += 1) {
    await world.work(100, false);
    await world.operate(1, false);
    if (!isTaken()) world.move();
  }
  await world.untilDone();
  expect(world.outcome).toMatchObject({ kind: 'failed' });
  for (let turn = 0; turn < 20; turn += 1) {
    await world.operate(100, false);
    world.move();
  }
  expect(further(world)).toEqual([]);
  expect(world.database?.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'Available', status: 'True' }),
  );
});

test('a place that the further replicas do not get is told before anything stops', async () => {
  const world = new World('Retain', true, false);
  const { cluster } = world;
  const before = world.database?.metadata.uid;
  for (let turn = 0; turn < 60 && world.waited !== 'failed'; turn += 1) {
    await world.work(100, false);
    await world.operate(100, false);
    for (const job of cluster.all('Job'))
      for (const { image = '' } of job.spec?.template.spec?.initContainers ?? [])
        cluster.missingImages.add(image);
    world.move();
  }
  expect(world).toMatchObject({ waited: 'failed', stops: false });
  expect(world.database?.metadata).toMatchObject({ uid: before });
  expect(world.database?.metadata.deletionTimestamp).toBeUndefined();
  for (let turn = 0; turn < 10; turn += 1) {
    await world.operate(100, false);
    world.move();
  }
  expect(further(world)).toEqual([]);
  expect(cluster.all('StatefulSet').map(({ spec }) => spec?.replicas)).toEqual([1]);
});

/** Until all files of the new shape are made, and nothing says yet that its replicas may run. */
async function filesAreMade(world: World): Promise<void> {
  const isMade = () => {
    const claims = world.cluster.all('PersistentVolumeClaim');
    const made = claims.filter(({ metadata }) => metadata.annotations?.[annotations.formatted]);
    return world.database?.spec.topology === 'ha-3' && made.length === 3;
  };
  for (let turn = 0; turn < 300 && !isMade(); turn += 1) {
    await world.operate(1, false);
    if (isMade()) break;
    world.move();
    await world.work(100, false);
  }
  expect(isMade()).toBe(true);
  expect(world.database?.status?.bootstrapped).not.toBe(true);
}

test('a new shape that begins while it is being taken away stays, under the policy that the database had', async () => {
  const world = new World('Delete');
  await filesAreMade(world);
  world.giveUp();
  // It notes what it removes, and writes the policy.
  await world.work(100, false);
  await world.work(100, false);
  expect(world.database?.spec.deletionPolicy).toBe('HandOver');
  await world.untilDone();
  expect(world.outcome).toEqual({ kind: 'succeeded' });
  const { spec } = world.database!;
  expect(spec).toMatchObject({
    topology: 'ha-3',
    deletionPolicy: 'Delete',
    deletionProtection: true,
  });
});

test('volumes that are the new shape’s alone by the time it is taken away go on with the new shape', async () => {
  const world = new World('Retain');
  const { cluster } = world;
  const job = () => cluster.all('Job')[0]?.spec?.template.spec;
  // No file is made.
  for (let turn = 0; turn < 100 && job() === undefined; turn += 1) {
    await world.work(100, false);
    await world.operate(100, false);
    if (job() === undefined) world.move();
  }
  for (const { image = '' } of job()?.containers ?? []) cluster.missingImages.add(image);
  world.giveUp();
  for (let turn = 0; turn < 100 && world.database !== undefined; turn += 1) {
    await world.work(100, false);
    await world.operate(100, false);
    world.move();
  }
  expect(world.database).toBeUndefined();
  // As if the operator had made them all, and had died before it said that replicas may run.
  cluster.missingImages.clear();
  const claims = cluster.all('PersistentVolumeClaim');
  expect(claims).toHaveLength(3);
  for (const [index, claim] of claims.entries()) {
    const { [annotations.reshaping]: _, ...noted } = claim.metadata.annotations ?? {};
    const formatted = `${world.replaced.clusterId}/${index}`;
    const own = { ...noted, [annotations.formatted]: formatted };
    cluster.files.add(claim.metadata.uid ?? '');
    cluster.put({ ...claim, metadata: { ...claim.metadata, annotations: own } });
  }
  await world.untilDone();
  expect(world.outcome).toEqual({ kind: 'succeeded' });
  expect(world.replaced.turned).toBe(true);
});

test('volumes that somebody let grow under the new shape go back to the earlier one', async () => {
  const world = new World('Retain');
  const { cluster } = world;
  const grown = () =>
    cluster
      .all('PersistentVolumeClaim')
      .some(({ spec }) => spec?.resources?.requests?.['storage'] === '5Gi');
  for (let turn = 0; turn < 100 && !grown(); turn += 1) {
    await world.work(100, false);
    if (world.database?.spec.topology === 'ha-3') {
      const patch = { spec: { storage: { sizeGb: 5 } } };
      await cluster.mergePatch({ resource: resources.database, namespace, name }, patch);
    }
    await world.operate(10, false);
    if (!grown()) world.move();
  }
  expect(grown()).toBe(true);
  world.giveUp();
  expect(world.replaced.givenUp).toBeDefined();
  await world.untilDone();
  expect(world.outcome).toMatchObject({ kind: 'failed', error: { code: 'new_shape_not_begun' } });
  expect(world.database?.status).toMatchObject({ bootstrapped: true, storage: { requestedGb: 5 } });
});

test.each([
  ['the policy, which an earlier definition does not have', 422, 'patch', 'HandOver'],
  ['the deletion, for a rule of somebody’s', 403, 'delete', 'HandOver'],
  ['the policy of a last backup', 422, 'patch', 'BackupThenRetain'],
  ['the deletion after a last backup', 403, 'delete', 'BackupThenRetain'],
] as const)(
  'if the cluster refuses %s, the database stays as it is',
  async (_, status, verb, policyOfStop) => {
    const world = new World('Delete', policyOfStop === 'HandOver');
    const { cluster } = world;
    const refuse = () => {
      throw new ApiError('it is refused', { status, reason: 'Invalid' });
    };
    cluster.onWrite = ({ kind, body, verb: done }) => {
      if (kind !== 'LedgerDatabase' || done !== verb) return;
      const asked = (body as DatabaseObject | undefined)?.spec.deletionPolicy;
      if (verb === 'delete' || asked === policyOfStop) refuse();
    };
    const before = world.database?.metadata.uid;
    for (let turn = 0; turn < 20 && world.outcome === undefined; turn += 1) {
      await world.work(100, false);
      await world.operate(100, false);
      world.move();
    }
    expect(world.outcome).toMatchObject({ kind: 'failed', retryable: false });
    expect(world.forgotten).toBe(true);
    const { metadata, spec } = world.database!;
    expect(metadata.uid).toBe(before);
    expect(metadata.deletionTimestamp).toBeUndefined();
    expect(spec).toMatchObject({ deletionPolicy: 'Delete', topology: 'single' });
    expect(cluster.all('StatefulSet').map((set) => set.spec?.replicas)).toEqual([1]);
  },
);

test('volumes of a resource that somebody made again in the gap are not taken for the database’s', async () => {
  const world = new World('Retain');
  const { cluster, databaseId } = world;
  const manifest = world.database!;
  const operate = async () => {
    await world.operate(100, false);
    world.move();
  };
  const isThere = () => world.database !== undefined;
  while (isThere()) {
    await world.work(100, false);
    await operate();
  }
  const { apiVersion, kind, spec } = manifest;
  const metadata = { name, namespace, labels: { [labels.databaseId]: databaseId } };
  await cluster.create(resources.database, { apiVersion, kind, metadata, spec });
  for (let turn = 0; turn < 20; turn += 1) await operate();
  await world.work(100, false);
  expect(world.outcome).toMatchObject({ retryable: true, error: { code: 'name_conflict' } });
  // As the error says: it is deleted, and the job retried.
  const made = world.database!;
  await cluster.delete(
    { resource: resources.database, namespace, name },
    { uid: uidOf(made), resourceVersion: undefined },
  );
  for (let turn = 0; turn < 20; turn += 1) await operate();
  expect(cluster.all('PersistentVolumeClaim')).toHaveLength(2);
  world.outcome = undefined;
  await world.untilDone();
  expect(world.outcome).toEqual({ kind: 'succeeded' });
  expect(world.first?.metadata.labels?.[labels.uid]).toBe(world.database?.metadata.uid);
});

test('a database whose volumes went in the instant in which they were to be kept goes on from its last backup', async () => {
  const world = new World('Retain', false);
  const { cluster, databaseId, replaced } = world;
  // Somebody writes `Delete` once the last backup has succeeded.
  cluster.onWrite = () => undefined;
  const givenUp = { from: 'volumes', code: 'last_backup_failed', message: 'changed' } as const;
  world.replaced = { ...replaced, givenUp };
  const target = { resource: resources.database, namespace, name };
  await cluster.mergePatch(target, { spec: { deletionProtection: false } });
  await cluster.delete(target, { uid: uidOf(world.database!), resourceVersion: undefined });
  for (let turn = 0; turn < 20; turn += 1) {
    await world.operate(100, false);
    cluster.move();
  }
  expect(world.database).toBeUndefined();
  for (const claim of cluster.all('PersistentVolumeClaim')) {
    const place = { resource: resources.claim, namespace, name: claim.metadata.name ?? '' };
    await cluster.delete(place, { uid: uidOf(claim), resourceVersion: undefined });
  }
  const at = '2026-11-21T10:00:00Z';
  const backupUid = '00000000-0000-4000-8000-00000000000b';
  cluster.put({
    apiVersion: 'ledgerhouse.dev/v1alpha1',
    kind: 'LedgerBackup',
    metadata: { name: finalBackupName(workload), namespace, uid: backupUid },
    spec: { database: name, type: 'Final' },
    status: {
      databaseId,
      startedAt: at,
      completedAt: at,
      conditions: [{ type: 'Succeeded', status: 'True', reason: 'Made' }],
    },
  } as never);
  for (let turn = 0; turn < 40 && world.database?.spec.bootstrap?.backup === undefined; turn += 1) {
    await world.work(100, false);
    await world.operate(100, false);
    cluster.move();
  }
  expect(world.database?.spec).toMatchObject({
    topology: 'single',
    deletionProtection: true,
    bootstrap: { backup: { databaseId, backupId: backupIdOf(backupUid) } },
  });
});

test('a worker that has lost its job writes nothing at any step, also while what it made goes again', async () => {
  const world = new World('Retain', true, true);
  for (let turn = 0; turn < 400 && world.outcome === undefined; turn += 1) {
    await world.lookInVain();
    await world.work(100, false);
    world.giveUp();
    await world.operate(100, false);
    world.move();
  }
  expect(world.outcome).toMatchObject({ kind: 'failed', error: { code: 'new_shape_not_begun' } });
});

test('a last backup that somebody asks for while the volume is handed over is made by nobody, and waited for by nobody', async () => {
  const world = new World('Retain');
  const isDeleted = () => world.database?.metadata.deletionTimestamp !== undefined;
  for (let turn = 0; turn < 40 && !isDeleted(); turn += 1) {
    await world.work(100, false);
    await world.operate(100, false);
  }
  expect(isDeleted()).toBe(true);
  const named = { resource: resources.backup, namespace, name: finalBackupName(workload) };
  world.cluster.put({
    apiVersion: 'ledgerhouse.dev/v1alpha1',
    kind: 'LedgerBackup',
    metadata: { name: named.name, namespace, uid: '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d21' },
    spec: { database: name, type: 'Final' },
  } as never);
  await world.untilDone();
  expect(world.outcome).toEqual({ kind: 'succeeded' });
  expect(await world.cluster.read(named)).toBeUndefined();
});
