/** The operator on a real control plane: what a person sees who applies, changes and deletes databases with kubectl. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import { annotations, labels } from '../../../domain/names.ts';
import type { RequestRecord } from '../../../base/kube/kube-http.ts';
import {
  resources,
  type Claim,
  type Pod,
  type Secret,
  type StatefulSet,
} from '../../../domain/kinds.ts';
import type { KubeObject, Resource } from '../../../base/kube/kube.ts';
import { catalogSpec } from '../../fixtures/catalog.ts';
import {
  startOperatorWorld,
  type Database,
  type OperatorWorld,
} from '../../support/operator/operator-world.ts';
import { engineSays } from '../../support/engine/engine-says.ts';
import { eventually } from '../../support/shell.ts';
import {
  startTestOperator,
  untilAtRest,
  type TestOperator,
} from '../../support/operator/test-operator.ts';

let world: OperatorWorld;
let operator: TestOperator;
const requests: RequestRecord[] = [];
/** Releases that the engines' status endpoints would report, by pod name; there are no real engines here. */
const release = new Map<string, string>();

beforeAll(async () => {
  world = await startOperatorWorld();
  operator = await startTestOperator({
    kubeConfig: world.kubeConfig,
    onRequest: (record) => requests.push(record),
    fetchStatus: () => Promise.resolve(engineSays('TigerBeetle', release.get('all') ?? '0.17.8')),
  });
});
afterAll(async () => {
  await operator?.stop();
  await world?.stop();
});

const owned = <T extends KubeObject>(resource: Resource, database: Database) =>
  world.kube.list<T>(resource, {
    namespace: database.metadata.namespace,
    labelSelector: `${labels.uid}=${database.metadata.uid}`,
  });
const condition = (database: Database | undefined, type: string) =>
  database?.status?.conditions?.find((one) => one.type === type);

async function ready(
  namespace: string,
  name: string,
  spec: Parameters<OperatorWorld['createDatabase']>[2] = {},
) {
  await world.createDatabase(namespace, name, spec);
  return world.until(namespace, name, 'Ready', 'True');
}
const tigerBeetle = { engine: 'TigerBeetle', topology: 'ha-3', size: 'lh-40' } as const;

