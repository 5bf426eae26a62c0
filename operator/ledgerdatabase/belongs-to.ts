/**
 * Decides whether an object belongs to a database. The label of the uid is not enough: anybody in the namespace may write it,
 * and a copy of an object, such as a pod made for debugging, has it too.
 */
import {
  annotations,
  claimName,
  connectionName,
  fillJobName,
  formatJobName,
  labels,
  managedBy,
  podName,
  recoverJobName,
  serviceName,
  uidOf,
} from '../../domain/names.ts';
import type { KubeObject } from '../../base/kube/kube.ts';
import type { LedgerDatabase } from '../../domain/custom-resources.ts';

/**
 * Whether the database, or one of its objects, made the object: the uid, the namespace, the name and the controller must all
 * fit. Volumes never have a controller, and pods lose theirs when their StatefulSet is deleted as an orphan.
 */
export function belongsTo(database: LedgerDatabase, { kind, metadata }: KubeObject): boolean {
  if (metadata.namespace !== database.metadata.namespace) return false;
  if (metadata.labels?.[labels.uid] !== uidOf(database)) return false;
  // If the status was lost, the volumes tell the workload.
  const workload = database.status?.workload ?? metadata.labels[labels.workload];
  if (workload === undefined) return false;
  const { name = '' } = metadata;
  const fits = namesOf(database, workload)[kind];
  if (fits === undefined || !fits(name)) return false;
  if (kind === 'PersistentVolumeClaim' && !isOfReplica(database, workload, metadata)) return false;
  const controller = metadata.ownerReferences?.find((owner) => owner.controller === true);
  if (controller === undefined) return true;
  if (kind !== 'Pod') return controller.uid === uidOf(database);
  // Compares no uid: until its pods are gone, a StatefulSet that was deleted still has the volumes in use.
  return controller.kind === 'StatefulSet'
    ? controller.name === workload
    : controller.kind === 'Job' && isJob(workload, controller.name);
}

/**
 * Whether a claim has the number of a replica or a higher one: a StatefulSet that somebody scaled makes such claims with all
 * labels, and they are deleted with the database, also if somebody removes the label of their maker. A claim that has only the
 * uid is somebody else's.
 */
const isOfReplica = (
  { status }: LedgerDatabase,
  workload: string,
  { name = '', labels: its }: KubeObject['metadata'],
): boolean =>
  its?.[labels.managedBy] === managedBy ||
  its?.[labels.workload] === workload ||
  Number(name.slice(claimName(workload, 0).length - 1)) <
    (status?.resolved?.topology?.replicas ?? Infinity);

/**
 * Whether a claim without the label of any database is this one's volume: it has the name that the replica's pod mounts, and
 * the note of the data file that was made on it.
 */
export function isUnlabelledVolume(database: LedgerDatabase, { metadata }: KubeObject): boolean {
  const { workload, clusterId } = database.status ?? {};
  const { name = '' } = metadata;
  if (workload === undefined || clusterId === undefined) return false;
  if (metadata.namespace !== database.metadata.namespace) return false;
  if (metadata.labels?.[labels.uid] !== undefined) return false;
  if (!isNumbered(name, claimName(workload, 0))) return false;
  const index = name.slice(claimName(workload, 0).length - 1);
  return metadata.annotations?.[annotations.formatted] === `${clusterId}/${index}`;
}

/** Whether a pod has the name of a replica of its workload, and the StatefulSet with this uid as its controller. */
export const isReplicaOf = (set: KubeObject, { metadata }: KubeObject): boolean =>
  metadata.namespace === set.metadata.namespace &&
  isReplicaName(set.metadata.name ?? '', metadata.name) &&
  (metadata.ownerReferences ?? []).some(
    ({ controller, uid }) => controller === true && uid === set.metadata.uid,
  );

/** Whether a pod's name is that of a replica of the workload. */
export const isReplicaName = (workload: string, pod: string | undefined): boolean =>
  isNumbered(pod ?? '', podName(workload, 0));

/** Whether a claim has the name that its own labels require. */
export const isDataVolume = ({ metadata }: KubeObject): boolean => {
  const workload = metadata.labels?.[labels.workload];
  return workload !== undefined && isNumbered(metadata.name ?? '', claimName(workload, 0));
};

/** Whether a database may adopt a volume by the ID of the one that left it. */
export const isInheritable = (claim: KubeObject): boolean =>
  isDataVolume(claim) && claim.metadata.annotations?.[annotations.replacedBy] === undefined;

type Fits = (name: string) => boolean;

const namesOf = (database: LedgerDatabase, workload: string): Readonly<Record<string, Fits>> => ({
  Service: (name) => isNumbered(name, serviceName(workload, 0)),
  PersistentVolumeClaim: (name) => isNumbered(name, claimName(workload, 0)),
  Job: (name) => isJob(workload, name),
  // The controller of Jobs adds random letters to a Job's name.
  Pod: (name) =>
    isNumbered(name, podName(workload, 0)) || isJob(workload, name.slice(0, name.lastIndexOf('-'))),
  StatefulSet: (name) => name === workload,
  PodDisruptionBudget: (name) => name === workload,
  NetworkPolicy: (name) => name === workload,
  ConfigMap: (name) => name === connectionName(database),
});

const isJob = (workload: string, name: string): boolean =>
  isNumbered(name, formatJobName(workload, 0)) ||
  isNumbered(name, recoverJobName(workload, 0)) ||
  name === fillJobName(workload, 'check') ||
  name === fillJobName(workload, 'fill');

/** Whether a name is `first`, which ends with 0, or has another number there. */
const isNumbered = (name: string, first: string): boolean =>
  name.startsWith(first.slice(0, -1)) && /^\d+$/.test(name.slice(first.length - 1));
