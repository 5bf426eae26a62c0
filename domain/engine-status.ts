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

export interface EngineStatus {
  readonly engine: 'Builtin' | 'TigerBeetle';
  /** Version of the program, and the release of the client protocol that it speaks. */
  readonly version: string;
  readonly release: string;
  /** u128, decimal. */
  readonly clusterId: string;
  readonly replicaIndex: number;
  readonly replicaCount: number;
  readonly role: ReplicaRole;
  readonly view: number;
  /** Last executed, committed and checkpointed operation. */
  readonly op: number;
  readonly commit: number;
  readonly checkpoint: number;
  /** Whether it is still catching up with the others. */
  readonly syncing: boolean;
  /** 32 hexadecimal digits: equal on every replica at the same op. TigerBeetle does not tell it. */
  readonly stateHash?: string;
  readonly acceptsWrites: boolean;
  /** Why writes are refused, when they are; near a limit, what is nearly used up. */
  readonly warnings: readonly EngineWarning[];
  /** TigerBeetle does not tell them. */
  readonly sessions?: number;
  readonly connections: number;
  readonly accounts: number;
  readonly transfers: number;
  readonly memory: Usage;
  readonly storage: Usage;
}

export interface Usage {
  readonly usedBytes: number;
  readonly limitBytes: number;
}

export const EngineWarning = {
  memoryNearLimit: 'MemoryNearLimit',
  memoryAtLimit: 'MemoryAtLimit',
  storageNearLimit: 'StorageNearLimit',
  storageFull: 'StorageFull',
} as const;
export type EngineWarning = (typeof EngineWarning)[keyof typeof EngineWarning];

/** From this part of a limit on, a warning says so. */
export const nearLimit = 0.9;

export const isNear = ({ usedBytes, limitBytes }: Usage): boolean =>
  usedBytes >= nearLimit * limitBytes;
