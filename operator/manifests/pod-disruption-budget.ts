/** Of several replicas, one may be down on purpose at a time. One alone has no budget: it would only block a node's drain. */
import type { PodDisruptionBudget } from '../../domain/kinds.ts';
import { ownedMetadata, podSelector, Role } from './metadata.ts';
import type { Subject } from './subject.ts';

export function buildPodDisruptionBudget(subject: Subject): PodDisruptionBudget | undefined {
  if (subject.resolved.topology.replicas === 1) return undefined;
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: ownedMetadata(subject, subject.workload),
    spec: {
      maxUnavailable: 1,
      // What does not serve may always be evicted: a broken pod does not hold a node.
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: podSelector(subject, Role.replica),
    },
  };
}
