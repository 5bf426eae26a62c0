/**
 * Replaces pods that hold other certificates than those they were made for. Their etcd member and the others would reject
 * each other, so the agent refuses to start it and reports that; a new pod gets the current content of its Secrets.
 */
import { resources } from '../../../domain/kinds.ts';
import { deletion } from '../actions.ts';
import type { Draft, StepResult } from '../draft.ts';
import { certificateProblemOf, replicaPods } from '../replica-pods.ts';
import type { Observation } from '../observation.ts';

/** Minimum age of a replaced pod, to avoid replacing in a hurry: a node keeps a Secret's content while a pod there uses it. */
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
