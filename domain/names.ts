/** Names, labels and annotations of all objects of a database. */
import type { LedgerDatabase } from './custom-resources.ts';
import { typeIdOfUuid } from './type-id.ts';

export const labels = {
  managedBy: 'app.kubernetes.io/managed-by',
  name: 'app.kubernetes.io/name',
  /** Name of the LedgerDatabase. */
  database: 'ledgerhouse.dev/database',
  /** The uid of the LedgerDatabase: it tells databases of the same name apart. */
  uid: 'ledgerhouse.dev/database-uid',
  databaseId: 'ledgerhouse.dev/database-id',
  workload: 'ledgerhouse.dev/workload',
  replica: 'ledgerhouse.dev/replica',
  engine: 'ledgerhouse.dev/engine',
  topology: 'ledgerhouse.dev/topology',
  clusterId: 'ledgerhouse.dev/cluster-id',
  /** On a Job and its pods: name of the LedgerBackup that they make. */
  backup: 'ledgerhouse.dev/backup',
  /** On a Job and its pods: name of the LedgerImport whose rows they try. */
  import: 'ledgerhouse.dev/import',
  /** On a LedgerBackup: name of the LedgerBackupSchedule that made it. */
  schedule: 'ledgerhouse.dev/schedule',
  /** On a Job that works with an existing backup: its task (`verify`, `remove`). */
  work: 'ledgerhouse.dev/work',
  /** On pods of Jobs that reach the store of backups. */
  usesStore: 'ledgerhouse.dev/uses-store',
  /** `replica` (an engine's pod) or `job`. */
  role: 'ledgerhouse.dev/role',
  /** On a namespace: the organization whose databases it holds. */
  organization: 'ledgerhouse.dev/organization',
} as const;

export const annotations = {
  /** On a volume: cluster id and index of the data file that was made on it. Outlives the database. */
  formatted: 'ledgerhouse.dev/formatted',
  /** On a volume: whose backup the cluster is being filled with. While it is there, no database begins with the volume. */
  filling: 'ledgerhouse.dev/filling',
  /** On a volume: state (`OP/HASH`) with which the data file that was made of imported ones began. */
  importedState: 'ledgerhouse.dev/imported-state',
  /** On a volume: version that its data file runs, so that a database which adopts the volume begins with that. */
  engineVersion: 'ledgerhouse.dev/engine-version',
  /** On a volume whose database is gone: the time (RFC 3339) from which it is deleted. */
  purgeAt: 'ledgerhouse.dev/purge-at',
  /** On a volume: `Delete` if it is deleted as soon as its database is gone. Used only where no finalizer can do that. */
  deletionPolicy: 'ledgerhouse.dev/deletion-policy',
  /**
   * On a volume: the LedgerBackup that has its data. The database goes on from that elsewhere, so that no database adopts the volume
   * by its ID, and none keeps it beyond its time.
   */
  replacedBy: 'ledgerhouse.dev/replaced-by',
  /**
   * On a volume: its database goes under the policy `HandOver` since this time (RFC 3339; `true` before), and another one is about to go on
   * with it. Until one has adopted it, no time deletes it, and the API server refuses its deletion.
   */
  handedOver: 'ledgerhouse.dev/handed-over',
  /**
   * On the first replica's volume: the topology that its data file had, while a database of another one makes the file its own. No replica has
   * run on it since.
   */
  reshaping: 'ledgerhouse.dev/reshaping',
  /**
   * On a volume beside a single replica's: the topology for a replica of which it was made, before the database changes to that, and then
   * cluster id and index of its data file (`TOPOLOGY CLUSTER/INDEX`). No replica has run on it; it goes if the change does not come.
   */
  madeFor: 'ledgerhouse.dev/made-for',
  /**
   * On a LedgerDatabase of one replica: the topology to which it is about to change, and the time (RFC 3339) until when the operator keeps the
   * further volumes ready (`TOPOLOGY/TIME`).
   */
  nextTopology: 'ledgerhouse.dev/next-topology',
  /**
   * On the LedgerBackup that is made before: the earlier state to which its database is about to go back, or its own ID before a change of shape,
   * and the time (RFC 3339) until when the operator removes neither a backup of that database that this needs, nor the last one
   * (`backupId=ID/TIME`, `targetOp=NUMBER/TIME` or `targetTimestamp=NANOSECONDS/TIME`). A time more than two hours ahead counts for nothing.
   */
  returnsTo: 'ledgerhouse.dev/returns-to',
  /** On a StatefulSet: hash of the inputs of its pods' template. */
  templateInputs: 'ledgerhouse.dev/template-inputs',
  /** On a StatefulSet: revision of the code that made its pods' template. */
  templateRevision: 'ledgerhouse.dev/template-revision',
  /** On a StatefulSet: its pods' template as last applied (JSON), so that manual changes are detected and reverted. */
  appliedTemplate: 'ledgerhouse.dev/applied-template',
  /** On a Job: hash of the operator's intent, without the changes of admission. */
  intended: 'ledgerhouse.dev/intended',
  /** On a StatefulSet: differences for the last apply to correct (operator/ledgerdatabase/attempts.ts); absent without any. */
  attempt: 'ledgerhouse.dev/attempt',
  /**
   * On a LedgerDatabase: a word that a person chooses, such as the time; when it changes, the pods are made from the newest
   * template. On a StatefulSet: the last word that was acted on.
   */
  refreshTemplate: 'ledgerhouse.dev/refresh-template',
  /** On a StatefulSet: the `status.peerCertificates.generations` that its pods have, in case the status is lost. */
  peerCertificates: 'ledgerhouse.dev/peer-certificates',
  /**
   * On a LedgerDatabase: IDs, with commas, of the deleted databases of its name whose volumes are kept, and whose data it is to
   * begin without.
   */
  beginEmpty: 'ledgerhouse.dev/begin-empty',
  /** On a LedgerDatabase of a provider with `provisioning: MANUAL`: `true` once people have approved it. */
  manuallyApproved: 'ledgerhouse.dev/manually-approved',
} as const;

