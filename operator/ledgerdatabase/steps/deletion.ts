/**
 * Deletes a database. A finalizer holds it until its volumes are taken care of. Under Retain there is none: operator/volumes
 * finds the volumes without an owner and marks them. It never holds a namespace that is being deleted.
 */
import { annotations, handOverFinalizer, volumesFinalizer } from '../../../domain/names.ts';
import { resources, type StatefulSet } from '../../../domain/kinds.ts';
import type { KubeObject } from '../../../base/kube/kube.ts';
import { deletion, patchOf } from '../actions.ts';
import type { Draft, StepResult } from '../draft.ts';
import type { PlanOptions } from '../subject-of.ts';
import { replicaVolumes, type Observation } from '../observation.ts';
import { replicaPods } from '../replica-pods.ts';
import { finalBackupOf, makeFinalBackup, tellPauseOver } from './final-backup.ts';
import {
  handOver,
  leaveReplaced,
  markHandedOver,
  takeBackHandedOver,
  tellVolumeGoes,
} from './leave-behind.ts';

export function guardDeletion(
  observed: Observation,
  draft: Draft,
  options: PlanOptions,
): StepResult {
  const { namespaced = false } = options;
  const { database } = observed;
  const { deletionPolicy } = database.spec;
  const backsUp = deletionPolicy === 'BackupThenDelete' || deletionPolicy === 'BackupThenRetain';
  const held = finalizersOf(observed).filter(isOurs);
  const handsOver = deletionPolicy === 'HandOver';
  if (database.metadata.deletionTimestamp === undefined) {
    // When a namespace goes, so do the operator's rights in it: a finalizer would hold both for ever.
    const holds = backsUp || (deletionPolicy === 'Delete' && !namespaced);
    const wanted = handsOver ? handOverFinalizer : holds ? volumesFinalizer : undefined;
    if (held.length > 1 || held[0] !== wanted) draft.do(setFinalizer(observed, wanted));
    // An operator of a release before the mark has adopted them, and left it.
    takeBackHandedOver(observed, draft);
    return 'continue';
  }
  draft.deleting = true;
  if (held.length === 0) return 'halt';
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
  if (deletionPolicy === 'Delete' || handsOver || backup !== undefined) {
    const set = observed.owned.statefulSets.find(mayMakeVolumes);
    // Whatever was written after the pause would be in no backup. A replica that was told to stop runs on while its node hears of nothing.
    const mayServe = runs(set) || replicaPods(observed.owned.pods).length > 0;
    if (backup !== undefined && mayServe && tellPauseOver(observed, draft, backup)) return 'halt';
    if (set !== undefined) {
      if (set.spec?.replicas === 0) return 'halt';
      if (handsOver && tellVolumeGoes(data, draft)) return 'halt';
      if (handsOver && markHandedOver(observed, draft) === 'halt') return 'halt';
      const stop = patchOf('purge', resources.statefulSet, set, { spec: { replicas: 0 } });
      draft.do({ ...stop, guarded: true });
      return 'halt';
    }
    if (handsOver) {
      if (handOver(observed, draft) === 'halt') return 'halt';
    } else if (backup !== undefined && deletionPolicy === 'BackupThenRetain') {
      if (leaveReplaced(observed, draft, backup) === 'halt') return 'halt';
    } else {
      if (backup !== undefined && takeBackHandedOver(observed, draft) === 'halt') return 'halt';
      // One that is left to another database stays, whatever somebody makes of the policy meanwhile.
      const going = living.filter(
        ({ metadata }) => metadata.annotations?.[annotations.handedOver] === undefined,
      );
      draft.do(...going.map((claim) => deletion('purge', resources.claim, claim)));
    }
  }
  // Guarded: the API server must confirm it, because the cache may not have all volumes yet.
  if (draft.actions.length === 0) draft.do({ ...setFinalizer(observed, undefined), guarded: true });
  return 'halt';
}

/** Whether the controller may still make missing volumes again, until it has seen that no replica is to run. */
const mayMakeVolumes = ({ metadata, spec, status }: StatefulSet): boolean =>
  metadata.deletionTimestamp === undefined &&
  (spec?.replicas !== 0 || (status?.observedGeneration ?? 0) < (metadata.generation ?? 0));

const runs = (set: StatefulSet | undefined): boolean =>
  set !== undefined && set.spec?.replicas !== 0;

const finalizersOf = ({ database }: Observation): readonly string[] =>
  database.metadata.finalizers ?? [];

const isOurs = (name: string): boolean => name === volumesFinalizer || name === handOverFinalizer;

/** Leaves those of others. */
function setFinalizer(observed: Observation, own: string | undefined) {
  const others = finalizersOf(observed).filter((name) => !isOurs(name));
  const finalizers = own === undefined ? others : [...others, own];
  const object = observed.database as unknown as KubeObject;
  return patchOf('finalizer', resources.database, object, { metadata: { finalizers } });
}
