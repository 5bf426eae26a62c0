import { ReplicaRole, type EngineStatus } from '../../../domain/engine-status.ts';

/** Status of a healthy replica of three: a backup of this release that has caught up. */
export const engineSays = (
  engine: EngineStatus['engine'],
  release: string,
  role: ReplicaRole = ReplicaRole.backup,
): EngineStatus => ({
  engine,
  version: release,
  release,
  clusterId: '1',
  replicaIndex: 0,
  replicaCount: 3,
  role,
  view: 0,
  op: 1,
  commit: 1,
  checkpoint: 0,
  syncing: false,
  warnings: [],
  storage: { usedBytes: 1, limitBytes: 2 },
});
