/** The observation of a database's resource in the store: enough to answer every read without asking Kubernetes. */
import { ConditionType } from '../../domain/conditions.ts';
import { streamsSuspended } from '../../domain/change-data-capture.ts';
import { archivingAsked } from '../../domain/continuous-archiving.ts';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import type {
  ObservedArchiving,
  ObservedCapacity,
  ObservedDatabase,
} from '../store/database-record.ts';
import { standingOf, type DatabaseStanding } from '../model/database-standing.ts';

export interface Observation {
  readonly observed: ObservedDatabase;
  readonly standing: DatabaseStanding;
  readonly clusterId: string | undefined;
}

export function observe(database: DatabaseObject, wasReady: boolean, now: Date): Observation {
  const { status, metadata, spec } = database;
  const condition = (wanted: string) => status?.conditions?.find(({ type }) => type === wanted);
  const available = condition(ConditionType.Available);
  const stalled = condition(ConditionType.Stalled);
  return {
    standing: standingOf(database, wasReady),
    clusterId: status?.clusterId ?? spec.clusterId,
    observed: {
      resourceVersion: metadata.resourceVersion ?? '',
      ...(metadata.generation !== undefined && { generation: metadata.generation }),
      observedAt: now.toISOString(),
      nodes: (status?.members ?? []).map(({ index, state, role, zone }) => ({
        index,
        status: state,
        role: role ?? null,
        zone: zone ?? null,
      })),
      cpuMillis: status?.resolved?.size?.cpuMillis ?? null,
      addresses: status?.addresses?.split(',') ?? [],
      engineVersion: status?.version?.active ?? null,
      release: status?.resolved?.engine?.release ?? null,
      accepted: status?.resolved !== undefined,
      bootstrapped: status?.bootstrapped === true,
      filling: status?.filled === false,
      serves: available?.status === 'True',
      stalledSince: stalled?.status === 'True' ? stalled.lastTransitionTime : null,
      recovery: status?.recovery ?? null,
      archiving: archivingOf(database),
      streamsSuspended: streamsSuspended(spec),
      capacity: capacityOf(database),
    },
  };
}

function archivingOf({ spec, status }: DatabaseObject): ObservedArchiving | null {
  const rpoSeconds = archivingAsked(spec);
  if (rpoSeconds === null) return null;
  const told = status?.conditions?.find(({ type }) => type === ConditionType.ContinuousArchiving);
  const healthy = told === undefined || told.status === 'Unknown' ? null : told.status === 'True';
  return { rpoSeconds, state: told?.reason ?? null, healthy };
}

function capacityOf({ status }: DatabaseObject): ObservedCapacity | null {
  const told = status?.conditions?.find(({ type }) => type === ConditionType.CapacityLeft);
  const level = levels.find((one) => one === told?.reason);
  return told === undefined || level === undefined ? null : { level, message: told.message };
}

const levels = ['Enough', 'NearLimit', 'Full'] as const;
