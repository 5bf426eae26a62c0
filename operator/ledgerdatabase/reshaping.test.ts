/**
 * Tests of adopting the volume of a single replica with another number of replicas, in a simulated cluster, by an operator that dies
 * after each of its writes.
 */
import { expect, test } from '@jest/globals';
import pino from 'pino';
import { ApiError, type KubeObject } from '../../base/kube/kube.ts';
import type { Pod } from '../../domain/kinds.ts';
import type { DatabaseObject, TopologyName } from '../../domain/custom-resources.ts';
import { annotations, labels } from '../../domain/names.ts';
import { engineSays } from '../../test/support/engine/engine-says.ts';
import {
  disorder,
  elder,
  name,
  namespace,
} from '../../test/support/operator/disordered-database.ts';
import { Killed, lifeOf } from '../../test/support/operator/dying-kube.ts';
import { recipeOf } from '../../test/support/operator/plan-of.ts';
import type { SimulatedCluster } from '../../test/support/operator/simulated-cluster.ts';
import { environmentIn } from '../../test/support/operator/simulated-environment.ts';
import { reconcileDatabase } from './reconcile.ts';

const logger = pino({ level: 'silent' });
const absent = { claim: 'absent', pod: 'absent', format: 'absent', service: 'absent' } as const;
/** A replica, and a Job's pod that may change the file as well. */
const oldPods = [`${elder.workload}-0`, `${elder.workload}-format-0-x7k2p`] as const;
const endedPod = `${elder.workload}-backup-h4m9q`;

/** The volume of a deleted single replica whose pods have not all ended, and a new resource that names it. */
function heir(topology: TopologyName): SimulatedCluster {
  const cluster = disorder(
    recipeOf(
      {
        kind: { engine: 'Builtin', topology: 'single' },
        changes: { size: 'lh-40', sizeGb: 2, version: 'none' },
        inherits: 'volumes',
        known: 'nothing',
        set: 'absent',
        surroundings: 'absent',
      },
      { 0: { ...absent, capacityGb: 2 } },
    ),
  );
  for (const pod of [...oldPods, endedPod])
    cluster.put({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: pod,
        namespace,
        labels: { [labels.uid]: elder.uid, [labels.workload]: elder.workload },
      },
      status: { phase: pod === endedPod ? 'Succeeded' : 'Running' },
    } satisfies Pod);
  return again(cluster, topology, '5e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d11');
}

/** Makes the resource anew, as a person who has deleted it under `Retain` does. */
function again(cluster: SimulatedCluster, topology: TopologyName, uid: string): SimulatedCluster {
  const before = databaseIn(cluster);
  const databaseId = before.status?.databaseId ?? elder.databaseId;
  const spec = { ...before.spec, topology, bootstrap: { volumes: { databaseId } } };
  const { apiVersion, kind } = before;
  cluster.put({
    ...({ apiVersion, kind, spec, status: {} } as object),
    kind: 'LedgerDatabase',
    metadata: { name, namespace, uid },
  } as KubeObject);
  return cluster;
}

function end(cluster: SimulatedCluster, pod: string): void {
  const old = cluster.objects.get(`Pod/${pod}`);
  const deletionTimestamp = '2026-11-21T10:00:00Z';
  if (old !== undefined) cluster.put({ ...old, metadata: { ...old.metadata, deletionTimestamp } });
}

const databaseIn = (cluster: SimulatedCluster): DatabaseObject =>
  cluster.all('LedgerDatabase').find(({ metadata }) => metadata.name === name)!;

const claims = (cluster: SimulatedCluster) =>
  cluster
    .all('PersistentVolumeClaim')
    .toSorted((a, b) => (a.metadata.name ?? '').localeCompare(b.metadata.name ?? ''));

const verbsOf = (cluster: SimulatedCluster): readonly string[] =>
  cluster.all('Job').map(({ spec }) => {
    const { initContainers = [], containers = [] } = spec?.template.spec ?? {};
    const engine = [...initContainers, ...containers].find((one) => one.name === 'engine');
    return engine?.args?.slice(0, 2).join(' ') ?? '';
  });