/** Label of a node that names its zone. */
export const zoneLabel = 'topology.kubernetes.io/zone';

/** Finalizer of a database whose deletion needs an action of the operator first. */
export const volumesFinalizer = 'ledgerhouse.dev/volumes';
/**
 * Under the policy `HandOver`. An operator of a release before that policy leaves it alone, and with it the database: it would let the
 * volumes go as those of any deleted database.
 */
export const handOverFinalizer = 'ledgerhouse.dev/hand-over';

/** Value of `labels.managedBy` on all objects that the operator makes: policies and networks select by it. */
export const managedBy = 'ledgerhouse-operator';
export const operatorName = 'ledgerhouse-operator';
/** Name of the CronJob that sweeps the bucket, and of its pods in the label `app.kubernetes.io/name`. */
export const sweepName = 'ledgerhouse-backup-sweep';
export const apiName = 'ledgerhouse-api';
export const workerName = 'ledgerhouse-worker';
export const catalogName = 'default';

/** `peer` and `etcd` connect several replicas of the built-in engine. `etcdHealth` serves the kubelet's probes only. */
export const ports = {
  client: 3001,
  status: 3002,
  peer: 3003,
  etcd: 2380,
  etcdHealth: 2381,
  statsd: 8125,
} as const;

/** Name of the StatefulSet, prefix of others. At most 40 + 7 characters, so that names of pods and Jobs are valid labels. */
export function workloadNameOf(database: LedgerDatabase): string {
  return `${database.metadata.name}-${uidOf(database).slice(0, 6)}`;
}

export const podName = (workload: string, index: number) => `${workload}-${index}`;
/** Name that a StatefulSet gives the claims of its template `data`. */
export const claimName = (workload: string, index: number) => `data-${workload}-${index}`;
/** Name of a replica's own Service. Like a database's name, it begins with a letter, as Services require. */
export const serviceName = (workload: string, index: number) => `${workload}-${index}`;
export const formatJobName = (workload: string, index: number) => `${workload}-format-${index}`;
/** Name of the Job that fills a database of TigerBeetle with a backup, or looks whether that is possible. */
export const fillJobName = (workload: string, work: 'check' | 'fill') =>
  work === 'fill' ? `${workload}-fill` : `${workload}-fill-check`;
export const recoverJobName = (workload: string, index: number) => `${workload}-recover-${index}`;
/** Name of the Job of a backup. It holds the backup's uid: a backup's name may come again. */
export const backupJobName = (workload: string, uid: string) =>
  `${workload}-backup-${uid.slice(0, 8)}`;
