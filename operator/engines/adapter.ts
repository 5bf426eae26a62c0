/** All in which one engine differs from the other, for the operator. */
import type {
  V1Container,
  V1HostAlias,
  V1SeccompProfile,
  V1Volume,
  V1VolumeMount,
} from '@kubernetes/client-node';
import type { EngineName } from '../../domain/resources.ts';
import type { Subject } from '../manifests/subject.ts';

export interface EngineAdapter {
  readonly name: EngineName;
  /** The program that the image's verbs are given to; the image's own entrypoint when undefined. */
  readonly command: readonly string[] | undefined;
  /**
   * When a version counts as the one that runs: once every pod has its `image`, or once every engine says that it runs its
   * `release` (TigerBeetle goes on with the old one until all replicas have the new program).
   */
  readonly activeBy: 'image' | 'release';
  /** Whether the pod's containers share one process namespace. */
  readonly sharesProcesses: boolean;
  quorum(replicas: number): Quorum;
  /** Of the engine's containers; the pod's own profile when undefined. */
  seccompProfile(subject: Subject): V1SeccompProfile | undefined;
  /** What runs in a replica's pod; the engine comes first. The same for every index. */
  containers(subject: Subject): V1Container[];
  /** What else a replica's pod has for it. The same for every index. */
  beside(subject: Subject): Beside;
  /** Ports on which replicas reach each other and nobody else reaches them, besides the clients' one. */
  peerPorts(subject: Subject): readonly PeerPort[];
  /** What the engine's `recover` is told besides, to make the data file of one replica again from the others. */
  recoverFlags(subject: Subject, index: number): readonly string[];
  /** Volumes besides the data's that these flags name. */
  recoverVolumes(subject: Subject): readonly MountedVolume[];
  /** What a replica's pod asks for in all; what makes its data file asks for as much. */
  requests(subject: Subject): { readonly cpuMillis: number; readonly memoryMib: number };
}

export interface Beside {
  /** After the check of the data file. */
  readonly initContainers: readonly V1Container[];
  readonly volumes: readonly V1Volume[];
  readonly hostAliases: readonly V1HostAlias[];
}

export interface MountedVolume {
  readonly volume: V1Volume;
  readonly mount: V1VolumeMount;
}

export const nothingBeside: Beside = { initContainers: [], volumes: [], hostAliases: [] };

export interface PeerPort {
  readonly name: string;
  readonly port: number;
  /** Whether the pods of Jobs may use it too. */
  readonly forJobs: boolean;
}

/** How many replicas must work together. */
export interface Quorum {
  /** To commit, while there is a primary. */
  readonly replication: number;
  /** To go on when the primary is lost. */
  readonly viewChange: number;
  /** For a new version to become active. */
  readonly upgrade: number;
}
