/**
 * A member of etcd whose pod holds other certificates than it was made for would reject the others, and they it. The agent refuses to
 * start it and says so; a new pod is given what its Secrets hold now.
 */
import { resources } from '../../../domain/kinds.ts';
import { deletion } from '../actions.ts';
import type { Draft, StepResult } from '../draft.ts';
import { certificateProblemOf, replicaPods } from '../members.ts';
import type { Observation } from '../observation.ts';

/** A node keeps a Secret's content while a pod there uses it. Younger pods are left alone, so that nothing is replaced in a hurry. */
const ageMinMs = 15_000;

export function replaceForeignCertificates(observed: Observation, draft: Draft): StepResult {
  for (const pod of replicaPods(observed.owned.pods)) {
    if (pod.metadata.deletionTimestamp !== undefined) continue;
    const problem = certificateProblemOf(pod);
    if (problem === undefined) continue;
    draft.wait(`pod ${pod.metadata.name} is replaced: ${problem.message}`);
    const bornMs = Date.parse(pod.metadata.creationTimestamp ?? '');
    const leftMs = bornMs + ageMinMs - observed.nowMs;
    if (leftMs > 0) draft.again(leftMs);
    else draft.do(deletion('certificates', resources.pod, pod));
  }
  return 'continue';
}
