/** The result of a backup's program, from the termination message of its pod. */
import { z } from 'zod';
import { cutText } from '../../base/cut-text.ts';
import { jsonOf } from '../../base/json.ts';
import { BackupReason } from '../../domain/conditions.ts';
import type { Pod } from '../../domain/kinds.ts';
import { endOfWork } from '../manifests/work-container.ts';

/** Maximum length of `rowsOnly.message` in the status. */
export const ROWS_ONLY_MAX = 512;

const count = z.number().int().nonnegative();

/** Without the backup's ID: the status has it from the resource, which the program was given it from. */
const madeSchema = z.object({
  key: z.string().max(256),
  sha256: z.string().max(64),
  clusterId: z.string().max(39),
  op: count,
  timestamp: z.string().max(20),
  stateHash: z.string().max(32),
  release: z.string().max(32),
  accounts: count,
  transfers: count,
  sizeBytes: count,
  storedBytes: count,
  newBytes: count,
  /** An engine that does not tell encrypts nothing. */
  encrypted: z.boolean().default(false),
  lockedUntil: z.iso.datetime().exactOptional(),
  seconds: z.number().nonnegative(),
  archivedOps: count.exactOptional(),
  notArchived: z.string().exactOptional(),
  notArchivedFromOp: count.exactOptional(),
});
const madeOfFilesSchema = madeSchema
  .pick({ key: true, sha256: true, clusterId: true, release: true })
  .extend({
    files: z
      .array(z.object({ replica: count, sizeBytes: count, sha256: z.string().max(64) }))
      .min(1)
      .max(6),
    sizeBytes: count,
    storedBytes: count,
    encrypted: z.boolean(),
    lockedUntil: z.iso.datetime().exactOptional(),
    seconds: z.number().nonnegative(),
  });
const failedSchema = z.object({ error: z.string(), message: z.string() });

/** An engine that does not know of replays tells neither. */
const verifiedSchema = z.object({
  backupId: z.string(),
  seconds: z.number().nonnegative(),
  replayedFrom: count.exactOptional(),
  replaySeconds: z.number().nonnegative().exactOptional(),
  rowsOnly: z
    .object({ reason: z.string().regex(/^[A-Z][A-Za-z]{0,63}$/), message: z.string() })
    .transform(({ reason, message }) => ({ reason, message: cutText(message, ROWS_ONLY_MAX) }))
    .exactOptional(),
});

export type Made = Omit<z.infer<typeof madeSchema>, 'notArchived' | 'notArchivedFromOp'> & {
  /** What the archive of the log lacks. */
  readonly notArchived?: {
    readonly fromOp?: number;
    readonly toOp: number;
    readonly message: string;
  };
};
export type Verified = z.infer<typeof verifiedSchema>;
export type MadeOfFiles = z.infer<typeof madeOfFilesSchema>;
export interface Failure {
  readonly reason: BackupReason;
  /** Whether the archive itself is damaged, rather than out of reach. */
  readonly isDamage: boolean;
  readonly message: string;
}

const reasons: Readonly<Record<string, BackupReason>> = {
  store_unreachable: BackupReason.StoreUnreachable,
  store_refused: BackupReason.StoreRefused,
  bucket_missing: BackupReason.StoreRefused,
  store_overwrites: BackupReason.StoreOverwrites,
  store_full: BackupReason.StoreFull,
  key_missing: BackupReason.KeyMissing,
  keys_wrong: BackupReason.KeyMissing,
  lock_missing: BackupReason.StoreRefused,
  lock_wrong: BackupReason.StoreRefused,
  archive_foreign: BackupReason.ArchiveForeign,
  object_damaged: BackupReason.ArchiveDamaged,
  object_missing: BackupReason.ArchiveDamaged,
  state_rejected: BackupReason.ArchiveDamaged,
  backup_unknown: BackupReason.ArchiveDamaged,
  backup_removed: BackupReason.Removed,
  checkpoint_corrupt: BackupReason.ReplicaDamaged,
  cluster_unreachable: BackupReason.ClusterUnreachable,
  cluster_differs: BackupReason.LedgerDiffers,
  ledger_too_large: BackupReason.NoRoom,
  no_room: BackupReason.NoRoom,
  file_unfit: BackupReason.FilesUnfit,
  file_changed: BackupReason.FilesUnfit,
};

const MESSAGE_MAX = 900;
const NOT_ARCHIVED_MAX = 500;

/** The termination message of the newest pod's work. */
export function lastWords(pods: readonly Pod[]): string | undefined {
  const newest = pods.toSorted((one, other) =>
    (one.metadata.creationTimestamp ?? '').localeCompare(other.metadata.creationTimestamp ?? ''),
  );
  const said = newest.map((pod) => endOfWork(pod)?.message?.trim() ?? '');
  return said.findLast((words) => words !== '');
}

/** Returns `undefined` if no existing pod has reported it. */
export function madeBackup(pods: readonly Pod[]): Made | undefined {
  const words = lastWords(pods);
  const read = madeSchema.safeParse(words === undefined ? undefined : jsonOf(words));
  if (!read.success) return undefined;
  const { notArchived: why, notArchivedFromOp: fromOp, ...made } = read.data;
  if (why === undefined) return made;
  const message = cutText(why, NOT_ARCHIVED_MAX);
  return {
    ...made,
    notArchived: { ...(fromOp !== undefined && { fromOp }), toOp: made.op, message },
  };
}

/** Like `madeBackup`, for a backup of data files. */
export function madeOfFiles(pods: readonly Pod[]): MadeOfFiles | undefined {
  const words = lastWords(pods);
  const made = madeOfFilesSchema.safeParse(words === undefined ? undefined : jsonOf(words));
  return made.success ? made.data : undefined;
}

/** Like `madeBackup`, for the Job that tests a backup. */
export function verifiedBackup(pods: readonly Pod[]): Verified | undefined {
  const words = lastWords(pods);
  const verified = verifiedSchema.safeParse(words === undefined ? undefined : jsonOf(words));
  return verified.success ? verified.data : undefined;
}

/** The reason why a backup failed; `otherwise` applies if its program reported none. */
export function failureOf(pods: readonly Pod[], otherwise: string): Failure {
  const words = lastWords(pods) ?? otherwise;
  const said = failedSchema.safeParse(jsonOf(words));
  if (!said.success) {
    return {
      reason: BackupReason.Failed,
      isDamage: false,
      message: cutText(words, MESSAGE_MAX),
    };
  }
  const { error, message } = said.data;
  const reason = reasons[error] ?? BackupReason.Failed;
  const isDamage = reason === BackupReason.ArchiveDamaged || reason === BackupReason.ArchiveForeign;
  return { reason, isDamage, message: cutText(message, MESSAGE_MAX) };
}
