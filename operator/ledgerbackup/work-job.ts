/** A Job that works with a backup in the bucket, and with no volume: it tests the backup, or notes its removal. */
import type { Job } from '../../domain/kinds.ts';
import { labels } from '../../domain/names.ts';
import type { Subject } from '../manifests/subject.ts';
import { backupOwner } from './borrower.ts';
import { storeFlags, type BackupStore } from '../store/backup-store.ts';
import { buildStoreJob, RESULT_PATH } from './store-job.ts';
import type { BackupObject } from './environment.ts';

interface WorkPlan {
  readonly backup: BackupObject;
  readonly subject: Subject;
  readonly store: BackupStore;
  readonly work: 'verify' | 'remove';
  readonly name: string;
  /** The verb and its own flags. */
  readonly args: readonly string[];
  readonly memoryMib: number;
  readonly deadlineSeconds: number;
}

export function buildWorkJob(plan: WorkPlan): Job {
  const [verb = '', ...flags] = plan.args;
  const { backup, ...rest } = plan;
  return buildStoreJob({
    ...rest,
    owner: backupOwner(backup),
    container: plan.work,
    marks: { [labels.backup]: backup.metadata.name, [labels.work]: plan.work },
    args: [
      verb,
      ...storeFlags(plan.store, backup.status?.databaseId ?? ''),
      ...flags,
      `--result=${RESULT_PATH}`,
    ],
    mounts: [],
    volumes: [],
  });
}
