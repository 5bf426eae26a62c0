/**
 * Status that a replica reports at `/status`, for either engine: ours serves it, and so does the sidecar of a TigerBeetle
 * replica. The operator and the gateway read it.
 */
import type { ArchiveStatus } from './archive-status.ts';

export const ReplicaRole = {
  primary: 'primary',
  backup: 'backup',
  recovering: 'recovering',
} as const;
export type ReplicaRole = (typeof ReplicaRole)[keyof typeof ReplicaRole];

/**
 * Optional fields are those that TigerBeetle's statistics do not report; our own engine reports all of them
 * (`BuiltinStatus`). An absent field means "not known", never 0 or false.
 */
export interface EngineStatus {
  readonly engine: 'Builtin' | 'TigerBeetle';
  /** Version of the program that runs. TigerBeetle's is its release. */
  readonly version: string;
  /**
   * Release of the client protocol: `0.17.9`. For TigerBeetle, the one that the replica runs, which may be older than its
   * program: all replicas switch together.
   */
  readonly release: string;
  /** u128, decimal. */
  readonly clusterId: string;
  readonly replicaIndex: number;
  readonly replicaCount: number;
  readonly role: ReplicaRole;
  /** The replica is catching up: it holds less than the others, and stopping one of them now could lose the quorum. */
  readonly syncing: boolean;
  /** TigerBeetle's stage of the copy of a checkpoint from another replica; 0: none. */
  readonly syncStage?: number;
  /** Numbers of TigerBeetle: 0 normal, 1 while no replica leads, 2 recovering, 3 recovering the head of its log, which only TigerBeetle tells. */
  readonly replicaStatus?: number;
  readonly view: number;
  /**
   * The last op that the replica holds, the last one that it executed knowing it to be committed, and the op of its last
   * checkpoint.
   */
  readonly op: number;
  readonly commit: number;
  readonly checkpoint: number;
  /** Hash of the state, 32 hexadecimal digits: equal on every replica at the same op. */
  readonly stateHash?: string;
  readonly acceptsWrites?: boolean;
  /** True while writes wait for the end of a pause, which the last backup of several replicas asks for. */
  readonly writesPaused?: boolean;
  /**
   * Whether the replica's clock may give timestamps: a majority of the replicas was heard lately, and their clocks are near
   * each other and near this one. A leader with another clock orders no writes and expires nothing.
   */
  readonly clockAgrees?: boolean;
  /**
   * How far the replica's clock is ahead of the time that the replicas agree on, ms; negative when it is behind. Absent while
   * too few replicas are heard.
   */
  readonly clockOffsetMs?: number;
  /** Reasons for refusing writes, and resources that are near a limit. */
  readonly warnings: readonly EngineWarning[];
  readonly sessions?: number;
  /** Number of clients' connections. */
  readonly connections?: number;
  readonly accounts?: number;
  readonly transfers?: number;
  /** Lookups of connection checks that this replica answered in the last 15 minutes, oldest first, 32 at most. */
  readonly checkLookups?: readonly CheckLookup[];
  readonly memory?: Usage;
  readonly storage: Usage;
  /** Damaged pages of the data file that the replica has mended since it started. */
  readonly mendedPages?: number;
  /** How continuous archiving stands; absent if this replica has no archiver. */
  readonly archive?: ArchiveStatus;
}

/** Status of our own engine, with every field. */
export type BuiltinStatus = Required<
  Omit<EngineStatus, 'clockOffsetMs' | 'syncStage' | 'archive'>
> &
  Pick<EngineStatus, 'clockOffsetMs' | 'archive'>;

export interface CheckLookup {
  /** u128, decimal. */
  readonly accountId: string;
  /** Address of the client as the replica sees it; empty when its connection was gone. */
  readonly ip: string;
  /** Release of the client: `0.17.9`. */
  readonly release: string;
  /** From the request's arrival at the replica to its answer. */
  readonly latencyMs: number;
  /** Time since the answer. */
  readonly agoMs: number;
}

export interface Usage {
  readonly usedBytes: number;
  readonly limitBytes: number;
}

export const EngineWarning = {
  memoryNearLimit: 'MemoryNearLimit',
  memoryAtLimit: 'MemoryAtLimit',
  /** Records have taken all numbers that the engine has for them, even if memory is left. */
  recordsAtLimit: 'RecordsAtLimit',
  storageNearLimit: 'StorageNearLimit',
  storageFull: 'StorageFull',
  /** This replica's clock may not give timestamps. If the replica leads, writes wait. */
  clockDisagrees: 'ClockDisagrees',
  /** A part of the data file is damaged, and nobody who was asked has what was there. The engine's log says where. */
  dataDamaged: 'DataDamaged',
  /** This replica of several has stopped for good; the others go on. `/readyz` says why. */
  halted: 'Halted',
} as const;
export type EngineWarning = (typeof EngineWarning)[keyof typeof EngineWarning];

/** Part of a limit from which a warning is given. */
const nearLimit = 0.9;

export const isNear = ({ usedBytes, limitBytes }: Usage): boolean =>
  usedBytes >= nearLimit * limitBytes;

/**
 * Why the cluster takes no new events, according to its primary's status. Returns `undefined` while it takes them, and for a
 * replica that cannot tell. A stopping engine refuses writes without a warning: it is not full.
 */
export function fullReason({
  role,
  acceptsWrites,
  warnings,
}: EngineStatus): FullReason | undefined {
  if (role !== ReplicaRole.primary || acceptsWrites !== false) return undefined;
  return fullReasons.find((reason) => warnings.includes(reason));
}

/** Whether the cluster takes no writes because a pause was asked for, according to its primary's status. */
export const isPaused = ({ role, writesPaused }: EngineStatus): boolean =>
  role === ReplicaRole.primary && writesPaused === true;

const fullReasons = [
  EngineWarning.memoryAtLimit,
  EngineWarning.recordsAtLimit,
  EngineWarning.storageFull,
] as const;
export type FullReason = (typeof fullReasons)[number];