test('a database with nothing but a name becomes ready, and its status has the values of the catalog', async () => {
  const database = await ready('default', 'plain');
  expect(database.status).toMatchObject({
    bootstrapped: true,
    replicas: { desired: 1, ready: 1, healthy: 1, summary: '1/1' },
    version: { desired: '0.1.0', active: '0.1.0', rolled: 1 },
    storage: { requestedGb: 1, acknowledgedGb: 1, summary: '1Gi' },
    resolved: { size: { name: 'lh-5', memoryMib: 640 }, price: { monthly: '10.10' } },
  });
  expect(database.status?.databaseId).toMatch(/^db_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
  const [claim] = await owned<Claim>(resources.claim, database);
  expect(claim?.metadata.ownerReferences).toBeUndefined();
  expect(claim?.metadata.annotations?.[annotations.formatted]).toBe(
    `${database.status?.clusterId}/0`,
  );
  await eventually('its Job is gone', async () => {
    expect(await owned(resources.job, database)).toEqual([]);
    return true;
  });
});

test('times and certificates go by the API server’s clock, however wrong the operator’s own is', async () => {
  const right = Date.now.bind(Date);
  const wrong = jest.spyOn(Date, 'now').mockImplementation(() => right() + 400 * 24 * 3_600_000);
  try {
    await world.createDatabase('default', 'in-time', { topology: 'ha-3', size: 'lh-40' });
    const { status } = await eventually('certificates', async () => {
      const database = await world.database('default', 'in-time');
      return database?.status?.peerCertificates?.generations?.length === 1 ? database : undefined;
    });
    const times = status?.conditions?.map(({ lastTransitionTime: at }) => Date.parse(String(at)));
    expect(times).toHaveLength(status?.conditions?.length ?? 0);
    for (const time of times ?? []) expect(Math.abs(time - right())).toBeLessThan(10 * 60_000);
    const [made] = status?.peerCertificates?.generations ?? [];
    const secret = await world.kube.read<Secret>({
      resource: resources.secret,
      namespace: 'default',
      name: made?.secret ?? '',
    });
    const text = Buffer.from(secret?.data?.['tls.crt'] ?? '', 'base64').toString();
    expect(Date.parse(new X509Certificate(text).validFrom)).toBeLessThan(right());
  } finally {
    wrong.mockRestore();
  }
});

test('a fleet at rest costs no request', async () => {
  await ready('default', 'restful');
  await untilAtRest(requests, 5_000);
});

test.each([
  [
    { size: 'lh-7' },
    'UnknownSize',
    'spec.size: the catalog has no size "lh-7"; there are lh-5, lh-10, lh-40',
  ],
  [{ version: '9.9.9' }, 'UnknownVersion', 'there are 0.1.0, 0.2.0'],
  [{ provider: 'elsewhere' }, 'ManualProvider', 'choose another provider'],
  [{ region: 'moon' }, 'UnknownRegion', 'there are local-1, local-2'],
  [{ storage: { tier: 'tape' } }, 'UnknownTier', 'there are network-ssd, local-nvme'],
  [{ storage: { sizeGb: 101 } }, 'StorageOutOfRange', 'has 1 to 100 GiB, not 101'],
  [
    { topology: 'ha-3' as const, version: '0.3.0-broken' },
    'TopologyUnsupported',
    'has no etcdImage in the catalog',
  ],
  [{ parameters: { speed: 'high' } }, 'UnknownParameter', 'there are limitConnections'],
  [{ parameters: { limitConnections: '0' } }, 'InvalidParameter', 'must be at least 1'],
  [
    { ...tigerBeetle, topology: 'ha-6' as const, storage: { tier: 'local-nvme' } },
    'TierUnavailable',
    'too few nodes',
  ],
])('%j stalls with words, and nothing is made', async (spec, reason, words) => {
  const name = `wrong-${reason.toLowerCase()}`;
  await world.createDatabase('default', name, spec);
  const database = await world.until('default', name, 'Stalled', 'True', reason);
  expect(condition(database, 'Stalled')?.message).toContain(words);
  expect(condition(database, 'Ready')).toMatchObject({ status: 'False', reason });
  expect(await owned(resources.service, database)).toEqual([]);
  expect(await owned(resources.claim, database)).toEqual([]);
});

test('putting the spec right is enough to go on', async () => {
  await world.createDatabase('default', 'mistaken', { size: 'lh-7' });
  await world.until('default', 'mistaken', 'Stalled', 'True', 'UnknownSize');
  await world.patchDatabase('default', 'mistaken', { spec: { size: 'lh-10' } });
  const database = await world.until('default', 'mistaken', 'Ready', 'True');
  expect(condition(database, 'Stalled')?.status).toBe('False');
});

test('an edited catalog changes no database that runs', async () => {
  await ready('default', 'steady');
  await untilAtRest(requests, 2_000);
  const before = await world.database('default', 'steady');
  const spec = catalogSpec();
  try {
    await world.setCatalog({
      ...spec,
      defaults: { ...spec.defaults, size: 'lh-10', storageGb: 5 },
      sizes: spec.sizes.map((row) => ({ ...row, memoryMib: row.memoryMib * 2 })),
    });
    await untilAtRest(requests, 2_000);
    const after = await world.database('default', 'steady');
    expect(after?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion);
  } finally {
    await world.setCatalog(spec);
  }
});

test('an image that cannot be pulled is named, and the next version replaces the pod at once', async () => {
  await world.createDatabase('default', 'unlucky', { version: '0.3.0-broken' });
  const stuck = await eventually('the reason', async () => {
    const database = await world.database('default', 'unlucky');
    const words = condition(database, 'Ready')?.message ?? '';
    return words.includes('cannot pull ledgerhouse/missing:1') ? database : undefined;
  });
  expect(condition(stuck, 'Available')).toMatchObject({
    status: 'False',
    reason: 'NotBootstrapped',
  });
  await world.patchDatabase('default', 'unlucky', { spec: { version: '0.2.0' } });
  await world.until('default', 'unlucky', 'Ready', 'True');
});

test('an upgrade to a broken version names the pod, keeps the active version, and can be taken back', async () => {
  await ready('default', 'hasty');
  await world.patchDatabase('default', 'hasty', { spec: { version: '0.3.0-broken' } });
  const broken = await world.until('default', 'hasty', 'Ready', 'False', 'ReplicaFailing');
  expect(condition(broken, 'Available')).toMatchObject({ status: 'False', reason: 'QuorumLost' });
  expect(broken.status?.members?.[0]).toMatchObject({
    state: 'Failing',
    reason: 'ImagePullBackOff',
  });
  expect(broken.status?.version).toMatchObject({ desired: '0.3.0-broken', active: '0.1.0' });
  await world.patchDatabase('default', 'hasty', { spec: { version: '0.1.0' } });
  const back = await world.until('default', 'hasty', 'Ready', 'True');
  expect(back.status?.version).toMatchObject({ desired: '0.1.0', active: '0.1.0' });
});

test('a version that cannot be reached from the one that runs is refused, and what runs goes on', async () => {
  await ready('default', 'newest', { version: '0.2.0' });
  await world.patchDatabase('default', 'newest', { spec: { version: '0.1.0' } });
  const database = await world.until(
    'default',
    'newest',
    'Stalled',
    'True',
    'UpgradePathUnsupported',
  );
  expect(condition(database, 'Stalled')?.message).toContain(
    'there is no upgrade from the running version 0.2.0',
  );
  expect(condition(database, 'Available')?.status).toBe('True');
  expect(database.status?.version?.active).toBe('0.2.0');
});

test('suspending stops the pods and keeps volumes and addresses; resuming brings them back', async () => {
  const before = await ready('default', 'sleepy');
  await world.patchDatabase('default', 'sleepy', { spec: { suspend: true } });
  const asleep = await world.until('default', 'sleepy', 'Suspended', 'True');
  expect(condition(asleep, 'Ready')).toMatchObject({ status: 'False', reason: 'Suspended' });
  expect(condition(asleep, 'Reconciling')?.status).toBe('False');
  expect(await owned<Pod>(resources.pod, asleep)).toEqual([]);
  await world.patchDatabase('default', 'sleepy', { spec: { suspend: false } });
  const awake = await world.until('default', 'sleepy', 'Ready', 'True');
  expect(awake.status?.addresses).toBe(before.status?.addresses);
  expect(await owned(resources.claim, awake)).toHaveLength(1);
});

test('a paused database is left alone, lists the planned actions, and gets them after the pause', async () => {
  const before = await ready('default', 'resting');
  const [set] = await owned(resources.statefulSet, before);
  await world.patchDatabase('default', 'resting', { spec: { paused: true } });
  const resting = await world.until('default', 'resting', 'Paused', 'True');
  expect(condition(resting, 'Paused')?.message).toContain('nothing is left undone');
  expect(condition(resting, 'Ready')?.status).toBe('True');
  await world.patchDatabase('default', 'resting', { spec: { suspend: true } });
  const asked = await world.until('default', 'resting', 'Ready', 'False', 'Paused');
  expect(condition(asked, 'Paused')?.message).toContain(`StatefulSet ${set?.metadata.name}`);
  expect(condition(asked, 'Available')?.status).toBe('True');
  const [same] = await owned(resources.statefulSet, asked);
  expect(same?.metadata.generation).toBe(set?.metadata.generation);
  expect(await owned<Pod>(resources.pod, asked)).toHaveLength(1);
  await world.patchDatabase('default', 'resting', { spec: { paused: false } });
  await world.until('default', 'resting', 'Suspended', 'True');
});

test('volumes grow without a new pod, and a growth that fails can be taken back', async () => {
  const before = await ready('default', 'growing');
  const [pod] = await owned<Pod>(resources.pod, before);
  await world.kube.apply(resources.storageClass, storageClass('ledgerhouse-network', true), {
    fieldManager: 'test',
    force: true,
  });
  await world.patchDatabase('default', 'growing', { spec: { storage: { sizeGb: 3 } } });
  const grown = await eventually('3 GiB', async () => {
    const database = await world.database('default', 'growing');
    return database?.status?.storage?.acknowledgedGb === 3 ? database : undefined;
  });
  expect(grown.status?.storage?.summary).toBe('3Gi');
  expect((await owned<Pod>(resources.pod, grown))[0]?.metadata.uid).toBe(pod?.metadata.uid);
  world.kubelet.grows = false;
  await world.patchDatabase('default', 'growing', { spec: { storage: { sizeGb: 50 } } });
  const waiting = await world.until('default', 'growing', 'StorageReady', 'False', 'Resizing');
  expect(waiting.status?.storage?.summary).toBe('3Gi -> 50Gi');
  expect(condition(waiting, 'Available')?.status).toBe('True');
  await expect(
    world.patchDatabase('default', 'growing', { spec: { storage: { sizeGb: 2 } } }),
  ).rejects.toThrow('storage cannot shrink');
  await world.patchDatabase('default', 'growing', { spec: { storage: { sizeGb: 3 } } });
  await world.until('default', 'growing', 'Ready', 'True');
  world.kubelet.grows = true;
});

const storageClass = (name: string, grows: boolean) =>
  ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner: 'test.ledgerhouse.dev/none',
    allowVolumeExpansion: grows,
  }) as unknown as KubeObject;

