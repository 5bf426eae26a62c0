/** What stands around and on the volumes once they hold data files. */
import { annotations, connectionName } from '../../../domain/names.ts';
import { buildConnection } from '../../manifests/connection.ts';
import { missing } from '../../manifests/diff.ts';
import { buildNetworkPolicy } from '../../manifests/network-policy.ts';
import { buildPodDisruptionBudget } from '../../manifests/pod-disruption-budget.ts';
import { buildStatefulSet } from '../../manifests/stateful-set.ts';
import { templateInputs, templateRevision } from '../../manifests/template.ts';
import { resources } from '../../../domain/kinds.ts';
import type { KubeObject, Resource } from '../../../base/kube/kube.ts';
import type { Purpose } from '../actions.ts';
import type { Draft, StepResult } from '../draft.ts';
import type { Observation } from '../observation.ts';

/** Before any pod is there: nothing unlabelled shall reach an engine, not even in its first second. */
export function ensureSurroundings(observed: Observation, draft: Draft): StepResult {
  const { subject } = draft;
  if (subject === undefined) return 'halt';
  const { owned } = observed;
  keep(
    draft,
    'networkPolicy',
    resources.networkPolicy,
    buildNetworkPolicy(subject),
    owned.networkPolicies,
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
  const connection = buildConnection(subject);
  const same = owned.configMaps.filter(
    (one) => one.metadata.name === connectionName(observed.database),
  );
  keep(draft, 'connection', resources.configMap, connection, same);
  return 'continue';
}

function keep(
  draft: Draft,
  purpose: Purpose,
  resource: Resource,
  desired: KubeObject,
  existing: readonly KubeObject[],
): void {
  const live = existing.find((one) => one.metadata.name === desired.metadata.name);
  if (live?.metadata.deletionTimestamp !== undefined) return;
  if (live !== undefined && missing(desired, live).length === 0) return;
  draft.do({
    verb: 'apply',
    purpose,
    guarded: false,
    creates: live === undefined,
    resource,
    object: desired,
  });
}

/**
 * The StatefulSet. What its pods are made from is hashed: while the hash is the same, a newer operator leaves the template
 * alone, even where it would now build another; only what the same code built is put right when it was changed by hand.
 */
export function ensureWorkload(observed: Observation, draft: Draft): StepResult {
  const { subject } = draft;
  if (subject === undefined || draft.facts.bootstrapped !== true) return 'halt';
  const live = observed.owned.statefulSets.find((one) => one.metadata.name === subject.workload);
  const desired = buildStatefulSet(subject, live);
  if (live?.metadata.deletionTimestamp !== undefined) {
    draft.wait(`StatefulSet ${subject.workload} is being deleted`);
    return 'halt';
  }
  const noted = live?.metadata.annotations ?? {};
  const sameInputs = noted[annotations.templateInputs] === templateInputs(subject);
  const sameCode = noted[annotations.templateRevision] === String(templateRevision);
  if (live !== undefined && sameInputs && !sameCode) {
    const replicas = desired.spec?.replicas ?? 0;
    if (live.spec?.replicas === replicas) return 'continue';
    draft.do({
      verb: 'patch',
      purpose: 'workload',
      guarded: (live.spec?.replicas ?? 0) > replicas,
      target: {
        resource: resources.statefulSet,
        namespace: subject.namespace,
        name: subject.workload,
      },
      patch: { metadata: { resourceVersion: live.metadata.resourceVersion }, spec: { replicas } },
    });
    return 'continue';
  }
  if (live !== undefined && missing(desired, live).length === 0) return 'continue';
  draft.do({
    verb: 'apply',
    purpose: 'workload',
    // Pods that stop may take a volume with them that is being deleted: whether there is one must be known.
    guarded: live === undefined || (live.spec?.replicas ?? 0) > (desired.spec?.replicas ?? 0),
    creates: live === undefined,
    resource: resources.statefulSet,
    object: desired,
  });
  return live === undefined ? 'halt' : 'continue';
}
