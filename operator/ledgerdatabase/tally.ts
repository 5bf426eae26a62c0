/** State of a database, counted from one observation, for the conditions and the rest of the status. */
import { adapterOf } from '../engines/adapters.ts';
import type { DatabaseStatus, ReplicaRow } from '../../domain/custom-resources.ts';
import type { StatefulSet } from '../../domain/kinds.ts';
import type { Plan } from './draft.ts';
import { hasRevision, isReady, replicaPods } from './replica-pods.ts';
import { replicaRowsOf } from './replica-rows.ts';
import { replicaVolumes, type Observation } from './observation.ts';
import { capacityGb } from './steps/volumes.ts';

export interface DatabaseTally {
  readonly replicas: number;
  readonly quorum: number;
  readonly suspended: boolean;
  readonly rows: readonly ReplicaRow[];
  readonly ready: number;
  /** Number of pods on the desired revision; `healthy` counts the ready ones of these. */
  readonly rolled: number;
  readonly healthy: number;
  readonly storage: NonNullable<DatabaseStatus['storage']> | undefined;
}

export function tallyOf(observed: Observation, plan: Plan): DatabaseTally {
  const { database, owned, polls } = observed;
  const { resolved, workload } = plan.facts;
  const replicas = resolved?.topology?.replicas ?? 0;
  const set = owned.statefulSets.find((one) => one.metadata.name === workload);
  const pods = replicaPods(owned.pods);
  // A template that is about to change has no pods yet.
  const changing = plan.actions.some((action) => action.purpose === 'workload');
  const revision = changing ? undefined : revisionOf(set);
  const current = pods.filter((pod) => hasRevision(pod, revision));
  const previous = database.status?.members ?? [];
  const rows =
    workload === undefined ? [] : replicaRowsOf(workload, replicas, pods, polls, previous);
  return {
    replicas,
    quorum: quorumOf(plan),
    suspended: isSuspended(database, set),
    rows,
    ready: rows.filter((row) => row.state === 'Ready').length,
    rolled: current.length,
    healthy: current.filter(isReady).length,
    storage: storageOf(observed, plan),
  };
}

/** Whether no replica is to run. For a paused database only the StatefulSet's replicas count. */
const isSuspended = ({ spec }: Observation['database'], set: StatefulSet | undefined): boolean =>
  spec.paused === true && set !== undefined ? set.spec?.replicas === 0 : spec.suspend;

/** The pods' desired revision; `undefined` until the StatefulSet's controller has seen the newest template. */
const revisionOf = (set: StatefulSet | undefined): string | undefined =>
  (set?.status?.observedGeneration ?? 0) < (set?.metadata.generation ?? 0)
    ? undefined
    : set?.status?.updateRevision;

function quorumOf(plan: Plan): number {
  const { engine, topology } = plan.facts.resolved ?? {};
  if (engine === undefined || topology === undefined) return 1;
  return adapterOf(engine.name).quorum(topology.replicas).replication;
}

function storageOf(observed: Observation, plan: Plan): DatabaseTally['storage'] {
  const previous = observed.database.status?.storage;
  const requestedGb = plan.storageGb ?? previous?.requestedGb;
  if (requestedGb === undefined) return undefined;
  const replicas = plan.facts.resolved?.topology?.replicas ?? 0;
  const capacities = replicaVolumes(observed.owned.claims, replicas).map(capacityGb);
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
