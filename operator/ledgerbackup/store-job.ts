/** A Job of a backup or a trial of rows. It reaches the store and reports its result in its pod's termination message. */
import type {
  V1Affinity,
  V1OwnerReference,
  V1ResourceRequirements,
  V1Volume,
  V1VolumeMount,
} from '@kubernetes/client-node';
import type { Job } from '../../domain/kinds.ts';
import { labels } from '../../domain/names.ts';
import { containerSecurity, resourcesOf } from '../manifests/container.ts';
import { commonLabels, podLabels, Role } from '../manifests/metadata.ts';
import { podBasics, podMetadata } from '../manifests/pod.ts';
import type { Subject } from '../manifests/subject.ts';
import type { WorkContainer } from '../manifests/work-container.ts';
import { credentialsMount, type BackupStore } from '../store/backup-store.ts';
import { borrowerLabels, credentialsVolume } from '../store/lend.ts';

export const RESULT_PATH = '/dev/termination-log';

interface StoreJob {
  readonly owner: V1OwnerReference;
  readonly subject: Subject;
  readonly store: BackupStore;
  /** Name of the Job, and of its container. */
  readonly name: string;
  readonly container: WorkContainer;
  /** Labels of the owner and its own, on the Job and its pods. */
  readonly marks: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly memoryMib: number;
  /** Room that its volumes take on the node's disk, if they do. */
  readonly diskMib?: number;
  readonly deadlineSeconds: number;
  readonly mounts: readonly V1VolumeMount[];
  readonly volumes: readonly V1Volume[];
  readonly affinity?: V1Affinity | undefined;
}

export function buildStoreJob(plan: StoreJob): Job {
  const { owner, subject, store, affinity, marks } = plan;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: plan.name,
      namespace: subject.namespace,
      labels: { ...commonLabels(subject), ...marks, [labels.role]: Role.job },
      ownerReferences: [owner],
    },
    spec: {
      backoffLimit: 3,
      activeDeadlineSeconds: plan.deadlineSeconds,
      podReplacementPolicy: 'Failed',
      podFailurePolicy: {
        rules: [
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
        ],
      },
      template: {
        metadata: podMetadata(subject, {
          labels: { ...podLabels(subject, Role.job), ...marks, ...borrowerLabels },
        }),
        spec: {
          ...podBasics(subject),
          ...(affinity === undefined ? {} : { affinity }),
          restartPolicy: 'Never',
          // Killing it at any point is safe.
          terminationGracePeriodSeconds: 1,
          containers: [
            {
              name: plan.container,
              image: subject.resolved.engine.image,
              imagePullPolicy: 'IfNotPresent',
              args: [...plan.args],
              resources: withDisk(resourcesOf(100, plan.memoryMib), plan.diskMib),
              securityContext: containerSecurity(),
              terminationMessagePath: RESULT_PATH,
              terminationMessagePolicy: 'FallbackToLogsOnError',
              volumeMounts: [...plan.mounts, credentialsMount],
            },
          ],
          volumes: [...plan.volumes, credentialsVolume(subject, store)],
        },
      },
    },
  };
}

/** Without a request, a node is chosen that has no room, and its kubelet evicts pods of others too. */
function withDisk(
  memory: V1ResourceRequirements,
  diskMib: number | undefined,
): V1ResourceRequirements {
  if (diskMib === undefined) return memory;
  const { requests, limits } = memory;
  const disk = { 'ephemeral-storage': `${diskMib}Mi` };
  return { requests: { ...requests, ...disk }, limits: { ...limits, ...disk } };
}
