/** Inputs and results of a look at a backup. */
import type { Cache, Kube, KubeObject } from '../../base/kube/kube.ts';
import type { BackupReason } from '../../domain/conditions.ts';
import type {
  CatalogObject,
  DatabaseObject,
  LedgerBackup,
  LedgerBackupSchedule,
} from '../../domain/custom-resources.ts';
import type { Job, Pod } from '../../domain/kinds.ts';
import type { PlanOptions } from '../ledgerdatabase/subject-of.ts';
import type { AskForCheckpoint } from './source.ts';
import type { TestTurns } from './test-turns.ts';

export type BackupObject = LedgerBackup & KubeObject;
export type BackupStatus = NonNullable<LedgerBackup['status']>;

export interface BackupEnvironment {
  readonly kube: Kube;
  readonly options: PlanOptions;
  readonly backups: Cache<BackupObject>;
  readonly schedules: Cache<LedgerBackupSchedule & KubeObject>;
  readonly databases: Cache<DatabaseObject>;
  readonly catalogs: Cache<CatalogObject>;
  readonly jobs: Cache<Job>;
  readonly pods: Cache<Pod>;
  readonly askForCheckpoint: AskForCheckpoint;
  /** One for this process, as there is one leader. */
  readonly testTurns: TestTurns;
  readonly nowMs: () => number;
}

/** Result of a look: a condition, and other facts that are known now. */
export interface Verdict<Reason extends string = BackupReason> {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: Reason;
  readonly message: string;
  readonly facts?: Partial<BackupStatus>;
  readonly requeueAfterMs?: number;
}

export const LOOK_AGAIN_MS = 10_000;

export const timeOf = ({ nowMs }: Pick<BackupEnvironment, 'nowMs'>): string =>
  `${new Date(nowMs()).toISOString().slice(0, 19)}Z`;
