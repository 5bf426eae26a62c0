/** The job of a change against a real PostgreSQL, with a resource in a simulated cluster. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { changeHandler } from '../../../api/configuration/apply-change.ts';
import { changeJob } from '../../../api/configuration/change-jobs.ts';
import { changeShape } from '../../../api/configuration/change-shape.ts';
import { readChangeWorld } from '../../../api/configuration/change-world.ts';
import { impactOf } from '../../../api/configuration/impact.ts';
import { planChange } from '../../../api/configuration/plan-change.ts';
import { placeBefore } from '../../../api/configuration/shape-backups.ts';
import type { JobContext } from '../../../api/jobs/handler.ts';
import { BackupWriter } from '../../../api/kubernetes/backup-writer.ts';
import { DatabaseWriter } from '../../../api/kubernetes/database-writer.ts';
import type { BackupFacts } from '../../../api/model/backup.ts';
import { createBackup, updateBackup } from '../../../api/store/backups.ts';
import type { Change } from '../../../api/store/change.ts';
import {
  createConfigurationChange,
  findConfigurationChange,
  updateConfigurationChange,
} from '../../../api/store/configuration-changes.ts';
import { findAnyDatabase, updateDatabase } from '../../../api/store/databases.ts';
import { JobLeaseLost } from '../../../api/store/job-leases.ts';
import { createJob } from '../../../api/store/jobs.ts';
import type { Organization } from '../../../api/store/organizations.ts';
import type { Store } from '../../../api/store/store.ts';
import { ApiError } from '../../../base/kube/kube.ts';
import type {
  CatalogSpec,
  DatabaseObject,
  OneBackupObject,
} from '../../../domain/custom-resources.ts';
import { LOG_DAYS } from '../../../domain/kept-log.ts';
import { annotations, backupIdOf, finalBackupName } from '../../../domain/names.ts';
import { written, type RecoveryWindow } from '../../../domain/recovery.ts';
import { returnOf, type EarlierState } from '../../../domain/returning.ts';
import { catalogSpec } from '../../fixtures/catalog.ts';
import { TestPostgres } from '../../support/api/postgres.ts';
import { newBackup } from '../../support/api/stored-backups.ts';
import { makeServingDatabase, openTestStore, tester } from '../../support/api/store.ts';
import { disorder, name, uid } from '../../support/operator/disordered-database.ts';
import { recipeOf } from '../../support/operator/plan-of.ts';
import type { SimulatedCluster } from '../../support/operator/simulated-cluster.ts';

let postgres: TestPostgres;
let store: Store;
let organization: Organization;

type Begun = Parameters<typeof createConfigurationChange>[1];

/** A change that a worker is about to apply. */
const beginChange = (
  write: Change,
  databaseId: string,
  part: Pick<Begun, 'request' | 'diff' | 'impact' | 'generation'>,
) =>
  createConfigurationChange(write, {
    organizationId: organization.id,
    databaseId,
    status: 'APPLYING',
    origin: 'api',
    priceDelta: null,
    applyAfter: null,
    inWindow: false,
    previousRevision: 1,
    ...part,
  });

beforeAll(async () => {
  postgres = await TestPostgres.create();
  ({ store, organization } = await openTestStore(postgres));
});

afterAll(async () => {
  await store?.close();
  await postgres?.remove();
});

const sizeOf = (cluster: SimulatedCluster) => cluster.all('LedgerDatabase')[0]?.spec.size;

test('a change that has failed goes on when its job is retried, and takes nothing back', async () => {
  const cluster = disorder(recipeOf({ kind: { engine: 'Builtin', topology: 'single' } }));
  const [object] = cluster.all('LedgerDatabase');
  expect(object?.metadata.uid).toBe(uid);
  cluster.put({ ...object!, spec: { ...object!.spec, size: 'lh-10' } });
  const diff = [{ path: '/clusterSize', from: 'lh-5', to: 'lh-10' }];
  const made = await makeServingDatabase(store, organization, name);
  const { change, job } = await store.change(tester, async (write) => {
    await updateDatabase(write, made.id, { kubernetesUid: uid });
    const begun = await beginChange(write, made.id, {
      request: { clusterSize: 'lh-10' },
      diff,
      impact: impactOf(diff, { replicas: 1, suspended: false, versionReversible: true }),
      // The operator has not seen it yet.
      generation: 7,
    });
    const error = { code: 'stalled', message: 'No room.', state: 'It serves.', nextSteps: [] };
    await updateConfigurationChange(write, begun.id, { status: 'FAILED', error });
    return { change: begun, job: await createJob(write, changeJob(begun)) };
  });
  const context: JobContext = {
    job,
    signal: new AbortController().signal,
    write: (work) => store.change(tester, (write) => work(write, job)),
    step: () => Promise.resolve(),
  };
  const handler = changeHandler({
    store,
    writer: new DatabaseWriter(cluster),
    backups: new BackupWriter(cluster),
    catalog: () => catalogSpec(),
    nowMs: () => cluster.nowMs,
  });
  expect(await handler.run(context)).toMatchObject({ kind: 'again' });
  expect(sizeOf(cluster)).toBe('lh-10');
  const now = await findConfigurationChange(store.read, made.id, change.id);
  expect(now).toMatchObject({ status: 'APPLYING', error: null });
});

