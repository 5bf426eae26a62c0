/** A real control plane with controllers and scheduler, and nodes that only KWOK says are there. */
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import type { KubeObject, Resource } from '../../base/kube/kube.ts';
import { createKube, type KubeHttp } from '../../base/kube/kube-http.ts';
import { resources } from '../../domain/kinds.ts';
import { catalogObject, catalogSpec } from '../../test/fixtures/catalog.ts';
import { installDefinitions } from '../../test/support/operator/operator-world.ts';
import { ensureProgram } from '../../tools/cluster/binaries.ts';
import { startControlPlane, type ControlPlane } from '../../tools/cluster/control-plane.ts';
import { waitFor } from '../../tools/cluster/run.ts';

export interface World {
  readonly plane: ControlPlane;
  /** Access with the rights of an administrator. */
  readonly kube: KubeHttp;
  readonly kubeConfig: KubeConfig;
  stop(): Promise<void>;
}

const nodeCount = 10;
const home = 'ledgerhouse-system';
const fieldManager = 'bench';
const node: Resource = { apiVersion: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };

export async function startWorld(namespaces: readonly string[]): Promise<World> {
  const kwok = await ensureProgram('kwok');
  const plane = await startControlPlane({
    controllerManager: true,
    scheduler: true,
    // The operator is measured, not the request limits of Kubernetes' own controllers.
    requestsPerSecond: 500,
  });
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(plane.kubeconfig);
  const kube = createKube(kubeConfig, {
    requestsPerSecond: 1_000,
    requestsBurst: 1_000,
    userAgent: 'ledgerhouse-bench',
  });
  const stop = async () => {
    await kube.close();
    await plane.stop();
  };
  try {
    plane.processes.start('kwok', {
      command: kwok,
      args: [
        `--kubeconfig=${plane.kubeconfig}`,
        `--config=${join(import.meta.dirname, 'stages.yaml')}`,
        '--manage-all-nodes=true',
        // Renewed each five seconds: nodes are lost after sixteen.
        '--node-lease-duration-seconds=20',
        '--cidr=10.200.0.0/16',
      ],
    });
    await installDefinitions(kube);
    await prepare(kube, [home, ...namespaces]);
    await untilNodesAreReady(plane, kube);
    return { plane, kube, kubeConfig, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function prepare(kube: KubeHttp, namespaces: readonly string[]): Promise<void> {
  const make = (resource: Resource, name: string, rest: object = {}) => {
    const { apiVersion, kind } = resource;
    return kube.create(
      resource,
      { apiVersion, kind, metadata: { name }, ...rest },
      { fieldManager },
    );
  };
  for (let index = 0; index < nodeCount; index += 1) await make(node, `node-${index}`);
  for (const namespace of namespaces) await make(resources.namespace, namespace);
  const provisioner = {
    provisioner: 'kwok.x-k8s.io/none',
    volumeBindingMode: 'WaitForFirstConsumer',
  };
  const className = catalogSpec().storageTiers[0]?.className ?? '';
  await make(resources.storageClass, className, { ...provisioner, allowVolumeExpansion: true });
  await kube.create(resources.catalog, catalog() as unknown as KubeObject, { fieldManager });
}

type Node = KubeObject & {
  readonly spec?: { readonly taints?: readonly unknown[] };
  readonly status?: { readonly conditions?: readonly { type: string; status: string }[] };
};

const isUsable = ({ spec, status }: Node): boolean =>
  (spec?.taints ?? []).length === 0 &&
  (status?.conditions?.some((row) => row.type === 'Ready' && row.status === 'True') ?? false);

async function untilNodesAreReady({ processes }: ControlPlane, kube: KubeHttp): Promise<void> {
  await waitFor(
    'nodes that are ready',
    async () => {
      processes.assertRunning(processes.names());
      const nodes = await kube.list<Node>(node);
      return nodes.filter(isUsable).length === nodeCount ? true : undefined;
    },
    { timeoutMs: 60_000 },
  );
}

/** The tests' catalog, but for the engine's topologies: fake pods of the built-in engine need not find each other. */
function catalog() {
  const spec = catalogSpec();
  const engines = spec.engines.map(({ topologies: _topologies, ...engine }) => engine);
  return catalogObject({ ...spec, engines });
}
