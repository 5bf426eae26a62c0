/**
 * Our own engine: one process that serves clients and its status, and reads its index from its data file. Several replicas
 * have an etcd member each (builtin-member.ts), and reach each other on a port of their own.
 */
import { ports } from '../../domain/names.ts';
import { archiveFlag, archiverBeside, archiverSize } from '../manifests/archiver.ts';
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
import { dataFileOf, dataFileOfAny } from '../manifests/data-file.ts';
import { parameterFlags } from '../manifests/parameter-flags.ts';
import { hasPeers } from '../certificates/generations.ts';
import type { Subject } from '../manifests/subject.ts';
import { noPeerAccess, nothingBeside, type EngineAdapter } from './adapter.ts';
import {
  engineMount,
  etcdFlag,
  memberBeside,
  memberRecoverFlags,
  memberSize,
  peerSecurityFlags,
} from './builtin-member.ts';
import { certificatesMount, certificatesVolume } from '../certificates/volume.ts';

export const builtin: EngineAdapter = {
  name: 'Builtin',
  command: undefined,
  activeBy: 'image',
  sharesProcesses: false,
  quorum(replicas) {
    // etcd keeps the log, so every quorum is more than half of the replicas.
    const majority = Math.floor(replicas / 2) + 1;
    return { replication: majority, viewChange: majority, upgrade: replicas };
  },
  seccompProfile: () => undefined,
  containers(subject) {
    const { endpoints, resolved } = subject;
    const several = hasPeers(subject);
    return [
      {
        name: 'engine',
        image: resolved.engine.image,
        imagePullPolicy: 'IfNotPresent',
        args: [
          'start',
          `--addresses=${addressList(endpoints)}`,
          `--listen=${anyAddress(subject, ports.client)}`,
          `--status-address=${anyAddress(subject, ports.status)}`,
          ...peerFlags(subject),
          ...archiveFlag(subject),
          ...parameterFlags(resolved.parameters ?? {}),
          dataFileOfAny(subject),
        ],
        env: [replicaIndexEnv],
        ports: [
          { name: 'client', containerPort: ports.client, protocol: 'TCP' },
          { name: 'status', containerPort: ports.status, protocol: 'TCP' },
          ...(several
            ? [{ name: 'peer', containerPort: ports.peer, protocol: 'TCP' } as const]
            : []),
        ],
        // Loading a large data file takes minutes, fetching another replica's state longer. After a day it counts as a hang.
        startupProbe: statusProbe('/startedz', { periodSeconds: 1, failureThreshold: 86_400 }),
        readinessProbe: readiness,
        livenessProbe: liveness,
        resources: resourcesOf(resolved.size.cpuMillis, resolved.size.memoryMib),
        securityContext: containerSecurity(),
        terminationMessagePolicy: 'FallbackToLogsOnError',
        volumeMounts: several ? [dataMount, engineMount, certificatesMount] : [dataMount],
      },
    ];
  },
  beside(subject) {
    const member = hasPeers(subject) ? memberBeside(subject) : nothingBeside;
    const { sidecars, volumes } = archiverBeside(subject);
    return { ...member, sidecars, volumes: [...member.volumes, ...volumes] };
  },
  peerPorts: (subject) =>
    hasPeers(subject)
      ? [
          // `recover` and the last backup ask the leader.
          { name: 'peer', port: ports.peer, forJobs: true },
          { name: 'etcd', port: ports.etcd, forJobs: false },
        ]
      : [],
  recoverFlags: (subject, index) =>
    hasPeers(subject)
      ? [
          ...builtin.peerAccess(subject).flags,
          ...memberRecoverFlags(index),
          `--installed-as=${dataFileOf(subject, index)}`,
        ]
      : [],
  peerAccess: (subject) =>
    hasPeers(subject)
      ? {
          flags: [
            `--peer-addresses=${addressList(peersOf(subject))}`,
            ...peerSecurityFlags(subject),
          ],
          volumes: [{ volume: certificatesVolume(subject), mount: certificatesMount }],
        }
      : noPeerAccess,
  requests(subject) {
    const { size } = subject.resolved;
    const beside = [
      ...(hasPeers(subject) ? [memberSize(subject)] : []),
      ...(subject.archiving === undefined ? [] : [archiverSize]),
    ];
    return {
      cpuMillis: beside.reduce((sum, { cpuMillis }) => sum + cpuMillis, size.cpuMillis),
      memoryMib: beside.reduce((sum, { memoryMib }) => sum + memoryMib, size.memoryMib),
    };
  },
};

const peerFlags = (subject: Subject): readonly string[] =>
  hasPeers(subject)
    ? [
        etcdFlag,
        `--peer-addresses=${addressList(peersOf(subject))}`,
        `--peer-listen=${anyAddress(subject, ports.peer)}`,
        ...peerSecurityFlags(subject),
      ]
    : [];

/** Addresses at which the engines reach each other. */
const peersOf = ({ endpoints }: Subject): Subject['endpoints'] =>
  endpoints.map((endpoint) => ({ ...endpoint, port: ports.peer }));
