/**
 * Volumes whose database is gone: they are marked with the time from which they may be deleted, and deleted after it. The
 * mark is removed from a volume that is needed again.
 */
import type { Logger } from 'pino';
import { VolumeEvent } from '../../domain/conditions.ts';
import { annotations, catalogName, labels } from '../../domain/names.ts';
import type { Key, Outcome } from '../runtime/controller.ts';
import type { EventRecorder } from '../runtime/events.ts';
import { resources, type Claim, type Pod, type StatefulSet } from '../../domain/kinds.ts';
import type { Cache, Kube, KubeObject, Reference } from '../../base/kube/kube.ts';
import type { CatalogObject, DatabaseObject } from '../../domain/custom-resources.ts';
import { fieldManager } from '../field-managers.ts';
import { decide, type Surroundings } from './decide.ts';
import type { GoneDatabases } from './gone-databases.ts';

const leftMaxMs = 3_600_000;
const tellAgainMs = 12 * 3_600_000;

interface VolumesEnvironment {
  readonly kube: Kube;
  readonly claims: Cache<Claim>;
  readonly databases: Cache<DatabaseObject>;
  readonly pods: Cache<Pod>;
  readonly statefulSets: Cache<StatefulSet>;
  readonly catalogs: Cache<CatalogObject>;
  readonly events: EventRecorder;
  readonly gone: GoneDatabases;
}

export async function reconcileVolume(
  environment: VolumesEnvironment,
  key: Key,
  logger: Logger,
): Promise<Outcome> {
  const { kube, claims } = environment;
  const cached = claims.get(key.namespace, key.name);
  if (cached === undefined) return {};
  const namespace = key.namespace ?? '';
  const seenAtMs = kube.serverTimeMs();
  if (seenAtMs !== undefined) {
    const near = { ...cachedSurroundings(environment, cached), ...originOf(environment, cached) };
    const first = decide(cached, near, retentionDays(environment), seenAtMs);
    if (first.kind === 'nothing') return {};
    if (first.kind === 'wait') return { requeueAfterMs: first.forMs };
    if (first.kind === 'left') return tellLeft(environment, cached, first.forMs);
  }
  // A purge cannot be undone: the decision is repeated with data read from the API server.
  const target: Reference = { resource: resources.claim, namespace, name: key.name };
  const claim = await kube.read<Claim>(target);
  if (claim === undefined) return {};
  const near = { ...(await surroundingsNow(kube, namespace)), ...originOf(environment, claim) };
  const nowMs = kube.serverTimeMs();
  if (nowMs === undefined) {
    throw new Error(
      'the API server sends no header Date, so purge times of volumes cannot be computed',
    );
  }
  const decision = decide(claim, near, retentionDays(environment), nowMs);
  if (decision.kind === 'wait') return { requeueAfterMs: decision.forMs };
  if (decision.kind === 'left') return tellLeft(environment, claim, decision.forMs);
  if (decision.kind === 'unmark') {
    await annotate(kube, target, claim, null);
    logger.info('volume needed again, purge mark removed');
  } else if (decision.kind === 'mark') {
    await annotate(kube, target, claim, decision.purgeAt);
    tellMarked(environment, claim, decision.purgeAt, logger);
  } else if (decision.kind === 'purge') {
    await purge(environment, target, claim, decision.purgeAt, logger);
  }
  return {};
}

/** Knowledge of this process about the database that the volume's labels name. */
const originOf = ({ gone, databases }: VolumesEnvironment, { metadata }: Claim) => {
  const uid = metadata.labels?.[labels.uid] ?? '';
  return {
    goneWithVolumes: gone.tookVolumes(uid, metadata.namespace),
    livesElsewhere: databases
      .byIndex(uid)
      .some((database) => database.metadata.namespace !== metadata.namespace),
  };
};

/** Cached objects of the volume's own database. A later database that adopted the volume is its owner. */
function cachedSurroundings(
  { databases, pods, statefulSets }: VolumesEnvironment,
  { metadata: { namespace, labels: of } }: Claim,
): Surroundings {
  const uid = of?.[labels.uid] ?? '';
  const here = <T extends KubeObject>(objects: readonly T[]) =>
    objects.filter((object) => object.metadata.namespace === namespace);
  return {
    databases: here(databases.list()),
    pods: here(pods.byIndex(uid)),
    statefulSets: here(statefulSets.byIndex(uid)),
  };
}

/** Everybody's pods and StatefulSets: the caches hold only those that the operator made. */
async function surroundingsNow(kube: Kube, namespace: string): Promise<Surroundings> {
  const [databases, pods, statefulSets] = await Promise.all([
    kube.list<DatabaseObject>(resources.database, { namespace }),
    kube.list<Pod>(resources.pod, { namespace }),
    kube.list<StatefulSet>(resources.statefulSet, { namespace }),
  ]);
  return { databases, pods, statefulSets };
}

/** Changes the annotation. The API server refuses if the claim has changed since it was read. */
async function annotate(
  kube: Kube,
  target: Reference,
  { metadata: { resourceVersion } }: Claim,
  purgeAt: string | null,
): Promise<void> {
  const patch = { metadata: { resourceVersion, annotations: { [annotations.purgeAt]: purgeAt } } };
  await kube.mergePatch(target, patch, { fieldManager });
}

function tellMarked(
  { events }: VolumesEnvironment,
  claim: Claim,
  purgeAt: string,
  logger: Logger,
): void {
  const database = claim.metadata.labels?.[labels.database] ?? '';
  logger.info({ database, purgeAt }, 'volume of a deleted database marked');
  events.record(claim, {
    type: 'Normal',
    reason: VolumeEvent.retained,
    note: `Database "${database}" was deleted. This volume will be deleted at ${purgeAt} unless another database adopts it.`,
  });
}

/** A change of shape has adopted it within minutes, if nothing holds that up. */
function tellLeft({ events }: VolumesEnvironment, claim: Claim, forMs: number): Outcome {
  if (forMs < leftMaxMs) return { requeueAfterMs: leftMaxMs - forMs };
  const { namespace, name, labels: of } = claim.metadata;
  events.record(claim, {
    type: 'Warning',
    reason: VolumeEvent.left,
    note:
      `Database "${of?.[labels.database] ?? ''}" was deleted and left this volume to another database, but none has adopted it. The volume is kept without a time limit. ` +
      `If it is not needed: kubectl -n ${namespace} annotate pvc ${name} ${annotations.handedOver}-`,
  });
  return { requeueAfterMs: tellAgainMs };
}

async function purge(
  { kube, events }: VolumesEnvironment,
  target: Reference,
  claim: Claim,
  purgeAt: string,
  logger: Logger,
): Promise<void> {
  const { uid = '', resourceVersion } = claim.metadata;
  await kube.delete(target, { uid, resourceVersion });
  logger.info({ purgeAt }, 'volume purged');
  events.record(claim, {
    type: 'Normal',
    reason: VolumeEvent.purged,
    note: `The volume was deleted, because its database was deleted and ${purgeAt} has passed.`,
  });
}

const retentionDays = ({ catalogs }: VolumesEnvironment): number =>
  catalogs.get(undefined, catalogName)?.spec.retention?.deletedVolumesDays ?? 7;
