/** Configuration file of an etcd member, as JSON, which etcd's YAML parser accepts (embed/config.go of etcd 3.6). */
import { memberName } from '../../domain/names.ts';
import type { ReplicaIdentity } from '../log/log.ts';
import { quotaBytes } from '../log/shared-volume.ts';
import type { MemberState } from './member-state.ts';

export interface MemberOptions extends ReplicaIdentity {
  readonly incarnation: number;
  readonly state: MemberState;
  readonly folder: string;
  /** Members of an existing cluster, which may lack a replica; absent: all replicas. */
  readonly initialCluster?: string;
  /** URLs under which the members reach each other, by replica. */
  readonly peers: readonly string[];
  readonly listen: string;
  readonly health: string;
  readonly socket: string;
  readonly certificates: { readonly folder: string; readonly commonName: string };
  /** Memory limit of the container. */
  readonly memoryBytes: number;
  /** Size of the volume that data file and member share. */
  readonly volumeBytes: number;
}

const gib = 2 ** 30;
const mib = 2 ** 20;

/** The configuration. Purpose of each setting, and measurements: docs/decisions/0017-pods-of-several-replicas.md. */
export function memberConfig(options: MemberOptions): Readonly<Record<string, unknown>> {
  const { replicaIndex, peers, certificates } = options;
  return {
    name: memberName(replicaIndex),
    'data-dir': options.folder,
    'listen-client-urls': `unix://${options.socket}`,
    // No client uses it, but etcd requires an address.
    'advertise-client-urls': `http://${memberName(replicaIndex)}:2379`,
    'listen-peer-urls': options.listen,
    'initial-advertise-peer-urls': peers[replicaIndex],
    'initial-cluster':
      options.initialCluster ?? peers.map((url, index) => `${memberName(index)}=${url}`).join(','),
    // It rejects members of another database, and of this one before a restore.
    'initial-cluster-token': `${options.clusterId}-${options.incarnation}`,
    'initial-cluster-state': options.state,
    'heartbeat-interval': 50,
    'election-timeout': 300,
    'max-request-bytes': 2 * mib,
    'quota-backend-bytes': quotaBytes(options.volumeBytes),
    'snapshot-count': 128,
    'snapshot-catchup-entries': catchUpEntries(options.memoryBytes),
    'max-wals': 2,
    'compaction-batch-limit': 32,
    'listen-metrics-urls': options.health,
    'enable-grpc-gateway': false,
    'log-level': 'warn',
    'tls-min-version': 'TLS1.3',
    'peer-transport-security': {
      'cert-file': `${certificates.folder}/tls.crt`,
      'key-file': `${certificates.folder}/tls.key`,
      'trusted-ca-file': `${certificates.folder}/ca.crt`,
      'client-cert-auth': true,
      'allowed-cn': [certificates.commonName],
      // A member connects from its pod's address, which is in no certificate.
      'skip-client-san-verification': true,
    },
  };
}

/** Number of blocks (up to 1.25 MiB each) that stay in memory for a member that is behind: 256 took 0.7 GiB, 64 took 0.35. */
export const catchUpEntries = (memoryBytes: number): number => (memoryBytes >= 2 * gib ? 256 : 64);