test('a storage class that does not let volumes grow is named, and the size can be set back', async () => {
  await world.kube.apply(resources.storageClass, storageClass('ledgerhouse-local', false), {
    fieldManager: 'test',
    force: true,
  });
  await ready('default', 'fixed', { storage: { tier: 'local-nvme', sizeGb: 2 } });
  await world.patchDatabase('default', 'fixed', { spec: { storage: { sizeGb: 4 } } });
  const refused = await world.until(
    'default',
    'fixed',
    'StorageReady',
    'False',
    'ExpansionNotSupported',
  );
  expect(condition(refused, 'StorageReady')?.message).toContain(
    'set spec.storage.sizeGb back to 2',
  );
  expect(condition(refused, 'Available')?.status).toBe('True');
  await world.patchDatabase('default', 'fixed', { spec: { storage: { sizeGb: 2 } } });
  await world.until('default', 'fixed', 'Ready', 'True');
});

test('three replicas are rolled one at a time, and the version is active only when all run its release', async () => {
  release.set('all', '0.17.8');
  const before = await ready('default', 'three', tigerBeetle);
  expect(before.status?.endpoints).toHaveLength(3);
  expect(await owned(resources.podDisruptionBudget, before)).toHaveLength(1);
  let unreadyMax = 0;
  const watched = new AbortController();
  const watching = (async () => {
    while (!watched.signal.aborted) {
      const database = await world.database('default', 'three').catch(() => undefined);
      unreadyMax = Math.max(unreadyMax, 3 - (database?.status?.replicas?.ready ?? 3));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  await world.patchDatabase('default', 'three', { spec: { version: '0.17.9' } });
  const waiting = await eventually('all pods are replaced', async () => {
    const database = await world.database('default', 'three');
    const pods = await owned<Pod>(resources.pod, before);
    const images = new Set(pods.flatMap((pod) => pod.spec?.containers.map((one) => one.image)));
    const replaced =
      images.has('ledgerhouse/tigerbeetle:2') && !images.has('ledgerhouse/tigerbeetle:1');
    const told = condition(database, 'VersionUpToDate')?.reason === 'WaitingForRelease';
    return replaced && told && database?.status?.replicas?.healthy === 3 ? database : undefined;
  });
  watched.abort();
  await watching;
  expect(waiting.status?.version).toMatchObject({ rolled: 3, active: '0.17.8', desired: '0.17.9' });
  expect(unreadyMax).toBeLessThanOrEqual(1);
  release.set('all', '0.17.9');
  const after = await world.until('default', 'three', 'Ready', 'True');
  expect(after.status?.version?.active).toBe('0.17.9');
  expect(after.status?.addresses).toBe(before.status?.addresses);
});

test('the data file of a single replica is gone: it stalls with what to do, and nothing is formatted', async () => {
  const database = await ready('default', 'bereft');
  const pod = `${database.status?.workload}-0`;
  world.kubelet.termination.set(
    pod,
    JSON.stringify({ reason: 'DataFileMissing', message: '/data is empty' }),
  );
  const [old] = await owned<Pod>(resources.pod, database);
  await world.kube.delete(
    { resource: resources.pod, namespace: 'default', name: pod },
    { uid: old?.metadata.uid ?? '' },
  );
  const stalled = await world.until('default', 'bereft', 'Stalled', 'True', 'ReplicaDataLost');
  expect(condition(stalled, 'Stalled')?.message).toContain('disaster-recovery');
  // That of its data file may not have gone yet.
  await eventually('there is no Job', async () => {
    expect(await owned(resources.job, stalled)).toEqual([]);
    return true;
  });
});

test('a deleted database leaves its volumes marked; a new one takes them over, with cluster and workload, and so do three replicas', async () => {
  const old = await ready('default', 'phoenix');
  await world.deleteDatabase('default', 'phoenix');
  const [claim] = await eventually('the mark', async () => {
    const claims = await owned<Claim>(resources.claim, old);
    return claims[0]?.metadata.annotations?.[annotations.purgeAt] === undefined
      ? undefined
      : claims;
  });
  const purgeAt = Date.parse(claim?.metadata.annotations?.[annotations.purgeAt] ?? '');
  expect(Math.round((purgeAt - Date.now()) / 86_400_000)).toBe(7);
  const databaseId = old.status?.databaseId ?? '';
  const restored = await ready('default', 'ashes', { bootstrap: { volumes: { databaseId } } });
  expect(restored.status).toMatchObject({
    clusterId: old.status?.clusterId,
    workload: old.status?.workload,
  });
  expect(condition(restored, 'Bootstrapped')?.reason).toBe('Inherited');
  const [kept] = await owned<Claim>(resources.claim, restored);
  expect(kept?.metadata.uid).toBe(claim?.metadata.uid);
  expect(kept?.metadata.annotations?.[annotations.purgeAt]).toBeUndefined();
  // Volumes of further replicas are made beside it, and go if they are not asked for any more.
  const ask = async (topology: string | null) => {
    const until = new Date(Date.now() + 600_000).toISOString();
    const asked = topology === null ? null : `${topology}/${until}`;
    await world.kube.mergePatch(
      { resource: resources.database, namespace: 'default', name: 'ashes' },
      { metadata: { annotations: { [annotations.nextTopology]: asked } } },
      { fieldManager: 'test' },
    );
  };
  const further = async () => {
    const claims = await owned<Claim>(resources.claim, restored);
    return claims.map(({ metadata }) => metadata.uid).filter((one) => one !== claim?.metadata.uid);
  };
  const furtherMade = () =>
    eventually('the further data files', async () => {
      const made = (await world.database('default', 'ashes'))?.status?.nextTopology;
      if (made?.name !== 'ha-3' || !made.ready) return undefined;
      // The status may still be that of the volumes before.
      const uids = await further();
      return uids.length === 2 ? uids : undefined;
    });
  await ask('ha-3');
  const inVain = await furtherMade();
  expect(inVain).toHaveLength(2);
  await ask(null);
  await eventually('the volumes are gone', async () =>
    (await further()).length === 0 ? true : undefined,
  );
  expect(condition(await world.database('default', 'ashes'), 'Available')?.status).toBe('True');
  await ask('ha-3');
  const made = await furtherMade();
  for (const one of inVain) expect(made).not.toContain(one);
  // Three replicas go on with the same volume, and with those.
  await world.deleteDatabase('default', 'ashes');
  const three = await ready('default', 'flames', {
    topology: 'ha-3',
    bootstrap: { volumes: { databaseId: restored.status?.databaseId ?? '' } },
  });
  expect(three.status).toMatchObject({
    clusterId: old.status?.clusterId,
    workload: old.status?.workload,
    replicas: { ready: 3 },
  });
  const volumes = await owned<Claim>(resources.claim, three);
  expect(volumes.map(({ metadata }) => metadata.labels?.[labels.topology])).toEqual(
    Array(3).fill('ha-3'),
  );
  expect(new Set(volumes.map(({ metadata }) => metadata.uid))).toEqual(
    new Set([claim?.metadata.uid, ...made]),
  );
  await world.createDatabase('default', 'thief', {
    bootstrap: { volumes: { databaseId: three.status?.databaseId ?? '' } },
  });
  await world.until('default', 'thief', 'Stalled', 'True', 'VolumesInUse');
});

test('volumes keep their full retention after a database waited for them, however that ended', async () => {
  const old = await ready('default', 'reprieved');
  await world.deleteDatabase('default', 'reprieved');
  const marked = async () => {
    const [claim] = await owned<Claim>(resources.claim, old);
    return claim?.metadata.annotations?.[annotations.purgeAt];
  };
  await eventually('the mark', marked);
  const [claim] = await owned<Claim>(resources.claim, old);
  const databaseId = old.status?.databaseId ?? '';
  await world.createDatabase('default', 'reprieve', {
    engine: 'TigerBeetle',
    bootstrap: { volumes: { databaseId } },
  });
  await world.until('default', 'reprieve', 'Stalled', 'True', 'VolumesMismatch');
  await eventually('the mark is off', async () =>
    (await marked()) === undefined ? true : undefined,
  );
  await world.kube.mergePatch(
    { resource: resources.claim, namespace: 'default', name: claim?.metadata.name ?? '' },
    { metadata: { annotations: { [annotations.purgeAt]: '2020-01-01T00:00:00Z' } } },
    { fieldManager: 'test' },
  );
  await eventually('even one that has passed', async () =>
    (await marked()) === undefined ? true : undefined,
  );
  await world.deleteDatabase('default', 'reprieve');
  const again = Date.parse(await eventually('a new mark', marked));
  expect(Math.round((again - Date.now()) / 86_400_000)).toBe(7);
});

test('volumes of a StatefulSet that outlives its database are neither marked nor purged', async () => {
  const old = await ready('default', 'orphaned');
  await world.kube.delete(
    { resource: resources.database, namespace: 'default', name: 'orphaned' },
    { uid: old.metadata.uid ?? '', propagationPolicy: 'Orphan' },
  );
  await eventually('the database is gone', async () =>
    (await world.database('default', 'orphaned')) === undefined ? true : undefined,
  );
  const [claim] = await owned<Claim>(resources.claim, old);
  const target = {
    resource: resources.claim,
    namespace: 'default',
    name: claim?.metadata.name ?? '',
  };
  const past = { [annotations.purgeAt]: '2020-01-01T00:00:00Z' };
  await world.kube.mergePatch(
    target,
    { metadata: { annotations: past } },
    { fieldManager: 'test' },
  );
  const kept = await eventually('the mark is off', async () => {
    const found = await world.kube.read<Claim>(target);
    return found?.metadata.annotations?.[annotations.purgeAt] === undefined ? found : undefined;
  });
  expect(kept.metadata.deletionTimestamp).toBeUndefined();
  const [set] = await owned(resources.statefulSet, old);
  await world.kube.delete(
    { resource: resources.statefulSet, namespace: 'default', name: set?.metadata.name ?? '' },
    { uid: set?.metadata.uid ?? '', propagationPolicy: 'Background' },
  );
  await eventually('marked once nothing uses it', async () => {
    const found = await world.kube.read<Claim>(target);
    return found?.metadata.annotations?.[annotations.purgeAt];
  });
});

test('volumes past their time are purged, those before it stay', async () => {
  const old = await ready('default', 'forgotten');
  await world.deleteDatabase('default', 'forgotten');
  const [claim] = await eventually('the mark', async () => {
    const claims = await owned<Claim>(resources.claim, old);
    return claims[0]?.metadata.annotations?.[annotations.purgeAt] === undefined
      ? undefined
      : claims;
  });
  await world.kube.mergePatch(
    { resource: resources.claim, namespace: 'default', name: claim?.metadata.name ?? '' },
    { metadata: { annotations: { [annotations.purgeAt]: '2020-01-01T00:00:00Z' } } },
    { fieldManager: 'test' },
  );
  await eventually('purged', async () =>
    (await owned(resources.claim, old)).length === 0 ? true : undefined,
  );
});

test('under Delete the volumes go with the database', async () => {
  const database = await ready('default', 'fleeting', { deletionPolicy: 'Delete' });
  expect(database.metadata.finalizers).toContain('ledgerhouse.dev/volumes');
  await world.deleteDatabase('default', 'fleeting');
  await eventually('all of it gone', async () => {
    const left = [
      ...(await owned(resources.claim, database)),
      await world.database('default', 'fleeting'),
    ];
    return left.every((one) => one === undefined) ? true : undefined;
  });
});

test('under BackupThenDelete the database waits, says so, and is let go by another policy', async () => {
  const database = await ready('default', 'careful', { deletionPolicy: 'BackupThenDelete' });
  await world.deleteDatabase('default', 'careful');
  await world.until('default', 'careful', 'Stalled', 'True', 'BackupsUnavailable');
  await world.patchDatabase('default', 'careful', { spec: { deletionPolicy: 'Retain' } });
  await eventually('gone', async () =>
    (await world.database('default', 'careful')) === undefined ? true : undefined,
  );
  expect(await owned(resources.claim, database)).toHaveLength(1);
});

test.each(['Retain', 'BackupThenDelete', 'Delete'] as const)(
  'a namespace with a database under %s does not hang when it is deleted',
  async (deletionPolicy) => {
    const namespace = `org-${deletionPolicy.toLowerCase()}`;
    await world.createNamespace(namespace);
    await ready(namespace, 'payments', { deletionPolicy });
    const kind: Resource = {
      apiVersion: 'v1',
      kind: 'Namespace',
      plural: 'namespaces',
      namespaced: false,
    };
    const found = await world.kube.read({ resource: kind, name: namespace });
    await world.kube.delete(
      { resource: kind, name: namespace },
      { uid: found?.metadata.uid ?? '' },
    );
    await eventually('the namespace is gone', async () =>
      (await world.kube.read({ resource: kind, name: namespace })) === undefined ? true : undefined,
    );
  },
);

/** Keeps to one namespace, so that the others' databases are not touched by it. */
const within = (namespace: string) => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
});
const admission = (kind: string, plural: string): Resource => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind,
  plural,
  namespaced: false,
});

