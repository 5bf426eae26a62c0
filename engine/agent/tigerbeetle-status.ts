/** Derives readiness and the status (domain/engine-status.ts) from TigerBeetle's statistics. Pure. */
import {
  EngineWarning,
  isNear,
  ReplicaRole,
  type EngineStatus,
  type Usage,
} from '../../domain/engine-status.ts';
import type { ReplicaIdentity } from '../log/log.ts';
import { formatRelease } from '../wire/release.ts';
import { staleMs, type Statistics } from './statistics.ts';

type Gauges = Pick<Statistics, 'ageMs' | 'gauge'>;

/** Values of TigerBeetle's `Status` and `SyncStage` (src/vsr/replica.zig, src/vsr/sync.zig). */
const statusNames = ['normal', 'view change', 'recovering', 'recovering head'];
const syncStageNames = ['idle', 'canceling commit', 'canceling grid', 'updating checkpoint'];

/**
 * Lag, in ops, above which a replica does not keep up. A backup learns of a commit with the next prepare, of which 8 may be
 * in flight; this is eight times that.
 */
const lagMaxOps = 64;

/** Returns why the replica takes no part in serving clients, or `undefined` when it does. */
export function unreadyReason(gauges: Gauges): string | undefined {
  const silence = silenceOf(gauges);
  if (silence !== undefined) return silence;
  const status = gauges.gauge('replica_status');
  const stage = gauges.gauge('replica_sync_stage');
  if (status === undefined) return 'the statistics do not contain replica_status';
  if (status !== 0) return `replica_status is ${named(status, statusNames)}`;
  if (stage === undefined) return 'the statistics do not contain replica_sync_stage';
  if (stage !== 0) return `replica_sync_stage is ${named(stage, syncStageNames)}`;
  return undefined;
}

/** Builds the status. `storage` is `undefined` until the file's usage has been read. */
export function engineStatusOf(
  identity: ReplicaIdentity,
  gauges: Gauges,
  storage: Usage | undefined,
): EngineStatus | { readonly problem: string } {
  const silence = silenceOf(gauges);
  if (silence !== undefined) return { problem: silence };
  if (storage === undefined) return { problem: 'the data file has not been read yet' };
  const missing = needed.filter((name) => count(gauges, name) === undefined);
  if (missing.length > 0) return { problem: `the statistics do not contain ${missing.join(', ')}` };
  const value = (name: (typeof needed)[number]) => count(gauges, name) ?? 0;
  const release = formatRelease(value('release'));
  const view = value('replica_view');
  const commit = value('replica_commit_min');
  const isNormal = value('replica_status') === 0;
  return {
    engine: 'TigerBeetle',
    version: release,
    release,
    clusterId: String(identity.clusterId),
    replicaIndex: identity.replicaIndex,
    replicaCount: identity.replicaCount,
    role: isNormal ? roleIn(view, identity) : ReplicaRole.recovering,
    syncing:
      !isNormal ||
      value('replica_sync_stage') !== 0 ||
      // It is not zero while the replica still fetches data that a new checkpoint refers to.
      (count(gauges, 'replica_sync_op_max') ?? 0) !== 0 ||
      (count(gauges, 'replica_commit_max') ?? commit) - commit > lagMaxOps,
    view,
    op: value('replica_op'),
    commit,
    checkpoint: value('replica_op_checkpoint'),
    warnings: isNear(storage) ? [EngineWarning.storageNearLimit] : [],
    storage,
    syncStage: value('replica_sync_stage'),
    replicaStatus: value('replica_status'),
    ...known('connections', clientConnections(gauges)),
    ...known('accounts', count(gauges, 'value_count_visible', { tree: 'Account.timestamp' })),
    ...known('transfers', count(gauges, 'value_count_visible', { tree: 'Transfer.timestamp' })),
  };
}

const needed = [
  'replica_status',
  'replica_sync_stage',
  'replica_view',
  'replica_op',
  'replica_commit_min',
  'replica_op_checkpoint',
  'release',
] as const;

function silenceOf({ ageMs }: Gauges): string | undefined {
  if (ageMs === undefined) return 'no statistics yet';
  if (ageMs <= staleMs) return undefined;
  return `the last statistics are ${Math.floor(ageMs / 1_000)} s old`;
}

/** Role of the replica in `view`: views take the replicas as primary in turn. */
const roleIn = (view: number, { replicaIndex, replicaCount }: ReplicaIdentity): ReplicaRole =>
  view % replicaCount === replicaIndex ? ReplicaRole.primary : ReplicaRole.backup;

function clientConnections(gauges: Gauges): number | undefined {
  const peers = ['client', 'client_likely'].map((peer) =>
    count(gauges, 'message_bus_connections', { peer }),
  );
  if (peers.every((peer) => peer === undefined)) return undefined;
  return asCount(peers.reduce<number>((sum, peer) => sum + (peer ?? 0), 0));
}

/** Value of a gauge if it is a count. */
function count(
  gauges: Gauges,
  name: string,
  tags: Readonly<Record<string, string>> = {},
): number | undefined {
  return asCount(gauges.gauge(name, tags));
}

const asCount = (value: number | undefined): number | undefined =>
  value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

function known<Name extends string>(
  name: Name,
  value: number | undefined,
): Partial<Record<Name, number>> {
  return value === undefined ? {} : ({ [name]: value } as Record<Name, number>);
}

const named = (value: number, names: readonly string[]) =>
  names[value] === undefined ? String(value) : `${value} (${names[value]})`;
