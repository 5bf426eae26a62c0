/**
 * Stands for Kubernetes' metrics-server on a real API server: a kind of the same group, path and form, whose objects a test
 * writes. Rights, selectors and pages are the API server's.
 */
import type { PodMetrics } from '../../../api/monitoring/pod-figures.ts';
import { resources, type Pod } from '../../../domain/kinds.ts';
import type { Resource } from '../../../base/kube/kube.ts';
import { eventually } from '../shell.ts';
import type { OperatorWorld } from './operator-world.ts';

const definitions: Resource = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
const [group = '', version = ''] = resources.podMetrics.apiVersion.split('/');
const by = { fieldManager: 'metrics-server' };

export async function serveMetricsApi({ kube }: OperatorWorld): Promise<void> {
  const definition = {
    apiVersion: definitions.apiVersion,
    kind: definitions.kind,
    metadata: {
      name: `pods.${group}`,
      // Kubernetes keeps groups of this name for itself.
      annotations: { 'api-approved.kubernetes.io': 'unapproved, stands for metrics-server' },
    },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'pods', kind: 'PodMetrics', listKind: 'PodMetricsList' },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      ],
    },
  };
  await kube.create(definitions, definition, by);
  await eventually('the metrics API is served', () => kube.list(resources.podMetrics));
}

/** Writes what the containers of a pod use, as of now. The labels are the pod's, as metrics-server copies them. */
export async function measurePod(
  { kube }: OperatorWorld,
  { metadata: { name = '', namespace, labels } }: Pod,
  containers: Readonly<Record<string, { readonly cpu: string; readonly memory: string }>>,
): Promise<void> {
  const { apiVersion, kind } = resources.podMetrics;
  const metrics: PodMetrics & { readonly window: string } = {
    apiVersion,
    kind,
    metadata: { name, ...(namespace !== undefined && { namespace }), ...(labels && { labels }) },
    timestamp: new Date().toISOString(),
    window: '15s',
    containers: Object.entries(containers).map(([container, usage]) => ({
      name: container,
      usage,
    })),
  };
  await kube.apply(resources.podMetrics, metrics, { ...by, force: true });
}
