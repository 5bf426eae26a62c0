import type { Kube, KubeObject } from '../../base/kube/kube.ts';
import type { StatusFetch } from '../../domain/fetch-status.ts';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import type { Capacity } from '../capacity/capacity.ts';
import type { NodeZones } from '../runtime/node-zones.ts';
import type { BackupsSeen } from './backups-seen.ts';
import type { Polls } from './observation.ts';
import type { Caches } from './observe.ts';
import type { StatusPace } from './status-pace.ts';
import type { PlanOptions } from './subject-of.ts';
import type { Transitions } from './transitions.ts';

/** The parts of the operator that work on a database uses. */
export interface Environment {
  readonly options: PlanOptions;
  readonly kube: Kube;
  readonly caches: Caches;
  /** Takes the API server's answer to a write into the caches, unless they have something newer. */
  readonly noteAnswer: (object: KubeObject) => void;
  readonly fetchStatus: StatusFetch;
  readonly capacityOf: (uid: string) => Capacity | undefined;
  /** Takes what a database's engines have answered. Returns it as `capacityOf` does. */
  readonly heard: (
    database: DatabaseObject,
    workload: string,
    polls: Polls,
  ) => Capacity | undefined;
  /** The database's backups and their schedules. */
  readonly backupsOf: (database: DatabaseObject) => BackupsSeen;
  readonly zones: NodeZones;
  readonly pace: StatusPace;
  /** Whether nobody has written to the database since it was made: it has no volumes, Jobs, pods or StatefulSet. */
  readonly isUntouched: (database: DatabaseObject) => boolean;
  readonly nowMs: () => number;
  /** Resolves after so many milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
  readonly transitions: Transitions;
}
