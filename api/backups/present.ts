/** Converts backups to the contract's shape. */
import type { z } from 'zod';
import type { Immutable } from '../contract/route.ts';
import type { backup as backupSchema } from '../contract/schemas/backup.ts';
import { backupIdOf } from '../../domain/names.ts';
import type { Backup, Verification } from '../model/backup.ts';

export type ShownBackup = Immutable<z.input<typeof backupSchema>>;

export function shownBackup(backup: Backup, restores: ShownBackup['restores']): ShownBackup {
  const { facts, kubernetesUid } = backup;
  return {
    id: backup.id,
    databaseId: backup.databaseId,
    name: backup.name,
    type: backup.type,
    method: backup.method,
    status: backup.status,
    statusReason: backup.statusReason,
    protected: backup.protected,
    hold: backup.hold,
    expiresAt: timeOf(backup.expiresAt),
    schedule: backup.schedule,
    managed: kubernetesUid !== null && !backup.resourceGone,
    archiveId: kubernetesUid === null ? null : backupIdOf(kubernetesUid),
    engineVersion: facts?.release ?? null,
    clusterId: facts?.files?.clusterId ?? null,
    files: facts?.files?.files.map((file) => ({ ...file })) ?? null,
    op: facts?.op ?? null,
    clusterTimestamp: facts?.timestamp ?? null,
    stateHash: facts?.stateHash ?? null,
    accounts: facts?.accounts ?? null,
    transfers: facts?.transfers ?? null,
    sizeBytes: facts?.sizeBytes ?? null,
    storedBytes: facts?.storedBytes ?? null,
    newBytes: facts?.newBytes ?? null,
    encrypted: facts?.encrypted ?? null,
    archivedOps: facts?.archivedOps ?? null,
    notArchived: facts?.notArchived ? { ...facts.notArchived } : null,
    verification: backup.verification && shownVerification(backup.verification),
    restores,
    jobId: backup.jobId,
    actor: backup.actor,
    createdAt: backup.createdAt.toISOString(),
    startedAt: timeOf(backup.startedAt),
    completedAt: timeOf(backup.completedAt),
    removedAt: timeOf(backup.removedAt),
  };
}

const shownVerification = (verification: Verification) => ({
  replayedFrom: null,
  replaySeconds: null,
  lastReplayedAt: null,
  rowsOnly: null,
  ...verification,
});

const timeOf = (time: Date | null): string | null => time?.toISOString() ?? null;
