/** The first contents of an organization's namespace, on a real control plane, and who may change them later. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { KubeConfig } from '@kubernetes/client-node';
import { NotOurs } from '../../../api/kubernetes/database-writer.ts';
import {
  denyIngressName,
  quotaFor,
  quotaName,
  type NamespaceDefaults,
  type ResourceQuota,
} from '../../../api/kubernetes/namespace-defaults.ts';
import { OrganizationNamespaces } from '../../../api/kubernetes/organization-namespaces.ts';
import { changeOrganization } from '../../../api/store/organization-lifecycle.ts';
import type { Organization } from '../../../api/store/organizations.ts';
import type { Store } from '../../../api/store/store.ts';
import type { Kube, KubeObject, Resource } from '../../../base/kube/kube.ts';
import { createKube, type KubeHttp } from '../../../base/kube/kube-http.ts';
import { resources } from '../../../domain/kinds.ts';
import { labels } from '../../../domain/names.ts';
import { startControlPlane, type ControlPlane } from '../../../tools/cluster/control-plane.ts';
import { TestPostgres } from '../../support/api/postgres.ts';
import { eventually } from '../../support/shell.ts';
import { anotherOrganization, openTestStore, tester } from '../../support/api/store.ts';

let postgres: TestPostgres;
let plane: ControlPlane;
let store: Store;
let kube: KubeHttp;

beforeAll(async () => {
  [postgres, plane] = await Promise.all([
    TestPostgres.create(),
    startControlPlane({ controllerManager: true }),
  ]);
  ({ store } = await openTestStore(postgres));
  const config = new KubeConfig();
  config.loadFromFile(plane.kubeconfig);
  kube = createKube(config);
});
afterAll(async () => {
  await kube?.close();
  await store?.close();
  await plane?.stop();
  await postgres?.remove();
});

const fieldManager = 'test';
const defaults: NamespaceDefaults = { podSecurity: 'restricted', quota: quotaFor(50) };

/** As each process of the API has them. */
const namespaces = (more: { kube?: Kube } & Partial<NamespaceDefaults> = {}) =>
  new OrganizationNamespaces({
    kube: more.kube ?? kube,
    db: () => store.read,
    defaults: { ...defaults, ...more },
  });

const ensure = (of: OrganizationNamespaces, { namespace, id }: Organization) =>
  of.ensure(namespace, id);

const read = <T extends KubeObject>(resource: Resource, namespace: string, name: string) =>
  kube.read<T>({ resource, namespace, name });
const quotaOf = ({ namespace }: Organization) =>
  read<ResourceQuota>(resources.resourceQuota, namespace, quotaName);
const policyOf = ({ namespace }: Organization) =>
  read<KubeObject & { spec: object }>(resources.networkPolicy, namespace, denyIngressName);
const namespaceOf = ({ namespace: name }: Organization) =>
  kube.read({ resource: resources.namespace, name });

async function remove(object: KubeObject | undefined, resource: Resource): Promise<void> {
  const { namespace, name = '', uid = '' } = object?.metadata ?? {};
  await kube.delete({ resource, namespace, name }, { uid });
}

const restricted = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

/** Starts a pod. Retries, because a controller makes its service account a moment after the namespace. */
const startPod = ({ namespace }: Organization, name: string, securityContext: object = {}) =>
  eventually(`an answer about the pod ${name}`, async () => {
    const spec = {
      automountServiceAccountToken: false,
      containers: [{ name: 'a', image: 'a', securityContext }],
    };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name }, spec };
    try {
      await kube.create(resources.pod, pod, { fieldManager });
    } catch (error) {
      const why = error instanceof Error ? error.message : '';
      if (why.includes('serviceaccount')) throw error;
      return why;
    }
    return 'started';
  });

