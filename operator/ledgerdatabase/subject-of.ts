import { archivingAsked } from '../../domain/continuous-archiving.ts';
import { uidOf } from '../../domain/names.ts';
import type { Subject } from '../manifests/subject.ts';
import type { Draft } from './draft.ts';
import type { Observation } from './observation.ts';
import { reshapingOf } from './steps/reshaping.ts';
import { isComplete } from './steps/resolve.ts';

/** Part of the subject that comes from the operator's own configuration. */
export type PlanOptions = Pick<
  Subject,
  'operatorNamespace' | 'tigerBeetleSeccomp' | 'assignsUsers' | 'store'
> & {
  /** Whether the operator's rights are roles in each namespace, which go with it. Default false. */
  readonly namespaced?: boolean;
};

/** Absent if the log is not archived: not asked for, or not possible (the condition ContinuousArchiving says why). */
function archivingOf(
  { spec }: Observation['database'],
  { engine }: Subject['resolved'],
  { store }: PlanOptions,
): Pick<Subject, 'archiving'> {
  const rpoSeconds = archivingAsked(spec);
  const isPossible = store !== undefined && engine.name === 'Builtin';
  return rpoSeconds !== null && isPossible ? { archiving: { rpoSeconds } } : {};
}

/** The subject of the database's objects; `undefined` until it is decided. */
export function subjectOf(
  { database, owned }: Observation,
  draft: Draft,
  options: PlanOptions,
): Subject | undefined {
  const { databaseId, workload, clusterId, resolved, endpoints, peerCertificates } = draft.facts;
  if (databaseId === undefined || workload === undefined || clusterId === undefined)
    return undefined;
  if (!isComplete(resolved) || draft.storageGb === undefined) return undefined;
  const { namespaced: _, ...own } = options;
  return {
    name: database.metadata.name,
    namespace: database.metadata.namespace ?? '',
    uid: uidOf(database),
    databaseId,
    workload,
    clusterId,
    resolved,
    storageGb: draft.storageGb,
    accessNamespaces: database.spec.access?.namespaces ?? [],
    suspend: database.spec.suspend,
    ...(database.spec.bootstrap?.backup === undefined
      ? {}
      : { restoredFrom: database.spec.bootstrap.backup }),
    ...(database.spec.bootstrap?.import === undefined
      ? {}
      : { importedFrom: database.spec.bootstrap.import }),
    ...(draft.facts.filled === false ? { filling: true } : {}),
    ...(reshapingOf(owned.claims) === undefined ? {} : { reshapes: true }),
    ...archivingOf(database, resolved, options),
    endpoints: endpoints ?? [],
    ...(peerCertificates?.generations === undefined
      ? {}
      : { peerCertificates: peerCertificates.generations }),
    ...own,
  };
}
