/**
 * Makes the whole status from one observation and its plan, also after a failure. It keeps nothing from the earlier status, and
 * nothing in it changes while nothing happens.
 */
import type { DatabaseStatus } from '../../domain/custom-resources.ts';
import { sameStatus } from '../runtime/conditions.ts';
import { lastBackup } from './backup-health.ts';
import { conditionsOf } from './conditions.ts';
import type { Plan } from './draft.ts';
import type { Observation } from './observation.ts';
import { inSteps, recoveryOf } from './recovery.ts';
import { tallyOf } from './tally.ts';

/**
 * Whether two statuses mean the same. An engine's `op` changes with every request: it is written along with other changes,
 * but never causes a write by itself, since each write leads to a look, and each look asks again. The end of the window of recovery
 * moves in steps. What the API's worker wrote is not the operator's.
 */
export const sameMeaning = (a: DatabaseStatus, b: DatabaseStatus | undefined): boolean =>
  sameStatus(withoutOps(a), b && withoutOps(b));

const withoutOps = (status: DatabaseStatus): object => ({
  ...status,
  changeDataCapture: undefined,
  recovery: inSteps(status.recovery),
  members: status.members?.map((row) => ({ ...row, op: undefined })),
});

export function statusOf(observed: Observation, plan: Plan): DatabaseStatus {
  const tally = tallyOf(observed, plan);
  const { replicas, ready, healthy, rows, rolled, storage } = tally;
  const backup =
    observed.backups === undefined
      ? undefined
      : lastBackup(observed.backups, observed.nowMs, observed.database.status?.backup);
  const recovery = recoveryOf(observed);
  const desired = plan.facts.resolved?.engine?.version;
  return {
    ...plan.facts,
    replicas: {
      desired: tally.suspended ? 0 : replicas,
      ready,
      healthy,
      summary: `${ready}/${replicas}`,
    },
    members: rows,
    version: {
      ...(desired === undefined ? {} : { desired }),
      rolled,
      ...(plan.activeVersion === undefined ? {} : { active: plan.activeVersion }),
    },
    rollout: { blocked: plan.blocked },
    // An operator of an earlier release leaves the number out under which the state is to begin, and says nothing here.
    ...(plan.facts.resolved?.engine?.name === 'Builtin' && { restoresInPlace: true }),
    ...(storage === undefined ? {} : { storage }),
    ...(backup === undefined ? {} : { backup }),
    ...(recovery === undefined ? {} : { recovery }),
    ...(plan.nextTopology === undefined ? {} : { nextTopology: plan.nextTopology }),
    conditions: conditionsOf(observed, plan, tally),
  };
}