test('a restore in place that had not begun takes nothing away when its job is retried, as a key may', async () => {
  const cluster = disorder(recipeOf({ kind: { engine: 'Builtin', topology: 'single' } }));
  const database = await makeServingDatabase(store, organization, 'regrets-late');
  const diff = [{ path: '/restoredTo', from: null, to: { targetOp: 7 } }];
  const { change, job } = await store.change(tester, async (write) => {
    const begun = await beginChange(write, database.id, {
      request: { restoredTo: { targetOp: 7 } },
      diff,
      impact: impactOf(diff, { replicas: 1, suspended: false, versionReversible: true }),
    });
    const error = { code: 'job_deadline_exceeded', message: '', state: '', nextSteps: [] };
    await updateConfigurationChange(write, begun.id, { status: 'FAILED', error });
    return { change: begun, job: await createJob(write, changeJob(begun)) };
  });
  const handler = changeHandler({
    store,
    writer: new DatabaseWriter(cluster),
    backups: new BackupWriter(cluster),
    catalog: () => catalogSpec(),
    nowMs: () => cluster.nowMs,
  });
  const outcome = await handler.run({
    job,
    signal: new AbortController().signal,
    write: (work) => store.change(tester, (write) => work(write, job)),
    step: () => Promise.resolve(),
  });
  expect(outcome).toMatchObject({ kind: 'failed', retryable: false });
  expect(await findConfigurationChange(store.read, database.id, change.id)).toMatchObject({
    status: 'FAILED',
  });
});

test('a worker whose write met a conflict, and that has lost its job since, writes nothing more', async () => {
  const cluster = disorder(recipeOf({ kind: { engine: 'Builtin', topology: 'single' } }));
  const object = cluster.all('LedgerDatabase').find(({ metadata }) => metadata.uid === uid)!;
  const kubernetesUid = '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d11';
  cluster.put({ ...object, metadata: { ...object.metadata, name: 'stale', uid: kubernetesUid } });
  const made = await makeServingDatabase(store, organization, 'stale');
  const request = { parameters: { limitConnections: '77' } };
  const catalog = catalogSpec();
  const sources = { db: store.read, writer: new DatabaseWriter(cluster), catalog };
  const seen = await readChangeWorld(sources, { ...made, kubernetesUid }, request);
  const { diff, impact } = planChange(seen, request);
  const { job } = await store.change(tester, async (write) => {
    await updateDatabase(write, made.id, { kubernetesUid });
    const begun = await beginChange(write, made.id, {
      request,
      diff,
      impact,
    });
    return { job: await createJob(write, changeJob(begun)) };
  });
  const tried: string[] = [];
  let isOurs = true;
  const writer = new (class extends DatabaseWriter {
    override changeIf(): Promise<DatabaseObject> {
      tried.push('changeIf');
      isOurs = false;
      return Promise.reject(new ApiError('it has moved', { status: 409, reason: 'Conflict' }));
    }
  })(cluster);
  const context: JobContext = {
    job,
    signal: new AbortController().signal,
    write: (work) =>
      isOurs
        ? store.change(tester, (write) => work(write, job))
        : Promise.reject(new JobLeaseLost('another worker has it')),
    step: () => Promise.resolve(),
  };
  const world = { store, writer, catalog: () => catalog, nowMs: () => cluster.nowMs };
  const handler = changeHandler({ ...world, backups: new BackupWriter(cluster) });
  await expect(handler.run(context)).rejects.toThrow(JobLeaseLost);
  expect(tried).toEqual(['changeIf']);
});

