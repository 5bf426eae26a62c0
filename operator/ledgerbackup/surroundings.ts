/** Inputs of the decision about a backup's end, from the caches or from the API server itself. */
import type { KubeObject } from '../../base/kube/kube.ts';
import type { LedgerBackup, LedgerBackupSchedule } from '../../domain/custom-resources.ts';
import { resources } from '../../domain/kinds.ts';
import type { Surroundings } from './end-of.ts';
import type { BackupEnvironment, BackupObject } from './environment.ts';

type Sources = Pick<BackupEnvironment, 'backups' | 'schedules' | 'databases' | 'nowMs' | 'kube'>;

export function surroundingsOf(
  { backups, schedules, databases, nowMs, kube }: Sources,
  { metadata: { namespace } }: BackupObject,
): Surroundings {
  const here = <T extends KubeObject>(all: readonly T[]) =>
    all.filter(({ metadata }) => metadata.namespace === namespace);
  return {
    backups: here(backups.list()),
    schedules: here(schedules.list()),
    databases: databases.list(),
    nowMs: kube.serverTimeMs() ?? nowMs(),
  };
}

/** Like `surroundingsOf`, with the current backups and schedules of the API server. */
export async function liveSurroundings(
  environment: Sources,
  backup: BackupObject,
): Promise<Surroundings> {
  const { kube } = environment;
  const { namespace } = backup.metadata;
  const backups = await kube.list<LedgerBackup & KubeObject>(resources.backup, { namespace });
  const schedules = await kube.list<LedgerBackupSchedule & KubeObject>(resources.backupSchedule, {
    namespace,
  });
  return { ...surroundingsOf(environment, backup), backups, schedules };
}
