/** Records on the volumes the version that last wrote them, so that a database which inherits them begins with it. */
import { annotations } from '../../../domain/names.ts';
import { resources } from '../../../domain/kinds.ts';
import { patchOf } from '../actions.ts';
import type { Draft, StepResult } from '../draft.ts';
import type { Observation } from '../observation.ts';
import { isMadeForNext } from './reshaping.ts';

export function recordVersion(observed: Observation, draft: Draft): StepResult {
  const { activeVersion } = draft;
  if (activeVersion === undefined) return 'continue';
  for (const claim of observed.owned.claims) {
    if (claim.metadata.deletionTimestamp !== undefined || isMadeForNext(claim)) continue;
    if (claim.metadata.annotations?.[annotations.engineVersion] === activeVersion) continue;
    const metadata = { annotations: { [annotations.engineVersion]: activeVersion } };
    draft.do(patchOf('record', resources.claim, claim, { metadata }));
  }
  return 'continue';
}
