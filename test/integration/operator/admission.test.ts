/** Others that change the operator's objects on a real API server: a mutating webhook, and people who edit labels. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { RequestRecord } from '../../../base/kube/kube-http.ts';
import type { KubeObject, Resource } from '../../../base/kube/kube.ts';
import { labels } from '../../../domain/names.ts';
import { resources, type Pod, type Service, type StatefulSet } from '../../../domain/kinds.ts';
import {
  startMutatingWebhook,
  type MutatingWebhook,
  type Mutation,
} from '../../support/operator/mutating-webhook.ts';
import {
  startOperatorWorld,
  type Database,
  type OperatorWorld,
} from '../../support/operator/operator-world.ts';
import {
  startTestOperator,
  untilAtRest,
  type TestOperator,
} from '../../support/operator/test-operator.ts';
import { eventually } from '../../support/shell.ts';

let world: OperatorWorld;
let operator: TestOperator;
let webhook: MutatingWebhook;
/** How far the operator's clock is ahead. */
let aheadMs = 0;
const requests: RequestRecord[] = [];

beforeAll(async () => {
  world = await startOperatorWorld();
  webhook = await startMutatingWebhook(world.kube);
  operator = await startTestOperator({
    kubeConfig: world.kubeConfig,
    onRequest: (record) => requests.push(record),
    nowMs: () => Date.now() + aheadMs,
  });
});
afterAll(async () => {
  await operator?.stop();
  await webhook?.stop();
  await world?.stop();
});

const conditionOf = (database: Database | undefined, type: string) =>
  database?.status?.conditions?.find((one) => one.type === type);
const owned = <T extends KubeObject>(resource: Resource, database: Database) =>
  world.kube.list<T>(resource, {
    namespace: database.metadata.namespace,
    labelSelector: `${labels.uid}=${database.metadata.uid}`,
  });
const setOf = async (database: Database): Promise<StatefulSet> => {
  const [set] = await owned<StatefulSet>(resources.statefulSet, database);
  if (set === undefined) throw new Error('there is no StatefulSet');
  return set;
};
/** The operator looks again, as it does every ten minutes. */
const touch = (namespace: string) =>
  world.patchDatabase(namespace, 'payments', {
    metadata: { annotations: { looked: String(Date.now()) } },
  });

interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly resources?: object;
}
interface Template {
  readonly spec: { readonly containers: readonly Container[] };
}
type Templated = KubeObject & { readonly spec: { readonly template: Template } };

/** Changes the containers of StatefulSets and Jobs. */
const ofContainers =
  (change: (container: Container) => Container): Mutation =>
  (object) => {
    if (object.kind !== 'StatefulSet' && object.kind !== 'Job') return object;
    const { spec } = object as Templated;
    const containers = spec.template.spec.containers.map(change);
    const pod = { ...spec.template.spec, containers };
    const next = { ...spec, template: { ...spec.template, spec: pod } };
    return { ...object, spec: next } as KubeObject;
  };

/** As policies of images, limits and labels do, and a mesh that adds a container to each pod. */
const busy: Mutation = (object) => {
  if (object.kind === 'Pod') {
    const { spec } = object as unknown as Template;
    if (spec.containers.some(({ name }) => name === 'proxy')) return object;
    const containers = [...spec.containers, { name: 'proxy', image: 'mesh/proxy:1' }];
    return { ...object, spec: { ...spec, containers } } as unknown as KubeObject;
  }
  if (object.kind === 'Service') return object;
  const { metadata } = object;
  const labelled = { ...metadata, labels: { ...metadata.labels, 'policy.test/seen': 'yes' } };
  return ofContainers((container) => ({
    ...container,
    image: container.image.replace(/^(mirror[.]test[/])?/, 'mirror.test/'),
    resources: { ...container.resources, limits: { cpu: '2', memory: '2Gi' } },
  }))({ ...object, metadata: labelled });
};

test('fields that a webhook adds to Jobs, StatefulSets and pods are left alone and named, also after a change', async () => {
  await world.createNamespace('mirrored');
  webhook.mutate('mirrored', busy);
  await world.createDatabase('mirrored', 'payments', {});
  const made = await world.until('mirrored', 'payments', 'Ready', 'True');
  expect(conditionOf(made, 'VersionUpToDate')?.message).toMatch(
    /admission changed .*containers\[engine\].*which is left alone/,
  );
  const [pod] = await owned<Pod>(resources.pod, made);
  expect(pod?.spec?.containers.map(({ name }) => name)).toContain('proxy');
  expect((await setOf(made)).metadata.labels).toMatchObject({ 'policy.test/seen': 'yes' });
  const jobs = requests.filter(
    // An operator that has not heard of its own Job yet may ask once more, and is refused.
    ({ verb, resource, namespace, code }) =>
      verb === 'create' && resource.kind === 'Job' && namespace === 'mirrored' && code === 201,
  );
  expect(jobs).toHaveLength(1);
  await untilAtRest(requests, 5_000);
  await world.patchDatabase('mirrored', 'payments', { spec: { size: 'lh-10' } });
  const sized = await world.until('mirrored', 'payments', 'Ready', 'True');
  expect(sized.status?.resolved?.size?.name).toBe('lh-10');
  expect(conditionOf(sized, 'VersionUpToDate')?.message).toContain('which is left alone');
  await untilAtRest(requests, 5_000);
});

