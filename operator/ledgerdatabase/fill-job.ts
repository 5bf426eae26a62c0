/**
 * The Jobs that fill a database of TigerBeetle with a backup: the first only looks whether that is possible, the second is a client of
 * the cluster. Both are the built-in engine's program. The ledger is loaded on a volume that goes with the pod.
 */
import type { Job } from '../../domain/kinds.ts';
import { fillJobName } from '../../domain/names.ts';
import { buildStoreJob, RESULT_PATH } from '../ledgerbackup/store-job.ts';
import { addressList } from '../manifests/addresses.ts';
import { claimSpec } from '../manifests/claim.ts';
import { dataMount } from '../manifests/container.ts';
import { originFlags } from '../manifests/origin-flags.ts';
import { ownerOf } from '../manifests/metadata.ts';
import type { Subject } from '../manifests/subject.ts';
import { WorkContainer } from '../manifests/work-container.ts';
import { storeFlags, type BackupStore } from '../store/backup-store.ts';

export type FillWork = 'check' | 'fill';

interface FillPlan {
  readonly subject: Subject;
  readonly store: BackupStore;
  readonly origin: NonNullable<Subject['restoredFrom']>;
  /** The built-in engine whose program does it. */
  readonly program: Subject['resolved']['engine'];
  readonly work: FillWork;
}

/** A part of each account stays in memory; rows, index and the rest leave it for the volume. */
const MEMORY_MIB = 2_048;
const DEADLINE_SECONDS = 12 * 3_600;

export function buildFillJob({ subject, store, origin, program, work }: FillPlan): Job {
  const ofWork =
    work === 'check'
      ? ['--check']
      : [`--cluster=${subject.clusterId}`, `--addresses=${addressList(subject.endpoints)}`];
  return buildStoreJob({
    owner: ownerOf(subject),
    subject: { ...subject, resolved: { ...subject.resolved, engine: program } },
    store,
    name: fillJobName(subject.workload, work),
    container: WorkContainer.fill,
    marks: {},
    args: [
      'restore-cluster',
      ...storeFlags(store, origin.databaseId),
      ...originFlags(origin),
      ...(origin.dropTimeouts === true ? ['--drop-timeouts'] : []),
      ...ofWork,
      `--result=${RESULT_PATH}`,
      dataMount.mountPath,
    ],
    memoryMib: MEMORY_MIB,
    deadlineSeconds: DEADLINE_SECONDS,
    mounts: [dataMount],
    volumes: [
      { name: dataMount.name, ephemeral: { volumeClaimTemplate: { spec: claimSpec(subject) } } },
    ],
  });
}