test("a new organization's namespace enforces Pod Security, has a quota that is counted, and refuses connections that nobody admits", async () => {
  const acme = await anotherOrganization(store, 'acme');
  await ensure(namespaces(), acme);
  expect((await namespaceOf(acme))?.metadata.labels).toMatchObject({
    [labels.organization]: acme.id,
    'pod-security.kubernetes.io/enforce': 'restricted',
  });
  const hard = { pods: '600', persistentvolumeclaims: '1200', services: '600' };
  const used = { pods: '0', persistentvolumeclaims: '0', services: '0' };
  const counted = await eventually('the quota is counted', async () => {
    const quota = await quotaOf(acme);
    return quota?.status?.used === undefined ? undefined : quota;
  });
  expect(counted).toMatchObject({ spec: { hard }, status: { hard, used } });
  expect((await policyOf(acme))?.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress'] });
  expect(await startPod(acme, 'careless')).toContain('violates PodSecurity "restricted');
  expect(await startPod(acme, 'careful', restricted)).toBe('started');
});

test('the configured number of requests is let in, and no more', async () => {
  const open = await anotherOrganization(store, 'open');
  const quota = { ...defaults.quota, pods: 1 };
  await ensure(namespaces({ podSecurity: 'privileged', quota }), open);
  // The quota applies once Kubernetes has counted for the first time; until then everything is admitted.
  await eventually('the quota is counted', async () => (await quotaOf(open))?.status?.used);
  expect(await startPod(open, 'first')).toBe('started');
  expect(await startPod(open, 'second')).toContain('exceeded quota: ledgerhouse');
});

test('an administrator’s changes and deletions stay', async () => {
  const settled = await anotherOrganization(store, 'settled');
  await ensure(namespaces(), settled);
  const name = settled.namespace;
  const level = { 'pod-security.kubernetes.io/enforce': 'baseline' };
  const change = async (reference: { resource: Resource; name: string }, patch: object) =>
    kube.mergePatch({ namespace: name, ...reference }, patch, { fieldManager });
  await kube.mergePatch(
    { resource: resources.namespace, name },
    { metadata: { labels: level } },
    { fieldManager },
  );
  await change(
    { resource: resources.resourceQuota, name: quotaName },
    { spec: { hard: { pods: '3' } } },
  );
  await remove(await policyOf(settled), resources.networkPolicy);
  // By the same process and by one that has just started.
  for (const again of [namespaces(), namespaces({ podSecurity: 'restricted' })]) {
    await ensure(again, settled);
    expect((await namespaceOf(settled))?.metadata.labels).toMatchObject(level);
    expect((await quotaOf(settled))?.spec?.hard?.['pods']).toBe('3');
    expect(await policyOf(settled)).toBeUndefined();
  }
  await remove(await quotaOf(settled), resources.resourceQuota);
  await ensure(namespaces(), settled);
  expect(await quotaOf(settled)).toBeUndefined();
});

test.each([
  ['before-the-policy', 'NetworkPolicy', 'before'],
  ['after-the-policy', 'NetworkPolicy', 'after'],
  ['before-the-quota', 'ResourceQuota', 'before'],
  ['after-the-quota', 'ResourceQuota', 'after'],
] as const)(
  'a process that dies %s leaves no namespace without its defaults',
  async (slug, kind, when) => {
    const died = await anotherOrganization(store, slug);
    const dying = new Proxy(kube, {
      get(target, key) {
        if (key !== 'create') return (target[key as keyof KubeHttp] as () => unknown).bind(target);
        return async (...args: Parameters<KubeHttp['create']>) => {
          const isLast = args[0].kind === kind;
          if (isLast && when === 'before') throw new Error('died');
          const made = await kube.create(...args);
          if (isLast) throw new Error('died');
          return made;
        };
      },
    });
    await expect(ensure(namespaces({ kube: dying }), died)).rejects.toThrow('died');
    expect(await namespaceOf(died)).toBeDefined();
    await ensure(namespaces(), died);
    expect([await quotaOf(died), await policyOf(died)]).not.toContain(undefined);
  },
);

test('an organization with a larger maximum of databases has room for them in its namespace', async () => {
  const large = await anotherOrganization(store, 'large');
  await store.change(tester, (change) =>
    changeOrganization(change, large.id, { databasesMax: 200 }),
  );
  await ensure(namespaces({ fixed: { services: 7 } }), large);
  expect((await quotaOf(large))?.spec?.hard).toEqual({
    pods: '2400',
    persistentvolumeclaims: '4800',
    // The installation's settings name this one.
    services: '7',
  });
});

test('many processes that make it at once make one', async () => {
  const busy = await anotherOrganization(store, 'busy');
  const processes = Array.from({ length: 5 }, () => namespaces());
  await Promise.all(processes.map((one) => ensure(one, busy)));
  expect([await quotaOf(busy), await policyOf(busy)]).not.toContain(undefined);
});

test('a namespace that an administrator made and labelled stays as it is', async () => {
  const adopted = await anotherOrganization(store, 'adopted');
  const { namespace: name } = adopted;
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  await kube.create(resources.namespace, namespace, { fieldManager });
  await expect(ensure(namespaces(), adopted)).rejects.toThrow(NotOurs);
  await kube.mergePatch(
    { resource: resources.namespace, name },
    { metadata: { labels: { [labels.organization]: adopted.id } } },
    { fieldManager },
  );
  await ensure(namespaces(), adopted);
  expect([await quotaOf(adopted), await policyOf(adopted)]).toEqual([undefined, undefined]);
  const its = Object.keys((await namespaceOf(adopted))?.metadata.labels ?? {});
  expect(its.filter((label) => label.startsWith('pod-security'))).toEqual([]);
});

test('a namespace that was deleted and is made anew has its defaults anew', async () => {
  const reborn = await anotherOrganization(store, 'reborn');
  await ensure(namespaces(), reborn);
  await remove(await namespaceOf(reborn), resources.namespace);
  await eventually('it is gone', async () =>
    (await namespaceOf(reborn)) === undefined ? true : undefined,
  );
  await ensure(namespaces(), reborn);
  expect([await quotaOf(reborn), await policyOf(reborn)]).not.toContain(undefined);
});
