/** A replica's volume. It has no owner: it outlives the resource, and only its labels name its database. */
import { claimName, labels } from '../../domain/names.ts';
import type { Claim } from '../../domain/kinds.ts';
import { commonLabels } from './metadata.ts';
import type { Subject } from './subject.ts';

export function buildClaim(subject: Subject, index: number): Claim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: claimName(subject.workload, index),
      namespace: subject.namespace,
      labels: { ...claimLabels(subject), [labels.replica]: String(index) },
    },
    spec: claimSpec(subject),
  };
}

/** Labels that a later database needs to adopt the volume. */
export const claimLabels = (subject: Subject): Record<string, string> => ({
  ...commonLabels(subject),
  [labels.databaseId]: subject.databaseId,
  [labels.engine]: subject.resolved.engine.name,
  [labels.topology]: subject.resolved.topology.name,
  [labels.clusterId]: subject.clusterId,
});

export const claimSpec = (subject: Subject): NonNullable<Claim['spec']> => ({
  accessModes: ['ReadWriteOnce'],
  storageClassName: subject.resolved.storage.className,
  resources: { requests: { storage: `${subject.storageGb}Gi` } },
});