test('a quota that leaves no room for pods is named as what a person must raise, and raising it is enough', async () => {
  await world.createNamespace('crowded');
  const { apiVersion, kind } = resources.resourceQuota;
  const quota = (pods: string) =>
    world.kube.apply(
      resources.resourceQuota,
      {
        apiVersion,
        kind,
        metadata: { name: 'pods', namespace: 'crowded' },
        spec: { hard: { pods } },
      } as KubeObject,
      { fieldManager: 'test', force: true },
    );
  await quota('0');
  await world.createDatabase('crowded', 'late', {});
  // While Kubernetes has not counted yet, it refuses in other words.
  await eventually('the quota is named', async () => {
    const stalled = await world.until('crowded', 'late', 'Stalled', 'True', 'RefusedByApiServer');
    expect(condition(stalled, 'Stalled')?.message).toContain('exceeded quota: pods');
    return true;
  });
  await quota('1');
  await world.until('crowded', 'late', 'Stalled', 'False');
});

test('a webhook that is down is named while the operator tries again', async () => {
  await world.createNamespace('unanswered');
  const webhooks = admission('ValidatingWebhookConfiguration', 'validatingwebhookconfigurations');
  const name = 'down.example.com';
  await world.kube.apply(
    webhooks,
    {
      apiVersion: webhooks.apiVersion,
      kind: webhooks.kind,
      metadata: { name },
      webhooks: [
        {
          name,
          ...within('unanswered'),
          clientConfig: { url: 'https://127.0.0.1:1/' },
          failurePolicy: 'Fail',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          timeoutSeconds: 1,
          rules: [
            {
              apiGroups: ['networking.k8s.io'],
              apiVersions: ['v1'],
              resources: ['networkpolicies'],
              operations: ['CREATE'],
            },
          ],
        },
      ],
    } as KubeObject,
    { fieldManager: 'test', force: true },
  );
  await world.createDatabase('unanswered', 'patient', {});
  await eventually('it says what failed', async () => {
    const database = await world.database('unanswered', 'patient');
    const message = condition(database, 'Ready')?.message ?? '';
    if (!message.includes(`failed calling webhook "${name}"`)) throw new Error(message);
    return true;
  });
  const found = await world.kube.read({ resource: webhooks, name });
  await world.kube.delete({ resource: webhooks, name }, { uid: found?.metadata.uid ?? '' });
  await world.until('unanswered', 'patient', 'Ready', 'True');
});

