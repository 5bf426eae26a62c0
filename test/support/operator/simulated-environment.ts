/** The operator's surroundings in a simulated cluster: caches that hold what was there at some moment, and its own answers. */
import type { StatusFetch } from '../../../domain/fetch-status.ts';
import type { Kube, KubeObject } from '../../../base/kube/kube.ts';
import type { Environment } from '../../../operator/ledgerdatabase/environment.ts';
import { NodeZones } from '../../../operator/runtime/node-zones.ts';
import { StatusPace } from '../../../operator/ledgerdatabase/status-pace.ts';
import { cachesOf, type SimulatedCluster } from './simulated-cluster.ts';

interface SimulatedEnvironmentOptions {
  readonly fetchStatus: StatusFetch;
  /** Default: the cluster itself. */
  readonly kube?: Kube;
  /** What its watches have delivered. Default: all that is there. */
  readonly past?: ReadonlyMap<string, KubeObject>;
  /** Default: `false`. */
  readonly isUntouched?: Environment['isUntouched'];
  /** Default: nothing is known of what engines have left. */
  readonly capacityOf?: Environment['capacityOf'];
  readonly heard?: Environment['heard'];
  /** Default: the operator has no bucket. */
  readonly store?: Environment['options']['store'];
}

export function environmentIn(
  cluster: SimulatedCluster,
  {
    fetchStatus,
    kube = cluster,
    past = cluster.objects,
    isUntouched = () => false,
    store,
    capacityOf = () => undefined,
    heard = () => undefined,
  }: SimulatedEnvironmentOptions,
): Environment {
  const seen = new Map(past);
  return {
    options: { operatorNamespace: 'ledgerhouse-system', ...(store !== undefined && { store }) },
    kube,
    caches: cachesOf(seen),
    noteAnswer(object) {
      const key = `${object.kind}/${object.metadata.name}`;
      if (versionOf(seen.get(key)) < versionOf(object)) seen.set(key, object);
    },
    fetchStatus,
    nowMs: () => cluster.nowMs,
    pause: () => Promise.resolve(),
    zones: new NodeZones(),
    pace: new StatusPace(),
    isUntouched,
    capacityOf,
    heard,
    backupsOf: () => ({ backups: [], schedules: [] }),
    transitions: () => {},
  };
}

const versionOf = (object: KubeObject | undefined): number =>
  Number(object?.metadata.resourceVersion ?? 0);
