/** Types of backups of databases. */
import type { Actor } from './actor.ts';
import type { Explanation } from './database-standing.ts';

export const backupTypes = ['MANUAL', 'SCHEDULED', 'PRE_CHANGE', 'FINAL'] as const;
export type BackupType = (typeof backupTypes)[number];

/** Content of a backup: the rows of the ledger, or TigerBeetle's data files byte for byte. */
export const backupMethods = ['ROWS', 'FILES'] as const;
export type BackupMethod = (typeof backupMethods)[number];

export const backupStatuses = [
  'QUEUED',
  'RUNNING',
  'SUCCEEDED',
  'FAILED',
  'DELETING',
  'DELETED',
  'EXPIRED',
] as const;
export type BackupStatus = (typeof backupStatuses)[number];

/** Statuses of backups that exist, or may come to exist. */
export const presentBackupStatuses = backupStatuses.filter(
  (status) => status !== 'DELETED' && status !== 'EXPIRED',
);

/** Content and cost of a backup that succeeded. */
export interface BackupFacts {
  /** Present in backups of data files only. */
  readonly files?: FilesFacts;
  /** The last operation that it contains; absent in backups of data files, as all facts about rows. */
  readonly op?: number;
  /** Timestamp of that operation, in nanoseconds. */
  readonly timestamp?: string;
  readonly stateHash?: string;
  /** SHA-256 of its record in the bucket, which names the digest of everything else; absent: made before that was told. */
  readonly recordSha256?: string;
  /** Release of the engine that wrote the state. */
  readonly release: string;
  readonly accounts?: number;
  readonly transfers?: number;
  /** Bytes of all rows, or of all files. */
  readonly sizeBytes: number;
  /** Bytes of the objects that hold them. */
  readonly storedBytes: number;
  /** Bytes of the objects that no earlier backup had stored. */
  readonly newBytes?: number;
  /** Whether all of it is encrypted under a key of the installation; absent: made before that was told. */
  readonly encrypted?: boolean;
  readonly seconds: number;
  /** Operations at the end of the log that the last backup of a single replica has archived; absent if it had none to archive. */
  readonly archivedOps?: number;
  /** Absent: the archive lacks nothing, or there is none. */
  readonly notArchived?: NotArchived;
}

/** Operations before a last backup that are in no archive of the log. */
export interface NotArchived {
  /** Null: the end of the archive could not be found. */
  readonly fromOp: number | null;
  readonly toOp: number;
}

/** What a person is told of it. The reason is for those who run the service. */
export const notArchivedWords = ({ fromOp, toOp }: NotArchived): string => {
  const which = fromOp === null ? `before operation ${toOp}` : `from ${fromOp} to ${toOp}`;
  return (
    `The archive of the log lacks operations ${which}, because they could not be added to it in time. No data are lost: the last backup ` +
    'has them. But the database cannot be restored to a moment among them.'
  );
};

/** The data files of a cluster. */
export interface FilesFacts {
  readonly clusterId: string;
  /** By replica. */
  readonly files: readonly { readonly sizeBytes: number; readonly sha256: string }[];
}

export const verificationStatuses = ['RUNNING', 'PASSED', 'FAILED', 'UNKNOWN'] as const;

/** The last test restore of a backup. */
export interface Verification {
  /** `UNKNOWN`: the test could not be made. */
  readonly status: (typeof verificationStatuses)[number];
  /** RFC 3339. */
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  /** Without the replay. */
  readonly seconds: number | null;
  /** The operation after which the archived log led to the backup. These four are absent in rows from before them. */
  readonly replayedFrom?: number | null;
  readonly replaySeconds?: number | null;
  /** End of the last test with a replay of the log. */
  readonly lastReplayedAt?: string | null;
  /** Why the log is not replayed. */
  readonly rowsOnly?: Explanation | null;
  /** End of the last test that found the backup good. */
  readonly lastPassedAt: string | null;
  readonly message: string;
}

/** Nothing removes a backup that is held. */
export interface BackupHold {
  readonly reason: string;
  /** Author of the hold, in words. */
  readonly by: string;
  /** RFC 3339; null if somebody wrote a time that does not exist into the resource. */
  readonly at: string | null;
}

export interface Backup {
  /** TypeID `bkp_…`. */
  readonly id: string;
  readonly organizationId: string;
  readonly databaseId: string;
  readonly name: string;
  readonly type: BackupType;
  readonly method: BackupMethod;
  readonly status: BackupStatus;
  /** The reason why it failed, or waits. */
  readonly statusReason: Explanation | null;
  readonly protected: boolean;
  /** Null: nobody holds it. */
  readonly hold: BackupHold | null;
  readonly expiresAt: Date | null;
  /** Name of the schedule that made it. */
  readonly schedule: string | null;
  readonly kubernetesNamespace: string;
  readonly resourceName: string;
  /** UID of its resource; null until there is one. */
  readonly kubernetesUid: string | null;
  /** Version of the resource that the row shows. */
  readonly resourceVersion: string | null;
  /** Whether its resource is gone. The bucket may still have the backup. */
  readonly resourceGone: boolean;
  /** Whether the operator has begun to remove it from the bucket. */
  readonly removing: boolean;
  /** The job that makes it; null if this service did not make it. */
  readonly jobId: string | null;
  readonly facts: BackupFacts | null;
  readonly verification: Verification | null;
  readonly actor: Actor;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
  /** Time since which nobody can restore it. */
  readonly removedAt: Date | null;
}

export const backupFact = ({ id, name, type, status, facts }: Backup) => ({
  id,
  name,
  type,
  status,
  ...(facts?.recordSha256 !== undefined && { recordSha256: facts.recordSha256 }),
});