test('manual changes are reverted, and objects of others are left alone', async () => {
  const database = await ready('default', 'meddled');
  const workload = database.status?.workload ?? '';
  const target = { resource: resources.statefulSet, namespace: 'default', name: workload };
  await world.kube.mergePatch(target, { spec: { replicas: 5 } }, { fieldManager: 'someone' });
  await eventually('one replica again', async () => {
    const set = await world.kube.read<StatefulSet>(target);
    return set?.spec?.replicas === 1 ? set : undefined;
  });
  await world.kube.create(
    resources.configMap,
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'guarded-connection', namespace: 'default' },
      data: { mine: 'yes' },
    } as unknown as KubeObject,
    { fieldManager: 'someone' },
  );
  await world.createDatabase('default', 'guarded', {});
  const stalled = await world.until('default', 'guarded', 'Stalled', 'True', 'NameTaken');
  expect(condition(stalled, 'Stalled')?.message).toContain('ConfigMap default/guarded-connection');
});

const forget = (name: string) =>
  world.kube.mergePatch(
    { resource: resources.database, namespace: 'default', name },
    { status: null },
    { fieldManager: 'someone', subresource: 'status' },
  );

test('a lost status does not lead to a second formatting', async () => {
  const database = await ready('default', 'amnesiac');
  await forget('amnesiac');
  const again = await world.until('default', 'amnesiac', 'Ready', 'True');
  expect(again.status?.clusterId).toBe(database.status?.clusterId);
  expect(again.status?.workload).toBe(database.status?.workload);
  expect(again.status?.bootstrapped).toBe(true);
});

