/** What every pod of a database has in common, a replica's and a Job's: who it runs as, where it may run, what it is not told. */
import type { V1Affinity, V1PodSpec } from '@kubernetes/client-node';
import { adapterOf } from '../engines/adapters.ts';
import { userId } from './container.ts';
import { podSelector, type Role } from './metadata.ts';
import type { Subject } from './subject.ts';

const hostname = 'kubernetes.io/hostname';
const zone = 'topology.kubernetes.io/zone';

export function podBasics(subject: Subject): Omit<V1PodSpec, 'containers'> {
  const { placement, engine } = subject.resolved;
  const nodeSelector = { ...placement.nodeSelector };
  return {
    // Nothing here asks the API server for anything, and Services' names in the environment are neither needed nor few.
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    ...(Object.keys(nodeSelector).length === 0 ? {} : { nodeSelector }),
    ...(adapterOf(engine.name).sharesProcesses ? { shareProcessNamespace: true } : {}),
    securityContext: {
      runAsNonRoot: true,
      runAsUser: userId,
      runAsGroup: userId,
      fsGroup: userId,
      // A large volume is not walked through at each start.
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
    },
  };
}

/** What its region says: whether replicas share a node rather than wait for one. */
const mayShareNode = ({ resolved }: Subject): boolean => resolved.placement.spread === 'Preferred';
/** The most that a preference counts. */
const weight = 100;

/** Each on a node of its own, and on zones as even as nodes allow. Nothing for one replica. */
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

/** Where finished pods do not count, nodes that are taken must be named. */
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

/** On the node of one pod, where the volume that both mount is. */
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
