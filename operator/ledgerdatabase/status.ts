/**
 * The whole status, made anew from one observation and its plan, also when something failed: nothing in it is remembered
 * from a better time, and nothing in it moves while nothing happens.
 */
import { adapterOf } from '../engines/adapters.ts';
import type { DatabaseStatus } from '../../domain/resources.ts';
import type { StatefulSet } from '../runtime/kinds.ts';
import { conditionsOf } from './conditions.ts';
import type { Draft } from './draft.ts';
import { hasRevision, isReady, membersOf, replicaPods } from './members.ts';
import type { Observation } from './observation.ts';
import { capacityGb } from './steps/volumes.ts';

/** What the conditions are made from, besides the plan. */
export interface Seen {
  readonly replicas: number;
  readonly quorum: number;
  readonly suspended: boolean;
  readonly members: NonNullable<DatabaseStatus['members']>;
  readonly ready: number;
  readonly rolled: number;
  readonly storage: NonNullable<DatabaseStatus['storage']> | undefined;
}

export function statusOf(observed: Observation, draft: Draft): DatabaseStatus {
  const { database } = observed;
  const previous = database.status ?? {};
  const { resolved, workload } = draft.facts;
  const replicas = resolved?.topology?.replicas ?? 0;
  const suspended = database.spec.suspend;
  const set = observed.owned.statefulSets.find((one) => one.metadata.name === workload);
  const pods = replicaPods(observed.owned.pods);
  // A template that is about to be another one has no pods yet.
  const changing = draft.actions.some((action) => action.purpose === 'workload');
  const revision = changing ? undefined : revisionOf(set);
  const current = (index: number) => {
    const pod = pods.find((one) => one.metadata.name === `${workload}-${index}`);
    return pod !== undefined && hasRevision(pod, revision) ? pod : undefined;
  };
  const indexes = Array.from({ length: replicas }, (_, index) => index);
  const members =
    workload === undefined
      ? []
      : membersOf(workload, replicas, pods, observed.polls, previous.members ?? []);
  const ready = members.filter((member) => member.state === 'Ready').length;
  const healthy = indexes.filter((index) => {
    const pod = current(index);
    return pod !== undefined && isReady(pod);
  }).length;
  const seen: Seen = {
    replicas,
    quorum: quorumOf(draft),
    suspended,
    members,
    ready,
    rolled: indexes.filter((index) => current(index) !== undefined).length,
    storage: storageOf(observed, draft),
  };
  const desired = resolved?.engine?.version;
  return {
    ...draft.facts,
    replicas: {
      desired: suspended ? 0 : replicas,
      ready,
      healthy,
      summary: `${ready}/${replicas}`,
    },
    members,
    version: {
      ...(desired === undefined ? {} : { desired }),
      rolled: seen.rolled,
      ...(draft.activeVersion === undefined ? {} : { active: draft.activeVersion }),
    },
    rollout: { blocked: draft.blocked },
    ...(seen.storage === undefined ? {} : { storage: seen.storage }),
    conditions: conditionsOf(observed, draft, seen),
  };
}

/** The revision that pods are to have; none while the StatefulSet's controller has not seen its newest template. */
const revisionOf = (set: StatefulSet | undefined): string | undefined =>
  (set?.status?.observedGeneration ?? 0) < (set?.metadata.generation ?? 0)
    ? undefined
    : set?.status?.updateRevision;

function quorumOf(draft: Draft): number {
  const { engine, topology } = draft.facts.resolved ?? {};
  if (engine === undefined || topology === undefined) return 1;
  return adapterOf(engine.name).quorum(topology.replicas).replication;
}

function storageOf(observed: Observation, draft: Draft): Seen['storage'] {
  const previous = observed.database.status?.storage;
  const requestedGb = draft.storageGb ?? previous?.requestedGb;
  if (requestedGb === undefined) return undefined;
  const replicas = draft.facts.resolved?.topology?.replicas ?? 0;
  const capacities = observed.owned.claims.map(capacityGb);
  const bound = capacities.filter((one) => one !== undefined);
  const whole = replicas > 0 && bound.length >= replicas;
  const capacity = bound.length === 0 ? undefined : Math.min(...bound);
  const reached = whole && capacity !== undefined && capacity >= requestedGb;
  const acknowledged = reached ? requestedGb : previous?.acknowledgedGb;
  const has = acknowledged ?? 0;
  return {
    requestedGb,
    ...(acknowledged === undefined ? {} : { acknowledgedGb: acknowledged }),
    ...(capacity === undefined ? {} : { capacityGb: capacity }),
    summary: has === requestedGb || has === 0 ? `${requestedGb}Gi` : `${has}Gi -> ${requestedGb}Gi`,
  };
}
