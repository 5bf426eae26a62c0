/**
 * Least rights, in both directions: the operator's own process, as the service account that the chart makes, looks after
 * databases through their whole lives. Whatever it asks is allowed, and whatever it is allowed it has asked.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { KubeConfig } from '@kubernetes/client-node';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { annotations, labels, managedBy } from '../../../domain/names.ts';
import type { LedgerBackup } from '../../../domain/custom-resources.ts';
import {
  resources,
  type Claim,
  type Job,
  type Pod,
  type Secret,
  type Service,
  type StatefulSet,
} from '../../../domain/kinds.ts';
import type { KubeObject, Resource } from '../../../base/kube/kube.ts';
import { createKube } from '../../../base/kube/kube-http.ts';
import { askedOf, ChartRights, home, rightsIn, rightsOf } from '../../support/charts/chart-rights.ts';
import {
  startOperatorWorld,
  type Database,
  type OperatorWorld,
} from '../../support/operator/operator-world.ts';
import { bareEnvironment, eventually, shell } from '../../support/shell.ts';

let world: OperatorWorld;
let rights: ChartRights;
let checkKubeconfig: string;
let operatorKubeconfig: string;
let operator: OperatorProcess;

beforeAll(async () => {
  world = await startOperatorWorld();
  rights = await ChartRights.prepare(world);
  await rights.applyTemplate('templates/operator-rights.yaml');
  await rights.applyTemplate('templates/operator-policy.yaml');
  await rights.applyTemplate(
    'templates/tests/check-installation.yaml',
    ({ kind }) => kind !== 'Pod',
  );
  checkKubeconfig = await rights.kubeconfigOf('ledgerhouse-check');
  operatorKubeconfig = await rights.kubeconfigOf('ledgerhouse-operator');
  operator = await startOperator(operatorKubeconfig);
  await untilReady(operator.url);
});
afterAll(async () => {
  await operator?.stop();
  await world?.stop();
  rights?.remove();
});

/** Of a store that nothing here reaches. */
const storeCredentials = mkdtempSync(join(tmpdir(), 'ledgerhouse-store-'));
for (const name of ['access-key-id', 'secret-access-key'])
  writeFileSync(join(storeCredentials, name), 'none');
afterAll(() => rmSync(storeCredentials, { recursive: true, force: true }));

interface OperatorProcess {
  readonly child: ChildProcess;
  readonly url: string;
  stop(): Promise<void>;
}

const untilReady = (url: string) =>
  eventually('the operator is ready', async () =>
    (await fetch(`${url}/readyz`)).ok ? true : undefined,
  );

