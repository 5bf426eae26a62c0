/** Everything that is known about a database at one instant; a plan is made from nothing else. */
import type { Capacity } from '../capacity/capacity.ts';
import type { EngineStatus } from '../../domain/engine-status.ts';
import type { LedgerCatalog, LedgerDatabase } from '../../domain/custom-resources.ts';
import type {
  Claim,
  ConfigMap,
  Job,
  NetworkPolicy,
  Pod,
  PodDisruptionBudget,
  Service,
  StatefulSet,
  StorageClass,
} from '../../domain/kinds.ts';
import type { KubeObject } from '../../base/kube/kube.ts';
import type { BackupsSeen } from './backups-seen.ts';
import type { Strays } from './strays.ts';

export interface Observation {
  /** Milliseconds since the UNIX epoch. */
  readonly nowMs: number;
  /** Whether it was read from the API server just now, rather than from the caches. */
  readonly live: boolean;
  readonly database: LedgerDatabase;
  readonly catalog: LedgerCatalog | undefined;
  readonly owned: Owned;
  /**
   * Objects of `owned` that the watches do not show as the database's, and foreign ones in their place; `undefined` if that was
   * not read.
   */
  readonly strays?: Strays | undefined;
  /** Volumes of the database that `spec.bootstrap.volumes` names, whatever database has them now. */
  readonly inheritance: Inheritance | undefined;
  /** Volumes with data that a deleted database of the same name left; absent if the database has begun, or says with what it begins. */
  readonly retained?: readonly Claim[];
  /** The engines' answers, if `Need` asked for them. */
  readonly polls: Polls | undefined;
  /** Whether engines that gave no answer were asked again, for as long as anybody waits for them. */
  readonly askedAgain?: boolean;
  /** Last known capacity; `undefined` if this process has no answer of the engines yet. */
  readonly capacity: Capacity | undefined;
  /** Why Kubernetes' controllers recently could not make pods; `undefined` if that was not read. */
  readonly refusals?: readonly PodRefusal[] | undefined;
  /** Zones of the nodes that have volumes, by the nodes' names; `undefined` if that was not read. */
  readonly zones?: ReadonlyMap<string, string> | undefined;
  /** Its backups and their schedules; `undefined` if nobody looks after these. */
  readonly backups?: BackupsSeen | undefined;
  readonly storageClass: { readonly found: StorageClass | undefined } | undefined;
}

/** Objects of the database. */
export interface Owned {
  readonly services: readonly Service[];
  readonly claims: readonly Claim[];
  readonly jobs: readonly Job[];
  readonly pods: readonly Pod[];
  readonly statefulSets: readonly StatefulSet[];
  readonly configMaps: readonly ConfigMap[];
  readonly podDisruptionBudgets: readonly PodDisruptionBudget[];
  readonly networkPolicies: readonly NetworkPolicy[];
}

export interface Inheritance {
  readonly claims: readonly Claim[];
  /** Uids of the owners of these volumes that still exist. */
  readonly livingOwners: readonly string[];
  /** Pods of an earlier owner that have not ended: each may write a data file. */
  readonly formerPods: readonly Pod[];
}

/** By replica: the engine's status, or why there is none. */
export type Polls = ReadonlyMap<number, EngineStatus | { readonly problem: string }>;

/** Message of a Kubernetes controller that could not make a pod. */
export interface PodRefusal {
  /** Uid of the StatefulSet or the Job. */
  readonly owner: string;
  readonly message: string;
  /** Time of the last such message, in milliseconds since the UNIX epoch. */
  readonly atMs: number;
}

/** Data that a plan may ask for; it is not read while nothing happens. */
export type Need =
  | 'live'
  | 'strays'
  | 'polls'
  /** Those of engines that have given none so far. */
  | 'answers'
  | 'storageClass'
  | 'refusals'
  | 'zones';

/** Index of the replica that an object belongs to: the end of its name, whatever made it. */
export function indexOf({ metadata }: KubeObject): number {
  const { name = '' } = metadata;
  return Number(name.slice(name.lastIndexOf('-') + 1));
}

/**
 * The volumes of the replicas. A StatefulSet that somebody scaled has made further ones: these go with the database, and count
 * for nothing else. All volumes if the number of replicas is unknown.
 */
export const replicaVolumes = (
  claims: readonly Claim[],
  replicas: number | undefined,
): readonly Claim[] => claims.filter((claim) => indexOf(claim) < (replicas ?? Infinity));
