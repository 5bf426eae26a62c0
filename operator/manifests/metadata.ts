/** Common metadata of a database's objects. The resource's own labels are not copied into it. */
import type { V1OwnerReference } from '@kubernetes/client-node';
import { labels, managedBy } from '../../domain/names.ts';
import { apiVersion } from '../../domain/custom-resources.ts';
import type { ObjectMeta } from '../../base/kube/kube.ts';
import type { Subject } from './subject.ts';

/** Value of `app.kubernetes.io/name` on all objects that are made for a database. */
const appName = 'ledgerhouse-database';

export const Role = { replica: 'replica', job: 'job' } as const;
export type Role = (typeof Role)[keyof typeof Role];

type Labels = Record<string, string>;

/** The fields of a database that its objects carry. */
type Owner = Pick<Subject, 'name' | 'namespace' | 'uid' | 'workload'>;

/** Labels by which the operator finds a database's own objects. */
export function commonLabels(subject: Owner): Labels {
  return {
    [labels.managedBy]: managedBy,
    [labels.name]: appName,
    [labels.database]: subject.name,
    [labels.uid]: subject.uid,
    [labels.workload]: subject.workload,
  };
}

export const podLabels = (subject: Subject, role: Role): Labels => ({
  ...commonLabels(subject),
  [labels.role]: role,
});

/** Selects the pods of a database: by role or, without one, its replicas and its Jobs. */
export const podSelector = (subject: Subject, role?: Role) => ({
  matchLabels: {
    [labels.workload]: subject.workload,
    ...(role === undefined ? {} : { [labels.role]: role }),
  },
});

/** Metadata of an object that is deleted with the resource. Volumes never have it: they outlive the resource. */
export function ownedMetadata(
  subject: Owner,
  name: string,
  extra: { labels?: Labels; annotations?: Labels } = {},
): ObjectMeta {
  return {
    name,
    namespace: subject.namespace,
    labels: { ...commonLabels(subject), ...extra.labels },
    ...(extra.annotations === undefined ? {} : { annotations: extra.annotations }),
    ownerReferences: [ownerOf(subject)],
  };
}

/** The database as the owner of the objects that are deleted with it. */
export const ownerOf = (subject: Owner): V1OwnerReference => ({
  apiVersion,
  kind: 'LedgerDatabase',
  name: subject.name,
  uid: subject.uid,
  controller: true,
  blockOwnerDeletion: true,
});
