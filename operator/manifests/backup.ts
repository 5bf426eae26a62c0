/** A LedgerBackup that the operator asks for itself. */
import { apiVersion, type LedgerBackup } from '../../domain/custom-resources.ts';
import type { KubeObject } from '../../base/kube/kube.ts';
import { commonLabels } from './metadata.ts';

/** It has no owner: a backup outlives its database. */
export function buildBackup(
  database: Parameters<typeof commonLabels>[0],
  name: string,
  type: 'Final' | 'Manual' | 'PreChange',
): KubeObject {
  const backup: Pick<LedgerBackup, 'apiVersion' | 'kind' | 'metadata'> & { spec: object } = {
    apiVersion,
    kind: 'LedgerBackup',
    metadata: { name, namespace: database.namespace, labels: commonLabels(database) },
    spec: { database: database.name, type },
  };
  return backup as unknown as KubeObject;
}
