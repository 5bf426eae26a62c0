/** All in which one engine differs from the other, for the operator. */
import type { V1Container, V1SeccompProfile } from '@kubernetes/client-node';
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
