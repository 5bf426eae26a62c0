/** The custom resources as the transport sees them. */
import type {
  LedgerBackup,
  LedgerBackupSchedule,
  LedgerCatalog,
  LedgerDatabase,
} from './resources.ts';
import type { KubeObject } from '../base/kube/kube.ts';

export type DatabaseObject = LedgerDatabase & KubeObject;
export type CatalogObject = LedgerCatalog & KubeObject;
export type BackupObject = (LedgerBackup | LedgerBackupSchedule) & KubeObject;
