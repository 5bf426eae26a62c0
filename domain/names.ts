/** Names, labels and annotations of all that belongs to a database. */
import type { LedgerDatabase } from './resources.ts';
import { typeIdOfUuid } from './type-id.ts';

export const labels = {
  managedBy: 'app.kubernetes.io/managed-by',
  name: 'app.kubernetes.io/name',
  /** Name of the LedgerDatabase. */
  database: 'ledgerhouse.dev/database',
  /** The uid of the LedgerDatabase: a database made anew under an old name is another. */
  uid: 'ledgerhouse.dev/database-uid',
  databaseId: 'ledgerhouse.dev/database-id',
  workload: 'ledgerhouse.dev/workload',
  replica: 'ledgerhouse.dev/replica',
  engine: 'ledgerhouse.dev/engine',
  topology: 'ledgerhouse.dev/topology',
  clusterId: 'ledgerhouse.dev/cluster-id',
  /** `replica` (an engine's pod) or `job`. */
  role: 'ledgerhouse.dev/role',
  /** On a namespace: the organization whose databases it holds. */
  organization: 'ledgerhouse.dev/organization',
} as const;

export const annotations = {
  /** On a volume: a data file was made on it; cluster id and index. Outlives the database. */
  formatted: 'ledgerhouse.dev/formatted',
  /** On a volume: what its data file runs, so that a database which takes it over begins with that. */
  engineVersion: 'ledgerhouse.dev/engine-version',
  /** On a volume whose database is gone: the time (RFC 3339) from which it is deleted. */
  purgeAt: 'ledgerhouse.dev/purge-at',
  /** On a StatefulSet: hash of what its pods were made from. */
  templateInputs: 'ledgerhouse.dev/template-inputs',
  /** On a StatefulSet: revision of the code that made its pods' template. */
  templateRevision: 'ledgerhouse.dev/template-revision',
  /** On a StatefulSet: its pods' template as it was last applied (JSON), so that a hand's change of it is seen and put right. */
  appliedTemplate: 'ledgerhouse.dev/applied-template',
  /** On a Job: hash of what the operator meant it to be, whatever admission made of it. */
  intended: 'ledgerhouse.dev/intended',
  /** On a StatefulSet: what the last apply was to put right (operator/ledgerdatabase/attempts.ts); absent where nothing differs. */
  attempt: 'ledgerhouse.dev/attempt',
  /**
   * On a LedgerDatabase: a word of a person's choice, such as the time; another word has its pods made from the newest template. On a
   * StatefulSet: the word that was last met.
   */
  refreshTemplate: 'ledgerhouse.dev/refresh-template',
  /** On a StatefulSet: `status.peerCertificates.generations` as its pods have them, for when the status is lost. */
  peerCertificates: 'ledgerhouse.dev/peer-certificates',
  /** On a LedgerDatabase of a provider with `provisioning: MANUAL`: people let it be made; the value is `true`. */
  manuallyApproved: 'ledgerhouse.dev/manually-approved',
} as const;

/** On a database whose deletion the operator must act on before it goes. */
export const volumesFinalizer = 'ledgerhouse.dev/volumes';

/** The value of `labels.managedBy` on all that the operator makes: its watches select it. */
export const managedBy = 'ledgerhouse-operator';
export const operatorName = 'ledgerhouse-operator';
export const apiName = 'ledgerhouse-api';
export const catalogName = 'default';

/** `peer` and `etcd`: among several replicas of the built-in engine. `etcdHealth`: for the kubelet's probes only. */
export const ports = {
  client: 3001,
  status: 3002,
  peer: 3003,
  etcd: 2380,
  etcdHealth: 2381,
  statsd: 8125,
} as const;

/** Name of the StatefulSet; other objects are named after it. At most 40 + 7 characters, so that names of pods and Jobs are valid labels. */
export function workloadNameOf(database: LedgerDatabase): string {
  return `${database.metadata.name}-${uidOf(database).slice(0, 6)}`;
}

export const podName = (workload: string, index: number) => `${workload}-${index}`;
/** As a StatefulSet names the claims of its template `data`. */
export const claimName = (workload: string, index: number) => `data-${workload}-${index}`;
/** Each replica's own Service. Begins with a letter, as Services must: so do databases' names. */
export const serviceName = (workload: string, index: number) => `${workload}-${index}`;
export const formatJobName = (workload: string, index: number) => `${workload}-format-${index}`;
export const recoverJobName = (workload: string, index: number) => `${workload}-recover-${index}`;
/**
 * By what replica `index` is called among its database's members of etcd, and by what their pods reach it, whatever address
 * its Service has: members keep each other's names for ever, while a database that takes over volumes has other Services.
 */
export const memberName = (index: number) => `r${index}`;
/**
 * Secret with which the etcd members of several replicas know each other. It is immutable, so a kubelet that has seen it never looks
 * again: no two may have one name. A restored database keeps its workload's name and has another uid, which is in the name for that.
 */
export const peerSecretName = (workload: string, uid: string, number: number) =>
  `${workload}-peers-${uid.replaceAll('-', '').slice(0, 12)}-${number}`;
/**
 * Environment variable by which the agent knows whether the certificates in its pod are those that it was made for: SHA-256 of
 * `ca.crt`, and of the authority (PEM) that has signed `tls.crt`, in hexadecimal with a colon between. An agent of an earlier
 * version passes it over, which it could not do with a flag.
 */
export const wantedCertificatesVariable = 'LEDGERHOUSE_CERTIFICATES';
/** ConfigMap with what a client needs to connect; named after the database alone, for pods to mount. */
export const connectionName = (database: LedgerDatabase) => `${database.metadata.name}-connection`;

/** The label that a client's pod must have; its value is the database's namespace. */
export const connectLabel = (databaseName: string) => `ledgerhouse.dev/connect-${databaseName}`;

/** The public ID: what the API has put on it, or, where a person applied the resource, made from its uid. */
export function databaseIdOf(database: LedgerDatabase): string {
  return database.metadata.labels?.[labels.databaseId] ?? typeIdOfUuid('db', uidOf(database));
}

export function uidOf(database: LedgerDatabase): string {
  const { uid } = database.metadata;
  if (uid === undefined)
    throw new TypeError(`${database.metadata.name} has no uid: it is not from the API server`);
  return uid;
}

/** `/data/<cluster>_<index>.<suffix>`: the data file within a pod, as TigerBeetle's documentation names it. */
export function dataFilePath(engine: string, clusterId: string, index: number): string {
  return `/data/${clusterId}_${index}.${engine === 'TigerBeetle' ? 'tigerbeetle' : 'ledger'}`;
}
