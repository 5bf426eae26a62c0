/** Databases and profiles as the store returns them. */
import type { Selectable } from 'kysely';
import type { MaintenanceWindow } from '../../domain/maintenance-window.ts';
import type { RecoveryWindow } from '../../domain/recovery.ts';
import { typeIdOfUuid } from '../../domain/type-id.ts';
import type { DatabaseHealth, DatabaseStatus, Explanation } from '../model/database-standing.ts';
import type { UploadedRows } from '../model/rows-import.ts';
import type { Actor } from '../model/actor.ts';
import type { DatabasesTable, ProfilesTable } from './tables.ts';

/** Last observed state of a database in the cluster. */
export interface ObservedDatabase {
  /** Addresses for clients, `host:port`, by replica index. */
  readonly addresses: readonly string[];
  readonly nodes: readonly ObservedNode[];
  /** Thousandths of a processor that each replica's pod is promised. Absent in rows that an earlier version wrote. */
  readonly cpuMillis?: number | null;
  readonly engineVersion: string | null;
  /** Release of the client protocol. */
  readonly release: string | null;
  readonly observedAt: string;
  /** `resourceVersion` of the resource; it shows which of two observations is later. */
  readonly resourceVersion: string;
  /** Generation of the resource's spec; absent in rows that an earlier version wrote. */
  readonly generation?: number;
  /** Progress of the database's creation. */
  readonly accepted: boolean;
  readonly bootstrapped: boolean;
  /** Whether it is still being filled with what it begins with. Absent in rows that an earlier version wrote. */
  readonly filling?: boolean;
  readonly serves: boolean;
  /** Time since which no progress is possible until a person acts; RFC 3339. */
  readonly stalledSince: string | null;
  /** Recovery window of its archived log. Absent in rows that an earlier version wrote. */
  readonly recovery?: RecoveryWindow | null;
  /** How its log is archived; null: it is not. */
  readonly archiving?: ObservedArchiving | null;
  /** Whether its change streams are to stand still. Absent in rows that an earlier version wrote. */
  readonly streamsSuspended?: boolean;
  /** How much room is left; null until an engine has said it. Absent in rows that an earlier version wrote. */
  readonly capacity?: ObservedCapacity | null;
}

export interface ObservedCapacity {
  readonly level: 'Enough' | 'NearLimit' | 'Full';
  /** Which limit it is, and what to do. */
  readonly message: string;
}

export interface ObservedArchiving {
  /** Time within which an operation is to be in the bucket. */
  readonly rpoSeconds: number;
  /** Reason of the condition ContinuousArchiving; null until there is one. */
  readonly state: string | null;
  /** Whether archiving goes on; null while nobody knows. */
  readonly healthy: boolean | null;
}

/** The backup that a database began with, or the moment of another one's log. */
export interface RestoredFrom {
  /** TypeID `bkp_…`; null: the log is replayed from the empty ledger on, or from a backup that is not known here. */
  readonly backupId: string | null;
  /** The database that was backed up. */
  readonly databaseId: string;
  /** ID of the backup in the bucket. */
  readonly archiveId: string | null;
  /** Cluster ID of the data files in the backup, which the database keeps; absent: the backup has rows. */
  readonly clusterId?: string;
  /** The moment up to which the log is replayed; absent: the backup alone. */
  readonly moment?: RestoredMoment;
  /** Whether open pending transfers lose their timeouts in a database of TigerBeetle. */
  readonly dropTimeouts?: true;
}

/** `targetTimestamp`: nanoseconds since 1970, decimal. */
export type RestoredMoment = { readonly targetOp: number } | { readonly targetTimestamp: string };

/** The import that a database began with. */
export interface ImportedFrom {
  /** TypeID `imp_…`. */
  readonly importId: string;
  /** The cluster that its data files were exported from, as a decimal; absent for rows. */
  readonly clusterId?: string;
  /** The rows exactly as they were tried, and the state that they came to; absent for data files. */
  readonly rows?: UploadedRows & { readonly state: string };
}

interface ObservedNode {
  readonly index: number;
  readonly role: string | null;
  readonly status: string;
  readonly zone: string | null;
}

