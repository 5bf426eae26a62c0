/**
 * The etcd member beside each of several replicas of our own engine: a sidecar that starts before the engine and stops after
 * it, on the replica's volume. Its image has no shell and each replica needs another configuration, so the agent writes that
 * first, into a folder that the three share; the member serves the engine by a socket there. Reasons, and each setting:
 * docs/decisions/0017-pods-of-several-replicas.md.
 */
import type { V1Container, V1HostAlias } from '@kubernetes/client-node';
import { assert } from '../../base/assert.ts';
import { memberName, ports, wantedCertificatesVariable } from '../../domain/names.ts';
import {
  certificatesMount,
  certificatesVolume,
  wantedCertificates,
} from '../certificates/volume.ts';
import { anyAddress } from '../manifests/addresses.ts';
import {
  agentContainer,
  containerSecurity,
  dataMount,
  identityFlags,
  isGuaranteed,
  replicaIndex,
  replicaIndexEnv,
} from '../manifests/container.ts';
import { dataFileOfAny } from '../manifests/data-file.ts';
import type { Subject } from '../manifests/subject.ts';
import type { Beside } from './adapter.ts';

const runMount = { name: 'etcd', mountPath: '/etcd' };
const socketPath = `${runMount.mountPath}/client.sock`;
const configPath = `${runMount.mountPath}/etcd.json`;
/** Folder beside the data file on the same volume: neither is of use without the other. */
export const etcdFolder = `${dataMount.mountPath}/etcd`;

/** Address of the member for the containers beside it. */
export const memberAddress = `unix:${socketPath}`;
/** The engine's flag that names its member. */
export const etcdFlag = `--etcd=${memberAddress}`;
/** Mount of the socket's folder in the containers of engine and archiver. */
export const engineMount = { ...runMount, readOnly: true };

const peerUrl = (index: number) => `https://${memberName(index)}:${ports.etcd}`;

/** Flags with which the engines authenticate each other: by the certificates of their members. */
export const peerSecurityFlags = ({ uid }: Subject): readonly string[] => [
  `--peer-certificates=${certificatesMount.mountPath}`,
  `--peer-name=${uid}`,
];

/** Flags of `recover` for a lost replica's member. Silence and promotions of others take a while. */
export const memberRecoverFlags = (index: number): readonly string[] => [
  `--member-url=${peerUrl(index)}`,
  `--member-folder=${etcdFolder}`,
  '--timeout=600',
];

export const memberBeside = (subject: Subject): Beside => ({
  initContainers: [configure(subject), member(subject)],
  sidecars: [],
  volumes: [{ name: runMount.name, emptyDir: { sizeLimit: '1Mi' } }, certificatesVolume(subject)],
  hostAliases: aliases(subject),
});

/** Host names of the members for the Services' addresses: names are permanent, addresses may change. No DNS is used. */
const aliases = ({ endpoints }: Subject): V1HostAlias[] =>
  endpoints.map(({ index, ip }) => ({ ip, hostnames: [memberName(index)] }));

function configure(subject: Subject): V1Container {
  const { endpoints, uid } = subject;
  const peers = endpoints.map(({ index }) => peerUrl(index));
  const args = [
    'etcd-config',
    `--path=${dataFileOfAny(subject)}`,
    ...identityFlags(subject, replicaIndex),
    `--etcd-folder=${etcdFolder}`,
    `--peers=${peers.join(',')}`,
    `--listen=https://${anyAddress(subject, ports.etcd)}`,
    `--health=http://${anyAddress(subject, ports.etcdHealth)}`,
    `--socket=${socketPath}`,
    `--certificates=${certificatesMount.mountPath}`,
    `--common-name=${uid}`,
    `--memory=${limitMib(subject)}MiB`,
    `--output=${configPath}`,
  ];
  const container = agentContainer(subject, 'etcd-config', args, [
    replicaIndexEnv,
    { name: wantedCertificatesVariable, value: wantedCertificates(subject) },
  ]);
  return { ...container, volumeMounts: [dataMount, runMount, certificatesMount] };
}

function member(subject: Subject): V1Container {
  const { engine } = subject.resolved;
  const { cpuMillis, memoryMib } = memberSize(subject);
  assert(engine.etcdImage !== undefined, `${subject.name} has several replicas and no etcd`);
  const limit = limitMib(subject);
  return {
    name: 'etcd',
    image: engine.etcdImage,
    imagePullPolicy: 'IfNotPresent',
    // Makes it a sidecar: the engine starts once it runs, and it is stopped once the engine has ended.
    restartPolicy: 'Always',
    command: ['/usr/local/bin/etcd'],
    args: [`--config-file=${configPath}`],
    // Go frees memory before the limit is reached; the rest is for memory outside its heap.
    env: [{ name: 'GOMEMLIMIT', value: `${Math.floor(limit * 0.85)}MiB` }],
    ports: [{ name: 'etcd', containerPort: ports.etcd, protocol: 'TCP' }],
    // Checks only that it runs: without a majority a restart would cure nothing. Five minutes, since it first reads its log.
    livenessProbe: {
      httpGet: { path: '/livez', port: ports.etcdHealth },
      periodSeconds: 10,
      timeoutSeconds: 5,
      failureThreshold: 30,
    },
    resources: {
      requests: { cpu: `${cpuMillis}m`, memory: `${memoryMib}Mi` },
      limits: { memory: `${limit}Mi` },
    },
    securityContext: containerSecurity(),
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [dataMount, runMount, certificatesMount],
  };
}

/** Requests of the member. In a Guaranteed pod they are its limits. */
export function memberSize(subject: Subject): { cpuMillis: number; memoryMib: number } {
  const { cpuMillis, memoryMib } = sizeOf(subject);
  return { cpuMillis, memoryMib: isGuaranteed(subject) ? limitMib(subject) : memoryMib };
}

/** Memory limit of the member: it exceeds the size only while a replica is far behind. */
const limitMib = (subject: Subject): number => 2 * sizeOf(subject).memoryMib;

function sizeOf({ name, resolved }: Subject) {
  assert(resolved.size.member !== undefined, `${name} has several replicas and no size for etcd`);
  return resolved.size.member;
}
