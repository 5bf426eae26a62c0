/** A real control plane with the custom resources, a catalog and what stands for a kubelet, for an operator to live in. */
import { readdirSync, readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import type {
  CatalogSpec,
  DatabaseSpec,
  LedgerDatabase,
} from '../../../domain/custom-resources.ts';
import { clusterAccessOf, type ClusterAccess } from '../../../base/kube/cluster-access.ts';
import { createKube, type KubeHttp } from '../../../base/kube/kube-http.ts';
import { resources } from '../../../domain/kinds.ts';
import type { KubeObject, Reference, Resource } from '../../../base/kube/kube.ts';
import { startControlPlane, type ControlPlane } from '../../../tools/cluster/control-plane.ts';
import { catalogObject, catalogSpec } from '../../fixtures/catalog.ts';
import { startKubelet, type Kubelet } from './kubelet.ts';
import { eventually } from '../shell.ts';

export type Database = LedgerDatabase & KubeObject;

export interface OperatorWorld {
  readonly plane: ControlPlane;
  /** As an administrator. */
  readonly kube: KubeHttp;
  readonly kubeConfig: ClusterAccess;
  readonly kubelet: Kubelet;
  setCatalog(spec: CatalogSpec): Promise<void>;
  createNamespace(name: string): Promise<void>;
  /** Does not wait until it is gone. */
  deleteNamespace(name: string): Promise<void>;
  createDatabase(namespace: string, name: string, spec: Partial<DatabaseSpec>): Promise<Database>;
  patchDatabase(namespace: string, name: string, patch: object): Promise<Database>;
  deleteDatabase(namespace: string, name: string): Promise<void>;
  database(namespace: string, name: string): Promise<Database | undefined>;
  /** Waits until a condition has this status (and reason), and gives the database as it is then. */
  until(
    namespace: string,
    name: string,
    type: string,
    status: string,
    reason?: string,
  ): Promise<Database>;
  stop(): Promise<void>;
}

const crd: Resource = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
const ofPolicies = (kind: string, plural: string): Resource => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind,
  plural,
  namespaced: false,
});
const policyKinds = [
  ofPolicies('ValidatingAdmissionPolicy', 'validatingadmissionpolicies'),
  ofPolicies('ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings'),
];
const namespaces: Resource = {
  apiVersion: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
};

const fieldManager = 'test';

/*
 * Pods of the stand-in have an address of the loopback, where a call to nobody is refused at once. Kubernetes takes no such address
 * as an endpoint: these controllers would try again and again and write an event each time, a quarter of all requests.
 */
const withoutControllers = [
  'endpoints-controller',
  'endpointslice-controller',
  'endpointslice-mirroring-controller',
];

/** `requestsPerSecond`: of each of Kubernetes' own controllers, where many databases live side by side. */
export async function startOperatorWorld(
  options: { readonly requestsPerSecond?: number } = {},
): Promise<OperatorWorld> {
  const plane = await startControlPlane({
    controllerManager: true,
    withoutControllers,
    ...options,
  });
  // Not by client-node: each suite would load a thousand modules for it, half a second of a processor.
  const kubeConfig = await clusterAccessOf(plane.kubeconfig);
  // What the test itself asks may take its time on a busy machine; the deadlines of the operator are its own.
  const callTimeoutMs = 60_000;
  const kube = createKube(kubeConfig, {
    requestsPerSecond: 1_000,
    requestsBurst: 1_000,
    callTimeoutMs,
  });
  await installDefinitions(kube);
  const kubelet = startKubelet(kubeConfig);
  const reference = (namespace: string, name: string): Reference => ({
    resource: resources.database,
    namespace,
    name,
  });
  const world: OperatorWorld = {
    plane,
    kube,
    kubeConfig,
    kubelet,
    async setCatalog(spec) {
      const object = catalogObject(spec) as unknown as KubeObject;
      await kube.apply(resources.catalog, object, { fieldManager, force: true });
    },
    async createNamespace(name) {
      await kube.create(
        namespaces,
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
        { fieldManager },
      );
    },
    async deleteNamespace(name) {
      const found = await kube.read({ resource: namespaces, name });
      if (found === undefined) return;
      await kube.delete({ resource: namespaces, name }, { uid: found.metadata.uid ?? '' });
    },
    createDatabase(namespace, name, spec) {
      const object = {
        apiVersion: 'ledgerhouse.dev/v1alpha1',
        kind: 'LedgerDatabase',
        metadata: { name, namespace },
        spec: { deletionProtection: false, ...spec },
      };
      return kube.create(resources.database, object as unknown as Database, { fieldManager });
    },
    patchDatabase: (namespace, name, patch) =>
      kube.mergePatch<Database>(reference(namespace, name), patch, { fieldManager }),
    async deleteDatabase(namespace, name) {
      const database = await kube.read<Database>(reference(namespace, name));
      if (database === undefined) return;
      await kube.delete(reference(namespace, name), { uid: database.metadata.uid ?? '' });
    },
    database: (namespace, name) => kube.read<Database>(reference(namespace, name)),
    until: (namespace, name, type, status, reason) =>
      eventually(`${namespace}/${name}: ${type}=${status} ${reason ?? ''}`, async () => {
        const database = await kube.read<Database>(reference(namespace, name));
        const row = database?.status?.conditions?.find((one) => one.type === type);
        const current = row?.observedGeneration === database?.metadata.generation;
        if (database === undefined || row?.status !== status || !current) {
          throw new Error(JSON.stringify(database?.status?.conditions, undefined, 1));
        }
        if (reason !== undefined && row.reason !== reason) throw new Error(JSON.stringify(row));
        return database;
      }),
    async stop() {
      await kubelet.stop();
      await kube.close();
      await plane.stop();
    },
  };
  await world.setCatalog(catalogSpec());
  return world;
}

/** The definitions that `charts/ledgerhouse-crds` installs. */
export async function installDefinitions(kube: KubeHttp): Promise<void> {
  const force = { fieldManager, force: true };
  for (const file of readdirSync('crds').filter((name) => name.endsWith('.yaml'))) {
    for (const object of read(`crds/${file}`)) await kube.apply(crd, object, force);
  }
  for (const file of readdirSync('crds/policies')) {
    for (const object of read(`crds/policies/${file}`)) {
      const resource = policyKinds.find((kind) => kind.kind === object.kind);
      if (resource !== undefined) await kube.apply(resource, object, force);
    }
  }
  await eventually('the custom resources are served', async () => {
    for (const resource of [resources.database, resources.catalog, resources.backup]) {
      await kube.list(resource);
    }
    return kube.list(resources.backupSchedule);
  });
}

const read = (path: string): KubeObject[] =>
  parseAllDocuments(readFileSync(path, 'utf8')).map((document) => document.toJS() as KubeObject);
