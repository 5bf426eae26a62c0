/**
 * Notes the policy `Delete` on the volumes where the operator's rights are roles in each namespace: no finalizer holds the
 * database there, and nobody could ask it for its policy once it is gone (operator/volumes). Runs before anything else, so
 * that nothing keeps the note on volumes that are to stay: a deletion, a pause, a spec that cannot be met.
 */
import { annotations } from '../../../domain/names.ts';
import { resources } from '../../../domain/kinds.ts';
import { patchOf } from '../actions.ts';
import type { Draft, StepResult } from '../draft.ts';
import type { Observation } from '../observation.ts';
import type { PlanOptions } from '../subject-of.ts';

export function recordPolicy(
  { database, owned }: Observation,
  draft: Draft,
  { namespaced = false }: PlanOptions,
): StepResult {
  const goes = namespaced && database.spec.deletionPolicy === 'Delete';
  // Volumes of a paused database are not deleted with it.
  const policy = goes && database.spec.paused !== true ? 'Delete' : undefined;
  const deleted = database.metadata.deletionTimestamp !== undefined;
  for (const claim of owned.claims) {
    if (claim.metadata.deletionTimestamp !== undefined) continue;
    if (claim.metadata.annotations?.[annotations.deletionPolicy] === policy) continue;
    if (deleted && policy !== undefined) continue;
    const metadata = { annotations: { [annotations.deletionPolicy]: policy ?? null } };
    draft.do(patchOf('policy', resources.claim, claim, { metadata }));
  }
  return 'continue';
}
