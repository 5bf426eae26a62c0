/** Common parts of every pod of a database, for replicas and Jobs: user, placement, and withheld credentials. */
import type { V1Affinity, V1PodSpec } from '@kubernetes/client-node';
import { adapterOf } from '../engines/adapters.ts';
import { userId } from './container.ts';
import { podSelector, type Role } from './metadata.ts';
import type { Subject } from './subject.ts';

const hostname = 'kubernetes.io/hostname';
const zone = 'topology.kubernetes.io/zone';

export function podBasics(subject: Subject): Omit<V1PodSpec, 'containers'> {
  const { placement, engine, pods = {} } = subject.resolved;
  const { architecture, imagePullSecrets, priorityClassName, tolerations } = pods;
  const nodeSelector = {
    ...(architecture === undefined ? {} : { 'kubernetes.io/arch': architecture }),
    ...placement.nodeSelector,
  };
  return {
    // No container calls the API server, and the many Services' names in the environment are not needed.
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    ...(Object.keys(nodeSelector).length === 0 ? {} : { nodeSelector }),
    ...(tolerations === undefined ? {} : { tolerations: [...tolerations] }),
    ...(priorityClassName === undefined ? {} : { priorityClassName }),
    ...(imagePullSecrets === undefined
      ? {}
      : { imagePullSecrets: imagePullSecrets.map((name) => ({ name })) }),
    ...(adapterOf(engine.name).sharesProcesses ? { shareProcessNamespace: true } : {}),
    securityContext: {
      runAsNonRoot: true,
      // OpenShift refuses users outside the namespace's range, and assigns one and the volumes' group from it.
      ...(subject.assignsUsers === true
        ? {}
        : { runAsUser: userId, runAsGroup: userId, fsGroup: userId }),
      // Skips the check of every file of a large volume at each start.
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
    },
  };
}

/** Asks Istio (by sidecar and by node) and Linkerd to add no proxy. */
const withoutMesh = {
  labels: { 'sidecar.istio.io/inject': 'false', 'istio.io/dataplane-mode': 'none' },
  annotations: { 'sidecar.istio.io/inject': 'false', 'linkerd.io/inject': 'disabled' },
};

/** Labels and annotations of a pod. Those given, which are our own, cannot be overridden by the settings. */
export function podMetadata(
  { resolved: { pods = {} } }: Subject,
  own: { labels: Record<string, string>; annotations?: Record<string, string> },
): { labels: Record<string, string>; annotations?: Record<string, string> } {
  const mesh = pods.excludeFromMesh === true ? withoutMesh : { labels: {}, annotations: {} };
  const annotations = { ...pods.annotations, ...mesh.annotations, ...own.annotations };
  return {
    labels: { ...pods.labels, ...mesh.labels, ...own.labels },
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}

/** Whether the region lets replicas share a node rather than wait for one. */
const mayShareNode = ({ resolved }: Subject): boolean => resolved.placement.spread === 'Preferred';
/** Maximum weight of a preference. */
const weight = 100;

/** Spreads replicas: each on a node of its own, and zones as even as nodes allow. Returns nothing for one replica. */
export function spread(
  subject: Subject,
  role: Role,
): Pick<V1PodSpec, 'affinity' | 'topologySpreadConstraints'> {
  if (subject.resolved.topology.replicas === 1) return {};
  const labelSelector = podSelector(subject, role);
  const podAffinityTerm = { labelSelector, topologyKey: hostname };
  return {
    affinity: {
      podAntiAffinity: mayShareNode(subject)
        ? { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm }] }
        : { requiredDuringSchedulingIgnoredDuringExecution: [podAffinityTerm] },
    },
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: zone, whenUnsatisfiable: 'ScheduleAnyway', labelSelector },
    ],
  };
}

/** Names the taken nodes, for cases in which finished pods do not count. */
export function awayFrom(
  subject: Subject,
  affinity: V1Affinity | undefined,
  nodes: readonly string[],
): V1Affinity {
  const values = [...nodes];
  const term = { matchExpressions: [{ key: hostname, operator: 'NotIn', values }] };
  return {
    ...(affinity?.podAntiAffinity === undefined
      ? {}
      : { podAntiAffinity: affinity.podAntiAffinity }),
    nodeAffinity: mayShareNode(subject)
      ? { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, preference: term }] }
      : { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } },
  };
}

/** Affinity to the node of one pod, which has the volume that both mount. */
export const besidePod = (name: string): V1Affinity => ({
  podAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      {
        labelSelector: { matchLabels: { 'statefulset.kubernetes.io/pod-name': name } },
        topologyKey: hostname,
      },
    ],
  },
});
