/** Lives of a database with three replicas of the built-in engine, with real content in its Secrets. */
import { expect, test } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import pino from 'pino';
import { annotations, labels } from '../../../domain/names.ts';
import type { DatabaseObject } from '../../../domain/custom-resources.ts';
import type { Pod, StatefulSet } from '../../../domain/kinds.ts';
import type { Kube, KubeObject } from '../../../base/kube/kube.ts';
import { catalogObject } from '../../../test/fixtures/catalog.ts';
import { Killed, lifeOf } from '../../../test/support/operator/dying-kube.ts';
import { engineSays } from '../../../test/support/engine/engine-says.ts';
import { podStatus, SimulatedCluster } from '../../../test/support/operator/simulated-cluster.ts';
import { lifetimeMs, renewAfterMs } from '../../certificates/generations.ts';
import { certificatesMount } from '../../certificates/volume.ts';
import { replicaPods } from '../replica-pods.ts';
import type { Environment } from '../environment.ts';
import { reconcileDatabase } from '../reconcile.ts';
import { environmentIn } from '../../../test/support/operator/simulated-environment.ts';

const logger = pino({ level: 'silent' });
const namespace = 'org-acme';
const name = 'payments';
const uid = '5e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d11';

function newCluster(): SimulatedCluster {
  const cluster = new SimulatedCluster();
  cluster.put(catalogObject() as unknown as KubeObject);
  cluster.put({
    apiVersion: 'ledgerhouse.dev/v1alpha1',
    kind: 'LedgerDatabase',
    metadata: { name, namespace, uid },
    spec: {
      engine: 'Builtin',
      topology: 'ha-3',
      size: 'lh-40',
      suspend: false,
      deletionPolicy: 'Retain',
      deletionProtection: false,
    },
  } as unknown as KubeObject);
  return cluster;
}

const environmentOf = (cluster: SimulatedCluster, kube: Kube): Environment =>
  environmentIn(cluster, {
    kube,
    fetchStatus: (url) =>
      Promise.resolve(
        engineSays('Builtin', '0.17.9', url.includes('10.1.0.1:') ? 'primary' : 'backup'),
      ),
  });

/** One reconcile, in which the operator may end. */
async function look(cluster: SimulatedCluster, kube: Kube = cluster): Promise<void> {
  try {
    await reconcileDatabase(environmentOf(cluster, kube), { namespace, name }, logger);
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
  }
}

/** Continues until nothing changes any more. Each turn begins with the pods that the last one left. */
async function untilRest(cluster: SimulatedCluster, atEachTurn = () => {}): Promise<void> {
  for (let turns = 0, quiet = 0; turns < 100; turns += 1) {
    let writes = 0;
    cluster.onWrite = () => {
      writes += 1;
    };
    await look(cluster);
    quiet = cluster.move() || writes > 0 ? 0 : quiet + 1;
    atEachTurn();
    if (quiet === 3) return;
  }
  throw new Error('there is no rest');
}

async function running(): Promise<SimulatedCluster> {
  const cluster = newCluster();
  await untilRest(cluster);
  expect(conditionOf(cluster, 'Ready')).toBe('True');
  return cluster;
}

const podsIn = (cluster: SimulatedCluster): readonly Pod[] => replicaPods(cluster.all('Pod'));
const databaseIn = (cluster: SimulatedCluster): DatabaseObject => {
  const [database] = cluster.all('LedgerDatabase');
  if (database === undefined) throw new Error('there is no database');
  return database;
};
const recordOf = (cluster: SimulatedCluster) => databaseIn(cluster).status?.peerCertificates;
const numbersOf = (cluster: SimulatedCluster) =>
  recordOf(cluster)?.generations?.map(({ number }) => number);
const secretsOf = (cluster: SimulatedCluster) =>
  cluster.all('Secret').map(({ metadata }) => metadata.name);
const conditionOf = (cluster: SimulatedCluster, type: string) =>
  databaseIn(cluster).status?.conditions?.find((row) => row.type === type)?.status;
