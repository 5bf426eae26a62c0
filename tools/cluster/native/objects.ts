/** Objects that a native cluster needs in its API server before pods can run. */
import {
  KubeConfig,
  KubernetesObjectApi,
  ApiException,
  type KubernetesObject,
} from '@kubernetes/client-node';
import { csiDriver, storageClasses } from '../volumes/classes.ts';
import type { ClusterPlan } from './plan.ts';

export async function ensureObjects(kubeconfig: string, plan: ClusterPlan): Promise<void> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const api = KubernetesObjectApi.makeApiClient(config);
  for (const object of [csiDriver, ...storageClasses, ...dnsObjects(plan)]) {
    const wanted = object as KubernetesObject & { metadata: { name: string } };
    try {
      await api.read(wanted);
    } catch (error) {
      if (!(error instanceof ApiException && error.code === 404)) throw error;
      await api.create(wanted);
    }
  }
}

/** The cluster's DNS Service. The CoreDNS process on the machine answers it. */
function dnsObjects(plan: ClusterPlan): KubernetesObject[] {
  const ports = [
    { name: 'dns', port: 53, protocol: 'UDP' },
    { name: 'dns-tcp', port: 53, protocol: 'TCP' },
  ];
  const metadata = { name: 'kube-dns', namespace: 'kube-system' };
  return [
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { clusterIP: plan.dnsIp, ports } },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...metadata, labels: { 'kubernetes.io/service-name': 'kube-dns' } },
      addressType: 'IPv4',
      ports,
      endpoints: [{ addresses: [plan.hostAddress], conditions: { ready: true } }],
    },
  ] as unknown as KubernetesObject[];
}