test('a lost status upgrades no database, whatever the catalog’s default has become', async () => {
  const database = await ready('default', 'faithful');
  const [pod] = await owned<Pod>(resources.pod, database);
  const spec = catalogSpec();
  const newest = { version: '0.9.0', release: '0.17.9', image: 'ledgerhouse/engine:9' };
  await world.setCatalog({
    ...spec,
    defaults: { ...spec.defaults, storageGb: 5 },
    engines: spec.engines.map((row) =>
      row.name === 'Builtin'
        ? {
            ...row,
            defaultVersion: newest.version,
            versions: [...row.versions, { ...newest, deprecated: false }],
          }
        : row,
    ),
  });
  await forget('faithful');
  const again = await world.until('default', 'faithful', 'Ready', 'True');
  await world.setCatalog(spec);
  expect(again.status?.version).toMatchObject({ desired: '0.1.0', active: '0.1.0' });
  expect(again.status?.storage?.requestedGb).toBe(1);
  const pods = await owned<Pod>(resources.pod, again);
  expect(pods.map(({ metadata }) => metadata.uid)).toEqual([pod?.metadata.uid]);
});

test('a database that took volumes over keeps them when its status is lost', async () => {
  const old = await ready('default', 'elder');
  await world.deleteDatabase('default', 'elder');
  await eventually('the deletion', async () =>
    (await world.database('default', 'elder')) === undefined ? true : undefined,
  );
  const databaseId = old.status?.databaseId ?? '';
  const before = await ready('default', 'heir', { bootstrap: { volumes: { databaseId } } });
  await forget('heir');
  const again = await world.until('default', 'heir', 'Ready', 'True');
  expect(again.status).toMatchObject({
    bootstrapped: true,
    databaseId: before.status?.databaseId,
    clusterId: old.status?.clusterId,
    workload: old.status?.workload,
    version: { active: '0.1.0' },
  });
});

