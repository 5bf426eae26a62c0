/** The state of a LedgerBackup in the form that the store keeps. Pure. */
import type { LedgerBackup } from '../../domain/custom-resources.ts';
import type {
  Backup,
  BackupFacts,
  BackupMethod,
  BackupStatus,
  BackupType,
  Verification,
} from '../model/backup.ts';
import type { BackupPatch } from '../store/backups.ts';
import { rowsOnlyTold, toldOf } from './told.ts';

type Status = NonNullable<LedgerBackup['status']>;

export const typeOf: Readonly<Record<LedgerBackup['spec']['type'], BackupType>> = {
  Manual: 'MANUAL',
  Scheduled: 'SCHEDULED',
  PreChange: 'PRE_CHANGE',
  Final: 'FINAL',
};

export const methodOf = ({ method = 'Rows' }: LedgerBackup['spec']): BackupMethod =>
  method === 'Files' ? 'FILES' : 'ROWS';

/** The row's fields that depend on its resource. */
export function observe(backup: LedgerBackup): BackupPatch {
  const { spec, status = {}, metadata } = backup;
  const succeeded = conditionOf(status, 'Succeeded');
  const state = stateOf(backup);
  return {
    status: state,
    statusReason:
      state === 'SUCCEEDED' || succeeded === undefined
        ? null
        : { code: succeeded.reason, message: toldOf(succeeded, metadata.name) },
    protected: spec.protected,
    hold: spec.hold === undefined ? null : { ...spec.hold, at: timeOf(spec.hold.at) },
    expiresAt: dateOf(spec.expiresAt),
    removing: spec.removeRequested || conditionOf(status, 'Removed') !== undefined,
    resourceGone: false,
    facts: factsOf(status),
    verification: verificationOf(backup),
    startedAt: dateOf(status.startedAt),
    completedAt: dateOf(status.completedAt),
    ...(metadata.uid !== undefined && { kubernetesUid: metadata.uid }),
    ...(metadata.resourceVersion !== undefined && { resourceVersion: metadata.resourceVersion }),
  };
}

function stateOf({ spec, status = {} }: LedgerBackup): BackupStatus {
  if (spec.removeRequested) return 'DELETING';
  if (status.completedAt === undefined) {
    return status.startedAt === undefined ? 'QUEUED' : 'RUNNING';
  }
  return conditionOf(status, 'Succeeded')?.status === 'True' ? 'SUCCEEDED' : 'FAILED';
}

/**
 * Status of a backup whose resource is gone. Deleting the resource leaves the bucket as it is, so a good backup can still be
 * restored, unless the operator had begun to remove it.
 */
export function statusWithoutResource({
  status,
  removing,
  facts,
}: Pick<Backup, 'status' | 'removing' | 'facts'>): BackupStatus {
  if (removing) return status === 'DELETING' ? 'DELETED' : 'EXPIRED';
  return facts === null ? 'FAILED' : 'SUCCEEDED';
}

function factsOf(status: Status): BackupFacts | null {
  if (status.files !== undefined) return factsOfFiles(status, status.files);
  const { op, timestamp, stateHash, release, accounts, transfers, sha256 } = status;
  const { sizeBytes, storedBytes, newBytes, seconds, encrypted } = status;
  const { archivedOps, notArchived } = status;
  if (op === undefined || timestamp === undefined || stateHash === undefined) return null;
  return {
    op,
    timestamp,
    stateHash,
    release: release ?? '',
    accounts: accounts ?? 0,
    transfers: transfers ?? 0,
    sizeBytes: sizeBytes ?? 0,
    storedBytes: storedBytes ?? 0,
    newBytes: newBytes ?? 0,
    seconds: seconds ?? 0,
    ...(encrypted !== undefined && { encrypted }),
    ...(archivedOps !== undefined && { archivedOps }),
    ...(notArchived !== undefined && {
      notArchived: { fromOp: notArchived.fromOp ?? null, toOp: notArchived.toOp },
    }),
    ...(sha256 !== undefined && { recordSha256: sha256 }),
  };
}

function factsOfFiles(status: Status, files: NonNullable<Status['files']>): BackupFacts {
  const { release, clusterId, sizeBytes, storedBytes, seconds, encrypted, sha256 } = status;
  const byReplica = files.toSorted((one, other) => one.replica - other.replica);
  return {
    files: {
      clusterId: clusterId ?? '',
      files: byReplica.map(({ sizeBytes: bytes, sha256 }) => ({ sizeBytes: bytes, sha256 })),
    },
    release: release ?? '',
    sizeBytes: sizeBytes ?? 0,
    storedBytes: storedBytes ?? 0,
    seconds: seconds ?? 0,
    ...(encrypted !== undefined && { encrypted }),
    ...(sha256 !== undefined && { recordSha256: sha256 }),
  };
}

function verificationOf({ status = {}, metadata }: LedgerBackup): Verification | null {
  const { verification } = status;
  if (verification === undefined) return null;
  const told = conditionOf(status, 'Verified');
  return {
    status: verdictOf(verification),
    startedAt: timeOf(verification.startedAt),
    completedAt: timeOf(verification.completedAt),
    seconds: verification.seconds ?? null,
    replayedFrom: verification.replayedFrom ?? null,
    replaySeconds: verification.replaySeconds ?? null,
    lastReplayedAt: timeOf(status.lastReplayedAt),
    rowsOnly: verification.rowsOnly === undefined ? null : rowsOnlyTold(verification.rowsOnly),
    lastPassedAt: timeOf(status.lastVerifiedAt),
    message: told === undefined ? '' : toldOf(told, metadata.name),
  };
}

function verdictOf({
  completedAt,
  passed,
}: NonNullable<Status['verification']>): Verification['status'] {
  if (completedAt === undefined) return 'RUNNING';
  if (passed === undefined) return 'UNKNOWN';
  return passed ? 'PASSED' : 'FAILED';
}

const conditionOf = ({ conditions }: Status, wanted: string) =>
  conditions?.find(({ type }) => type === wanted);

/** Also null for a time that does not exist: the API server checks only its form, and a row could not hold it. */
function dateOf(time: string | undefined): Date | null {
  const ms = Date.parse(time ?? '');
  return Number.isNaN(ms) ? null : new Date(ms);
}
/** A time of a resource in RFC 3339; null if it is absent or does not exist. */
export const timeOf = (time: string | undefined): string | null =>
  dateOf(time)?.toISOString() ?? null;
