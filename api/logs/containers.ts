/** The containers whose logs belong to a database: those of its replicas, whose names depend on it, and those of its Jobs. */
import { replicasOf } from '../../domain/catalog/topologies.ts';
import type { Pod } from '../../domain/kinds.ts';
import { labels, podName } from '../../domain/names.ts';
import type { TopologyName } from '../../domain/custom-resources.ts';
import type { LogComponent } from '../model/log-line.ts';
import type { LoggedDatabase } from '../store/logged-databases.ts';
import type { LogSource } from '../store/log-writes.ts';

export interface LoggingContainer extends LogSource {
  readonly namespace: string;
  readonly component: LogComponent;
  /** Index of the replica; null: it belongs to none. */
  readonly node: number | null;
  /** Whether Kubernetes restarts it, so that a log of the container before may exist. */
  readonly restarts: boolean;
}

interface Named {
  readonly container: string;
  readonly component: LogComponent;
  readonly restarts: boolean;
}

const engine: Named = { container: 'engine', component: 'engine', restarts: true };
/** An init container; the log of its last run always exists. */
const init = (container: string): Named => ({ container, component: 'agent', restarts: false });
const single: readonly Named[] = [engine, init('check')];
const several: readonly Named[] = [
  engine,
  { container: 'etcd', component: 'etcd', restarts: true },
  init('etcd-config'),
];
const tigerBeetle: readonly Named[] = [
  engine,
  { container: 'status', component: 'agent', restarts: true },
  init('check'),
];

export const keyOf = ({ databaseId, pod, container }: LogSource): string =>
  `${databaseId}/${pod}/${container}`;

/** The containers of all replicas, whether their pods exist or not. `workload`: name of their StatefulSet. */
export function replicaContainers(
  database: LoggedDatabase,
  workload: string,
): readonly LoggingContainer[] {
  const { id: databaseId, namespace } = database;
  const replicas = replicasOf[database.topology as TopologyName];
  const named = database.engine === 'TigerBeetle' ? tigerBeetle : replicas === 1 ? single : several;
  return Array.from({ length: replicas }, (_, node) =>
    named.map((container) => ({
      databaseId,
      namespace,
      pod: podName(workload, node),
      node,
      ...container,
    })),
  ).flat();
}

/** The containers of pods of Jobs that belong to one of the databases. */
export function jobContainers(
  pods: readonly Pod[],
  databases: readonly LoggedDatabase[],
): readonly LoggingContainer[] {
  const byUid = new Map(databases.map((database) => [database.kubernetesUid, database]));
  return pods.flatMap(({ metadata, spec }) => {
    const { name = '', namespace = '', labels: own = {} } = metadata;
    const database = byUid.get(own[labels.uid] ?? '');
    if (database === undefined || database.namespace !== namespace) return [];
    const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
    const replica = /^\d$/.exec(own[labels.replica] ?? '')?.[0];
    const isBackup = own[labels.backup] !== undefined;
    return containers.map(({ name: container }) => ({
      databaseId: database.id,
      namespace,
      pod: name,
      container,
      component: isBackup ? 'backup' : container === 'engine' ? 'engine' : 'agent',
      node: replica === undefined ? null : Number(replica),
      restarts: false,
    }));
  });
}