/** Lets an operator that dies after each write work, and everybody else, until `isDone`. */
async function until(cluster: SimulatedCluster, isDone: () => boolean): Promise<void> {
  for (let turn = 0; turn < 120 && !isDone(); turn += 1) {
    const life = lifeOf(1 + (turn % 3), { lastAnswerLost: turn % 2 === 0 });
    const kube = life.wrap(cluster);
    const fetchStatus = (url: string) =>
      Promise.resolve(
        engineSays('Builtin', '0.1.0', url.includes('10.1.0.1:') ? 'primary' : 'backup'),
      );
    try {
      await reconcileDatabase(
        environmentIn(cluster, { kube, fetchStatus }),
        { namespace, name },
        logger,
      );
    } catch (error) {
      if (!(error instanceof ApiError) && !(error instanceof Killed)) throw error;
    }
    cluster.move();
  }
  expect({ done: isDone(), status: databaseIn(cluster).status?.conditions }).toMatchObject({
    done: true,
  });
}

test('three replicas go on with a single one’s volume once all pods that may write it have ended; its file is never made anew, and none runs before all files are made', async () => {
  const cluster = heir('ha-3');
  const [volume] = claims(cluster);
  cluster.onWrite = ({ verb, kind, before }) => {
    if (verb !== 'create') return;
    const noted = [...before.values()].filter((one) => one.kind === 'PersistentVolumeClaim');
    const formatted = noted.filter((one) => one.metadata.annotations?.[annotations.formatted]);
    // They may still write.
    if (kind === 'Job') expect(oldPods.filter((pod) => before.has(`Pod/${pod}`))).toEqual([]);
    if (kind !== 'StatefulSet') return;
    expect(formatted.length).toBe(3);
    expect(noted.filter((one) => one.metadata.annotations?.[annotations.reshaping])).toEqual([]);
  };
  const made = new Set<string>();
  await until(cluster, () => {
    for (const verb of verbsOf(cluster)) made.add(verb);
    const waited = oldPods.find((pod) =>
      databaseIn(cluster).status?.conditions?.some(({ message }) =>
        message?.includes(`pod ${pod} of the database that had the volume has not ended`),
      ),
    );
    if (waited !== undefined) end(cluster, waited);
    return cluster.all('StatefulSet').length > 0;
  });
  expect([...made].toSorted()).toEqual([
    'format --without-state',
    'reshape --member-folder=/data/etcd',
  ]);
  const now = claims(cluster);
  expect(now.map(({ metadata }) => metadata.labels?.[labels.topology])).toEqual(
    Array(3).fill('ha-3'),
  );
  expect(now[0]?.metadata.uid).toBe(volume?.metadata.uid);
  expect(now.map(({ metadata }) => metadata.annotations?.[annotations.reshaping])).toEqual(
    Array(3).fill(undefined),
  );
  const { status } = databaseIn(cluster);
  expect(status).toMatchObject({
    bootstrapped: true,
    workload: elder.workload,
    clusterId: elder.clusterId,
  });
  expect(cluster.all('StatefulSet')[0]?.spec?.replicas).toBe(3);
});

test('until a replica has run, the volume goes back to a single replica, whatever was done to it', async () => {
  const cluster = heir('ha-3');
  for (const pod of oldPods) end(cluster, pod);
  const [volume] = claims(cluster);
  const reshaped = () =>
    claims(cluster)[0]?.metadata.annotations?.[annotations.formatted] !== undefined;
  await until(cluster, () => !reshaped());
  await until(cluster, reshaped);
  expect(databaseIn(cluster).status?.bootstrapped).not.toBe(true);
  again(cluster, 'single', '6e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d12');
  await until(cluster, () => cluster.all('StatefulSet').length > 0);
  const [first] = claims(cluster);
  expect(first?.metadata).toMatchObject({
    uid: volume?.metadata.uid,
    labels: { [labels.topology]: 'single' },
  });
  expect(first?.metadata.annotations?.[annotations.reshaping]).toBeUndefined();
  expect(cluster.all('StatefulSet')[0]?.spec?.replicas).toBe(1);
  // From then on it is a single replica's, and begun ones of three are theirs alone.
  again(cluster, 'ha-3', '7e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d13');
  await until(cluster, () => cluster.all('StatefulSet')[0]?.spec?.replicas === 3);
  again(cluster, 'single', '8e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d14');
  await until(
    cluster,
    () =>
      databaseIn(cluster).status?.conditions?.some(({ reason }) => reason === 'VolumesMismatch') ===
      true,
  );
});