test('a worker that has lost its job puts nothing back: somebody may have asked for the same again', async () => {
  const cluster = disorder(recipeOf({ kind: { engine: 'Builtin', topology: 'single' } }));
  const object = cluster.all('LedgerDatabase').find(({ metadata }) => metadata.uid === uid)!;
  const kubernetesUid = '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d12';
  const { metadata, spec } = object;
  cluster.put({
    ...object,
    metadata: { ...metadata, name: 'refused', uid: kubernetesUid },
    spec: { ...spec, size: 'lh-10' },
  });
  const diff = [{ path: '/clusterSize', from: 'lh-5', to: 'lh-10' }];
  const made = await makeServingDatabase(store, organization, 'refused');
  const job = await store.change(tester, async (write) => {
    await updateDatabase(write, made.id, { kubernetesUid });
    const begun = await beginChange(write, made.id, {
      request: { clusterSize: 'lh-10' },
      diff,
      impact: impactOf(diff, { replicas: 1, suspended: false, versionReversible: true }),
      generation: 1,
    });
    const error = { code: 'stalled', message: 'No room.', state: 'It serves.', nextSteps: [] };
    await updateConfigurationChange(write, begun.id, { error });
    return createJob(write, changeJob(begun));
  });
  const handler = changeHandler({
    store,
    writer: new DatabaseWriter(cluster),
    backups: new BackupWriter(cluster),
    catalog: () => catalogSpec(),
    nowMs: () => cluster.nowMs,
  });
  const context: JobContext = {
    job,
    signal: new AbortController().signal,
    write: () => Promise.reject(new JobLeaseLost('another worker has it')),
    step: () => Promise.resolve(),
  };
  await expect(handler.run(context)).rejects.toThrow(JobLeaseLost);
  const [asked] = cluster.all('LedgerDatabase').filter((one) => one.metadata.name === 'refused');
  expect(asked?.spec.size).toBe('lh-10');
});

/** A single replica that is about to become three, in place. */
async function growing(called: string) {
  const cluster = disorder(
    recipeOf({
      kind: { engine: 'Builtin', topology: 'single' },
      changes: { size: 'lh-40', sizeGb: 2, version: 'none' },
    }),
  );
  const resource = () =>
    cluster.all('LedgerDatabase').find(({ metadata }) => metadata.uid === uid)!;
  const object = resource();
  const made = await makeServingDatabase(store, organization, called);
  const request = { clusterConfiguration: 'ha-3' } as const;
  const whole = catalogSpec();
  const catalog: CatalogSpec = {
    ...whole,
    engines: whole.engines.map((engine) => ({
      ...engine,
      versions: engine.versions.map((row) => ({ ...row, reshapes: true })),
    })),
  };
  const writer = new DatabaseWriter(cluster);
  const row = {
    ...made,
    name: object.metadata.name,
    kubernetesNamespace: object.metadata.namespace ?? '',
    kubernetesUid: uid,
  };
  const { diff, impact } = planChange(
    await readChangeWorld({ db: store.read, writer, catalog }, row, request),
    request,
  );
  expect(impact).toMatchObject({ interruption: 'SECONDS' });
  const { change, job } = await store.change(tester, async (write) => {
    const begun = await beginChange(write, made.id, { request, diff, impact });
    return { change: begun, job: await createJob(write, changeJob(begun)) };
  });
  const world = {
    store,
    writer,
    backups: new BackupWriter(cluster),
    catalog: () => catalog,
    nowMs: () => cluster.nowMs,
  };
  const run = (part: Partial<JobContext> = {}) =>
    changeShape(world, { ...contextOf(job), ...part }, { change, database: row }, () =>
      Promise.resolve(false),
    );
  const backups = () => [...cluster.objects.values()].filter(({ kind }) => kind === 'LedgerBackup');
  return {
    run,
    backups,
    nowMs: () => cluster.nowMs,
    asked: () => resource().metadata.annotations?.[annotations.nextTopology],
    /** The backup before the change is asked for and made. */
    backUp: async () => {
      expect(await run()).toMatchObject({ kind: 'again' });
      const at = new Date(cluster.nowMs).toISOString();
      const status = {
        databaseId: made.id,
        startedAt: at,
        completedAt: at,
        conditions: [{ type: 'Succeeded', status: 'True', reason: 'Made' }],
      };
      cluster.put({ ...backups()[0]!, status } as never);
    },
    /** Somebody makes a backup of a database under the name of the last one of this. */
    putInTheWay: (database: string) =>
      cluster.put({
        apiVersion: 'ledgerhouse.dev/v1alpha1',
        kind: 'LedgerBackup',
        metadata: {
          name: finalBackupName(object.status?.workload ?? ''),
          namespace: object.metadata.namespace,
          uid: '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d22',
        },
        spec: { database, type: 'Final' },
      } as never),
    name: object.metadata.name,
  };
}

