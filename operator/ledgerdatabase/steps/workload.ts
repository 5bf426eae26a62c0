/** Objects around a database's data files: its surroundings and the StatefulSet. */
import { annotations, connectionName, labels, managedBy } from '../../../domain/names.ts';
import { buildConnection } from '../../manifests/connection.ts';
import { notedTemplate, withTemplateNoted } from '../../manifests/applied-template.ts';
import { missing, type Difference } from '../../manifests/diff.ts';
import { buildNetworkPolicy } from '../../manifests/network-policy.ts';
import { buildPodDisruptionBudget } from '../../manifests/pod-disruption-budget.ts';
import { buildStatefulSet } from '../../manifests/stateful-set.ts';
import type { Subject } from '../../manifests/subject.ts';
import { resources, type StatefulSet } from '../../../domain/kinds.ts';
import type { KubeObject, Resource } from '../../../base/kube/kube.ts';
import type { Purpose } from '../actions.ts';
import { judge } from '../attempts.ts';
import type { Draft, StepResult } from '../draft.ts';
import type { Observation } from '../observation.ts';
import { unfilledVolumes } from './fill.ts';

/** Runs before any pod exists: no unlabelled pod may reach an engine, not even in its first second. */
export function ensureSurroundings(observed: Observation, draft: Draft): StepResult {
  const { subject } = draft;
  if (subject === undefined) return 'halt';
  const { owned } = observed;
  const isClosed =
    subject.filling === true ||
    (draft.facts.filled === true && unfilledVolumes(observed).length > 0);
  keep(
    draft,
    'networkPolicy',
    resources.networkPolicy,
    buildNetworkPolicy(isClosed ? { ...subject, filling: true } : subject),
    owned.networkPolicies,
    // The API server says whether the volumes' notes are gone.
    draft.facts.filled === true,
  );
  const budget = buildPodDisruptionBudget(subject);
  if (budget !== undefined) {
    keep(
      draft,
      'disruptionBudget',
      resources.podDisruptionBudget,
      budget,
      owned.podDisruptionBudgets,
    );
  }
  // Nobody connects to a database that does not have its data.
  if (isClosed) return 'continue';
  const connection = buildConnection(subject);
  const same = owned.configMaps.filter(
    (one) => one.metadata.name === connectionName(observed.database),
  );
  keep(draft, 'connection', resources.configMap, connection, same, draft.facts.filled === true);
  return 'continue';
}

function keep(
  draft: Draft,
  purpose: Purpose,
  resource: Resource,
  desired: KubeObject,
  existing: readonly KubeObject[],
  guarded = false,
): void {
  const live = existing.find((one) => one.metadata.name === desired.metadata.name);
  if (live?.metadata.deletionTimestamp !== undefined) return;
  if (live !== undefined && missing(desired, live).length === 0) return;
  draft.do({
    verb: live === undefined ? 'create' : 'apply',
    purpose,
    guarded,
    resource,
    object: desired,
  });
}

/**
 * The StatefulSet. The inputs of its pods' template are hashed: while the hash is the same, a newer operator keeps the
 * applied template, even if it would now build another, until somebody asks for the newest one. Manual changes are reverted;
 * changes by admission are left alone and reported.
 */
export function ensureWorkload(observed: Observation, draft: Draft): StepResult {
  const { subject } = draft;
  if (subject === undefined || draft.facts.bootstrapped !== true) return 'halt';
  const live = observed.owned.statefulSets.find((one) => one.metadata.name === subject.workload);
  if (live?.metadata.deletionTimestamp !== undefined) {
    draft.wait(`StatefulSet ${subject.workload} is being deleted`);
    return 'halt';
  }
  const refresh = observed.database.metadata.annotations?.[annotations.refreshTemplate];
  const newest = withTemplateNoted(buildStatefulSet(subject, live), refresh);
  const desired = live !== undefined && keepsTemplate(newest, live) ? kept(newest, live) : newest;
  draft.olderTemplate = desired !== newest;
  const { apply, harmless, grave } = judge(desired, live, observed.nowMs);
  draft.leftAlone = harmless.map(({ path }) => path);
  if (grave.length > 0) stallForAdmission(draft, subject, grave);
  if (apply === undefined) return 'continue';
  if (subject.archiving !== undefined && subject.store !== undefined)
    draft.do({
      verb: 'lend',
      purpose: 'store',
      guarded: false,
      subject,
      store: subject.store,
    });
  const before = live?.spec?.replicas ?? subject.resolved.topology.replicas;
  draft.do({
    verb: live === undefined ? 'create' : 'apply',
    purpose: 'workload',
    // Guarded: stopping pods may take a volume with them that is being deleted, so the volumes must be known. A new
    // StatefulSet adopts the pods that an earlier one left.
    guarded: before > (desired.spec?.replicas ?? 0),
    resource: resources.statefulSet,
    object: apply,
  });
  return live === undefined ? 'halt' : 'continue';
}

/** Whether the template's inputs are the same, only its code has changed, and nobody has asked for the newest one. */
function keepsTemplate(newest: StatefulSet, live: StatefulSet): boolean {
  const wanted = newest.metadata.annotations ?? {};
  const noted = live.metadata.annotations ?? {};
  const refreshed =
    wanted[annotations.refreshTemplate] === undefined ||
    wanted[annotations.refreshTemplate] === noted[annotations.refreshTemplate];
  return (
    noted[annotations.templateInputs] === wanted[annotations.templateInputs] &&
    noted[annotations.templateRevision] !== wanted[annotations.templateRevision] &&
    refreshed
  );
}

/** The StatefulSet with the applied template, or with its current one if an earlier operator did not note it. */
function kept(newest: StatefulSet, live: StatefulSet): StatefulSet {
  const noted = live.metadata.annotations ?? {};
  const template = notedTemplate(live) ?? live.spec?.template;
  const of = (annotation: string) =>
    noted[annotation] === undefined ? {} : { [annotation]: noted[annotation] };
  const { [annotations.appliedTemplate]: _, ...others } = newest.metadata.annotations ?? {};
  return {
    ...newest,
    metadata: {
      ...newest.metadata,
      annotations: {
        ...others,
        ...of(annotations.templateRevision),
        ...of(annotations.appliedTemplate),
      },
    },
    ...(newest.spec === undefined || template === undefined
      ? {}
      : { spec: Object.assign({}, newest.spec, { template }) }),
  };
}

function stallForAdmission(draft: Draft, subject: Subject, grave: readonly Difference[]): void {
  const words = grave
    .slice(0, 3)
    .map(({ path, desired, live }) => `${path} is ${short(live)} instead of ${short(desired)}`);
  draft.stallWith(
    'ChangedByAdmission',
    `applying StatefulSet ${subject.workload} has no effect: ${words.join('; ')}. An admission webhook, a policy or another ` +
      `controller changes it back; let it leave the objects of ${subject.namespace} alone that have the label ` +
      `${labels.managedBy}=${managedBy}. It is tried again every ten minutes`,
  );
}

const short = (value: unknown): string => (JSON.stringify(value) ?? 'absent').slice(0, 120);
