/** The Jobs of a backup of data files: one copies the file of each replica, and one makes a backup of all. They are the built-in engine's program. */
import type { Job } from '../../domain/kinds.ts';
import {
  backupFileJobName,
  backupIdOf,
  backupJobName,
  claimName,
  labels,
  uidOf,
} from '../../domain/names.ts';
import { dataMount } from '../manifests/container.ts';
import { dataFileOf } from '../manifests/data-file.ts';
import type { Subject } from '../manifests/subject.ts';
import { WorkContainer } from '../manifests/work-container.ts';
import { storeFlags, type BackupStore } from '../store/backup-store.ts';
import { backupOwner } from './borrower.ts';
import type { BackupObject } from './environment.ts';
import { buildStoreJob, RESULT_PATH } from './store-job.ts';

interface FilePlan {
  readonly backup: BackupObject;
  readonly subject: Subject;
  readonly store: BackupStore;
  /** The built-in engine that copies the files. */
  readonly program: Subject['resolved']['engine'];
}

/** Memory for Node itself and four pieces at a time, and a part for each GiB of a volume: a record names each piece of its file. */
const MEMORY_MIB = 384;
export const MEMORY_MIB_PER_GIB = 0.3;
const DEADLINE_SECONDS = 12 * 3_600;

export function buildFileJob(plan: FilePlan, index: number): Job {
  const { backup, subject } = plan;
  const volume = { claimName: claimName(subject.workload, index) };
  return buildStoreJob({
    ...shared(plan, 1),
    name: backupFileJobName(subject.workload, uidOf(backup), index),
    marks: { [labels.backup]: backup.metadata.name, [labels.replica]: String(index) },
    args: [
      'backup-file',
      ...which(plan),
      `--replica=${index}`,
      `--result=${RESULT_PATH}`,
      dataFileOf(subject, index),
    ],
    mounts: [{ ...dataMount, readOnly: true }],
    volumes: [{ name: dataMount.name, persistentVolumeClaim: volume }],
  });
}

export const buildFilesJob = (plan: FilePlan): Job =>
  buildStoreJob({
    // It has the records of all files.
    ...shared(plan, plan.subject.resolved.topology.replicas),
    name: backupJobName(plan.subject.workload, uidOf(plan.backup)),
    marks: { [labels.backup]: plan.backup.metadata.name },
    args: ['backup-files', ...which(plan), `--result=${RESULT_PATH}`],
    mounts: [],
    volumes: [],
  });

const which = ({ backup, subject, store }: FilePlan): readonly string[] => [
  ...storeFlags(store, subject.databaseId),
  `--id=${backupIdOf(uidOf(backup))}`,
  `--cluster=${subject.clusterId}`,
  `--replica-count=${subject.resolved.topology.replicas}`,
];

const shared = ({ backup, subject, store, program }: FilePlan, files: number) => ({
  owner: backupOwner(backup),
  subject: { ...subject, resolved: { ...subject.resolved, engine: program } },
  store,
  container: WorkContainer.backup,
  memoryMib: MEMORY_MIB + Math.ceil(files * subject.storageGb * MEMORY_MIB_PER_GIB),
  deadlineSeconds: DEADLINE_SECONDS,
});