function change(cluster: SimulatedCluster, spec: object): void {
  const database = databaseIn(cluster);
  const { generation = 1 } = database.metadata;
  cluster.put({
    ...database,
    metadata: { ...database.metadata, generation: generation + 1 },
    spec: Object.assign({}, database.spec, spec),
  } as unknown as KubeObject);
}

/** The certificate that a pod's member shows, and the authorities that it trusts. */
function certificatesOf(cluster: SimulatedCluster, pod: Pod) {
  const volume = pod.spec?.volumes?.find((one) => one.name === certificatesMount.name);
  const files = new Map<string, string>();
  for (const { secret } of volume?.projected?.sources ?? []) {
    const found = cluster.all('Secret').find(({ metadata }) => metadata.name === secret?.name);
    for (const { key, path } of secret?.items ?? []) {
      files.set(path, found?.stringData?.[key] ?? '');
    }
  }
  const all = files.get('ca.crt')?.match(/-----BEGIN[^]+?-----END CERTIFICATE-----\n/g) ?? [];
  return { shows: read(files.get('tls.crt') ?? ''), trusts: all.map(read) };
}

/** Caches results, because the same certificates are examined very often. */
function remembered<T>(make: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => {
    const value = known.get(key) ?? make(key);
    known.set(key, value);
    return value;
  };
}
const read = remembered((pem) => new X509Certificate(pem));
const isSignedBy = remembered((key) => {
  const [one, authority] = (JSON.parse(key) as [string, string]).map(read);
  return authority !== undefined && one?.checkIssued(authority) && one.verify(authority.publicKey);
});

/** Checks that each pod trusts each other one, by the real content of their Secrets. */
function expectAllTrustAll(cluster: SimulatedCluster): void {
  const all = podsIn(cluster).map((pod) => certificatesOf(cluster, pod));
  for (const { shows } of all) {
    expect(shows.validToDate.getTime()).toBeGreaterThan(cluster.nowMs);
    for (const { trusts } of all) {
      const known = trusts.some((ca) => isSignedBy(JSON.stringify([String(shows), String(ca)])));
      expect(known).toBe(true);
    }
  }
}

/** Ends the operator at each of its writes in turn: before the write, or after it but before the answer. */
async function wheneverItEnds(
  begin: () => Promise<SimulatedCluster>,
  check: (cluster: SimulatedCluster, where: string) => void,
): Promise<number> {
  let tried = 0;
  for (const lastAnswerLost of [false, true]) {
    for (let writes = 0; writes < 60; writes += 1) {
      const cluster = await begin();
      cluster.onWrite = () => {};
      const life = lifeOf(writes, { lastAnswerLost });
      for (let turns = 0; turns < 30 && !life.dead; turns += 1) {
        await look(cluster, life.wrap(cluster));
        cluster.move();
        expectAllTrustAll(cluster);
      }
      if (!life.dead) break;
      await untilRest(cluster, () => expectAllTrustAll(cluster));
      check(cluster, `${writes} writes, ${lastAnswerLost ? 'the last unheard' : 'no more'}`);
      tried += 1;
    }
  }
  return tried;
}

test('a new database has one generation in use before its first pod, whenever the operator ends', async () => {
  const tried = await wheneverItEnds(
    () => Promise.resolve(newCluster()),
    (cluster, where) => {
      expect([where, conditionOf(cluster, 'Ready')]).toEqual([where, 'True']);
      expect(recordOf(cluster)?.next).toBeUndefined();
      expect(numbersOf(cluster)).toHaveLength(1);
      // A Secret that was made but not recorded stays unused.
      expect(secretsOf(cluster).length).toBeLessThanOrEqual(2);
    },
  );
  expect(tried).toBeGreaterThan(20);
});

