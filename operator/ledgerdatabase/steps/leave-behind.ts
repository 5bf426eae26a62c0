/**
 * Leaves the volumes of a deleted database behind once no replica runs any more. Under `BackupThenRetain` each is marked as replaced by the
 * last backup: a database that begins with it, under the same database ID, never meets the old replicas or their volumes. Under `HandOver`
 * each is marked as left to a database that adopts it.
 */
import type { LedgerBackup } from '../../../domain/custom-resources.ts';
import { resources, type Claim, type Pod } from '../../../domain/kinds.ts';
import { annotations } from '../../../domain/names.ts';
import { deletion, patchOf } from '../actions.ts';
import type { Draft, StepResult } from '../draft.ts';
import type { Observation } from '../observation.ts';
import { hasStopped, replicaPods } from '../replica-pods.ts';

const LOOK_AGAIN_MS = 2_000;

export const leaveReplaced = (
  observed: Observation,
  draft: Draft,
  { metadata: { name } }: LedgerBackup,
): StepResult => {
  if (awaitPods(observed, draft) === 'halt') return 'halt';
  // The policy may have been another one before.
  const notes = { [annotations.replacedBy]: name, [annotations.handedOver]: null };
  return note(
    observed,
    draft,
    notes,
    ({ [annotations.replacedBy]: by, [annotations.handedOver]: since }) =>
      by !== name || since !== undefined,
  );
};

export const handOver = (observed: Observation, draft: Draft): StepResult =>
  awaitPods(observed, draft) === 'halt' ? 'halt' : markHandedOver(observed, draft);

/** Before anything stops: whatever becomes of the resource from then on, no time deletes its only volumes. */
export const markHandedOver = (observed: Observation, draft: Draft): StepResult => {
  const since = new Date(observed.nowMs).toISOString().replace(/\.\d+Z$/, 'Z');
  return note(
    observed,
    draft,
    { [annotations.handedOver]: since },
    (noted) => noted[annotations.handedOver] === undefined,
  );
};

/** Volumes that are nobody else's: their database is there, or a backup has all that they have. */
export const takeBackHandedOver = (observed: Observation, draft: Draft): StepResult =>
  note(
    observed,
    draft,
    { [annotations.handedOver]: null },
    (noted) => noted[annotations.handedOver] !== undefined,
  );

/** Returns whether somebody has deleted a volume that is to be handed over: it would be gone with the pod that still uses it. */
export function tellVolumeGoes(claims: readonly Claim[], draft: Draft): boolean {
  const going = claims.find(({ metadata }) => metadata.deletionTimestamp !== undefined);
  if (going === undefined) return false;
  draft.stallWith(
    'VolumeBeingDeleted',
    `somebody has deleted ${going.metadata.name}; the volume stays until its pod stops, so that the database is not handed over. ` +
      `Keep the data first: kubectl patch pv ${going.spec?.volumeName ?? 'VOLUME'} -p '{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}'`,
  );
  return true;
}

/** No replica may run any more. */
function awaitPods({ owned }: Observation, draft: Draft): StepResult {
  const pods = replicaPods(owned.pods).filter((pod) => !hasStopped(pod));
  const running = pods.length;
  if (running === 0) return 'continue';
  // Nobody else ends one that has lost its StatefulSet.
  const lost = owned.statefulSets.length > 0 ? [] : pods.filter(isLiving);
  draft.do(...lost.map((pod) => deletion('purge', resources.pod, pod)));
  draft.wait(`${running} replicas still stop; the database is gone once none runs`);
  draft.again(LOOK_AGAIN_MS);
  return 'halt';
}

type Notes = Readonly<Record<string, string | undefined>>;

function note(
  { owned: { claims } }: Observation,
  draft: Draft,
  notes: Readonly<Record<string, string | null>>,
  lacks: (noted: Notes) => boolean,
): StepResult {
  const unmarked = claims.filter(
    (claim) => isLiving(claim) && lacks(claim.metadata.annotations ?? {}),
  );
  const metadata = { annotations: notes };
  draft.do(...unmarked.map((claim) => patchOf('purge', resources.claim, claim, { metadata })));
  return unmarked.length > 0 ? 'halt' : 'continue';
}

const isLiving = ({ metadata }: Claim | Pod): boolean => metadata.deletionTimestamp === undefined;
