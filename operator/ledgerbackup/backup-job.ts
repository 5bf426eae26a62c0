/** The Job of a backup: it reads a replica's volume, on the replica's node while the replica runs. */
import type { Job } from '../../domain/kinds.ts';
import {
  backupIdOf,
  backupJobName,
  claimName,
  labels,
  podName,
  uidOf,
} from '../../domain/names.ts';
import { noPeerAccess } from '../engines/adapter.ts';
import { adapterOf } from '../engines/adapters.ts';
import { dataMount } from '../manifests/container.ts';
import { dataFileOf } from '../manifests/data-file.ts';
import { besidePod } from '../manifests/pod.ts';
import type { Subject } from '../manifests/subject.ts';
import { WorkContainer } from '../manifests/work-container.ts';
import { storeFlags, type BackupStore } from '../store/backup-store.ts';
import { backupOwner } from './borrower.ts';
import type { BackupObject } from './environment.ts';
import { buildStoreJob, RESULT_PATH } from './store-job.ts';

/** State of the data file while the backup reads it. */
export type FileState =
  /** A replica goes on writing; its newest checkpoint contains this op. */
  | { readonly kind: 'running'; readonly op: number }
  /** Several replicas run and are about to be deleted: the backup has them take no more writes. */
  | { readonly kind: 'last' }
  | { readonly kind: 'stopped' };

interface BackupPlan {
  readonly backup: BackupObject;
  readonly subject: Subject;
  readonly store: BackupStore;
  readonly replica: number;
  readonly file: FileState;
}

/** Memory besides Node itself and four chunks at a time. */
const MEMORY_MIB = 384;
const DEADLINE_SECONDS = 6 * 3_600;

export function buildBackupJob({ backup, subject, store, replica, file }: BackupPlan): Job {
  const isRunning = file.kind !== 'stopped';
  const { flags, volumes } =
    file.kind === 'last'
      ? adapterOf(subject.resolved.engine.name).peerAccess(subject)
      : noPeerAccess;
  return buildStoreJob({
    owner: backupOwner(backup),
    subject,
    store,
    name: backupJobName(subject.workload, uidOf(backup)),
    container: WorkContainer.backup,
    marks: { [labels.backup]: backup.metadata.name, [labels.databaseId]: subject.databaseId },
    args: [
      'backup',
      ...storeFlags(store, subject.databaseId),
      `--id=${backupIdOf(uidOf(backup))}`,
      file.kind === 'running' ? `--op-min=${file.op}` : `--${file.kind}`,
      ...flags,
      `--result=${RESULT_PATH}`,
      dataFileOf(subject, replica),
    ],
    memoryMib: MEMORY_MIB,
    deadlineSeconds: DEADLINE_SECONDS,
    // The lock of a stopped replica is a file beside the data; the volume of a running one is only read.
    mounts: [{ ...dataMount, readOnly: isRunning }, ...volumes.map(({ mount }) => mount)],
    volumes: [
      {
        name: dataMount.name,
        persistentVolumeClaim: { claimName: claimName(subject.workload, replica) },
      },
      ...volumes.map(({ volume }) => volume),
    ],
    affinity: isRunning ? besidePod(podName(subject.workload, replica)) : undefined,
  });
}