/** Nothing keeps the place that a further replica's Job had: what has found room before a backup of hours may find none after it. */
test('the further replicas of a change of shape are asked for once the backup is made, and not before', async () => {
  const { run, backups, backUp, asked } = await growing('grows');
  await backUp();
  expect(backups()).toHaveLength(1);
  expect(asked()).toBeUndefined();
  expect(await run()).toMatchObject({ kind: 'again' });
  expect(asked()).toMatch(/^ha-3\//);
});

test('a change of shape keeps the last backup of its database from before that is made on', async () => {
  const { run, backups, backUp, nowMs } = await growing('keeps');
  await backUp();
  await run();
  const [before] = backups() as unknown as readonly OneBackupObject[];
  expect(returnOf(before!, nowMs())).toEqual({
    origin: {
      databaseId: before?.status?.databaseId,
      backupId: backupIdOf(before?.metadata.uid ?? ''),
    },
    leftMs: 60 * 60_000,
  });
});

test('a worker that has lost its job asks for no backup and no replicas, and removes no last backup', async () => {
  const { run, backups, backUp, asked, putInTheWay, name: own } = await growing('lost');
  const write = () => Promise.reject(new JobLeaseLost('another worker has it'));
  await expect(run({ write })).rejects.toThrow(JobLeaseLost);
  expect(backups()).toEqual([]);
  await backUp();
  await expect(run({ write })).rejects.toThrow(JobLeaseLost);
  expect(asked()).toBeUndefined();
  putInTheWay(own);
  await expect(run({ write })).rejects.toThrow(JobLeaseLost);
  expect(backups()).toHaveLength(2);
});

test('a backup of another database under the name of the last one is not removed, and is named as what is in the way', async () => {
  const { run, backups, backUp, asked, putInTheWay } = await growing('blocked');
  await backUp();
  putInTheWay('payroll');
  expect(await run()).toMatchObject({
    kind: 'failed',
    error: {
      code: 'backup_in_the_way',
      message: expect.stringContaining('a backup of the database payroll'),
    },
  });
  expect(backups()).toHaveLength(2);
  expect(asked()).toBeUndefined();
});

/** A database of its own beside the one that there is, and its row. */
async function another(cluster: SimulatedCluster, called: string, kubernetesUid: string) {
  const object = cluster.all('LedgerDatabase').find(({ metadata }) => metadata.uid === uid)!;
  const { metadata } = object;
  cluster.put({ ...object, metadata: { ...metadata, name: called, uid: kubernetesUid } });
  const made = await makeServingDatabase(store, organization, called);
  await store.change(tester, (write) => updateDatabase(write, made.id, { kubernetesUid }));
  return made;
}

const contextOf = (job: Awaited<ReturnType<typeof createJob>>): JobContext => ({
  job,
  signal: new AbortController().signal,
  write: (work) => store.change(tester, (write) => work(write, job)),
  step: () => Promise.resolve(),
});

/** `aheadMs`: of the worker's clock. */
const handlerIn = (cluster: SimulatedCluster, aheadMs = 0) =>
  changeHandler({
    store,
    writer: new DatabaseWriter(cluster),
    backups: new BackupWriter(cluster),
    catalog: () => catalogSpec(),
    nowMs: () => cluster.nowMs + aheadMs,
  });

/** The job of a change of shape that has asked for further replicas, and is possible no more. */
async function impossibleShape(called: string, kubernetesUid: string) {
  const cluster = disorder(recipeOf({ kind: { engine: 'Builtin', topology: 'single' } }));
  const made = await another(cluster, called, kubernetesUid);
  const resource = () =>
    cluster.all('LedgerDatabase').find(({ metadata }) => metadata.uid === kubernetesUid)!;
  const object = resource();
  cluster.put({
    ...object,
    metadata: {
      ...object.metadata,
      annotations: { [annotations.nextTopology]: 'ha-3/2026-11-21T10:15:00Z' },
    },
    // By somebody, meanwhile.
    spec: { ...object.spec, paused: true },
  });
  const request = { clusterConfiguration: 'ha-3' } as const;
  const diff = [{ path: '/clusterConfiguration', from: 'single', to: 'ha-3' }];
  const job = await store.change(tester, async (write) => {
    const impact = impactOf(diff, { replicas: 1, suspended: false, versionReversible: true });
    return createJob(
      write,
      changeJob(await beginChange(write, made.id, { request, diff, impact })),
    );
  });
  const place = { namespace: object.metadata.namespace ?? '', name: nameBefore(job) };
  const until = '2026-11-21T10:15:00Z';
  cluster.put({
    apiVersion: 'ledgerhouse.dev/v1alpha1',
    kind: 'LedgerBackup',
    metadata: { ...place, annotations: { [annotations.returnsTo]: `backupId=bkp_1/${until}` } },
    spec: { database: called, type: 'PreChange' },
  } as never);
  const asked = () => resource().metadata.annotations?.[annotations.nextTopology];
  const kept = async () =>
    (await new BackupWriter(cluster).read(place))?.metadata.annotations?.[annotations.returnsTo];
  return { handler: handlerIn(cluster), context: contextOf(job), asked, kept };
}

test('a change of shape that is possible no more leaves nothing that was asked for beside the database, and keeps no backup', async () => {
  const { handler, context, asked, kept } = await impossibleShape(
    'impossible',
    '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d13',
  );
  expect(await kept()).toBeDefined();
  expect(await handler.run(context)).toMatchObject({ kind: 'failed', retryable: false });
  expect(asked()).toBeUndefined();
  expect(await kept()).toBeUndefined();
});

test('a worker that has lost its job takes nothing away that the one which has it may have asked for', async () => {
  const { handler, context, asked, kept } = await impossibleShape(
    'overtaken',
    '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d15',
  );
  const write = () => Promise.reject(new JobLeaseLost('another worker has it'));
  await expect(handler.run({ ...context, write })).rejects.toThrow(JobLeaseLost);
  expect(asked()).toBeDefined();
  expect(await kept()).toBeDefined();
});

/** A single replica whose owner has it go back to a backup. */
interface Wanted {
  /** Of the worker's clock. */
  readonly aheadMs?: number;
  /** Default: the backup, which is of operation 7. */
  readonly restoredTo?: EarlierState;
  readonly recovery?: RecoveryWindow;
  /** Time from now, by the cluster's clock, at which the sweep may delete the log before a later backup. */
  readonly logGoesInMs?: number;
  /** When that backup ended by the clock of its Job. */
  readonly laterSays?: Date;
  /** Whether its log is archived still. */
  readonly isArchived?: boolean;
}

async function returning(
  called: string,
  kubernetesUid: string,
  backupUid: string,
  {
    aheadMs = 0,
    restoredTo = { backupId: backupIdOf(backupUid) },
    recovery,
    logGoesInMs,
    laterSays,
    isArchived = false,
  }: Wanted = {},
) {
  const cluster = disorder(recipeOf({ kind: { engine: 'Builtin', topology: 'single' } }));
  const made = await another(cluster, called, kubernetesUid);
  const resource = () =>
    cluster.all('LedgerDatabase').find(({ metadata }) => metadata.uid === kubernetesUid)!;
  const object = resource();
  cluster.put({
    ...object,
    status: { ...object.status, databaseId: made.id, restoresInPlace: true },
  } as never);
  const diff = [{ path: '/restoredTo', from: null, to: restoredTo }];
  const streams = { from: { suspended: false }, to: { suspended: true } };
  const { job, backup } = await store.change(tester, async (write) => {
    const wanted = await createBackup(
      write,
      newBackup({
        organizationId: organization.id,
        databaseId: made.id,
        name: `${called}-good`,
        kubernetesNamespace: object.metadata.namespace ?? '',
        kubernetesUid: backupUid,
      }),
    );
    await updateBackup(write, wanted!.id, {
      status: 'SUCCEEDED',
      completedAt: new Date(),
      facts: factsAt(7),
    });
    const begun = await beginChange(write, made.id, {
      request: { restoredTo },
      diff: [...diff, { path: '/changeDataCapture', ...streams }],
      impact: impactOf(diff, { replicas: 1, suspended: false, versionReversible: true }),
    });
    return { job: await createJob(write, changeJob(begun)), backup: wanted! };
  });
  const handler = handlerIn(cluster, aheadMs);
  const backups = () => [...cluster.objects.values()].filter(({ kind }) => kind === 'LedgerBackup');
  const before = () => backups().find(({ metadata }) => metadata.name?.startsWith('shape-'));
  const kept = () => {
    const one = before();
    return one === undefined ? undefined : returnOf(one as OneBackupObject, cluster.nowMs);
  };
  const run = (withinMs = 7 * 86_400_000) =>
    handler.run(contextOf({ ...job, deadlineAt: new Date(cluster.nowMs + withinMs) }));
  if (recovery !== undefined) {
    const { observed } = (await findAnyDatabase(store.read, made.id))!;
    const archiving = isArchived ? { rpoSeconds: 30, state: null, healthy: true } : null;
    await store.change(tester, (write) =>
      updateDatabase(write, made.id, { observed: { ...observed!, recovery, archiving } }),
    );
  }
  if (logGoesInMs !== undefined) {
    const createdAt = new Date(cluster.nowMs + logGoesInMs - (LOG_DAYS + 1) * 86_400_000);
    await store.change(tester, async (write) => {
      const later = await createBackup(
        write,
        newBackup({
          organizationId: organization.id,
          databaseId: made.id,
          name: `${called}-later`,
          kubernetesNamespace: object.metadata.namespace ?? '',
          kubernetesUid: backupUid.replace('7e1f', '9e1f'),
          createdAt,
        }),
      );
      await updateBackup(write, later!.id, {
        status: 'SUCCEEDED',
        completedAt: laterSays ?? createdAt,
        facts: factsAt(100),
      });
    });
  }
  return {
    run,
    pass: (ms: number) => (cluster.nowMs += ms),
    cancel: () => handler.cancel?.(contextOf({ ...job, status: 'CANCELING' })),
    /** As it expires, or somebody removes it in the store. */
    remove: () =>
      store.change(tester, (write) => updateBackup(write, backup.id, { status: 'EXPIRED' })),
    /** Somebody asks for its removal; `begun`: the operator has noted that. */
    askToRemove: async (begun: boolean) => {
      await store.change(tester, (write) => updateBackup(write, backup.id, { status: 'DELETING' }));
      const at = new Date(cluster.nowMs).toISOString();
      const { resourceName: name, kubernetesNamespace: namespace } = backup;
      cluster.put({
        apiVersion: 'ledgerhouse.dev/v1alpha1',
        kind: 'LedgerBackup',
        metadata: { name, namespace, uid: backupUid },
        spec: { database: called, type: 'Manual', removeRequested: true },
        status: { databaseId: made.id, ...endedAt(at), ...(begun && { removalBegunAt: at }) },
      } as never);
    },
    /** The backup before is made, and passes its test. */
    prove: () => {
      const one = before();
      const at = new Date(cluster.nowMs + 60_000).toISOString();
      const verification = { startedAt: at, completedAt: at, passed: true };
      cluster.put({
        ...one!,
        status: { databaseId: made.id, ...endedAt(at), verification },
      } as never);
    },
    begun: async () =>
      (await findConfigurationChange(store.read, made.id, changeIdOf(job)))?.replaced !== null,
    before,
    kept,
    made,
    backups,
  };
}

const changeIdOf = ({ input }: { readonly input: unknown }) =>
  (input as { readonly changeId: string }).changeId;
/** Of the backup that a job makes first. */
const nameBefore = (job: { readonly input: unknown }) =>
  placeBefore({ id: changeIdOf(job) }, '').name;

const endedAt = (at: string) => ({
  startedAt: at,
  completedAt: at,
  conditions: [
    { type: 'Succeeded', status: 'True', reason: 'Made', message: '', lastTransitionTime: at },
  ],
});

const momentAt = (op: number) => ({ op, timestamp: op === 0 ? 0n : beginsAt + BigInt(op) });
const beginsAt = 1_798_761_600_000_000_000n;
const logFrom = (op: number, to = 500): RecoveryWindow => ({
  earliest: written(momentAt(op)),
  latest: written(momentAt(to)),
  gaps: [],
});

const factsAt = (op: number): BackupFacts => ({
  op,
  timestamp: String(momentAt(op).timestamp),
  stateHash: 'b'.repeat(32),
  release: '0.1.0',
  accounts: 0,
  transfers: 0,
  sizeBytes: 0,
  storedBytes: 0,
  newBytes: 0,
  seconds: 0,
});

test('the backup to which a database goes back is kept while another one is made first; once it is gone all the same, nothing is begun', async () => {
  const { run, remove, kept, made, backups } = await returning(
    'regretted',
    '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d31',
    '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d32',
  );
  expect(await run()).toMatchObject({ kind: 'again' });
  expect(kept()?.origin).toEqual({
    databaseId: made.id,
    backupId: backupIdOf('7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d32'),
  });
  expect(backups()).toHaveLength(1);
  await remove();
  expect(await run()).toMatchObject({
    kind: 'failed',
    error: { code: 'moment_unavailable', message: expect.stringContaining('Nothing was begun.') },
    retryable: false,
  });
  expect(kept()).toBeUndefined();
});

test('a restore in place that is cancelled keeps nothing any more, and is not retried', async () => {
  const { run, cancel, kept, backups } = await returning(
    'canceled',
    '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d33',
    '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d34',
  );
  await run();
  expect(kept()).toBeDefined();
  expect(await cancel()).toEqual({ kind: 'canceled', retryable: false });
  expect(kept()).toBeUndefined();
  expect(backups()).toHaveLength(1);
});

test('what a restore in place keeps ends with the deadline of its job', async () => {
  const { run, kept } = await returning(
    'slow',
    '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d35',
    '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d36',
  );
  await run(5 * 60_000);
  expect(kept()?.leftMs).toBe(5 * 60_000);
  await run();
  expect(kept()?.leftMs).toBe(60 * 60_000);
});

/** Until the job replaces the resource, or ends. */
async function untilBegun({ run, prove, begun }: Awaited<ReturnType<typeof returning>>) {
  for (let turn = 0; turn < 6; turn += 1) {
    const outcome = await run();
    if (outcome.kind === 'failed' || (await begun())) return outcome;
    prove();
  }
  throw new Error('it neither began nor failed');
}

const wanted: readonly (readonly [what: string, uids: string, more: Wanted])[] = [
  ['a backup', '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d4', {}],
  ['a moment', '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d5', { restoredTo: { targetOp: 7 } }],
  [
    'a moment before the log',
    '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d8',
    { restoredTo: { targetOp: 7 }, recovery: logFrom(100) },
  ],
  [
    'a moment of the log',
    '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d9',
    { restoredTo: { targetOp: 9 }, recovery: logFrom(7) },
  ],
];
const calledAfter = (what: string) => what.slice(2).replaceAll(' ', '-');

test.each(wanted)(
  'nothing is stopped to go back to %s if the operator had begun to remove the backup that it needs before anything kept that',
  async (what, uids, more) => {
    const one = await returning(`going-${calledAfter(what)}`, `${uids}1`, `${uids}2`, more);
    await one.askToRemove(true);
    const failed = { kind: 'failed', error: { code: 'moment_unavailable' }, retryable: false };
    expect(await untilBegun(one)).toMatchObject(failed);
    expect(await one.begun()).toBe(false);
    // Nobody waited for a backup of it.
    expect(one.before()).toBeUndefined();
  },
);

test.each(wanted)(
  'nothing is stopped to go back to %s if the operator begins to remove the backup that it needs in the instant in which that is kept',
  async (what, uids, more) => {
    const one = await returning(`went-${calledAfter(what)}`, `${uids}5`, `${uids}6`, more);
    await one.run();
    await one.askToRemove(true);
    expect(one.kept()).toBeDefined();
    const failed = { kind: 'failed', error: { code: 'moment_unavailable' }, retryable: false };
    expect(await untilBegun(one)).toMatchObject(failed);
    expect(await one.begun()).toBe(false);
    expect(one.kept()).toBeUndefined();
  },
);

test.each(wanted)(
  'a database goes back to %s although somebody asks meanwhile for the removal of the backup that it needs',
  async (what, uids, more) => {
    const one = await returning(`asked-${calledAfter(what)}`, `${uids}3`, `${uids}4`, more);
    await one.run();
    await one.askToRemove(false);
    expect(await untilBegun(one)).toMatchObject({ kind: 'again' });
    expect(await one.begun()).toBe(true);
  },
);

test.each([
  ['without a log', '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d37', undefined],
  ['after its log ended', '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d3b', logFrom(0, 5)],
])(
  'nothing is begun to go back to a moment that a database %s had in a backup only, once that is gone',
  async (what, kubernetesUid, recovery) => {
    const one = await returning(
      `only-backup-${what.replaceAll(' ', '-')}`,
      kubernetesUid,
      kubernetesUid.replace('7e1f', '8e1f'),
      { restoredTo: { targetOp: 7 }, ...(recovery && { recovery }) },
    );
    expect(await one.run()).toMatchObject({ kind: 'again' });
    await one.remove();
    expect(await one.run()).toMatchObject({
      kind: 'failed',
      error: { code: 'moment_unavailable', message: expect.stringContaining('Nothing was begun.') },
    });
    expect(one.kept()).toBeUndefined();
  },
);

test('a database goes back to a moment of which the log from the first operation on has everything, although a backup of it is removed', async () => {
  const one = await returning(
    'from-first',
    '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d39',
    '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d3a',
    { restoredTo: { targetOp: 9 }, recovery: logFrom(0) },
  );
  await one.askToRemove(true);
  expect(await untilBegun(one)).toMatchObject({ kind: 'again' });
  expect(await one.begun()).toBe(true);
});

test('a database goes back to a moment that its archive had reached, although the operator has not told that yet and the backup before is later', async () => {
  const one = await returning(
    'moments-ago',
    '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7df1',
    '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7df2',
    {
      restoredTo: { targetOp: 90 },
      recovery: logFrom(7, 80),
      isArchived: true,
      logGoesInMs: 7 * 86_400_000,
    },
  );
  expect(await untilBegun(one)).toMatchObject({ kind: 'again' });
  expect(await one.begun()).toBe(true);
});

const nearItsEnd = { restoredTo: { targetOp: 9 }, recovery: logFrom(7) };

test('nothing is begun to go back to a moment whose log may be deleted before the database has read it', async () => {
  const one = await returning(
    'near-end',
    '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7da1',
    '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7da2',
    { ...nearItsEnd, logGoesInMs: 2 * 3_600_000 },
  );
  expect(await one.run()).toMatchObject({
    kind: 'failed',
    error: {
      code: 'moment_unavailable',
      message: expect.stringMatching(/older than the 7 days.*new database.*Nothing was begun\.$/),
    },
    retryable: false,
  });
  expect(one.before()).toBeUndefined();
});

test('nothing is stopped to go back to a moment whose log came near its end while the backup before was made and tested', async () => {
  const one = await returning(
    'nears-end',
    '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7da3',
    '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7da4',
    { ...nearItsEnd, logGoesInMs: 5 * 3_600_000 },
  );
  expect(await one.run()).toMatchObject({ kind: 'again' });
  one.prove();
  expect(await one.run()).toMatchObject({ kind: 'again' });
  one.pass(3 * 3_600_000);
  one.prove();
  expect(await one.run()).toMatchObject({
    kind: 'failed',
    error: { code: 'moment_unavailable' },
    retryable: false,
  });
  expect(await one.begun()).toBe(false);
  expect(one.kept()).toBeUndefined();
});

test.each<[string, string, Wanted]>([
  ['whose log stays for long enough', 'b', { ...nearItsEnd, logGoesInMs: 5 * 3_600_000 }],
  [
    'of which a backup is all that is read',
    'c',
    { ...nearItsEnd, restoredTo: { targetOp: 7 }, logGoesInMs: -86_400_000 },
  ],
  [
    'although the clock of the Job of a later backup was years behind',
    'd',
    { ...nearItsEnd, logGoesInMs: 5 * 3_600_000, laterSays: new Date(0) },
  ],
  [
    'although the clock of the worker is five days ahead',
    'e',
    { ...nearItsEnd, logGoesInMs: 5 * 3_600_000, aheadMs: 5 * 86_400_000 },
  ],
])('a database goes back to a moment %s', async (_, digit, more) => {
  const uids = `7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d${digit}`;
  const one = await returning(`ends-later-${digit}`, `${uids}1`, `${uids}2`, more);
  expect(await untilBegun(one)).toMatchObject({ kind: 'again' });
  expect(await one.begun()).toBe(true);
});

test('nothing is begun to go back to a moment if the window still tells of a backup that has gone, as when its log is archived no more', async () => {
  const one = await returning(
    'stale-window',
    '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7da5',
    '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7da6',
    nearItsEnd,
  );
  await one.remove();
  expect(await one.run()).toMatchObject({
    kind: 'failed',
    error: { code: 'moment_unavailable' },
    retryable: false,
  });
  expect(one.before()).toBeUndefined();
});

test.each([-5, 5])(
  'a database goes back, and what it goes back to is kept for an hour, although the clock of the worker is %d hours off',
  async (hours) => {
    const uids = `7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d${hours < 0 ? 6 : 7}`;
    const one = await returning(`off-${hours < 0 ? 'behind' : 'ahead'}`, `${uids}1`, `${uids}2`, {
      aheadMs: hours * 3_600_000,
    });
    expect(await one.run()).toMatchObject({ kind: 'again' });
    expect(one.kept()?.leftMs).toBe(60 * 60_000);
    expect(await untilBegun(one)).toMatchObject({ kind: 'again' });
    expect(await one.begun()).toBe(true);
  },
);

test('labels of a change that the operator refused are as before, but for those that somebody has set since', async () => {
  const cluster = disorder(recipeOf({ kind: { engine: 'Builtin', topology: 'single' } }));
  const made = await another(cluster, 'labelled', '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d14');
  const diff = [
    { path: '/clusterSize', from: 'lh-5', to: 'lh-10' },
    { path: '/labels/a~1b', from: null, to: 'new' },
    { path: '/labels/gone', from: 'before', to: null },
    { path: '/labels/tier', from: 'silver', to: 'gold' },
  ];
  const job = await store.change(tester, async (write) => {
    const labels = { 'a/b': 'new', tier: 'bronze', other: 'theirs' };
    await updateDatabase(write, made.id, { labels });
    const begun = await beginChange(write, made.id, {
      request: { clusterSize: 'lh-10' },
      diff,
      impact: impactOf(diff, { replicas: 1, suspended: false, versionReversible: true }),
      generation: 1,
    });
    const error = {
      code: 'refused_by_operator',
      message: 'No.',
      state: 'As before.',
      nextSteps: [],
    };
    await updateConfigurationChange(write, begun.id, { error });
    return createJob(write, changeJob(begun));
  });
  // Killed before its end, the job does the same again.
  for (const _ of [1, 2])
    expect(await handlerIn(cluster).run(contextOf(job))).toMatchObject({ kind: 'failed' });
  const { labels } = (await findAnyDatabase(store.read, made.id))!;
  expect(labels).toEqual({ gone: 'before', tier: 'bronze', other: 'theirs' });
});
