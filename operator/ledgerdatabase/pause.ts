/**
 * A paused database (`spec.paused`): its plan is reported and not carried out. The operator writes only its status, and removes
 * the deletion note from its volumes (steps/record-policy.ts).
 */
import { targetOf, type Action } from './actions.ts';
import { sameStatus } from '../runtime/conditions.ts';
import { factsOf, type Draft, type Facts } from './draft.ts';
import type { Observation } from './observation.ts';

/** Removes all other actions and decisions from the plan; they are made again once the database is no longer paused. */
export function holdBack({ database }: Observation, draft: Draft): void {
  const { status = {} } = database;
  const before = factsOf(status);
  const notes = draft.actions.filter(({ purpose }) => purpose === 'policy');
  const actions = draft.actions.filter((action) => !notes.includes(action)).map(words);
  draft.leftUndone = [...new Set(actions.length > 0 ? actions : decisions(before, draft.facts))];
  draft.actions.splice(0, Infinity, ...notes);
  draft.facts = { ...before, observedGeneration: database.metadata.generation ?? 0 };
  draft.storageGb = status.storage?.requestedGb;
}

function words(action: Action): string {
  const { resource, name } = targetOf(action);
  const verb = action.verb === 'issue' ? 'create' : action.verb;
  return `${verb} ${resource.kind} ${name} (${action.purpose})`;
}

/** If decisions must be recorded before any write: the status fields that they would change. */
function decisions(before: Facts, after: Facts): readonly string[] {
  const fields = Object.keys(after) as (keyof Facts)[];
  return fields
    .filter((field) => field !== 'observedGeneration')
    .filter((field) => !sameStatus(before[field], after[field]))
    .map((field) => `decide status.${field}`);
}
