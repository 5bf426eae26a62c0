/** The Job of a test restore, and the resources that it needs. */
import type { LedgerBackup } from '../../domain/custom-resources.ts';
import type { Job } from '../../domain/kinds.ts';
import { backupIdOf, backupWorkName, uidOf } from '../../domain/names.ts';
import { dataMount } from '../manifests/container.ts';
import type { Subject } from '../manifests/subject.ts';
import { WorkContainer } from '../manifests/work-container.ts';
import type { BackupStore } from '../store/backup-store.ts';
import type { BackupObject, BackupStatus } from './environment.ts';
import { MEMORY_MIB_PER_GIB } from './file-jobs.ts';
import { buildWorkJob } from './work-job.ts';

const DEADLINE_SECONDS = 6 * 3_600;
/** Memory for loading: a base, and a part for each byte of the rows. */
const MEMORY_BASE_MIB = 512;
const MEMORY_PER_BYTE = 3;
/** Room for the replay: the rows of the backup before, those of the result, and accounts that are written again. */
const DISK_BASE_MIB = 512;
const DISK_PER_BYTE = 3;

export const testJobName = (backup: BackupObject, subject: Subject): string =>
  backupWorkName(subject.workload, 'verify', uidOf(backup));

interface TestPlan {
  readonly backup: BackupObject;
  readonly subject: Subject;
  readonly store: BackupStore;
  /** Whether the log is replayed. */
  readonly replays: boolean;
  /** All backups of the namespace. */
  readonly backups: readonly LedgerBackup[];
}

export const buildTestJob = ({ replays, backups, ...plan }: TestPlan): Job => {
  const { backup, subject } = plan;
  return buildWorkJob({
    ...plan,
    work: 'verify',
    name: testJobName(backup, subject),
    args: [
      isOfFiles(backup) ? 'verify-files' : 'verify-backup',
      `--backup=${backupIdOf(uidOf(backup))}`,
      `--sha256=${backup.status?.sha256 ?? ''}`,
      ...(replays ? [`--scratch=${dataMount.mountPath}`, ...sinceFlag(backup, backups)] : []),
    ],
    memoryMib: testMemoryMib(backup),
    ...(replays && { diskMib: mibOf(backup, DISK_BASE_MIB, DISK_PER_BYTE) }),
    deadlineSeconds: DEADLINE_SECONDS,
  });
};

/** The flag of a test's Job, without its name. */
const flagOf = ({ spec }: Job, name: string): string | undefined =>
  spec?.template.spec?.containers
    .find((one) => one.name === WorkContainer.verify)
    ?.args?.find((arg) => arg.startsWith(`--${name}=`))
    ?.slice(name.length + 3);

/** Whether a test's Job replays the log. */
export const isReplay = (job: Job): boolean => flagOf(job, 'scratch') !== undefined;

/** The backup with which a replay was to begin; `undefined`: the newest earlier one. */
export const sinceOf = (job: Job): string | undefined => flagOf(job, 'since');

/** Reason of `rowsOnly` of a replay that did not end in its time. */
export const TOO_LONG = 'TooLong';

/**
 * Between two tests there may be backups that nobody tested: the replay goes back to the last one to which a replay led. But damage is told
 * once: after it, a replay begins with the backup before. So it does after a replay that took too long: one from the same beginning would take longer
 * each time, and none would ever end.
 */
function sinceFlag({ status: own }: BackupObject, backups: readonly LedgerBackup[]): string[] {
  const last = backups
    .flatMap(({ status }) => (status === undefined ? [] : [status]))
    .filter(({ databaseId, op }) => databaseId === own?.databaseId && op !== undefined)
    .filter(({ op = 0 }) => op < (own?.op ?? 0))
    .filter((one) => one.lastReplayedAt !== undefined || isTold(one))
    .toSorted((one, other) => (one.op ?? 0) - (other.op ?? 0))
    .at(-1);
  const isNone = last?.backupId === undefined || isTold(last);
  return isNone ? [] : [`--since=${last.backupId}`];
}

/** Whether its test has told of damage, of a damaged backup with which the replay was to begin, or of a replay that took too long. */
const isTold = ({ verification }: BackupStatus): boolean =>
  verification?.passed === false || toldOnce.has(verification?.rowsOnly?.reason ?? '');
const toldOnce: ReadonlySet<string> = new Set(['BaseDamaged', TOO_LONG]);

export const isOfFiles = ({ spec }: BackupObject): boolean => spec.method === 'Files';

/** Files are compared piece by piece; rows are loaded. */
export const testMemoryMib = (backup: BackupObject): number =>
  mibOf(backup, MEMORY_BASE_MIB, isOfFiles(backup) ? MEMORY_MIB_PER_GIB / 1_024 : MEMORY_PER_BYTE);

const mibOf = ({ status }: BackupObject, base: number, perByte: number): number =>
  base + Math.ceil(((status?.sizeBytes ?? 0) / 2 ** 20) * perByte);
