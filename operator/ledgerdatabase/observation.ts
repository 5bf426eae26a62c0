/** What is known of one database at one moment: all that a plan is made from, and nothing else. */
import type { Capacity } from '../capacity/capacity.ts';
import type { EngineStatus } from '../../domain/engine-status.ts';
import type { LedgerCatalog, LedgerDatabase } from '../../domain/resources.ts';
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

export interface Observation {
  /** Milliseconds since the UNIX epoch. */
  readonly nowMs: number;
  /** Read from the API server just now, rather than taken from the caches. */
  readonly live: boolean;
  readonly database: LedgerDatabase;
  readonly catalog: LedgerCatalog | undefined;
  readonly owned: Owned;
  /** Volumes of the database that `spec.bootstrap.volumes` names, whoever has them now. */
  readonly inheritance: Inheritance | undefined;
  /** What was asked for by `Need`, where it was. */
  readonly polls: Polls | undefined;
  /** As the engines last said; `undefined` when this process has not heard it yet. */
  readonly capacity: Capacity | undefined;
  /** Why the controllers of Kubernetes could not make pods lately; `undefined` when nobody has asked. */
  readonly refusals?: readonly PodRefusal[] | undefined;
  readonly storageClass: { readonly found: StorageClass | undefined } | undefined;
}

/** Everything that carries the database's uid. */
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
  /** The uids of these volumes' databases that are still there. */
  readonly livingOwners: readonly string[];
}

/** By replica: what its engine says of itself, or why it did not. */
export type Polls = ReadonlyMap<number, EngineStatus | { readonly problem: string }>;

/** What a controller of Kubernetes said when it could not make a pod. */
export interface PodRefusal {
  /** The uid of the StatefulSet or the Job. */
  readonly owner: string;
  readonly message: string;
  /** When it last said so, in milliseconds since the UNIX epoch. */
  readonly atMs: number;
}

/** What a plan may ask for, since it is not read while nothing happens. */
export type Need = 'live' | 'polls' | 'storageClass' | 'refusals';

/** The index of the replica that an object belongs to: its name ends with it, whoever made it. */
export function indexOf({ metadata }: KubeObject): number {
  const { name = '' } = metadata;
  return Number(name.slice(name.lastIndexOf('-') + 1));
}