export interface Price {
  readonly currency: string;
  /** Decimal with two places. */
  readonly monthly: string;
  /** The part of `monthly` that is for the volumes. */
  readonly storage?: string;
}

export interface Database {
  /** TypeID `db_…`. */
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly mode: 'new' | 'import';
  readonly status: DatabaseStatus;
  readonly statusReason: Explanation | null;
  readonly health: DatabaseHealth;
  /** u128 as a decimal; null until the database has a cluster ID. */
  readonly clusterId: string | null;
  readonly deletionProtection: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly observed: ObservedDatabase | null;
  readonly kubernetesNamespace: string;
  /** UID of its resource; null while there is none. */
  readonly kubernetesUid: string | null;
  readonly adopted: boolean;
  /** Null: it did not begin with a backup. */
  readonly restoredFrom: RestoredFrom | null;
  /** Null: it did not begin with an import. */
  readonly importedFrom: ImportedFrom | null;
  /** Null: that of its organization. */
  readonly maintenanceWindow: MaintenanceWindow | null;
  /** Number of changes to the database; used as its ETag. */
  readonly version: number;
  readonly createdAt: Date;
  readonly createdBy: Actor;
  readonly updatedAt: Date;
  readonly readyAt: Date | null;
  readonly deletedAt: Date | null;
  readonly purgeAt: Date | null;
  readonly purgedAt: Date | null;
}

type ProfileStatus = DatabaseStatus | 'SUPERSEDED';

/** Content of a profile: a choice from the catalog, resolved. */
export interface ProfileChoice {
  readonly provider: string;
  readonly region: string;
  readonly clusterConfiguration: string;
  readonly clusterSize: string;
  readonly storageTier: string;
  readonly selectedStorageGb: number;
  readonly engine: string;
  readonly engineVersion: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Size up to which storage grows by itself; null: it does not. */
  readonly autogrowLimitGb: number | null;
  /** Time within which the archived log has an operation; null: the log is not archived. */
  readonly archiveRpoSeconds: number | null;
  /** Whether all change streams are to stand still. */
  readonly streamsSuspended: boolean;
  /** Whether the database is to be stopped. */
  readonly suspended: boolean;
  /** Null if the catalog has no prices. */
  readonly price: Price | null;
}

export interface Profile extends ProfileChoice {
  /** TypeID `prf_…`. */
  readonly id: string;
  readonly databaseId: string;
  readonly revision: number;
  readonly active: boolean;
  readonly status: ProfileStatus;
  readonly error: Explanation | null;
  /** The author of the revision; null in revisions from before this was recorded. */
  readonly actor: Actor | null;
  readonly createdAt: Date;
  readonly readyAt: Date | null;
  readonly supersededAt: Date | null;
}

/** A database as shown to clients: with its active profile and its unfinished job. */
export interface DatabaseView {
  readonly database: Database;
  readonly profile: Profile;
  /** ID of the job that has not ended; null if there is none. */
  readonly activeJobId: string | null;
}

/** The fields of a database that requests to its ledger depend on. */
export interface LedgerView extends DatabaseView {
  /** Change streams are on: events are pushed, or are to be. */
  readonly streams: boolean;
}

export const databaseOf = (row: Selectable<DatabasesTable>): Database => ({
  ...row,
  id: typeIdOfUuid('db', row.id),
  organizationId: typeIdOfUuid('org', row.organizationId),
  mode: row.mode as Database['mode'],
  status: row.status as DatabaseStatus,
  statusReason: row.statusReason as Explanation | null,
  health: row.health as DatabaseHealth,
  observed: row.observed as ObservedDatabase | null,
  createdBy: row.createdBy as Actor,
  restoredFrom: row.restoredFrom as RestoredFrom | null,
  importedFrom: row.importedFrom as ImportedFrom | null,
  maintenanceWindow: row.maintenanceWindow as MaintenanceWindow | null,
});

export const profileOf = (row: Selectable<ProfilesTable>): Profile => ({
  ...row,
  id: typeIdOfUuid('prf', row.id),
  databaseId: typeIdOfUuid('db', row.databaseId),
  status: row.status as ProfileStatus,
  price: row.price as Price | null,
  actor: row.actor as Actor | null,
  error: row.error as Explanation | null,
});
