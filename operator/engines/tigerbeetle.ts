/**
 * TigerBeetle. Its image must have `/tigerbeetle` and a POSIX shell at `/bin/sh`; nothing else is assumed.
 *
 * Reason for the shell: a replica binds exactly its own entry of `--addresses`, which must therefore be an address of its
 * pod, while the others dial their entries, which are Services'. So each replica needs another list, but a StatefulSet has
 * one template for all, and Kubernetes' `$(…)` cannot choose by index. The shell chooses, and then is TigerBeetle (`exec`).
 *
 * Reason for the shared process namespace: TigerBeetle handles no signals (it is safe to kill), and the kernel ignores
 * SIGTERM to a first process that does not handle it. In a shared namespace it is not the first one, so SIGTERM ends it at
 * once instead of after the grace period. The image's own init, `tini`, would do too, but is one more assumption.
 */
import type { V1Container, V1EnvVar } from '@kubernetes/client-node';
import { ports } from '../../domain/names.ts';
import { addressListOf, anyAddress } from '../manifests/addresses.ts';
import {
  agentContainer,
  agentCpuMillis,
  agentMemoryMib,
  containerSecurity,
  dataMount,
  identityFlags,
  liveness,
  readiness,
  replicaIndex,
  replicaIndexEnv,
  resourcesOf,
} from '../manifests/container.ts';
import { dataFileOfAny } from '../manifests/data-file.ts';
import { parameterFlags } from '../manifests/parameter-flags.ts';
import type { Subject } from '../manifests/subject.ts';
import { noPeerAccess, nothingBeside, type EngineAdapter } from './adapter.ts';

/** Address at which the agent receives TigerBeetle's statistics, within the pod only. */
const statsd = `127.0.0.1:${ports.statsd}`;
const cacheFlag = '--cache-grid';

/** The documentation's rule: 3 GiB for the process, 1 GiB for the system, the rest for the cache, in steps of 32 MiB. */
const besidesCacheMib = 4 * 1024;
const cacheStepMib = 32;
/** TigerBeetle's default cache; with less it warns. */
const cacheMinMib = 1024;

const quorums: Readonly<Record<number, { replication: number; viewChange: number }>> = {
  1: { replication: 1, viewChange: 1 },
  3: { replication: 2, viewChange: 2 },
  6: { replication: 3, viewChange: 4 },
};

export const tigerBeetle: EngineAdapter = {
  name: 'TigerBeetle',
  command: ['/tigerbeetle'],
  activeBy: 'release',
  sharesProcesses: true,
  quorum(replicas) {
    const majority = Math.floor(replicas / 2) + 1;
    const quorum = quorums[replicas] ?? { replication: majority, viewChange: majority };
    return { ...quorum, upgrade: replicas };
  },
  /** Profile that allows io_uring, which the runtime's default forbids. `Localhost` still meets Pod Security's "restricted". */
  seccompProfile: ({ tigerBeetleSeccomp }) =>
    tigerBeetleSeccomp === 'Unconfined'
      ? { type: 'Unconfined' }
      : { type: 'Localhost', localhostProfile: 'profiles/ledgerhouse-io-uring.json' },
  containers: (subject) => [engine(subject), status(subject)],
  beside: () => nothingBeside,
  // Replicas and clients share one port.
  peerPorts: () => [],
  recoverFlags: () => [],
  peerAccess: () => noPeerAccess,
  requests: ({ resolved }) => resolved.size,
};

function engine(subject: Subject): V1Container {
  const { endpoints, resolved } = subject;
  const memoryMib = resolved.size.memoryMib - agentMemoryMib;
  const lists: V1EnvVar[] = endpoints.map(({ index }) => ({
    name: `ADDRESSES_${index}`,
    value: addressListOf(subject, index),
  }));
  return {
    name: 'engine',
    image: resolved.engine.image,
    imagePullPolicy: 'IfNotPresent',
    command: [
      '/bin/sh',
      '-c',
      // The index is a label that the StatefulSet's controller wrote. The arguments after the script are its "$0" and "$@".
      'eval "own=\\$ADDRESSES_$REPLICA_INDEX"; exec /tigerbeetle start --addresses="${own:?}" "$@"',
      'start',
    ],
    args: [
      ...cacheFlags(memoryMib, resolved.parameters ?? {}),
      '--experimental',
      `--statsd=${statsd}`,
      ...parameterFlags(resolved.parameters ?? {}),
      dataFileOfAny(subject),
    ],
    env: [replicaIndexEnv, ...lists],
    ports: [{ name: 'client', containerPort: ports.client, protocol: 'TCP' }],
    resources: resourcesOf(
      Math.max(resolved.size.cpuMillis - agentCpuMillis(subject), 1),
      memoryMib,
    ),
    securityContext: containerSecurity(tigerBeetle.seccompProfile(subject)),
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [dataMount],
  };
}

function cacheFlags(
  memoryMib: number,
  parameters: Readonly<Record<string, string>>,
): readonly string[] {
  if (Object.values(parameters).some((flag) => flag.startsWith(`${cacheFlag}=`))) return [];
  const left = Math.floor((memoryMib - besidesCacheMib) / cacheStepMib) * cacheStepMib;
  return [`${cacheFlag}=${Math.max(left, cacheMinMib)}MiB`];
}

/** Status that the agent makes from TigerBeetle's statistics, since TigerBeetle serves none. It decides the pod's readiness. */
function status(subject: Subject): V1Container {
  return {
    ...agentContainer(
      subject,
      'status',
      [
        'status',
        `--statsd=${statsd}`,
        `--status-address=${anyAddress(subject, ports.status)}`,
        `--path=${dataFileOfAny(subject)}`,
        ...identityFlags(subject, replicaIndex),
      ],
      [replicaIndexEnv],
    ),
    ports: [{ name: 'status', containerPort: ports.status, protocol: 'TCP' }],
    readinessProbe: readiness,
    livenessProbe: liveness,
  };
}
