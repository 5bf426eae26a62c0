/** TypeScript types of the custom resources: the generated shapes with Kubernetes' metadata. */
import type { KubeObject } from '../base/kube/kube.ts';
import type * as generated from '../gen/crds.ts';

/** The metadata fields that are read here. Times are strings as sent by the API server. */
interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly generation?: number;
  readonly resourceVersion?: string;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

type Kind<Shape, Name extends string> = Omit<Shape, 'apiVersion' | 'kind' | 'metadata'> & {
  readonly apiVersion: typeof apiVersion;
  readonly kind: Name;
  readonly metadata: Metadata;
};

export const apiVersion = 'ledgerhouse.dev/v1alpha1';

export type LedgerDatabase = Kind<generated.LedgerDatabase, 'LedgerDatabase'>;
export type LedgerCatalog = Kind<generated.LedgerCatalog, 'LedgerCatalog'>;
export type LedgerBackup = Kind<generated.LedgerBackup, 'LedgerBackup'>;
export type LedgerBackupSchedule = Kind<generated.LedgerBackupSchedule, 'LedgerBackupSchedule'>;
export type LedgerImport = Kind<generated.LedgerImport, 'LedgerImport'>;

/** The custom resources as the transport returns them. */
export type DatabaseObject = LedgerDatabase & KubeObject;
export type CatalogObject = LedgerCatalog & KubeObject;
export type BackupObject = (LedgerBackup | LedgerBackupSchedule) & KubeObject;
/** One backup, as the transport returns it. */
export type OneBackupObject = LedgerBackup & KubeObject;

export type ScheduleObject = LedgerBackupSchedule & KubeObject;
export type ImportObject = LedgerImport & KubeObject;
/** Staged files with rows, and how they are executed. */
export type ImportedRows = LedgerImport['spec']['rows'];

export type DatabaseSpec = LedgerDatabase['spec'];
export type DatabaseStatus = NonNullable<LedgerDatabase['status']>;
export type Resolved = NonNullable<DatabaseStatus['resolved']>;
export type Condition = NonNullable<DatabaseStatus['conditions']>[number];
/** One row of `status.members`: a replica and the state of its pod. */
export type ReplicaRow = NonNullable<DatabaseStatus['members']>[number];
export type CatalogSpec = LedgerCatalog['spec'];
export type EngineName = CatalogSpec['defaults']['engine'];
export type TopologyName = CatalogSpec['defaults']['topology'];