test('a Service that was deleted comes back with its address', async () => {
  const database = await ready('default', 'pinned');
  const name = `${database.status?.workload}-0`;
  const target = { resource: resources.service, namespace: 'default', name };
  const service = await world.kube.read(target);
  await world.kube.delete(target, { uid: service?.metadata.uid ?? '' });
  const again = await eventually('the Service', () =>
    world.kube.read<KubeObject & { spec: { clusterIP: string } }>(target),
  );
  expect(`${again.spec.clusterIP}:3001`).toBe(database.status?.addresses);
});

test('a backup that has no store to go to says so', async () => {
  await world.kube.create(
    resources.backup,
    {
      apiVersion: 'ledgerhouse.dev/v1alpha1',
      kind: 'LedgerBackup',
      metadata: { name: 'nightly', namespace: 'default' },
      spec: { database: 'plain' },
    } as unknown as KubeObject,
    { fieldManager: 'test' },
  );
  const backup = await eventually('the condition', async () => {
    const found = await world.kube.read<
      KubeObject & { status?: { conditions?: { reason: string }[] } }
    >({
      resource: resources.backup,
      namespace: 'default',
      name: 'nightly',
    });
    return found?.status === undefined ? undefined : found;
  });
  expect(backup.status?.conditions).toMatchObject([
    { type: 'Succeeded', status: 'Unknown', reason: 'StoreNotConfigured' },
  ]);
});
