/** The Jobs of a backup: those of its names that belong to it. */
import type { KubeObject } from '../../base/kube/kube.ts';
import { resources, type Job, type Pod } from '../../domain/kinds.ts';
import { labels, uidOf } from '../../domain/names.ts';
import { podsOf } from '../ledgerdatabase/jobs.ts';
import type { BackupEnvironment } from './environment.ts';

/** A Job of that name which belongs to another backup is none. */
export function jobNamed(
  { jobs }: Pick<BackupEnvironment, 'jobs'>,
  backup: KubeObject,
  name: string,
): Job | undefined {
  const job = jobs.get(backup.metadata.namespace, name);
  const isOwn = job?.metadata.ownerReferences?.some((owner) => owner.uid === uidOf(backup));
  return isOwn === true ? job : undefined;
}

/** All Jobs of a backup that are not being deleted. */
export const jobsOf = (
  { jobs }: Pick<BackupEnvironment, 'jobs'>,
  backup: KubeObject,
): readonly Job[] =>
  jobs
    .list()
    .filter(
      ({ metadata }) =>
        metadata.namespace === backup.metadata.namespace &&
        metadata.deletionTimestamp === undefined &&
        metadata.ownerReferences?.some((owner) => owner.uid === uidOf(backup)) === true,
    );

export const podsOfJob = ({ pods }: Pick<BackupEnvironment, 'pods'>, job: Job): readonly Pod[] =>
  podsOf(job, pods.byIndex(job.metadata.labels?.[labels.uid] ?? ''));

const OLD_MS = 60_000;

/** Whether it succeeded so long ago that what its pod said would have been seen. */
export const isOld = ({ nowMs }: Pick<BackupEnvironment, 'nowMs'>, job: Job): boolean =>
  nowMs() - Date.parse(String(job.status?.completionTime ?? new Date(nowMs()).toISOString())) >
  OLD_MS;

/** Deletes a Job and its pods. A finished one would keep its pod, and that the volume. */
export async function deleteJob(
  { kube }: Pick<BackupEnvironment, 'kube'>,
  { metadata }: Job,
): Promise<void> {
  const { namespace, name = '', uid } = metadata;
  await kube.delete(
    { resource: resources.job, namespace, name },
    { uid: uid ?? '', propagationPolicy: 'Background', resourceVersion: undefined },
  );
}
