/** The Job that tries rows: it reads them in the bucket, and puts its report beside them. The ledger it makes is thrown away. */
import type { ImportObject } from '../../domain/custom-resources.ts';
import type { Job } from '../../domain/kinds.ts';
import { importJobName, labels, uidOf } from '../../domain/names.ts';
import { buildStoreJob, RESULT_PATH } from '../ledgerbackup/store-job.ts';
import { dataMount } from '../manifests/container.ts';
import { rowsFlags } from '../manifests/rows-flags.ts';
import type { Subject } from '../manifests/subject.ts';
import { WorkContainer } from '../manifests/work-container.ts';
import { bucketFlags, type BackupStore } from '../store/backup-store.ts';
import { importOwner } from './borrower.ts';

/** Ten times as long as the largest files take. */
const DEADLINE_SECONDS = 4 * 3_600;
const MEBIBYTE = 2 ** 20;
/** Memory: a base, and a part for each byte of the files, for the ledger's index. */
const MEMORY_BASE_MIB = 768;
const MEMORY_PER_BYTE = 2;
/** Room for the ledger's rows: a line is rarely shorter than a fourth of its record. */
const ROOM_BASE_MIB = 512;
const ROOM_PER_BYTE = 6;

const mebibytesOf = ({ spec }: ImportObject): number => Math.ceil(spec.sizeBytes / MEBIBYTE);

const roomMibOf = (object: ImportObject): number =>
  ROOM_BASE_MIB + ROOM_PER_BYTE * mebibytesOf(object);

/** Room on the node. More than the ledger's, which the engine keeps to by itself and tells: the kubelet would only end the pod. */
export const trialDiskMib = (object: ImportObject): number =>
  roomMibOf(object) + trialMemoryMib(object);

export const trialMemoryMib = (object: ImportObject): number =>
  MEMORY_BASE_MIB + MEMORY_PER_BYTE * mebibytesOf(object);

export function buildTrialJob(object: ImportObject, subject: Subject, store: BackupStore): Job {
  const { importId, rows } = object.spec;
  const diskMib = trialDiskMib(object);
  return buildStoreJob({
    owner: importOwner(object),
    subject,
    store,
    name: importJobName(object.metadata.name, uidOf(object)),
    container: WorkContainer.trial,
    marks: { [labels.import]: object.metadata.name },
    args: [
      'try-rows',
      ...bucketFlags(store),
      `--import=${importId}`,
      ...rowsFlags(rows),
      `--room=${roomMibOf(object)}MiB`,
      `--result=${RESULT_PATH}`,
      dataMount.mountPath,
    ],
    memoryMib: trialMemoryMib(object),
    diskMib,
    deadlineSeconds: DEADLINE_SECONDS,
    mounts: [dataMount],
    volumes: [{ name: dataMount.name, emptyDir: { sizeLimit: `${diskMib}Mi` } }],
  });
}
