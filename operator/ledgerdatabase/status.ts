/**
 * Makes the whole status anew from one observation and its plan, also after a failure: it keeps nothing from earlier, and
 * nothing in it changes while nothing happens.
 */
import type { DatabaseStatus } from '../../domain/resources.ts';
import { sameStatus } from '../runtime/conditions.ts';
import { conditionsOf } from './conditions.ts';
import type { Draft } from './draft.ts';
import type { Observation } from './observation.ts';
import { tallyOf } from './tally.ts';

/**
 * Whether two statuses mean the same. An engine's `op` changes with every request: it is written along with other changes,
 * but never causes a write by itself, since each write leads to a look, and each look asks again.
 */
export const sameMeaning = (a: DatabaseStatus, b: DatabaseStatus | undefined): boolean =>
  sameStatus(withoutOps(a), b && withoutOps(b));

const withoutOps = (status: DatabaseStatus): object => ({
  ...status,
  members: status.members?.map((member) => ({ ...member, op: undefined })),
});

export function statusOf(observed: Observation, draft: Draft): DatabaseStatus {
  const tally = tallyOf(observed, draft);
  const { replicas, ready, healthy, members, rolled, storage } = tally;
  const desired = draft.facts.resolved?.engine?.version;
  return {
    ...draft.facts,
    replicas: {
      desired: tally.suspended ? 0 : replicas,
      ready,
      healthy,
      summary: `${ready}/${replicas}`,
    },
    members,
    version: {
      ...(desired === undefined ? {} : { desired }),
      rolled,
      ...(draft.activeVersion === undefined ? {} : { active: draft.activeVersion }),
    },
    rollout: { blocked: draft.blocked },
    ...(storage === undefined ? {} : { storage }),
    conditions: conditionsOf(observed, draft, tally),
  };
}
