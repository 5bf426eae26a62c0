/** The Jobs of a backup: those that have its names and belong to it. */
import { createIfNone } from '../../base/kube/create-if-none.ts';
import { ApiError, type KubeObject } from '../../base/kube/kube.ts';
import { resources, type Job, type Pod } from '../../domain/kinds.ts';
import { labels, uidOf } from '../../domain/names.ts';
import { fieldManager } from '../field-managers.ts';
import { jobNameLabel, podsOf } from '../ledgerdatabase/jobs.ts';
import type { BackupEnvironment } from './environment.ts';

/** Returns `undefined` for a Job of that name which belongs to another backup. */
export function jobNamed(
  { jobs }: Pick<BackupEnvironment, 'jobs'>,
  backup: KubeObject,
  name: string,
): Job | undefined {
  const job = jobs.get(backup.metadata.namespace, name);
  return job !== undefined && isOf(job, backup) ? job : undefined;
}

const isOf = ({ metadata }: Job, backup: KubeObject): boolean =>
  metadata.ownerReferences?.some((owner) => owner.uid === uidOf(backup)) === true;

/** All Jobs of a backup that are not being deleted. */
export const jobsOf = (
  { jobs }: Pick<BackupEnvironment, 'jobs'>,
  backup: KubeObject,
): readonly Job[] => jobs.list().filter((job) => isStaying(job, backup));

/** Like `jobsOf`, as the API server has them now. */
export async function liveJobsOf(
  { kube }: Pick<BackupEnvironment, 'kube'>,
  backup: KubeObject,
): Promise<readonly Job[]> {
  const { namespace, name } = backup.metadata;
  const labelSelector = `${labels.backup}=${name}`;
  const jobs = await kube.list<Job>(resources.job, { namespace, labelSelector });
  return jobs.filter((job) => isStaying(job, backup));
}

const isStaying = (job: Job, backup: KubeObject): boolean =>
  job.metadata.namespace === backup.metadata.namespace &&
  job.metadata.deletionTimestamp === undefined &&
  isOf(job, backup);

/**
 * Creates a Job after the objects that it needs. Returns why that is not possible until a person acts; other failures are
 * thrown, and tried again.
 */
export async function startJob(
  { kube }: Pick<BackupEnvironment, 'kube'>,
  backup: KubeObject,
  job: Job,
  prepare: () => Promise<void>,
): Promise<string | undefined> {
  const { namespace, name = '' } = job.metadata;
  try {
    await prepare();
    if ((await createIfNone(kube, resources.job, job, { fieldManager })) !== undefined)
      return undefined;
  } catch (error) {
    if (!(error instanceof ApiError) || !refused.has(error.status)) throw error;
    return `Job ${name} cannot be made: ${error.message}`;
  }
  const found = await kube.read<Job>({ resource: resources.job, namespace, name });
  if (found === undefined || isOf(found, backup)) return undefined;
  return `another Job has the name ${name} and is left alone; delete it`;
}

/** Bad request; forbidden, by a quota or a policy too; invalid. */
const refused: ReadonlySet<number> = new Set([400, 403, 422]);

export const podsOfJob = ({ pods }: Pick<BackupEnvironment, 'pods'>, job: Job): readonly Pod[] =>
  podsOf(job, pods.byIndex(job.metadata.labels?.[labels.uid] ?? ''));

/** Like `podsOfJob`, as the API server has them now: a watch may be late. */
export async function livePodsOfJob(
  { kube }: Pick<BackupEnvironment, 'kube'>,
  job: Job,
): Promise<readonly Pod[]> {
  const { namespace, name } = job.metadata;
  const labelSelector = `${jobNameLabel}=${name}`;
  return podsOf(job, await kube.list<Pod>(resources.pod, { namespace, labelSelector }));
}

const OLD_MS = 60_000;

/** Whether it succeeded so long ago that its pod's result would have been seen. */
export const isOld = ({ nowMs }: Pick<BackupEnvironment, 'nowMs'>, job: Job): boolean =>
  nowMs() - Date.parse(String(job.status?.completionTime ?? new Date(nowMs()).toISOString())) >
  OLD_MS;

/** Deletes a Job and its pods. A finished Job would keep its pod, and the pod the volume. */
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
