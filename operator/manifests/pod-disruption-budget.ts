/** At most one of several replicas may be down on purpose. A single one has no budget: it would only block a node's drain. */
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
      // A pod that does not serve may always be evicted, so that it never blocks a node.
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: podSelector(subject, Role.replica),
    },
  };
}
