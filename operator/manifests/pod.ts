/** Common parts of every pod of a database, for replicas and Jobs: user, placement, and withheld credentials. */
import type { V1Affinity, V1PodSpec } from '@kubernetes/client-node';
import { adapterOf } from '../engines/adapters.ts';
import { zoneLabel as zone } from '../../domain/names.ts';
import { userId } from './container.ts';
import { podSelector, type Role } from './metadata.ts';
import type { Subject } from './subject.ts';

const hostname = 'kubernetes.io/hostname';

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

/** A node on which a replica's volume was made, and its zone if that is known. */
export interface Place {
  readonly node: string;
  readonly zone: string | undefined;
}

/**
 * Node affinity of a pod whose node decides where a new volume is: away from the other volumes' zones, then from their
 * nodes. It names them, because the scheduler does not count finished pods. Returns nothing if any node will do.
 */
export function awayFrom(subject: Subject, taken: readonly Place[]): V1Affinity {
  const nodes = taken.map(({ node }) => node);
  const counts = countsOf(taken);
  const zones = [...counts.keys()].sort();
  const least = Math.min(...counts.values());
  const crowded = zones.filter((one) => (counts.get(one) ?? 0) > least);
  const full = zones.filter((one) => (counts.get(one) ?? 0) >= zoneMax(subject));
  const required = [
    ...(mayShareNode(subject) ? [] : notIn(hostname, nodes)),
    ...(needsZones(subject) ? [{ key: zone, operator: 'Exists' }, ...notIn(zone, full)] : []),
  ];
  const preferred = [
    ...preferNot(weight, zone, zones),
    ...preferNot(weight / 2, zone, crowded),
    ...(mayShareNode(subject)
      ? preferNot(zones.length === 0 ? weight : weight / 4, hostname, nodes)
      : []),
  ];
  if (required.length === 0 && preferred.length === 0) return {};
  return {
    nodeAffinity: {
      ...(required.length === 0
        ? {}
        : {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: required }],
            },
          }),
      ...(preferred.length === 0
        ? {}
        : { preferredDuringSchedulingIgnoredDuringExecution: preferred }),
    },
  };
}

/** Whether the region wants every database to survive the loss of a zone. A single replica cannot. */
export const needsZones = ({ resolved }: Subject): boolean =>
  resolved.placement.zoneSpread === 'Required' && resolved.topology.replicas > 1;

/** Maximum number of replicas in a zone such that the others go on without it. */
function zoneMax({ resolved: { engine, topology } }: Subject): number {
  return topology.replicas - adapterOf(engine.name).quorum(topology.replicas).viewChange;
}

function countsOf(taken: readonly Place[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { zone: one } of taken) {
    if (one !== undefined) counts.set(one, (counts.get(one) ?? 0) + 1);
  }
  return counts;
}

const notIn = (key: string, values: readonly string[]) =>
  values.length === 0 ? [] : [{ key, operator: 'NotIn', values: [...values] }];

const preferNot = (points: number, key: string, values: readonly string[]) =>
  values.length === 0
    ? []
    : [{ weight: points, preference: { matchExpressions: notIn(key, values) } }];

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
