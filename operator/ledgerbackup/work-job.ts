/** A Job that works with a backup in the bucket, and with no volume of a database: it tests the backup, or notes its removal. */
import type { Job } from '../../domain/kinds.ts';
import { labels } from '../../domain/names.ts';
import type { Subject } from '../manifests/subject.ts';
import { dataMount } from '../manifests/container.ts';
import { WorkContainer } from '../manifests/work-container.ts';
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
  /** Room of an empty volume at `dataMount`; absent: it has none. */
  readonly diskMib?: number | undefined;
  readonly deadlineSeconds: number;
}

export function buildWorkJob(plan: WorkPlan): Job {
  const [verb = '', ...flags] = plan.args;
  const { backup, diskMib, ...rest } = plan;
  const hasDisk = diskMib !== undefined;
  return buildStoreJob({
    ...rest,
    ...(hasDisk && { diskMib }),
    owner: backupOwner(backup),
    container: WorkContainer[plan.work],
    marks: { [labels.backup]: backup.metadata.name, [labels.work]: plan.work },
    args: [
      verb,
      ...storeFlags(plan.store, backup.status?.databaseId ?? ''),
      ...flags,
      `--result=${RESULT_PATH}`,
    ],
    mounts: hasDisk ? [dataMount] : [],
    volumes: hasDisk ? [{ name: dataMount.name, emptyDir: { sizeLimit: `${diskMib}Mi` } }] : [],
  });
}