test('a generation that is due is rolled out pod by pod, all of which trust each other all the time', async () => {
  const cluster = await running();
  for (const expected of [
    [1, 2],
    [1, 2, 3],
    [2, 3, 4],
    [3, 4, 5],
  ]) {
    cluster.nowMs += renewAfterMs;
    let mixed = 0;
    await untilRest(cluster, () => {
      const pods = podsIn(cluster);
      const sets = new Set(pods.map(({ spec }) => JSON.stringify(spec?.volumes)));
      if (sets.size > 1) mixed += 1;
      expectAllTrustAll(cluster);
    });
    expect(numbersOf(cluster)).toEqual(expected);
    expect(mixed).toBeGreaterThan(1);
    expect(conditionOf(cluster, 'Ready')).toBe('True');
  }
});

test('a renewal ends with one new generation in use, whenever the operator ends', async () => {
  const begun = await running();
  const tried = await wheneverItEnds(
    () => {
      const cluster = newCluster();
      for (const object of begun.objects.values()) cluster.put(object);
      for (const file of begun.files) cluster.files.add(file);
      cluster.nowMs = begun.nowMs + renewAfterMs;
      return Promise.resolve(cluster);
    },
    (cluster, where) => {
      expect([where, conditionOf(cluster, 'Ready')]).toEqual([where, 'True']);
      expect(recordOf(cluster)?.next).toBeUndefined();
      expect(numbersOf(cluster)).toHaveLength(2);
      expect(secretsOf(cluster).length).toBeLessThanOrEqual(3);
    },
  );
  expect(tried).toBeGreaterThan(10);
});

test('before a generation is due nothing is written', async () => {
  const cluster = await running();
  cluster.nowMs += renewAfterMs - 60 * 60_000;
  const written: string[] = [];
  cluster.onWrite = ({ verb, kind }) => written.push(`${verb} ${kind}`);
  for (let looks = 0; looks < 3; looks += 1) await look(cluster);
  expect(written).toEqual([]);
});

test('no generation follows while a pod does not have the newest: it would not know the next', async () => {
  const cluster = await running();
  cluster.nowMs += renewAfterMs;
  // Continue until one pod of three has the new generation.
  const newest = () =>
    podsIn(cluster).filter((pod) =>
      JSON.stringify(pod.spec?.volumes).includes('-peers-5e1f0c528f5b-2'),
    ).length;
  for (let turns = 0; turns < 30 && newest() < 1; turns += 1) {
    await look(cluster);
    cluster.move();
  }
  expect(newest()).toBe(1);
  cluster.nowMs += renewAfterMs;
  await look(cluster);
  expect(numbersOf(cluster)).toEqual([1, 2]);
  await untilRest(cluster, () => expectAllTrustAll(cluster));
  expect(numbersOf(cluster)).toEqual([1, 2, 3]);
});

test('a database that was suspended for years begins anew when it is resumed, and not before', async () => {
  const cluster = await running();
  change(cluster, { suspend: true });
  await untilRest(cluster);
  cluster.nowMs += 2 * lifetimeMs;
  await untilRest(cluster);
  expect(numbersOf(cluster)).toEqual([1]);
  change(cluster, { suspend: false });
  await untilRest(cluster, () => expectAllTrustAll(cluster));
  expect(numbersOf(cluster)).toEqual([2]);
  expect(conditionOf(cluster, 'Ready')).toBe('True');
});

test('a suspended database whose record is taken away trusts nothing from before when it is resumed', async () => {
  const cluster = await running();
  change(cluster, { suspend: true });
  await untilRest(cluster);
  const { peerCertificates: _, ...status } = databaseIn(cluster).status ?? {};
  cluster.put({ ...databaseIn(cluster), status } as unknown as KubeObject);
  change(cluster, { suspend: false });
  await untilRest(cluster);
  const [pod] = podsIn(cluster);
  expect(pod && certificatesOf(cluster, pod).trusts).toHaveLength(1);
  // Number 1 was taken.
  expect(numbersOf(cluster)).toEqual([2]);
});

