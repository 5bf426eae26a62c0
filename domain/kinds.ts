/** The kinds that the operator reads and writes: their paths, and their JSON types. */
import type {
  EventsV1Event,
  V1ConfigMap,
  V1Job,
  V1NetworkPolicyPort,
  V1LabelSelector,
  V1PersistentVolumeClaim,
  V1Pod,
  V1PodDisruptionBudget,
  V1Secret,
  V1Service,
  V1StatefulSet,
  V1Node,
  V1StorageClass,
} from '@kubernetes/client-node';
import type { KubeObject, Resource } from '../base/kube/kube.ts';

/** A type of client-node, with the metadata's JSON type. */
type Json<T> = Omit<T, 'apiVersion' | 'kind' | 'metadata'> & KubeObject;

export type Service = Json<V1Service>;
export type Claim = Json<V1PersistentVolumeClaim>;
export type Pod = Json<V1Pod>;
export type Job = Json<V1Job>;
export type StatefulSet = Json<V1StatefulSet>;
export type ConfigMap = Json<V1ConfigMap>;
export type Secret = Json<V1Secret>;
export type PodDisruptionBudget = Json<V1PodDisruptionBudget>;
export type Node = Json<V1Node>;
export type StorageClass = Json<V1StorageClass>;
export type Event = Json<EventsV1Event>;

/** client-node renames the field `from`; JSON does not. */
export type NetworkPolicy = KubeObject & {
  readonly spec: {
    readonly podSelector: V1LabelSelector;
    readonly policyTypes: readonly string[];
    readonly ingress: readonly NetworkPolicyRule<'from'>[];
    readonly egress: readonly NetworkPolicyRule<'to'>[];
  };
};
type NetworkPolicyRule<Direction extends 'from' | 'to'> = {
  readonly ports?: readonly V1NetworkPolicyPort[];
} & Readonly<Partial<Record<Direction, readonly NetworkPolicyPeer[]>>>;
export interface NetworkPolicyPeer {
  readonly podSelector?: V1LabelSelector;
  readonly namespaceSelector?: V1LabelSelector;
}

const namespaced = (apiVersion: string, kind: string, plural: string): Resource => ({
  apiVersion,
  kind,
  plural,
  namespaced: true,
});
const clusterWide = (apiVersion: string, kind: string, plural: string): Resource => ({
  apiVersion,
  kind,
  plural,
  namespaced: false,
});

const own = 'ledgerhouse.dev/v1alpha1';

export const resources = {
  database: namespaced(own, 'LedgerDatabase', 'ledgerdatabases'),
  backup: namespaced(own, 'LedgerBackup', 'ledgerbackups'),
  backupSchedule: namespaced(own, 'LedgerBackupSchedule', 'ledgerbackupschedules'),
  import: namespaced(own, 'LedgerImport', 'ledgerimports'),
  catalog: clusterWide(own, 'LedgerCatalog', 'ledgercatalogs'),
  service: namespaced('v1', 'Service', 'services'),
  claim: namespaced('v1', 'PersistentVolumeClaim', 'persistentvolumeclaims'),
  pod: namespaced('v1', 'Pod', 'pods'),
  configMap: namespaced('v1', 'ConfigMap', 'configmaps'),
  secret: namespaced('v1', 'Secret', 'secrets'),
  job: namespaced('batch/v1', 'Job', 'jobs'),
  statefulSet: namespaced('apps/v1', 'StatefulSet', 'statefulsets'),
  podDisruptionBudget: namespaced('policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets'),
  networkPolicy: namespaced('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies'),
  node: clusterWide('v1', 'Node', 'nodes'),
  storageClass: clusterWide('storage.k8s.io/v1', 'StorageClass', 'storageclasses'),
  namespace: clusterWide('v1', 'Namespace', 'namespaces'),
  resourceQuota: namespaced('v1', 'ResourceQuota', 'resourcequotas'),
  lease: namespaced('coordination.k8s.io/v1', 'Lease', 'leases'),
  event: namespaced('events.k8s.io/v1', 'Event', 'events'),
  podMetrics: namespaced('metrics.k8s.io/v1beta1', 'PodMetrics', 'pods'),
} as const satisfies Record<string, Resource>;
