/** Adds the results of actions to a finished plan. Pure: each function returns another plan. */
import type { Refusal } from './act.ts';
import type { Plan } from './draft.ts';

const refusedAgainMs = 30_000;

/** The plan with a refused write. It is tried again now and then, because its cause may end unseen. */
export function withRefusal(plan: Plan, { reason, message }: Refusal): Plan {
  const requeueAfterMs = Math.min(plan.requeueAfterMs ?? refusedAgainMs, refusedAgainMs);
  return reason === 'ExpansionFailed'
    ? { ...plan, requeueAfterMs, storageProblem: plan.storageProblem ?? { reason, message } }
    : // The first reason stays: later ones often follow from it.
      { ...plan, requeueAfterMs, stall: plan.stall ?? { reason, message } };
}

/** The plan with the API server's message for the last failed write. */
export const withFailure = (plan: Plan, failure: string): Plan => ({ ...plan, failure });
