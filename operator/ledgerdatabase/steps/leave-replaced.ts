/**
 * Leaves the volumes of a deleted database behind under `BackupThenRetain`: once no replica runs any more, each is marked as replaced by
 * the last backup. Whoever goes on from that backup, under the same database ID, never meets the old replicas or their volumes.
 */
import type { LedgerBackup } from '../../../domain/custom-resources.ts';
import { resources } from '../../../domain/kinds.ts';
import { annotations } from '../../../domain/names.ts';
import { patchOf } from '../actions.ts';
import type { Draft, StepResult } from '../draft.ts';
import type { Observation } from '../observation.ts';
import { replicaPods } from '../replica-pods.ts';

const LOOK_AGAIN_MS = 2_000;

export function leaveReplaced(
  { owned }: Observation,
  draft: Draft,
  { metadata: { name } }: LedgerBackup,
): StepResult {
  const running = replicaPods(owned.pods).length;
  if (running > 0) {
    draft.wait(`${running} replicas still stop; the database is gone once none runs`);
    draft.again(LOOK_AGAIN_MS);
    return 'halt';
  }
  const unmarked = owned.claims.filter(
    ({ metadata }) =>
      metadata.deletionTimestamp === undefined &&
      metadata.annotations?.[annotations.replacedBy] !== name,
  );
  const note = { annotations: { [annotations.replacedBy]: name } };
  draft.do(
    ...unmarked.map((claim) => patchOf('purge', resources.claim, claim, { metadata: note })),
  );
  return unmarked.length > 0 ? 'halt' : 'continue';
}