/** Runs the operator's own program until it serves its health; it may not be ready yet. */
async function startOperator(kubeconfig: string): Promise<OperatorProcess> {
  const child = spawn(process.execPath, ['operator/main.ts'], {
    env: {
      ...bareEnvironment,
      KUBECONFIG: kubeconfig,
      LEDGERHOUSE_OPERATOR_NAMESPACE: home,
      LEDGERHOUSE_OPERATOR_IDENTITY: 'operator-1',
      LEDGERHOUSE_OPERATOR_LISTEN: '127.0.0.1:0',
      LEDGERHOUSE_OPERATOR_STORE_URL: 's3://backups',
      LEDGERHOUSE_OPERATOR_STORE_CREDENTIALS: storeCredentials,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let log = '';
  child.stdout.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const port = await eventually('the operator serves', async () => {
    if (child.exitCode !== null) throw new Error(log);
    const [, found] = /"port":(\d+),"msg":"started"/.exec(log) ?? [];
    return found;
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    child,
    url,
    async stop() {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** Every request that the operator has made. */
const asked = () => askedOf(operator.url, 'ledgerhouse_operator_api_requests_total');

const owned = <T extends KubeObject>(resource: Resource, database: Database) =>
  world.kube.list<T>(resource, {
    namespace: database.metadata.namespace,
    labelSelector: `${labels.uid}=${database.metadata.uid}`,
  });

async function ready(name: string, spec: Parameters<OperatorWorld['createDatabase']>[2] = {}) {
  await world.createDatabase('default', name, spec);
  return world.until('default', name, 'Ready', 'True');
}

const made = (resource: Resource, name: string, rest: object) =>
  world.kube.apply(
    resource,
    {
      apiVersion: resource.apiVersion,
      kind: resource.kind,
      metadata: resource.namespaced ? { name, namespace: 'default' } : { name },
      ...rest,
    },
    { fieldManager: 'test', force: true },
  );

/** Ends the backup that an upgrade waits for: there is no engine here that could take part in one. */
async function failBackup(database: string): Promise<void> {
  const name = await eventually('the backup before the upgrade', async () => {
    const all = await world.kube.list<LedgerBackup & KubeObject>(resources.backup);
    const found = all.find(({ spec }) => spec.type === 'PreChange' && spec.database === database);
    return found?.metadata.name;
  });
  const time = new Date().toISOString();
  const row = { type: 'Succeeded', status: 'False', reason: 'Failed', message: 'by the test' };
  await world.kube.mergePatch(
    { resource: resources.backup, namespace: 'default', name },
    { status: { completedAt: time, conditions: [{ ...row, lastTransitionTime: time }] } },
    { fieldManager: 'test', subresource: 'status' },
  );
}

test('a database lives its whole life under the rights that the chart gives', async () => {
  await made(resources.storageClass, 'ledgerhouse-network', {
    provisioner: 'test.ledgerhouse.dev/none',
    allowVolumeExpansion: true,
  });
  const database = await ready('payments');
  // Changed in every way that there is.
  const patch = (spec: object) => world.patchDatabase('default', 'payments', { spec });
  await patch({ size: 'lh-10', parameters: { limitConnections: '7' } });
  await world.until('default', 'payments', 'Ready', 'True');
  await patch({ backup: { continuous: { enabled: true } } });
  await eventually('an archiver beside the engine', async () => {
    const [set] = await owned<StatefulSet>(resources.statefulSet, database);
    const { initContainers = [] } = set?.spec?.template.spec ?? {};
    return initContainers.some(({ name }) => name === 'archive') ? true : undefined;
  });
  await world.until('default', 'payments', 'Ready', 'True');
  await patch({ version: '0.2.0' });
  await failBackup('payments');
  await world.until('default', 'payments', 'Ready', 'True');
  await patch({ storage: { sizeGb: 3 } });
  await world.until('default', 'payments', 'Ready', 'True');
  // Turned off and on twice: the second time, events are counted rather than made.
  for (const suspend of [true, false, true, false]) {
    await patch({ suspend });
    await world.until('default', 'payments', 'Suspended', suspend ? 'True' : 'False');
    if (!suspend) await world.until('default', 'payments', 'Ready', 'True');
  }
  // A Service with another address than the one on record is made again with that.
  const recorded = '10.96.200.7';
  const [endpoint] = database.status?.endpoints ?? [];
  await world.kube.mergePatch(
    { resource: resources.database, namespace: 'default', name: 'payments' },
    { status: { endpoints: [{ ...endpoint, ip: recorded }] } },
    { fieldManager: 'test', subresource: 'status' },
  );
  await eventually('the address on record', async () => {
    const [service] = await owned<Service>(resources.service, database);
    return service?.spec?.clusterIP === recorded ? true : undefined;
  });
  await world.deleteDatabase('default', 'payments');
  const [claim] = await eventually('the volume is marked', async () => {
    const claims = await owned<Claim>(resources.claim, database);
    return claims[0]?.metadata.annotations?.[annotations.purgeAt] === undefined
      ? undefined
      : claims;
  });
  // Taken over by a new database, which then goes with its volume.
  const databaseId = claim?.metadata.labels?.[labels.databaseId] ?? '';
  const heir = await ready('heir', {
    bootstrap: { volumes: { databaseId } },
    deletionPolicy: 'Delete',
  });
  await world.deleteDatabase('default', 'heir');
  await eventually('nothing is left', async () => {
    const claims = await owned<Claim>(resources.claim, heir);
    const left = await world.database('default', 'heir');
    return claims.length === 0 && left === undefined ? true : undefined;
  });
});

test('a volume past its time is purged, a database without backups waits for a policy', async () => {
  // TigerBeetle has none.
  const database = await world.createDatabase('default', 'forgotten', {
    engine: 'TigerBeetle',
    topology: 'single',
    size: 'lh-40',
    deletionPolicy: 'BackupThenDelete',
  });
  await world.until('default', 'forgotten', 'Available', 'True');
  await world.deleteDatabase('default', 'forgotten');
  await world.until('default', 'forgotten', 'Stalled', 'True', 'BackupsUnavailable');
  await world.patchDatabase('default', 'forgotten', { spec: { deletionPolicy: 'Retain' } });
  const claim = await eventually('the volume is marked', async () => {
    const [found] = await owned<Claim>(resources.claim, database);
    return found?.metadata.annotations?.[annotations.purgeAt] === undefined ? undefined : found;
  });
  await world.kube.mergePatch(
    { resource: resources.claim, namespace: 'default', name: claim.metadata.name ?? '' },
    { metadata: { annotations: { [annotations.purgeAt]: '2020-01-01T00:00:00Z' } } },
    { fieldManager: 'test' },
  );
  await eventually('it is purged', async () =>
    (await owned(resources.claim, database)).length === 0 ? true : undefined,
  );
});

test('a quota without room for pods is told by their names', async () => {
  await world.createNamespace('crowded');
  const { apiVersion, kind } = resources.resourceQuota;
  await world.kube.create(
    resources.resourceQuota,
    {
      apiVersion,
      kind,
      metadata: { name: 'pods', namespace: 'crowded' },
      spec: { hard: { pods: '0' } },
    } as KubeObject,
    { fieldManager: 'test' },
  );
  await world.createDatabase('crowded', 'late', {});
  const { status } = await world.until('crowded', 'late', 'Stalled', 'True', 'RefusedByApiServer');
  expect(status?.conditions?.find(({ type }) => type === 'Stalled')?.message).toContain(
    'exceeded quota',
  );
  await world.deleteDatabase('crowded', 'late');
});

test('three replicas get their disruption budget, and one whose pod is deleted another', async () => {
  await world.createDatabase('default', 'three', {
    engine: 'TigerBeetle',
    topology: 'ha-3',
    size: 'lh-40',
  });
  const database = await world.until('default', 'three', 'Available', 'True');
  expect(await owned(resources.podDisruptionBudget, database)).toHaveLength(1);
  const [pod] = await owned<Pod>(resources.pod, database);
  await world.kube.delete(
    { resource: resources.pod, namespace: 'default', name: pod?.metadata.name ?? '' },
    { uid: pod?.metadata.uid ?? '' },
  );
  await eventually('another pod', async () => {
    const pods = await owned<Pod>(resources.pod, database);
    const another =
      pods.length === 3 && pods.every((one) => one.metadata.uid !== pod?.metadata.uid);
    return another ? true : undefined;
  });
});

test('three replicas of the built-in engine get certificates, which the operator cannot read', async () => {
  await world.createDatabase('default', 'certified', { topology: 'ha-3', size: 'lh-40' });
  const { status } = await world.until('default', 'certified', 'Available', 'True');
  expect(status?.peerCertificates?.generations).toHaveLength(1);
  const name = status?.peerCertificates?.generations?.[0]?.secret ?? '';
  const secrets = resources.secret;
  const secret = await world.kube.read<Secret>({ resource: secrets, namespace: 'default', name });
  expect(Object.keys(secret?.data ?? {}).sort()).toEqual(['ca.crt', 'tls.crt', 'tls.key']);
  expect(secret).toMatchObject({ immutable: true, type: 'kubernetes.io/tls' });
  const config = new KubeConfig();
  config.loadFromFile(operatorKubeconfig);
  const kube = createKube(config);
  const forbidden = { status: 403 };
  const reference = { resource: secrets, namespace: 'default', name };
  try {
    await expect(kube.read(reference)).rejects.toMatchObject(forbidden);
    await expect(kube.list(secrets)).rejects.toMatchObject(forbidden);
    const patched = kube.mergePatch(reference, {}, { fieldManager: 'test' });
    await expect(patched).rejects.toMatchObject(forbidden);
    const uid = secret?.metadata.uid ?? '';
    await expect(kube.delete(reference, { uid })).rejects.toMatchObject(forbidden);
  } finally {
    await kube.close();
  }
  // Goes with the database, without a right to delete it.
  await world.deleteDatabase('default', 'certified');
  await eventually('the Secret is gone', async () =>
    (await world.kube.read(reference)) === undefined ? true : undefined,
  );
});

test('backups, schedules and trials of rows are told how they stand', async () => {
  await made(resources.backup, 'monday', { spec: { database: 'payments' } });
  await made(resources.backupSchedule, 'nightly', {
    spec: { database: 'payments', schedule: '0 3 * * *' },
  });
  await made(resources.import, 'rows', {
    spec: {
      importId: 'rows',
      sizeBytes: 1,
      rows: { accounts: '0'.repeat(64), partSizeBytes: 1, now: '1795372852090008189' },
    },
  });
  for (const resource of [resources.backup, resources.backupSchedule, resources.import]) {
    await eventually(`${resource.kind} has a condition`, async () => {
      const [object] = await world.kube.list<KubeObject & { status?: { conditions?: unknown[] } }>(
        resource,
      );
      return (object?.status?.conditions?.length ?? 0) > 0 ? true : undefined;
    });
  }
});

test('a schedule makes a backup, and one that is not wanted goes', async () => {
  await ready('backed');
  const spec = { database: 'backed', schedule: '0 3 * * *', immediate: true };
  await made(resources.backupSchedule, 'at-once', { spec });
  const name = await eventually('its backup', async () => {
    const all = await world.kube.list<LedgerBackup & KubeObject>(resources.backup);
    return all.find((one) => one.spec.type === 'Scheduled')?.metadata.name;
  });
  await world.kube.mergePatch(
    { resource: resources.backup, namespace: 'default', name },
    { spec: { removeRequested: true } },
    { fieldManager: 'test' },
  );
  await eventually('it is gone', async () => {
    const found = await world.kube.read({
      resource: resources.backup,
      namespace: 'default',
      name,
    });
    return found === undefined ? true : undefined;
  });
});

test('helm test makes a database and takes it away again, with its own few rights', async () => {
  const args = ['operator/check-installation.ts', '--namespace', home, '--timeout-seconds', '240'];
  const check = { KUBECONFIG: checkKubeconfig };
  const { code, stdout } = await shell(process.execPath, args, { env: check, timeoutMs: 540_000 });
  expect([code, stdout]).toEqual([0, expect.stringContaining('a database could be created here')]);
  for (const words of ['made LedgerDatabase', 'ready after', 'gone'])
    expect(stdout).toContain(words);
  expect(await world.kube.list(resources.database, { namespace: home })).toEqual([]);
  expect(await world.kube.list(resources.claim, { namespace: home })).toEqual([]);
  const [role] = (await rights.templateOf('templates/tests/check-installation.yaml')).filter(
    ({ kind }) => kind === 'Role',
  );
  expect(role?.rules).toEqual([
    {
      apiGroups: ['ledgerhouse.dev'],
      resources: ['ledgerdatabases'],
      verbs: ['get', 'create', 'delete'],
    },
  ]);
});

/** Requests that somebody with the operator's token would try. `refused`: words of the policy that stops them. */
const attempts: readonly [string, Resource, object, string][] = [
  ['an object that is not a database’s', resources.configMap, {}, 'makes only objects with the label'],
  [
    'a Secret of its own',
    resources.secret,
    { labels: { [labels.managedBy]: managedBy }, type: 'Opaque' },
    'only immutable Secrets with certificates',
  ],
  ['a pod that mounts the node', resources.job, { volume: { hostPath: { path: '/' } } }, 'nothing of the node'],
  [
    'a pod that mounts another’s Secret',
    resources.job,
    { volume: { secret: { secretName: 'admin' } } },
    "only their database's volumes, certificates and credentials",
  ],
  [
    'a pod that mounts the volume of another program',
    resources.job,
    {
      labels: { [labels.workload]: 'postgresql' },
      volume: { persistentVolumeClaim: { claimName: 'data-postgresql-0' } },
    },
    'makes pods only for databases',
  ],
  [
    'a copy of another program’s volume',
    resources.claim,
    {
      labels: { [labels.managedBy]: managedBy },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        dataSource: { kind: 'PersistentVolumeClaim', name: 'data-postgresql-0' },
      },
    },
    'new and empty',
  ],
  [
    'a volume that another program left',
    resources.claim,
    {
      labels: { [labels.managedBy]: managedBy },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        volumeName: 'pv-of-another',
      },
    },
    'new and empty',
  ],
  [
    'connections to another program',
    resources.networkPolicy,
    { labels: { [labels.managedBy]: managedBy }, spec: { podSelector: {}, ingress: [{}] } },
    "databases' pods only",
  ],
  ['a pod in the node’s network', resources.job, { pod: { hostNetwork: true } }, 'namespaces of the node'],
  [
    'a pod with an account',
    resources.job,
    { pod: { serviceAccountName: 'admin' } },
    'rights in the Kubernetes API',
  ],
  [
    'a privileged pod',
    resources.job,
    { container: { securityContext: { privileged: true, allowPrivilegeEscalation: true } } },
    'run as root, are privileged',
  ],
  [
    'a pod with another’s Secret in its environment',
    resources.job,
    { container: { envFrom: [{ secretRef: { name: 'admin' } }] } },
    'no environment from Secrets',
  ],
  [
    'an engine with the credentials of the store',
    resources.statefulSet,
    {
      volume: { secret: { secretName: 'payments-000000-store-1' } },
      container: { name: 'engine', volumeMounts: [{ name: 'v', mountPath: '/v' }] },
    },
    'only the container archive mounts',
  ],
  [
    'a Service outside the cluster',
    resources.service,
    {
      labels: { [labels.managedBy]: managedBy },
      spec: { type: 'NodePort', ports: [{ port: 1 }] },
    },
    'only inside the cluster',
  ],
];

interface Attempt {
  readonly labels?: Record<string, string>;
  readonly volume?: object;
  readonly pod?: object;
  readonly container?: object;
  readonly spec?: object;
  readonly type?: string;
}

function attemptOf({ apiVersion, kind }: Resource, attempt: Attempt): KubeObject {
  const metadata = { name: 'attempt', namespace: 'default' };
  const ours = {
    [labels.managedBy]: managedBy,
    [labels.workload]: 'payments-000000',
    ...attempt.labels,
  };
  const hasPods = kind === 'Job' || kind === 'StatefulSet';
  if (!hasPods) {
    const { labels: own, ...rest } = attempt;
    return { apiVersion, kind, metadata: { ...metadata, labels: own ?? {} }, ...rest };
  }
  const container = {
    name: 'c',
    image: 'i',
    securityContext: { allowPrivilegeEscalation: false },
    ...attempt.container,
  };
  const spec = {
    ...(kind === 'Job' ? { restartPolicy: 'Never' } : {}),
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true },
    containers: [container],
    ...(attempt.volume === undefined ? {} : { volumes: [{ name: 'v', ...attempt.volume }] }),
    ...attempt.pod,
  };
  const set = { serviceName: 's', selector: { matchLabels: ours } };
  const template = { metadata: { labels: ours }, spec };
  return {
    apiVersion,
    kind,
    metadata: { ...metadata, labels: ours },
    spec: { ...(kind === 'Job' ? {} : set), template },
  } as KubeObject;
}

test('a stolen token of the operator makes nothing but objects of databases, and changes no others', async () => {
  const config = new KubeConfig();
  config.loadFromFile(operatorKubeconfig);
  const kube = createKube(config);
  const manager = { fieldManager: 'test' };
  try {
    const harmless = await kube.create(resources.job, attemptOf(resources.job, {}), manager);
    expect(harmless.metadata.name).toBe('attempt');
    await world.kube.delete(
      { resource: resources.job, namespace: 'default', name: 'attempt' },
      { uid: harmless.metadata.uid ?? '' },
    );
    await eventually('the attempt is gone', async () => {
      const reference = { resource: resources.job, namespace: 'default', name: 'attempt' };
      return (await world.kube.read(reference)) === undefined ? true : undefined;
    });
    for (const [what, resource, attempt, words] of attempts) {
      const refused = kube.create(resource, attemptOf(resource, attempt), manager);
      await expect(refused.then(() => what)).rejects.toMatchObject({
        message: expect.stringContaining(words),
      });
    }
    await made(resources.configMap, 'foreign', {});
    const reference = { resource: resources.configMap, namespace: 'default', name: 'foreign' };
    const taking = { metadata: { labels: { [labels.managedBy]: managedBy } } };
    await expect(kube.mergePatch(reference, taking, manager)).rejects.toMatchObject({
      message: expect.stringContaining('changes and deletes only objects with the label'),
    });
    const untouched = await world.kube.read(reference);
    expect(untouched?.metadata.labels).toBeUndefined();
    await world.createDatabase('default', 'spec-kept', {});
    const database = { resource: resources.database, namespace: 'default', name: 'spec-kept' };
    await expect(
      kube.mergePatch(database, { spec: { suspend: true } }, manager),
    ).rejects.toMatchObject({ message: expect.stringContaining('never changes a spec') });
  } finally {
    await kube.close();
  }
});

test('objects that lost the label of their maker get it back', async () => {
  const three = await world.until('default', 'three', 'ReplicasHealthy', 'True');
  await world.createDatabase('default', 'unlucky', { version: '0.3.0-broken' });
  const unlucky = await eventually('a Job', async () => {
    const database = await world.database('default', 'unlucky');
    const jobs = database && (await owned<Job>(resources.job, database));
    return jobs?.length === 1 ? database : undefined;
  });
  const kinds = [
    'service',
    'configMap',
    'statefulSet',
    'networkPolicy',
    'podDisruptionBudget',
    'claim',
  ] as const;
  const one = async (kind: keyof typeof resources, database: Database) => {
    const [object] = await owned(resources[kind], database);
    const { namespace, name = '' } = object?.metadata ?? {};
    return { resource: resources[kind], namespace, name };
  };
  const all = [...kinds.map((kind) => one(kind, three)), one('job', unlucky)];
  for (const reference of await Promise.all(all)) {
    // A Job without the label of its database is not seen: its name is found to be taken.
    const unseen = reference.resource === resources.job ? { [labels.uid]: null } : {};
    const lost = { metadata: { labels: { [labels.managedBy]: null, ...unseen } } };
    await world.kube.mergePatch(reference, lost, { fieldManager: 'test' });
    await eventually(`${reference.resource.kind} has its label`, async () => {
      const now = await world.kube.read(reference);
      return now?.metadata.labels?.[labels.managedBy] === undefined ? undefined : true;
    });
  }
  await world.deleteDatabase('default', 'unlucky');
});

test('no request was forbidden', async () => {
  const requests = await asked();
  expect(requests.length).toBeGreaterThan(40);
  expect(requests.filter(({ code }) => code === '401' || code === '403')).toEqual([]);
});

/** Rights that admission checks where it is configured to, although the operator makes no such request. */
const askedByAdmission = ['update ledgerdatabases/finalizers'];

test('every right that is granted was used', async () => {
  const allowed = rightsIn(await rights.templateOf('templates/operator-rights.yaml'));
  expect(new Set(allowed).size).toBe(allowed.length);
  // Events that come again are counted half a minute later.
  await eventually('an event is counted', async () =>
    (await asked()).flatMap(rightsOf).includes('patch events') ? true : undefined,
  );
  const used = new Set((await asked()).flatMap(rightsOf));
  const unused = allowed.filter((right) => !used.has(right) && !askedByAdmission.includes(right));
  expect(unused).toEqual([]);
  expect([...used].filter((right) => !allowed.includes(right))).toEqual([]);
});

test('owner references block their owner, for which the right to finalizers is needed', async () => {
  const database = await world.database('default', 'three');
  const sets = await world.kube.list(resources.statefulSet, {
    labelSelector: `${labels.managedBy}=${managedBy}`,
  });
  const reference = sets
    .flatMap(({ metadata }) => metadata.ownerReferences ?? [])
    .find(({ name }) => name === 'three');
  expect(reference).toMatchObject({
    kind: 'LedgerDatabase',
    uid: database?.metadata.uid,
    blockOwnerDeletion: true,
  });
});

test('without an operator, helm test names the missing part and leaves nothing behind', async () => {
  await operator.stop();
  const args = ['operator/check-installation.ts', '--namespace', home, '--timeout-seconds', '2'];
  const check = { KUBECONFIG: checkKubeconfig };
  const { code, stdout } = await shell(process.execPath, args, { env: check });
  expect(code).toBe(1);
  expect(stdout).toContain('not ready within 2 s; the operator has not seen the database');
  expect(await world.kube.list(resources.database, { namespace: home })).toEqual([]);
});

test('an operator whose caches are not filled does not lead, though the lease is free; once they are, it does', async () => {
  const binding: Resource = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    plural: 'clusterrolebindings',
    namespaced: false,
  };
  const reference = { resource: binding, name: 'ledgerhouse-operator' };
  const found = await world.kube.read<KubeObject>(reference);
  await world.kube.delete(reference, { uid: found?.metadata.uid ?? '' });
  const config = new KubeConfig();
  config.loadFromFile(operatorKubeconfig);
  const mine = createKube(config);
  await eventually('the rights are gone', () =>
    mine.list(resources.pod).then(
      () => Promise.resolve(undefined),
      () => Promise.resolve(true),
    ),
  );
  await mine.close();
  const blind = await startOperator(operatorKubeconfig);
  const leads = async () =>
    /^ledgerhouse_operator_leader (\d)$/m.exec(await (await fetch(`${blind.url}/metrics`)).text())?.[1];
  try {
    await eventually('its lists are refused', async () => {
      const refused = await askedOf(blind.url, 'ledgerhouse_operator_api_requests_total');
      return refused.filter(({ code }) => code === '403').length > 8 ? true : undefined;
    });
    expect((await fetch(`${blind.url}/readyz`)).status).toBe(503);
    expect(await leads()).toBe('0');
    const leases = (await askedOf(blind.url, 'ledgerhouse_operator_api_requests_total')).filter(
      ({ resource }) => resource === 'leases',
    );
    expect(leases).toEqual([]);
    await rights.applyTemplate('templates/operator-rights.yaml');
    await untilReady(blind.url);
    await eventually('it leads', async () => ((await leads()) === '1' ? true : undefined));
  } finally {
    await blind.stop();
  }
});

test('the role is what its comment says: this test is named there', () => {
  const text = readFileSync('charts/ledgerhouse/templates/operator-rights.yaml', 'utf8');
  expect(text).toContain('test/integration/charts/rights.test.ts');
});