test('a lost status is no reason to trust others: the StatefulSet knows', async () => {
  const cluster = await running();
  cluster.nowMs += renewAfterMs;
  await untilRest(cluster);
  const before = recordOf(cluster);
  cluster.put({ ...databaseIn(cluster), status: undefined } as unknown as KubeObject);
  const made = secretsOf(cluster);
  await untilRest(cluster, () => expectAllTrustAll(cluster));
  expect(recordOf(cluster)).toEqual(before);
  expect(secretsOf(cluster)).toEqual(made);
});

test('a note that somebody has changed is no record', async () => {
  const cluster = await running();
  const [set] = cluster.all('StatefulSet');
  const noted = {
    ...set?.metadata.annotations,
    [annotations.peerCertificates]: '[{"number":"one"}]',
  };
  cluster.put({ ...set, metadata: { ...set?.metadata, annotations: noted } } as StatefulSet);
  cluster.put({ ...databaseIn(cluster), status: undefined } as unknown as KubeObject);
  await look(cluster);
  await look(cluster);
  expect(numbersOf(cluster)).toEqual([2]);
});

test('no Secret is made time and again when the status cannot hold its name, as under an older definition', async () => {
  const cluster = newCluster();
  const pruning: Kube = {
    serverTimeMs: () => cluster.serverTimeMs(),
    read: (reference) => cluster.read(reference),
    list: (resource, options) => cluster.list(resource, options),
    create: (resource, object) => cluster.create(resource, object),
    mergePatch: (reference, patch) => cluster.mergePatch(reference, patch),
    delete: (reference, options) => cluster.delete(reference, options),
    apply: (resource, object, options) => {
      const { status, ...rest } = object as unknown as { status?: { peerCertificates?: unknown } };
      if (status === undefined) return cluster.apply(resource, object, options);
      const { peerCertificates: _, ...kept } = status;
      return cluster.apply(
        resource,
        { ...rest, status: kept } as unknown as typeof object,
        options,
      );
    },
  };
  for (let turns = 0; turns < 40; turns += 1) {
    await look(cluster, pruning);
    cluster.move();
  }
  expect(databaseIn(cluster).status?.bootstrapped).toBe(true);
  expect(secretsOf(cluster)).toEqual([]);
});

test('a Secret is found as the database’s own by who looks for what belongs to it', async () => {
  const [secret] = (await running()).all('Secret');
  expect(secret?.metadata.labels).toMatchObject({ [labels.uid]: uid, [labels.database]: name });
});

test('a member with other certificates than wanted is told in the status, and its pod is replaced within a minute', async () => {
  const cluster = await running();
  const [pod] = podsIn(cluster);
  if (pod === undefined) throw new Error('there is no pod');
  const podOf = () => podsIn(cluster).find(({ metadata }) => metadata.name === pod.metadata.name);
  const since = new Date(cluster.nowMs).toISOString();
  cluster.put({
    ...pod,
    metadata: { ...pod.metadata, creationTimestamp: since },
    status: podStatus('certificatesForeign', since, pod.metadata.name ?? ''),
  });
  await look(cluster);
  const { members, conditions } = databaseIn(cluster).status ?? {};
  expect(members?.find(({ pod: name }) => name === pod.metadata.name)).toMatchObject({
    state: 'Failing',
    reason: 'CertificatesForeign',
  });
  const healthy = conditions?.find(({ type }) => type === 'ReplicasHealthy');
  expect(healthy?.message).toContain('CertificatesForeign');
  expect(conditions?.find(({ type }) => type === 'Stalled')?.status).toBe('False');
  expect(podOf()?.metadata.deletionTimestamp).toBeUndefined();

  cluster.nowMs += 20_000;
  await look(cluster);
  expect(podOf()?.metadata.deletionTimestamp).toBeDefined();
  await untilRest(cluster);
  expect(podOf()?.metadata.uid).not.toBe(pod.metadata.uid);
  expect(conditionOf(cluster, 'Ready')).toBe('True');
});
