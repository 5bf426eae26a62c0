/** Everything in which the engines differ for the operator. */
import type {
  V1Container,
  V1HostAlias,
  V1SeccompProfile,
  V1Volume,
  V1VolumeMount,
} from '@kubernetes/client-node';
import type { EngineName } from '../../domain/custom-resources.ts';
import type { Subject } from '../manifests/subject.ts';

export interface EngineAdapter {
  readonly name: EngineName;
  /** Program that runs the image's verbs; `undefined`: the image's own entrypoint. */
  readonly command: readonly string[] | undefined;
  /**
   * When a version counts as active: once every pod has its `image`, or once every engine reports its `release` (TigerBeetle
   * goes on with the old one until all replicas have the new program).
   */
  readonly activeBy: 'image' | 'release';
  /** Whether the pod's containers share one process namespace. */
  readonly sharesProcesses: boolean;
  quorum(replicas: number): Quorum;
  /** Seccomp profile of the engine's containers; `undefined`: the pod's own profile. */
  seccompProfile(subject: Subject): V1SeccompProfile | undefined;
  /** Containers of a replica's pod, the engine first. The same for every index. */
  containers(subject: Subject): V1Container[];
  /** Other parts of a replica's pod. The same for every index. */
  beside(subject: Subject): Beside;
  /** Ports that only replicas use to reach each other, besides the clients' one. */
  peerPorts(subject: Subject): readonly PeerPort[];
  /** Additional flags of the engine's `recover`, which makes one replica's data file again from the others. */
  recoverFlags(subject: Subject, index: number): readonly string[];
  /** Flags and certificates for a Job that asks the replicas over the peers' port; `recoverFlags` has these flags too. */
  peerAccess(subject: Subject): PeerAccess;
  /** Resource requests of a replica's pod in all; the Job that makes its data file requests as much. */
  requests(subject: Subject): { readonly cpuMillis: number; readonly memoryMib: number };
}

export interface Beside {
  /** Run in the place of the check of the data file, which one of them makes; empty: only that check runs. */
  readonly initContainers: readonly V1Container[];
  /** Containers that start before the engine and stop after it, which need no data file. */
  readonly sidecars: readonly V1Container[];
  readonly volumes: readonly V1Volume[];
  readonly hostAliases: readonly V1HostAlias[];
}

export interface PeerAccess {
  readonly flags: readonly string[];
  readonly volumes: readonly MountedVolume[];
}

export interface MountedVolume {
  readonly volume: V1Volume;
  readonly mount: V1VolumeMount;
}

export const noPeerAccess: PeerAccess = { flags: [], volumes: [] };

export const nothingBeside: Beside = {
  initContainers: [],
  sidecars: [],
  volumes: [],
  hostAliases: [],
};

interface PeerPort {
  readonly name: string;
  readonly port: number;
  /** Whether the pods of Jobs may use the port too. */
  readonly forJobs: boolean;
}

/** Number of replicas that must work together for each purpose. */
interface Quorum {
  /** Replicas needed to commit, while there is a primary. */
  readonly replication: number;
  /** Replicas needed to go on after the loss of the primary. */
  readonly viewChange: number;
  /** Replicas needed for a new version to become active. */
  readonly upgrade: number;
}
