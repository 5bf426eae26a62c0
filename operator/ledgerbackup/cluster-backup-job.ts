/**
 * The Job of a backup through the protocol: a client of a cluster of TigerBeetle, which makes its ledger again on a volume that goes
 * with the pod, and backs that up. It is the built-in engine's program.
 */
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import type { Job } from '../../domain/kinds.ts';
import { backupIdOf, backupJobName, labels, uidOf } from '../../domain/names.ts';
import { addressList } from '../manifests/addresses.ts';
import { claimSpec } from '../manifests/claim.ts';
import { dataMount } from '../manifests/container.ts';
import type { Subject } from '../manifests/subject.ts';
import { WorkContainer } from '../manifests/work-container.ts';
import { storeFlags, type BackupStore } from '../store/backup-store.ts';
import { backupOwner } from './borrower.ts';
import type { BackupObject } from './environment.ts';
import { buildStoreJob, RESULT_PATH } from './store-job.ts';

interface ClusterBackupPlan {
  readonly backup: BackupObject;
  readonly subject: Subject;
  readonly store: BackupStore;
  /** The built-in engine that reads the cluster. */
  readonly program: Subject['resolved']['engine'];
}

/** Less than TigerBeetle itself needs. Rows and index leave memory for the volume. */
const MEMORY_MIB = 2_048;
const DEADLINE_SECONDS = 12 * 3_600;

/** The parts that such a backup lacks, for messages before the backup exists. */
export const notInIt =
  'not in it: IDs of failed transfers, sessions of clients, the cluster ID, the numbers of its operations';

export function buildClusterBackupJob({ backup, subject, store, program }: ClusterBackupPlan): Job {
  return buildStoreJob({
    owner: backupOwner(backup),
    subject: { ...subject, resolved: { ...subject.resolved, engine: program } },
    store,
    name: backupJobName(subject.workload, uidOf(backup)),
    container: WorkContainer.backup,
    marks: { [labels.backup]: backup.metadata.name, [labels.databaseId]: subject.databaseId },
    args: [
      'backup-cluster',
      ...storeFlags(store, subject.databaseId),
      `--id=${backupIdOf(uidOf(backup))}`,
      `--cluster=${subject.clusterId}`,
      `--addresses=${addressList(subject.endpoints)}`,
      `--result=${RESULT_PATH}`,
      dataMount.mountPath,
    ],
    memoryMib: MEMORY_MIB,
    deadlineSeconds: DEADLINE_SECONDS,
    mounts: [dataMount],
    // As large as the database's own, whose file takes several times as much for each transfer. It goes with the pod.
    volumes: [
      { name: dataMount.name, ephemeral: { volumeClaimTemplate: { spec: claimSpec(subject) } } },
    ],
  });
}

/** Why the cluster cannot be read now; `undefined`: it can. */
export function whyNotReadable({ metadata, status = {} }: DatabaseObject): string | undefined {
  const { members = [], conditions = [] } = status;
  const isSuspended = conditions.some(
    ({ type, status: is }) => type === 'Suspended' && is === 'True',
  );
  if (isSuspended || metadata.deletionTimestamp !== undefined)
    return 'a cluster of TigerBeetle is read while it runs: resume it';
  return members.some(({ state }) => state === 'Ready') ? undefined : 'no replica is ready';
}
