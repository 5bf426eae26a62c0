/** All inputs of a database's objects. There are no others: the same subject gives the same objects. */
import type { Complete } from '../../domain/catalog/resolve.ts';
import type { ImportedRows } from '../../domain/custom-resources.ts';
import type { LedgerState } from '../../domain/import-files/ledger-state.ts';
import type { BackupStore } from '../store/backup-store.ts';
import type { Generation } from '../certificates/generations.ts';

export interface Subject {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly databaseId: string;
  /** Name of the StatefulSet and prefix of the other objects' names (domain/names.ts). */
  readonly workload: string;
  /** u128, decimal. */
  readonly clusterId: string;
  readonly resolved: Complete;
  readonly storageGb: number;
  /** Namespaces whose labelled pods may connect, besides the database's own. */
  readonly accessNamespaces: readonly string[];
  readonly suspend: boolean;
  /** Each replica's recorded address, in order; complete before anything that needs it is made. */
  readonly endpoints: readonly Endpoint[];
  /**
   * Certificates of the etcd members (operator/certificates), oldest first: they exist before anything that needs them is
   * made, and are absent without etcd.
   */
  readonly peerCertificates?: readonly Generation[];
  /** The backup or the moment with which the data files begin; absent: they begin empty. */
  readonly restoredFrom?: {
    readonly databaseId: string;
    readonly backupId?: string;
    /** Cluster ID of the data files in the backup; absent: the backup has rows. */
    readonly clusterId?: string;
    readonly targetTime?: string;
    readonly targetTimestamp?: string;
    readonly targetOp?: number;
    readonly dropTimeouts?: boolean;
    /** The end of the history whose place this one takes in the same database. */
    readonly follows?: { readonly op: number; readonly timestamp: string };
  };
  /** Whether its cluster is empty, or only partly filled with what it begins with: only the Job that fills it may reach it. */
  readonly filling?: true;
  /** Whether the first replica takes over the data file of another topology, and the others begin without a state. */
  readonly reshapes?: true;
  /** Present if an archiver beside each engine sends the log to the bucket. */
  readonly archiving?: { readonly rpoSeconds: number };
  /** The files with which the data files begin: exported ones of a cluster, or rows. */
  readonly importedFrom?: {
    readonly importId: string;
    readonly clusterId?: string;
    readonly rows?: ImportedRows & { readonly state: string };
    /** The state that an earlier replica found in exported files. That of rows is known from their trial. */
    readonly state?: LedgerState;
  };
  /** The bucket that backups are in, if the operator has one. */
  readonly store?: BackupStore;
  /** Namespace of the operator and the API, whose pods may connect too. */
  readonly operatorNamespace: string;
  /** TigerBeetle's seccomp profile: by default the one with io_uring that is installed on the nodes, or none. */
  readonly tigerBeetleSeccomp?: 'Localhost' | 'Unconfined';
  /** Whether the cluster assigns users and groups to pods (OpenShift). Default false: the pods name theirs. */
  readonly assignsUsers?: boolean;
}

export interface Endpoint {
  readonly index: number;
  readonly ip: string;
  readonly port: number;
}
