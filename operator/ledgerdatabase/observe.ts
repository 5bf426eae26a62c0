/** Gathers an observation, from the caches or from the API server itself. */
import { annotations, labels, uidOf, workloadNameOf } from '../../domain/names.ts';
import type { CatalogObject, DatabaseObject } from '../../domain/custom-resources.ts';
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
import type { Cache, Kube, KubeObject } from '../../base/kube/kube.ts';
import { isOlder } from '../../base/kube/resource-version.ts';
import { belongsTo, isDataVolume, isInheritable } from './belongs-to.ts';
import type { Inheritance, Owned } from './observation.ts';
import { hasStopped } from './replica-pods.ts';

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
  readonly retained: readonly Claim[];
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
    inheritance: from === undefined ? undefined : inheritanceIn(caches, database, from),
    retained: retainedFor(caches, database),
  };
}

function inheritanceIn(caches: Caches, database: DatabaseObject, from: string): Inheritance {
  const claims = meantOf(
    caches.claims
      .list()
      .filter(
        (claim) =>
          claim.metadata.namespace === database.metadata.namespace &&
          claim.metadata.labels?.[labels.databaseId] === from,
      ),
  );
  return {
    claims,
    livingOwners: caches.databases.list().map(uidOf),
    formerPods: formerPods(database, workloadOfHeir(database, claims), caches.pods.list()),
  };
}

/**
 * The volumes of an ID that a new database may adopt. If a backup has replaced one volume of a workload, none of that workload: no replica
 * ran any more when that volume was marked, and the operator may have been unable to mark the others. If any volumes were handed over,
 * only those: other volumes of that ID are copies, or belong to a resource that somebody made again from an old manifest meanwhile.
 */
function meantOf(found: readonly Claim[]): readonly Claim[] {
  const workloadOf = ({ metadata }: Claim) => metadata.labels?.[labels.workload];
  const volumes = found.filter(isDataVolume);
  const replaced = new Set(volumes.filter((claim) => !isInheritable(claim)).map(workloadOf));
  const claims = volumes.filter((claim) => !replaced.has(workloadOf(claim)));
  const handedOver = claims.filter(
    ({ metadata }) => metadata.annotations?.[annotations.handedOver] !== undefined,
  );
  return handedOver.length > 0 ? handedOver : claims;
}

/** Volumes of a database that is gone, by the name that both have. The API knows which database is meant: those that it makes have an ID. */
function retainedFor(caches: Caches, { metadata, spec, status }: DatabaseObject): readonly Claim[] {
  const { namespace, name } = metadata;
  const isNew = status?.bootstrapped !== true && status?.resolved === undefined;
  const isSaid = spec.bootstrap !== undefined || metadata.labels?.[labels.databaseId] !== undefined;
  if (!isNew || isSaid) return [];
  return caches.claims
    .list()
    .filter(
      (claim) =>
        claim.metadata.namespace === namespace &&
        claim.metadata.deletionTimestamp === undefined &&
        claim.metadata.labels?.[labels.database] === name &&
        hasData(claim) &&
        isDataVolume(claim) &&
        caches.databases.byIndex(claim.metadata.labels?.[labels.uid] ?? '').length === 0,
    );
}

const hasData = ({ metadata: { annotations: noted } }: Claim): boolean =>
  noted?.[annotations.formatted] !== undefined || noted?.[annotations.reshaping] !== undefined;

/** Kinds that decisions which cannot be undone may depend on. */
const livingKinds = {
  services: resources.service,
  claims: resources.claim,
  jobs: resources.job,
  pods: resources.pod,
  statefulSets: resources.statefulSet,
} as const;
export type LivingKind = keyof typeof livingKinds;

/**
 * The API server's answers of one session, laid over the caches. The other kinds come from the caches: wrong builds are
 * repeated, and deletions name the object's uid.
 */
export class LiveView {
  readonly #owned = new Map<LivingKind, readonly KubeObject[]>();
  #inheritance: { readonly found: Inheritance | undefined } | undefined;

  /** Takes it for certain that the database has none of what a decision for good depends on. */
  beginEmpty(): void {
    for (const kind of ['claims', 'pods', 'statefulSets'] as const) this.#owned.set(kind, []);
  }

