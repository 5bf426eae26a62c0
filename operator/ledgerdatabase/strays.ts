/**
 * Finds volumes and pods of a database that has lived whose label of the database's uid somebody removed or changed: the
 * watches do not show them as its own. A volume is found by the name that its pod mounts, a pod by its controller.
 */
import type { Kube } from '../../base/kube/kube.ts';
import type { LedgerDatabase } from '../../domain/custom-resources.ts';
import { resources, type Claim, type Pod } from '../../domain/kinds.ts';
import { claimName, labels } from '../../domain/names.ts';
import { isReplicaOf, isUnlabelledVolume } from './belongs-to.ts';
import type { Observation, Owned } from './observation.ts';
import { replicaPods } from './replica-pods.ts';

export interface Strays {
  /** Claims that have the name of a replica's volume and the label of another database, or nothing that says whose they are. */
  readonly foreignClaims: readonly Claim[];
  /** The database's own, without the label of its uid. */
  readonly claims: readonly Claim[];
  readonly pods: readonly Pod[];
}

/** Whether a volume or a pod that must exist is not seen. */
export const missesAny = ({ database, owned }: Pick<Observation, 'database' | 'owned'>): boolean =>
  missingClaims(database, owned).length > 0 || missesPods(owned);

/** Names of volumes that are not seen. Before the first start a missing volume is made, and its name shows its owner. */
function missingClaims({ status }: LedgerDatabase, owned: Owned): readonly string[] {
  const { workload, bootstrapped, resolved } = status ?? {};
  if (workload === undefined || bootstrapped !== true) return [];
  const seen = new Set(owned.claims.map(({ metadata }) => metadata.name));
  return Array.from({ length: resolved?.topology?.replicas ?? 0 }, (_, index) =>
    claimName(workload, index),
  ).filter((name) => !seen.has(name));
}

/** Whether the StatefulSet's controller knows of more pods than are seen. */
function missesPods({ pods, statefulSets }: Owned): boolean {
  const known = statefulSets.reduce((sum, set) => sum + (set.status?.replicas ?? 0), 0);
  return known > replicaPods(pods).length;
}

export async function readStrays(
  kube: Kube,
  { database, owned }: Pick<Observation, 'database' | 'owned'>,
): Promise<Strays> {
  const { namespace } = database.metadata;
  const named = await Promise.all(
    missingClaims(database, owned).map((name) =>
      kube.read<Claim>({ resource: resources.claim, namespace, name }),
    ),
  );
  const found = named.filter((claim) => claim !== undefined);
  const claims = found.filter((claim) => isUnlabelledVolume(database, claim));
  return {
    claims,
    foreignClaims: found.filter((claim) => !claims.includes(claim)),
    pods: missesPods(owned) ? await straysOf(kube, database, owned) : [],
  };
}

/** Pods that a StatefulSet of the database controls: they must have the label of the workload. */
async function straysOf(
  kube: Kube,
  database: LedgerDatabase,
  owned: Owned,
): Promise<readonly Pod[]> {
  const { namespace } = database.metadata;
  const labelSelector = `${labels.workload}=${database.status?.workload}`;
  const pods = await kube.list<Pod>(resources.pod, { namespace, labelSelector });
  const seen = new Set(owned.pods.map(({ metadata }) => metadata.uid));
  return pods.filter(
    (pod) => !seen.has(pod.metadata.uid) && owned.statefulSets.some((set) => isReplicaOf(set, pod)),
  );
}

/** The database's objects with those that were found. */
export const withStrays = (owned: Owned, { claims, pods }: Strays): Owned => ({
  ...owned,
  claims: [...owned.claims, ...claims],
  pods: [...owned.pods, ...pods],
});