test('an apply without effect stalls with the field and the values, without a loop, and ends with its cause', async () => {
  await world.createNamespace('stubborn');
  await world.createDatabase('stubborn', 'payments', {});
  await world.until('stubborn', 'payments', 'Ready', 'True');
  webhook.mutate(
    'stubborn',
    ofContainers((container) => ({
      ...container,
      ...(container.args === undefined
        ? {}
        : { args: container.args.filter((one) => !one.startsWith('--limit-connections')) }),
    })),
  );
  await world.patchDatabase('stubborn', 'payments', {
    spec: { parameters: { limitConnections: '7' } },
  });
  const stalled = await world.until(
    'stubborn',
    'payments',
    'Stalled',
    'True',
    'ChangedByAdmission',
  );
  expect(conditionOf(stalled, 'Stalled')?.message).toMatch(
    /StatefulSet payments-\w+ has no effect: .*containers\[engine\]\.args/,
  );
  expect(conditionOf(stalled, 'Available')?.status).toBe('True');
  await untilAtRest(requests, 5_000);
  webhook.mutate('stubborn', undefined);
  aheadMs += 10 * 60_000;
  await touch('stubborn');
  const healed = await world.until('stubborn', 'payments', 'Ready', 'True');
  const args = (await setOf(healed)).spec?.template.spec?.containers[0]?.args;
  expect(args).toContain('--limit-connections=7');
});

test('a webhook that takes our labels away is named, and nothing is made over and over', async () => {
  await world.createNamespace('stripping');
  webhook.mutate('stripping', (object) => {
    if (object.kind !== 'Service') return object;
    const { [labels.managedBy]: _, ...others } = object.metadata.labels ?? {};
    return { ...object, metadata: { ...object.metadata, labels: others } };
  });
  await world.createDatabase('stripping', 'payments', {});
  const stalled = await world.until(
    'stripping',
    'payments',
    'Stalled',
    'True',
    'ChangedByAdmission',
  );
  expect(conditionOf(stalled, 'Stalled')?.message).toContain(
    `removes or changes the label ${labels.managedBy}`,
  );
  await untilAtRest(requests, 5_000);
  webhook.mutate('stripping', undefined);
  await touch('stripping');
  await world.until('stripping', 'payments', 'Ready', 'True');
});

test('objects whose labels somebody removed get them back, and keep what they are', async () => {
  const database = await world.until('mirrored', 'payments', 'Ready', 'True');
  const kinds = ['service', 'networkPolicy', 'configMap', 'statefulSet'] as const;
  for (const kind of kinds) {
    const [object] = await owned(resources[kind], database);
    const { namespace, name = '', uid } = object?.metadata ?? {};
    const reference = { resource: resources[kind], namespace, name };
    const lost = { [labels.managedBy]: null };
    await world.kube.mergePatch(
      reference,
      { metadata: { labels: lost } },
      { fieldManager: 'test' },
    );
    const back = await eventually(`${kind} has its label`, async () => {
      const now = await world.kube.read<KubeObject>(reference);
      return now?.metadata.labels?.[labels.managedBy] === undefined ? undefined : now;
    });
    expect(back.metadata.uid).toBe(uid);
  }
  await world.until('mirrored', 'payments', 'Ready', 'True');
  await untilAtRest(requests, 5_000);
});

test('addresses outside the cluster and ports that somebody gives a Service are taken back, and its own stay', async () => {
  const database = await world.until('mirrored', 'payments', 'Ready', 'True');
  const [service] = await owned<Service>(resources.service, database);
  const { namespace, name = '', uid } = service?.metadata ?? {};
  const reference = { resource: resources.service, namespace, name };
  const ports = service?.spec?.ports ?? [];
  const another = { name: 'peer', port: 2380, protocol: 'TCP' };
  const added = {
    spec: { externalIPs: ['192.0.2.7'], type: 'NodePort', ports: [...ports, another] },
  };
  await world.kube.mergePatch(reference, added, { fieldManager: 'test' });
  const after = await eventually('the addresses are gone', async () => {
    const found = await world.kube.read<Service>(reference);
    const { externalIPs = [], type, ports: now = [] } = found?.spec ?? {};
    const isOurs = externalIPs.length === 0 && type === 'ClusterIP' && now.length === ports.length;
    return isOurs ? found : undefined;
  });
  expect(after.metadata.uid).toBe(uid);
  expect(after.spec?.clusterIP).toBe(service?.spec?.clusterIP);
  expect(JSON.stringify(ownersOf(after, 'f:externalIPs'))).toBe('["ledgerhouse-operator"]');
  await untilAtRest(requests, 5_000);
});

/** Who has this field of the spec by server-side apply. */
const ownersOf = ({ metadata }: KubeObject, field: string) =>
  (metadata.managedFields ?? [])
    .filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes(`"${field}"`))
    .map(({ manager }) => manager);

test('a field that is applied no more goes from an object, though a creation and no apply brought it', async () => {
  await world.createNamespace('dropping');
  await world.createDatabase('dropping', 'payments', {
    pods: { annotations: { shift: 'night' }, tolerations: [] },
  });
  const before = await world.until('dropping', 'payments', 'Ready', 'True');
  const annotationsOf = async () => (await setOf(before)).spec?.template.metadata?.annotations;
  expect(await annotationsOf()).toMatchObject({ shift: 'night' });
  await world.patchDatabase('dropping', 'payments', { spec: { pods: null } });
  await eventually('the annotation is gone', async () =>
    (await annotationsOf())?.['shift'] === undefined ? true : undefined,
  );
  await world.until('dropping', 'payments', 'Ready', 'True');
  const writers = (await setOf(before)).metadata.managedFields?.filter(
    ({ manager, subresource }) => manager === 'ledgerhouse-operator' && subresource === undefined,
  );
  expect(writers?.map(({ operation }) => operation)).toEqual(['Apply']);
});
