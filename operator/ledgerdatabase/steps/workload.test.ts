import { expect, test } from '@jest/globals';
import pino from 'pino';
import { annotations } from '../../../domain/names.ts';
import { resources, type Job, type StatefulSet } from '../../../domain/kinds.ts';
import { admissions } from '../../../test/support/admissions.ts';
import {
  disorder,
  name,
  namespace,
  workload,
} from '../../../test/support/operator/disordered-database.ts';
import { engineSays } from '../../../test/support/engine/engine-says.ts';
import { recipeOf } from '../../../test/support/operator/plan-of.ts';
import type { SimulatedCluster } from '../../../test/support/operator/simulated-cluster.ts';
import { environmentIn } from '../../../test/support/operator/simulated-environment.ts';
import { reconcileDatabase } from '../reconcile.ts';

/** Lets the operator and the cluster take turns; returns the operator's writes of the last ten turns. */
async function settle(cluster: SimulatedCluster, release = '0.17.8', turns = 60) {
  const writes: string[] = [];
  for (let turned = 0; turned < turns; turned += 1) {
    cluster.onWrite = ({ verb, kind }) => turned >= turns - 10 && writes.push(`${verb} ${kind}`);
    await reconcileDatabase(
      environmentIn(cluster, {
        fetchStatus: () => Promise.resolve(engineSays('TigerBeetle', release)),
      }),
      { namespace, name },
      pino({ level: 'silent' }),
    );
    cluster.move();
  }
  return writes;
}

const setOf = (cluster: SimulatedCluster): StatefulSet => {
  const found = cluster.all('StatefulSet').find(({ metadata }) => metadata.name === workload);
  if (found === undefined) throw new Error('there is no StatefulSet');
  return found;
};
const conditionOf = (cluster: SimulatedCluster, type: string) =>
  cluster
    .all('LedgerDatabase')[0]
    ?.status?.conditions?.find((condition) => condition.type === type);
const imagesOf = (set: StatefulSet) =>
  set.spec?.template.spec?.containers.map(({ image }) => image) ?? [];
const revisions = (cluster: SimulatedCluster) =>
  cluster.all('Pod').map(({ metadata }) => `${metadata.name} ${metadata.uid}`);

/** Simulates a manual change of the pods' template. */
function edit(cluster: SimulatedCluster, change: object): void {
  const set = setOf(cluster);
  const edited = structuredClone(set);
  edited.metadata.generation = (set.metadata.generation ?? 1) + 1;
  Object.assign(edited.spec?.template.spec ?? {}, change);
  cluster.put(edited);
}

const fresh = { known: 'nothing', set: 'absent', surroundings: 'absent' } as const;
const nothing = {
  pod: 'absent',
  claim: 'absent',
  formatted: false,
  recorded: false,
  hasFile: false,
  service: 'absent',
} as const;
const three = { 0: nothing, 1: nothing, 2: nothing };

test.each(['mirror', 'restless'] as const)(
  'a database comes up and rests where admission (%s) changes Jobs and StatefulSets, and no Job is made twice',
  async (admitted) => {
    const cluster = disorder(recipeOf(fresh, three));
    cluster.admission = admissions[admitted];
    const jobs: string[] = [];
    const create = cluster.create.bind(cluster);
    cluster.create = (resource, object, ...rest) => {
      if (resource === resources.job) jobs.push((object as unknown as Job).metadata.name ?? '');
      return create(resource, object, ...rest);
    };
    const last = await settle(cluster);
    expect(last).toEqual([]);
    expect(jobs.sort()).toEqual([0, 1, 2].map((index) => `${workload}-format-${index}`));
    expect(conditionOf(cluster, 'Ready')?.status).toBe('True');
    expect(conditionOf(cluster, 'VersionUpToDate')?.message).toContain(
      'admission changed spec.template.spec.',
    );
  },
);

test('an upgrade under a mirror of images is rolled out', async () => {
  const cluster = disorder(recipeOf({ changes: { size: 'lh-40', sizeGb: 2, version: 'new' } }));
  cluster.admission = admissions.mirror;
  expect(await settle(cluster, '0.17.9')).toEqual([]);
  expect(imagesOf(setOf(cluster))[0]).toBe('mirror/ledgerhouse/tigerbeetle:2');
  expect(conditionOf(cluster, 'Ready')?.status).toBe('True');
});

test('an upgrade that admission takes back is Stalled, and never said to be active', async () => {
  const cluster = disorder(recipeOf({ changes: { size: 'lh-40', sizeGb: 2, version: 'new' } }));
  cluster.admission = admissions.pin;
  await settle(cluster, '0.17.9');
  expect(conditionOf(cluster, 'Stalled')).toMatchObject({
    status: 'True',
    reason: 'ChangedByAdmission',
  });
  expect(conditionOf(cluster, 'Stalled')?.message).toContain('ledgerhouse/pinned:0');
  expect(cluster.all('LedgerDatabase')[0]?.status?.version?.active).toBe('0.17.8');
  // Once the policy is gone, no manual action is needed.
  cluster.admission = admissions.none;
  cluster.nowMs += 10 * 60_000;
  await settle(cluster, '0.17.9');
  expect(conditionOf(cluster, 'Ready')?.status).toBe('True');
});

test('a template of an earlier operator stays and restarts nothing, and a manual change of it is reverted', async () => {
  const cluster = disorder(recipeOf({ set: 'older' }));
  const before = { template: setOf(cluster).spec?.template, pods: revisions(cluster) };
  await settle(cluster);
  expect(revisions(cluster)).toEqual(before.pods);
  edit(cluster, { terminationGracePeriodSeconds: 1 });
  expect(await settle(cluster)).toEqual([]);
  expect(setOf(cluster).spec?.template).toEqual(before.template);
  expect(revisions(cluster)).toEqual(before.pods);
  expect(setOf(cluster).metadata.annotations?.[annotations.templateRevision]).toBe('0');
});

test('the newest template comes when somebody asks for it, once', async () => {
  const cluster = disorder(recipeOf({ set: 'older' }));
  await settle(cluster);
  expect(conditionOf(cluster, 'VersionUpToDate')?.message).toContain(annotations.refreshTemplate);
  const [database] = cluster.all('LedgerDatabase');
  if (database === undefined) throw new Error('there is no database');
  const { metadata } = database;
  cluster.put({
    ...database,
    metadata: { ...metadata, annotations: { [annotations.refreshTemplate]: 'monday' } },
  });
  expect(await settle(cluster)).toEqual([]);
  const noted = setOf(cluster).metadata.annotations ?? {};
  expect(noted[annotations.templateRevision]).not.toBe('0');
  expect(noted[annotations.refreshTemplate]).toBe('monday');
  expect(conditionOf(cluster, 'VersionUpToDate')?.message).not.toContain('earlier operator');
});

test('an upgrade of the operator from one that noted no template restarts no pod', async () => {
  const cluster = disorder(recipeOf({}));
  const set = setOf(cluster);
  const { [annotations.appliedTemplate]: _, ...noted } = set.metadata.annotations ?? {};
  cluster.put({ ...set, metadata: { ...set.metadata, annotations: noted } });
  const pods = revisions(cluster);
  expect(await settle(cluster)).toEqual([]);
  expect(revisions(cluster)).toEqual(pods);
  expect(setOf(cluster).metadata.annotations?.[annotations.appliedTemplate]).toBeDefined();
});
