/** Common parts of a database's containers: least rights, the volume, fixed memory, the agent's command. */
import type {
  V1Container,
  V1EnvVar,
  V1Probe,
  V1ResourceRequirements,
  V1SeccompProfile,
  V1SecurityContext,
} from '@kubernetes/client-node';
import { ports } from '../../domain/names.ts';
import type { Subject } from './subject.ts';

/** The user and group of all containers; volumes belong to this group. */
export const userId = 65_532;

/**
 * Memory of the agent, which is Node with a small heap. In a replica's pod it is taken from the size, so that a pod costs
 * what its size says.
 */
export const agentMemoryMib = 128;

/** The agent's processors. With a limit it gets more: with a hundredth of one, a start takes seconds. */
export const agentCpuMillis = (subject: Subject): number => (isGuaranteed(subject) ? 100 : 10);

export const isGuaranteed = ({ resolved }: Subject): boolean =>
  resolved.pods?.qosClass === 'Guaranteed';

/** Limits a container of a Guaranteed pod to the processors that it requests. */
export function withCpuLimit(subject: Subject, container: V1Container): V1Container {
  const { requests = {}, limits } = container.resources ?? {};
  const { cpu } = requests;
  if (!isGuaranteed(subject) || cpu === undefined) return container;
  return Object.assign({}, container, { resources: { requests, limits: { ...limits, cpu } } });
}

/** Index of a pod's replica. A StatefulSet's one template cannot contain it, so Kubernetes replaces `$(…)`. */
export const replicaIndex = '$(REPLICA_INDEX)';
export const replicaIndexEnv: V1EnvVar = {
  name: 'REPLICA_INDEX',
  valueFrom: { fieldRef: { fieldPath: "metadata.labels['apps.kubernetes.io/pod-index']" } },
};

export const dataMount = { name: 'data', mountPath: '/data' };

export const containerSecurity = (seccompProfile?: V1SeccompProfile): V1SecurityContext => ({
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
  ...(seccompProfile === undefined ? {} : { seccompProfile }),
});

/** Memory request and limit are equal: neighbours that grow cannot kill an engine. Processors are shared by default. */
export const resourcesOf = (cpuMillis: number, memoryMib: number): V1ResourceRequirements => ({
  requests: { cpu: `${cpuMillis}m`, memory: `${memoryMib}Mi` },
  limits: { memory: `${memoryMib}Mi` },
});

/** A container of the agent (engine/agent), which does our own work in the pods of either engine. */
export function agentContainer(
  subject: Subject,
  name: string,
  args: readonly string[],
  env: readonly V1EnvVar[] = [],
) {
  return {
    name,
    image: subject.resolved.engine.agentImage,
    imagePullPolicy: 'IfNotPresent',
    command: ['/bin/node', '/app/dist/engine/agent-main.js'],
    args: [...args],
    ...(env.length === 0 ? {} : { env: [...env] }),
    resources: resourcesOf(agentCpuMillis(subject), agentMemoryMib),
    securityContext: containerSecurity(),
    volumeMounts: [dataMount],
  } satisfies V1Container;
}

/** Flags that identify the data file, for engine and agent. */
export const identityFlags = (subject: Subject, index: number | string): readonly string[] => [
  `--cluster=${subject.clusterId}`,
  `--replica=${index}`,
  `--replica-count=${subject.resolved.topology.replicas}`,
];

export const statusProbe = (path: string, timing: Partial<V1Probe>): V1Probe => ({
  httpGet: { path, port: ports.status },
  timeoutSeconds: 5,
  ...timing,
});

/** Readiness probe, at short intervals: a database is available as soon as it serves. */
export const readiness = statusProbe('/readyz', {
  periodSeconds: 2,
  timeoutSeconds: 2,
  failureThreshold: 3,
});

/** Liveness probe. It is gentle, since a restart costs more than waiting: only a minute without an answer is a hang. */
export const liveness = statusProbe('/livez', { periodSeconds: 10, failureThreshold: 6 });
