/** A paused database (`spec.paused`): its plan is told and not carried out. Of its objects only the status is written. */
import { targetOf, type Action } from './actions.ts';
import { sameStatus } from '../runtime/conditions.ts';
import { factsOf, type Draft, type Facts } from './draft.ts';
import type { Observation } from './observation.ts';

/** Takes all that is to be done out of the plan, decisions as well: they are made anew once the database is no longer paused. */
export function holdBack({ database }: Observation, draft: Draft): void {
  const { status = {} } = database;
  const before = factsOf(status);
  const actions = draft.actions.map(words);
  draft.leftUndone = [...new Set(actions.length > 0 ? actions : decisions(before, draft.facts))];
  draft.actions.length = 0;
  draft.facts = { ...before, observedGeneration: database.metadata.generation ?? 0 };
  draft.storageGb = status.storage?.requestedGb;
}

function words(action: Action): string {
  const { resource, name } = targetOf(action);
  const verb = action.verb === 'issue' ? 'create' : action.verb;
  return `${verb} ${resource.kind} ${name} (${action.purpose})`;
}

/** Where nothing is to be written before something is on record: which fields of the status would be. */
function decisions(before: Facts, after: Facts): readonly string[] {
  const fields = Object.keys(after) as (keyof Facts)[];
  return fields
    .filter((field) => field !== 'observedGeneration')
    .filter((field) => !sameStatus(before[field], after[field]))
    .map((field) => `decide status.${field}`);
}
