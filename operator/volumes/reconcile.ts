/**
 * Volumes whose database is gone: they are marked with the time from which they may be deleted, and deleted after it. A
 * volume that a database is about to take over is left alone.
 */
import type { Logger } from 'pino';
import { VolumeEvent } from '../../domain/conditions.ts';
import { annotations, catalogName, labels } from '../../domain/names.ts';
import type { Key, Outcome } from '../runtime/controller.ts';
import type { EventRecorder } from '../runtime/events.ts';
import { resources, type Claim } from '../../domain/kinds.ts';
import type { Cache, Kube, Reference } from '../../base/kube/kube.ts';
import type { CatalogObject, DatabaseObject } from '../../domain/custom-objects.ts';
import { fieldManager } from '../field-managers.ts';
import { decide } from './decide.ts';

export interface VolumesEnvironment {
  readonly kube: Kube;
  readonly claims: Cache<Claim>;
  readonly databases: Cache<DatabaseObject>;
  readonly catalogs: Cache<CatalogObject>;
  readonly events: EventRecorder;
  readonly nowMs: () => number;
}

export async function reconcileVolume(
  environment: VolumesEnvironment,
  key: Key,
  logger: Logger,
): Promise<Outcome> {
  const { kube, databases, claims, nowMs } = environment;
  const cached = claims.get(key.namespace, key.name);
  if (cached === undefined) return {};
  const namespace = key.namespace ?? '';
  const near = databases.list().filter((one) => one.metadata.namespace === namespace);
  const first = decide(cached, near, retentionDays(environment), nowMs());
  if (first.kind === 'nothing') return {};
  if (first.kind === 'wait') return { requeueAfterMs: first.forMs };
  // What follows cannot be taken back: it is decided once more by what the API server says itself.
  const target: Reference = { resource: resources.claim, namespace, name: key.name };
  const claim = await kube.read<Claim>(target);
  if (claim === undefined) return {};
  const living = await kube.list<DatabaseObject>(resources.database, { namespace });
  const decision = decide(claim, living, retentionDays(environment), nowMs());
  if (decision.kind === 'mark') {
    const { resourceVersion } = claim.metadata;
    const purgeAt = { [annotations.purgeAt]: decision.purgeAt };
    const patch = { metadata: { resourceVersion, annotations: purgeAt } };
    await kube.mergePatch(target, patch, { fieldManager });
    const database = claim.metadata.labels?.[labels.database] ?? '';
    logger.info({ database, purgeAt: decision.purgeAt }, 'volume of a deleted database marked');
    environment.events.record(claim, {
      type: 'Normal',
      reason: VolumeEvent.retained,
      note: `the database ${database} is gone; this volume is deleted after ${decision.purgeAt} unless a database takes it over`,
    });
  } else if (decision.kind === 'purge') {
    const { uid = '', resourceVersion } = claim.metadata;
    await kube.delete(target, { uid, resourceVersion });
    logger.info({ purgeAt: decision.purgeAt }, 'volume purged');
    environment.events.record(claim, {
      type: 'Normal',
      reason: VolumeEvent.purged,
      note: `deleted: its database is gone and ${decision.purgeAt} has passed`,
    });
  }
  return {};
}

const retentionDays = ({ catalogs }: VolumesEnvironment): number =>
  catalogs.get(undefined, catalogName)?.spec.retention?.deletedVolumesDays ?? 7;
