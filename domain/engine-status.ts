/**
 * What a replica says of itself at `/status`, whichever engine it is: ours serves it, and so does the sidecar of a
 * TigerBeetle replica. The operator and the gateway read it.
 */
export const ReplicaRole = {
  primary: 'primary',
  backup: 'backup',
  recovering: 'recovering',
} as const;
export type ReplicaRole = (typeof ReplicaRole)[keyof typeof ReplicaRole];

/**
 * What is optional is what TigerBeetle's statistics do not tell; our own engine says all of it (`BuiltinStatus`). Who reads
 * an absent field says "not known", never 0 or false.
 */
export interface EngineStatus {
  readonly engine: 'Builtin' | 'TigerBeetle';
  /** Version of the program that runs. TigerBeetle's is its release. */
  readonly version: string;
  /**
   * Release of the client protocol: `0.17.9`. TigerBeetle's is the one that the replica runs, which may be older than its
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
  readonly view: number;
  /**
   * The last operation that the replica holds, the last one that it executed knowing it to be committed, and that of its
   * last checkpoint.
   */
  readonly op: number;
  readonly commit: number;
  readonly checkpoint: number;
  /** 32 hexadecimal digits: equal on every replica at the same op. */
  readonly stateHash?: string;
  readonly acceptsWrites?: boolean;
  /**
   * The replica's clock is one that may give timestamps: a majority of the replicas was heard lately, their clocks are near
   * each other and near this one. A leader whose clock is not orders no writes and expires nothing.
   */
  readonly clockAgrees?: boolean;
  /**
   * How far the replica's clock is ahead of the time that the replicas agree on, ms; negative when it is behind. Absent while
   * too few replicas are heard.
   */
  readonly clockOffsetMs?: number;
  /** Why writes are refused, when they are; near a limit, what is nearly used up. */
  readonly warnings: readonly EngineWarning[];
  readonly sessions?: number;
  /** Connections of clients. */
  readonly connections?: number;
  readonly accounts?: number;
  readonly transfers?: number;
  readonly memory?: Usage;
  readonly storage: Usage;
}

/** Our own engine's status: everything that is known. */
export type BuiltinStatus = Required<Omit<EngineStatus, 'clockOffsetMs'>> &
  Pick<EngineStatus, 'clockOffsetMs'>;

export interface Usage {
  readonly usedBytes: number;
  readonly limitBytes: number;
}

export const EngineWarning = {
  memoryNearLimit: 'MemoryNearLimit',
  memoryAtLimit: 'MemoryAtLimit',
  /** Records have taken all numbers that the engine has for them, whatever memory is left. */
  recordsAtLimit: 'RecordsAtLimit',
  storageNearLimit: 'StorageNearLimit',
  storageFull: 'StorageFull',
  /** This replica's clock is not one that may give timestamps; of a leader: writes wait. */
  clockDisagrees: 'ClockDisagrees',
  /** This replica of several has stopped for good, the others go on: `/readyz` says why. */
  halted: 'Halted',
} as const;
export type EngineWarning = (typeof EngineWarning)[keyof typeof EngineWarning];

/** From this part of a limit on, a warning says so. */
export const nearLimit = 0.9;

export const isNear = ({ usedBytes, limitBytes }: Usage): boolean =>
  usedBytes >= nearLimit * limitBytes;

/**
 * Why the cluster takes no new events, by the status of its primary; `undefined` while it does, and for a replica that cannot
 * tell. An engine that is stopping refuses writes without a warning: it is not full.
 */
export function fullReason({
  role,
  acceptsWrites,
  warnings,
}: EngineStatus): FullReason | undefined {
  if (role !== ReplicaRole.primary || acceptsWrites !== false) return undefined;
  return fullReasons.find((reason) => warnings.includes(reason));
}

const fullReasons = [
  EngineWarning.memoryAtLimit,
  EngineWarning.recordsAtLimit,
  EngineWarning.storageFull,
] as const;
export type FullReason = (typeof fullReasons)[number];