/** Name of the Job that copies a replica's data file for a backup of data files. */
export const backupFileJobName = (workload: string, uid: string, index: number) =>
  `${backupJobName(workload, uid)}-${index}`;
/** Name of the Job that tests a backup, or removes it. */
export const backupWorkName = (workload: string, work: 'verify' | 'remove', uid: string) =>
  `${workload}-${work}-${uid.slice(0, 8)}`;
/** Name of the LedgerImport of an import over HTTP; names of resources have no underscore. */
export const importResourceName = (importId: string) => importId.replace('_', '-');
/** Name of the Job that tries the rows of a LedgerImport. */
export const importJobName = (name: string, uid: string) => `${name}-trial-${uid.slice(0, 8)}`;
/** Name of the LedgerBackup before the volumes of a deleted database go. */
export const finalBackupName = (workload: string) => `${workload}-final`;
/** The backup of a log that follows a gap: one for each first op. */
export const archiveBaseName = (workload: string, firstOp: number): string =>
  `${workload}-base-${firstOp}`;

/** Name of the LedgerBackup before an upgrade; `occasion` tells upgrades apart. */
export const preChangeBackupName = (workload: string, occasion: string) =>
  `${workload}-pre-${occasion}`;
/** The public ID of a backup, made from its uid. */
export const backupIdOf = (uid: string) => typeIdOfUuid('bkp', uid);
/** The public ID of a schedule of backups, made from its uid. */
export const scheduleIdOf = (uid: string) => typeIdOfUuid('bks', uid);
/**
 * Name of replica `index` in its etcd cluster, and host name by which the members' pods reach it, whatever address its
 * Service has: members keep each other's names for ever, while a database that adopts volumes has other Services.
 */
export const memberName = (index: number) => `r${index}`;
/**
 * Secret that authenticates the etcd members of several replicas to each other. It is immutable and a kubelet reads it once,
 * so names must be unique. They contain the uid, because a restored database has its workload's old name and a new uid.
 */
export const peerSecretName = (workload: string, uid: string, number: number) =>
  `${workload}-peers-${uid.replaceAll('-', '').slice(0, 12)}-${number}`;
/**
 * Environment variable that tells the agent which certificates its pod was made for: SHA-256 of `ca.crt`, and of the
 * authority (PEM) that signed `tls.crt`, in hexadecimal with a colon between. Unlike a flag, it is ignored by agents of
 * earlier versions.
 */
export const wantedCertificatesVariable = 'LEDGERHOUSE_CERTIFICATES';

/**
 * Environment variable that tells an archiver where it has the data file of the engine beside it, to read the log there. Unlike a flag, it is
 * ignored by archivers of earlier versions.
 */
export const dataFileVariable = 'LEDGERHOUSE_DATA_FILE';

/** The same where the log is in the member of etcd beside the engine: the member's address. */
export const logMemberVariable = 'LEDGERHOUSE_LOG_MEMBER';
/** ConfigMap with the connection data of clients. It is named after the database alone, so that pods can mount it. */
export const connectionName = (database: LedgerDatabase) => `${database.metadata.name}-connection`;

/** The label that a client's pod must have; its value is the database's namespace. */
export const connectLabel = (databaseName: string) => `ledgerhouse.dev/connect-${databaseName}`;

/** The public ID: the one that the API set, or, for a resource that a person applied, one made from its uid. */
export function databaseIdOf(database: LedgerDatabase): string {
  return database.metadata.labels?.[labels.databaseId] ?? typeIdOfUuid('db', uidOf(database));
}

export function uidOf({
  metadata,
}: {
  readonly metadata: { readonly name?: string | undefined; readonly uid?: string | undefined };
}): string {
  const { uid, name } = metadata;
  if (uid === undefined) throw new TypeError(`${name} has no uid: it is not from the API server`);
  return uid;
}

/** `/data/<cluster>_<index>.<suffix>`: the data file within a pod, as TigerBeetle's documentation names it. */
export function dataFilePath(engine: string, clusterId: string, index: number): string {
  return `/data/${clusterId}_${index}.${engine === 'TigerBeetle' ? 'tigerbeetle' : 'ledger'}`;
}
