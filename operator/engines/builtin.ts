/** Our own engine: one process that serves clients and its status; it knows its index from its data file. */
import { ports } from '../../domain/names.ts';
import { addressList, anyAddress } from '../manifests/addresses.ts';
import {
  containerSecurity,
  dataMount,
  liveness,
  readiness,
  replicaIndexEnv,
  resourcesOf,
  statusProbe,
} from '../manifests/container.ts';
import { dataFileOfAny } from '../manifests/data-file.ts';
import { parameterFlags } from '../manifests/parameter-flags.ts';
import type { EngineAdapter } from './adapter.ts';

export const builtin: EngineAdapter = {
  name: 'Builtin',
  command: undefined,
  activeBy: 'image',
  sharesProcesses: false,
  quorum(replicas) {
    // The log is etcd's: more than half of the replicas, whatever happens.
    const majority = Math.floor(replicas / 2) + 1;
    return { replication: majority, viewChange: majority, upgrade: replicas };
  },
  seccompProfile: () => undefined,
  containers(subject) {
    const { endpoints, resolved } = subject;
    return [
      {
        name: 'engine',
        image: resolved.engine.image,
        imagePullPolicy: 'IfNotPresent',
        args: [
          'start',
          `--addresses=${addressList(endpoints)}`,
          `--listen=${anyAddress(endpoints, ports.client)}`,
          `--status-address=${anyAddress(endpoints, ports.status)}`,
          ...parameterFlags(resolved.parameters),
          dataFileOfAny(subject),
        ],
        env: [replicaIndexEnv],
        ports: [
          { name: 'client', containerPort: ports.client, protocol: 'TCP' },
          { name: 'status', containerPort: ports.status, protocol: 'TCP' },
        ],
        // While a large data file is read, answers are late; 10,000,000 transfers take 7 s. An hour without one is a hang.
        startupProbe: statusProbe('/livez', { periodSeconds: 1, failureThreshold: 3_600 }),
        readinessProbe: readiness,
        livenessProbe: liveness,
        resources: resourcesOf(resolved.size.cpuMillis, resolved.size.memoryMib),
        securityContext: containerSecurity(),
        terminationMessagePolicy: 'FallbackToLogsOnError',
        volumeMounts: [dataMount],
      },
    ];
  },
};