  /** Reads these kinds, as far as they have not been read. Returns whether anything was read. */
  async read(kube: Kube, database: DatabaseObject, kinds: readonly LivingKind[]): Promise<boolean> {
    const unread = kinds.filter((kind) => !this.#owned.has(kind));
    if (unread.length === 0) return false;
    const { namespace } = database.metadata;
    const labelSelector = `${labels.uid}=${uidOf(database)}`;
    await Promise.all(
      unread.map(async (kind) => {
        const found = await kube.list<KubeObject>(livingKinds[kind], { namespace, labelSelector });
        const owned = found.filter((object) => belongsTo(database, object));
        const isMissing = kind === 'statefulSets' && owned.length === 0;
        this.#owned.set(kind, isMissing ? await unlabelledSetOf(kube, database) : owned);
      }),
    );
    this.#inheritance ??= { found: await inheritanceOf(kube, database) };
    return true;
  }

  /** Takes in the API server's answer to a write. */
  note(object: KubeObject): void {
    for (const [kind, found] of this.#owned) {
      if (livingKinds[kind].kind !== object.kind) continue;
      const others = found.filter(({ metadata }) => metadata.name !== object.metadata.name);
      this.#owned.set(kind, [...others, object]);
    }
  }

  /** Whether anything was read. */
  get isLive(): boolean {
    return this.#owned.size > 0;
  }

  over(seen: Seen): Seen {
    if (!this.isLive) return seen;
    // A run may wait long for its turn at the API server: newer objects from the watches count.
    const owned = [...this.#owned].map(([kind, found]) => [kind, newest(found, seen.owned[kind])]);
    return {
      owned: { ...seen.owned, ...(Object.fromEntries(owned) as Partial<Owned>) },
      inheritance: this.#inheritance?.found,
      retained: seen.retained,
    };
  }
}

/**
 * Returns the database's StatefulSet if it has lost its labels. It is found by its name: no data file is made beside it, even if
 * the status was lost too.
 */
async function unlabelledSetOf(
  kube: Kube,
  database: DatabaseObject,
): Promise<readonly StatefulSet[]> {
  const { namespace } = database.metadata;
  const name = database.status?.workload ?? workloadNameOf(database);
  const set = await kube.read<StatefulSet>({ resource: resources.statefulSet, namespace, name });
  const isOwn = (set?.metadata.ownerReferences ?? []).some(
    ({ controller, uid }) => controller === true && uid === uidOf(database),
  );
  return set !== undefined && isOwn ? [set] : [];
}

/** The objects that were read; if the caches hold a later version of one, that version. */
const newest = (read: readonly KubeObject[], cached: readonly KubeObject[]): KubeObject[] =>
  read.map((object) => {
    const { uid, resourceVersion = '' } = object.metadata;
    const later = cached.find(({ metadata }) => metadata.uid === uid);
    if (later === undefined) return object;
    return isOlder(resourceVersion, later.metadata.resourceVersion ?? '') ? later : object;
  });

async function inheritanceOf(
  kube: Kube,
  database: DatabaseObject,
): Promise<Inheritance | undefined> {
  const from = database.spec.bootstrap?.volumes?.databaseId;
  if (from === undefined) return undefined;
  const { namespace } = database.metadata;
  const [found, databases] = await Promise.all([
    kube.list<Claim>(resources.claim, {
      namespace,
      labelSelector: `${labels.databaseId}=${from}`,
    }),
    kube.list<DatabaseObject>(resources.database, { namespace }),
  ]);
  const claims = meantOf(found);
  const workload = workloadOfHeir(database, claims);
  const pods =
    workload === undefined
      ? []
      : await kube.list<Pod>(resources.pod, {
          namespace,
          labelSelector: `${labels.workload}=${workload}`,
        });
  return {
    claims,
    livingOwners: databases.map(uidOf),
    formerPods: formerPods(database, workload, pods),
  };
}

/** Name of the workload whose volumes the database adopts; `undefined` once it has begun. */
const workloadOfHeir = (
  { status }: DatabaseObject,
  [claim]: readonly Claim[],
): string | undefined =>
  status?.bootstrapped === true
    ? undefined
    : (status?.workload ?? claim?.metadata.labels?.[labels.workload]);

/** Pods of this workload, of replicas and of Jobs, that another database has made and that have not ended. */
const formerPods = (
  { metadata }: DatabaseObject,
  workload: string | undefined,
  pods: readonly Pod[],
): readonly Pod[] =>
  workload === undefined
    ? []
    : pods.filter(
        (pod) =>
          pod.metadata.namespace === metadata.namespace &&
          pod.metadata.labels?.[labels.workload] === workload &&
          pod.status?.phase !== 'Succeeded' &&
          pod.status?.phase !== 'Failed' &&
          !hasStopped(pod) &&
          pod.metadata.labels?.[labels.uid] !== metadata.uid,
      );
