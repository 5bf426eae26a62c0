/** Gathers an observation, from the caches or from the API server itself. */
import { labels, managedBy, uidOf } from '../../domain/names.ts';
import type { CatalogObject, DatabaseObject } from '../../domain/custom-objects.ts';
import {
  resources,
  type Claim,
  type ConfigMap,
  type Job,
  type NetworkPolicy,
  type Pod,
  type PodDisruptionBudget,
  type Service,
  type StatefulSet,
} from '../../domain/kinds.ts';
import type { Cache, Kube, KubeObject, Resource } from '../../base/kube/kube.ts';
import { belongsTo, isDataVolume } from './belongs-to.ts';
import type { Inheritance, Owned } from './observation.ts';

/** Caches, indexed by the label of the database's uid, except for the databases themselves. */
export interface Caches {
  readonly databases: Cache<DatabaseObject>;
  readonly catalogs: Cache<CatalogObject>;
  readonly services: Cache<Service>;
  readonly claims: Cache<Claim>;
  readonly jobs: Cache<Job>;
  readonly pods: Cache<Pod>;
  readonly statefulSets: Cache<StatefulSet>;
  readonly configMaps: Cache<ConfigMap>;
  readonly podDisruptionBudgets: Cache<PodDisruptionBudget>;
  readonly networkPolicies: Cache<NetworkPolicy>;
}

export interface Seen {
  readonly owned: Owned;
  readonly inheritance: Inheritance | undefined;
}

export function observeCaches(caches: Caches, database: DatabaseObject): Seen {
  const uid = uidOf(database);
  const from = database.spec.bootstrap?.volumes?.databaseId;
  const here = <T extends KubeObject>(cache: Cache<T>) =>
    cache.byIndex(uid).filter((object) => belongsTo(database, object));
  return {
    owned: {
      services: here(caches.services),
      claims: here(caches.claims),
      jobs: here(caches.jobs),
      pods: here(caches.pods),
      statefulSets: here(caches.statefulSets),
      configMaps: here(caches.configMaps),
      podDisruptionBudgets: here(caches.podDisruptionBudgets),
      networkPolicies: here(caches.networkPolicies),
    },
    inheritance:
      from === undefined
        ? undefined
        : {
            claims: caches.claims
              .list()
              .filter(
                (claim) =>
                  claim.metadata.namespace === database.metadata.namespace &&
                  claim.metadata.labels?.[labels.databaseId] === from &&
                  isDataVolume(claim),
              ),
            livingOwners: caches.databases.list().map(uidOf),
          },
  };
}

/**
 * Reads the data for decisions that cannot be undone: volumes, the pods and Jobs that use or used them, their controllers,
 * and addresses. The rest comes from the caches: wrong builds are repeated, and deletions name the object's uid.
 */
export async function observeLive(
  kube: Kube,
  caches: Caches,
  database: DatabaseObject,
): Promise<Seen> {
  const { namespace } = database.metadata;
  const labelSelector = `${labels.managedBy}=${managedBy},${labels.uid}=${uidOf(database)}`;
  const all = async <T extends KubeObject>(resource: Resource) => {
    const found = await kube.list<T>(resource, { namespace, labelSelector });
    return found.filter((object) => belongsTo(database, object));
  };
  const [services, claims, jobs, pods, statefulSets] = await Promise.all([
    all<Service>(resources.service),
    all<Claim>(resources.claim),
    all<Job>(resources.job),
    all<Pod>(resources.pod),
    all<StatefulSet>(resources.statefulSet),
  ]);
  return {
    owned: { ...observeCaches(caches, database).owned, services, claims, jobs, pods, statefulSets },
    inheritance: await inheritanceOf(kube, database),
  };
}

async function inheritanceOf(
  kube: Kube,
  database: DatabaseObject,
): Promise<Inheritance | undefined> {
  const from = database.spec.bootstrap?.volumes?.databaseId;
  if (from === undefined) return undefined;
  const { namespace } = database.metadata;
  const [claims, databases] = await Promise.all([
    kube.list<Claim>(resources.claim, {
      namespace,
      labelSelector: `${labels.managedBy}=${managedBy},${labels.databaseId}=${from}`,
    }),
    kube.list<DatabaseObject>(resources.database, { namespace }),
  ]);
  return { claims: claims.filter(isDataVolume), livingOwners: databases.map(uidOf) };
}
