/**
 * Deletes a database. A finalizer holds it until its volumes are taken care of. Under Retain there is none: operator/volumes
 * finds the volumes without an owner and marks them. It never holds a namespace that is being deleted.
 */
import { volumesFinalizer } from '../../../domain/names.ts';
import { resources, type StatefulSet } from '../../../domain/kinds.ts';
import type { KubeObject } from '../../../base/kube/kube.ts';
import { deletion, patchOf } from '../actions.ts';
import type { Draft, StepResult } from '../draft.ts';
import type { PlanOptions } from '../subject-of.ts';
import { replicaVolumes, type Observation } from '../observation.ts';
import { finalBackupOf, makeFinalBackup, tellPauseOver } from './final-backup.ts';
import { leaveReplaced } from './leave-replaced.ts';

export function guardDeletion(
  observed: Observation,
  draft: Draft,
  options: PlanOptions,
): StepResult {
  const { namespaced = false } = options;
  const { database } = observed;
  const { deletionPolicy } = database.spec;
  const backsUp = deletionPolicy === 'BackupThenDelete' || deletionPolicy === 'BackupThenRetain';
  const held = database.metadata.finalizers?.includes(volumesFinalizer) ?? false;
  if (database.metadata.deletionTimestamp === undefined) {
    // When a namespace goes, so do the operator's rights in it: a finalizer would hold both for ever.
    const holds = backsUp || (deletionPolicy === 'Delete' && !namespaced);
    if (holds !== held) draft.do(setFinalizer(observed, !held));
    return 'continue';
  }
  draft.deleting = true;
  if (!held) return 'halt';
  const claims = observed.owned.claims;
  const living = claims.filter((claim) => claim.metadata.deletionTimestamp === undefined);
  const { replicas } = database.status?.resolved?.topology ?? {};
  const data = replicaVolumes(claims, replicas);
  const isWhole = data.length > 0 && data.every((claim) => living.includes(claim));
  const backup = backsUp ? finalBackupOf(observed, draft) : undefined;
  if (backsUp && isWhole && backup === undefined) {
    makeFinalBackup(observed, draft, options);
    return 'halt';
  }
  if (deletionPolicy === 'Delete' || backup !== undefined) {
    const set = observed.owned.statefulSets.find(mayMakeVolumes);
    if (set !== undefined) {
      if (set.spec?.replicas === 0) return 'halt';
      // Whatever was written after the pause would be in no backup.
      if (backup !== undefined && tellPauseOver(observed, draft, backup)) return 'halt';
      const stop = patchOf('purge', resources.statefulSet, set, { spec: { replicas: 0 } });
      draft.do({ ...stop, guarded: true });
      return 'halt';
    }
    if (backup !== undefined && deletionPolicy === 'BackupThenRetain') {
      if (leaveReplaced(observed, draft, backup) === 'halt') return 'halt';
    } else draft.do(...living.map((claim) => deletion('purge', resources.claim, claim)));
  }
  // Guarded: the API server must confirm it, because the cache may not have all volumes yet.
  if (draft.actions.length === 0) draft.do({ ...setFinalizer(observed, false), guarded: true });
  return 'halt';
}

/** Whether the controller may still make missing volumes again, until it has seen that no replica is to run. */
const mayMakeVolumes = ({ metadata, spec, status }: StatefulSet): boolean =>
  metadata.deletionTimestamp === undefined &&
  (spec?.replicas !== 0 || (status?.observedGeneration ?? 0) < (metadata.generation ?? 0));

function setFinalizer({ database }: Observation, held: boolean) {
  const others = (database.metadata.finalizers ?? []).filter((name) => name !== volumesFinalizer);
  const finalizers = held ? [...others, volumesFinalizer] : others;
  const object = database as unknown as KubeObject;
  return patchOf('finalizer', resources.database, object, { metadata: { finalizers } });
}
