import { archiveStates } from './archive-status.ts';

/** Conditions of a LedgerDatabase and their reasons: closed lists, the same words in status, events, logs and metrics. */
export const ConditionType = {
  /** A quorum of replicas serves clients. */
  Available: 'Available',
  /** Everything that the spec asks for exists and is healthy. */
  Ready: 'Ready',
  Reconciling: 'Reconciling',
  /** Nothing more happens until a person acts; the message says what to do. */
  Stalled: 'Stalled',
  Bootstrapped: 'Bootstrapped',
  ReplicasHealthy: 'ReplicasHealthy',
  StorageReady: 'StorageReady',
  VersionUpToDate: 'VersionUpToDate',
  Suspended: 'Suspended',
  /** The operator writes nothing but the status; the message names what is left undone. */
  Paused: 'Paused',
  BackupHealthy: 'BackupHealthy',
  /** The log is in the bucket up to a few seconds ago (`spec.backup.continuous`). */
  ContinuousArchiving: 'ContinuousArchiving',
  /** The change streams deliver what happens within a minute (`spec.changeDataCapture`). */
  ChangeDataCaptureHealthy: 'ChangeDataCaptureHealthy',
  /** The engines have room for more records, by their limits of memory and storage. */
  CapacityLeft: 'CapacityLeft',
  /** No damage of a replica's data file is known that could not be mended. */
  DataIntact: 'DataIntact',
  /** Whether storage grows by itself when it is nearly full (`spec.storage.autogrow`). */
  Autogrow: 'Autogrow',
} as const;
export type ConditionType = (typeof ConditionType)[keyof typeof ConditionType];

/** Reasons of `Stalled`: each has its paragraph in docs/operating/conditions.md. */
export const StallReason = {
  CatalogMissing: 'CatalogMissing',
  UnknownEngine: 'UnknownEngine',
  UnknownVersion: 'UnknownVersion',
  UpgradePathUnsupported: 'UpgradePathUnsupported',
  UnknownProvider: 'UnknownProvider',
  UnknownRegion: 'UnknownRegion',
  ManualProvider: 'ManualProvider',
  UnknownTopology: 'UnknownTopology',
  TopologyUnsupported: 'TopologyUnsupported',
  UnknownSize: 'UnknownSize',
  SizeUnsupported: 'SizeUnsupported',
  UnknownTier: 'UnknownTier',
  TierUnavailable: 'TierUnavailable',
  StorageOutOfRange: 'StorageOutOfRange',
  UnknownParameter: 'UnknownParameter',
  InvalidParameter: 'InvalidParameter',
  PodSettingRefused: 'PodSettingRefused',
  NameTaken: 'NameTaken',
  DataVolumesNotOurs: 'DataVolumesNotOurs',
  VolumesNotFound: 'VolumesNotFound',
  VolumesInUse: 'VolumesInUse',
  VolumesMismatch: 'VolumesMismatch',
  VolumesRetained: 'VolumesRetained',
  FormatFailed: 'FormatFailed',
  FillFailed: 'FillFailed',
  ServiceIpLost: 'ServiceIpLost',
  VolumeBeingDeleted: 'VolumeBeingDeleted',
  ReplicaDataLost: 'ReplicaDataLost',
  ReplicaDataForeign: 'ReplicaDataForeign',
  ReplicaDataDamaged: 'ReplicaDataDamaged',
  BackupsUnavailable: 'BackupsUnavailable',
  ImportUnavailable: 'ImportUnavailable',
  RefusedByApiServer: 'RefusedByApiServer',
  ChangedByAdmission: 'ChangedByAdmission',
} as const;
export type StallReason = (typeof StallReason)[keyof typeof StallReason];

/** Reasons of `Ready` and `Reconciling` while nothing is stalled, the most specific one first. */
export const ProgressReason = {
  AllHealthy: 'AllHealthy',
  Settled: 'Settled',
  Deleting: 'Deleting',
  Paused: 'Paused',
  Suspended: 'Suspended',
  Suspending: 'Suspending',
  Bootstrapping: 'Bootstrapping',
  Starting: 'Starting',
  Recovering: 'Recovering',
  ReplicaFailing: 'ReplicaFailing',
  RollingOut: 'RollingOut',
  UpgradePending: 'UpgradePending',
  Resizing: 'Resizing',
  CapacityFull: 'CapacityFull',
  /** The API server could not do what the operator asked for; the operator retries. */
  WriteFailed: 'WriteFailed',
  Stalled: 'Stalled',
} as const;
export type ProgressReason = (typeof ProgressReason)[keyof typeof ProgressReason];

/** The reasons of each condition. Those of `Ready` while something is stalled are the reasons of `Stalled`. */
export const conditionReasons = {
  Available: ['QuorumServing', 'NotBootstrapped', 'Suspended', 'QuorumLost'],
  Ready: [...Object.values(ProgressReason), ...Object.values(StallReason)],
  Reconciling: Object.values(ProgressReason),
  Stalled: ['NotStalled', ...Object.values(StallReason)],
  Bootstrapped: ['Formatted', 'Inherited', 'InProgress'],
  ReplicasHealthy: ['AllHealthy', 'Degraded', 'NotBootstrapped', 'Suspended'],
  StorageReady: ['InSize', 'Provisioning', 'Resizing', 'ExpansionNotSupported', 'ExpansionFailed'],
  VersionUpToDate: [
    'UpToDate',
    'Unresolved',
    'NotStarted',
    'RollingOut',
    'Blocked',
    'WaitingForRelease',
  ],
  Suspended: ['Suspended', 'Suspending', 'NotSuspended'],
  Paused: ['Paused', 'NotPaused'],
  BackupHealthy: [
    'Healthy',
    'NotConfigured',
    'NotYet',
    'Overdue',
    'Unproven',
    'Unreplayed',
    'Damaged',
  ],
  ContinuousArchiving: [
    ...archiveStates,
    'ArchiveGap',
    'NotEnabled',
    'NotSupported',
    'StoreNotConfigured',
    'NotKnown',
  ],
  ChangeDataCaptureHealthy: [
    'Healthy',
    'Lagging',
    'Failing',
    'Failed',
    'AllPaused',
    'Suspended',
    'NoStreams',
    'NotKnown',
  ],
  CapacityLeft: ['Enough', 'NearLimit', 'Full', 'NotKnown'],
  DataIntact: ['Intact', 'Mended', 'Damaged', 'NotKnown'],
  Autogrow: ['Watching', 'LimitReached', 'NotGrowable', 'NotEnabled'],
} as const satisfies Readonly<Record<ConditionType, readonly string[]>>;
export type ReasonOf<Type extends ConditionType> = (typeof conditionReasons)[Type][number];

/** Reasons of the conditions of the other kinds. */
export const CatalogReason = { valid: 'Valid', inconsistent: 'Inconsistent' } as const;
/** Reasons of `Succeeded` of a LedgerBackup. */
export const BackupReason = {
  StoreNotConfigured: 'StoreNotConfigured',
  DatabaseNotFound: 'DatabaseNotFound',
  DatabaseNotReady: 'DatabaseNotReady',
  Running: 'Running',
  Delayed: 'Delayed',
  Completed: 'Completed',
  StoreUnreachable: 'StoreUnreachable',
  StoreRefused: 'StoreRefused',
  StoreFull: 'StoreFull',
  StoreOverwrites: 'StoreOverwrites',
  KeyMissing: 'KeyMissing',
  ArchiveForeign: 'ArchiveForeign',
  ArchiveDamaged: 'ArchiveDamaged',
  ReplicaDamaged: 'ReplicaDamaged',
  ClusterUnreachable: 'ClusterUnreachable',
  LedgerDiffers: 'LedgerDiffers',
  NoRoom: 'NoRoom',
  FilesUnfit: 'FilesUnfit',
  Removed: 'Removed',
  Failed: 'Failed',
} as const;
export type BackupReason = (typeof BackupReason)[keyof typeof BackupReason];
/** Reasons of `Verified` of a LedgerBackup, beside those of `Succeeded` when the test failed or could not be made. */
export const VerifiedReason = {
  NotVerified: 'NotVerified',
  Passed: 'Passed',
  NotScheduled: 'NotScheduled',
  NotStarted: 'NotStarted',
} as const;
export type VerifiedReason = (typeof VerifiedReason)[keyof typeof VerifiedReason];
/** Reasons of `Active` of a LedgerBackupSchedule. */
export const ScheduleReason = {
  Scheduled: 'Scheduled',
  Suspended: 'Suspended',
  InvalidSchedule: 'InvalidSchedule',
  NameTaken: 'NameTaken',
} as const;
export type ScheduleReason = (typeof ScheduleReason)[keyof typeof ScheduleReason];

/** Reasons of `Tried` of a LedgerImport. */
export const ImportReason = {
  StoreNotConfigured: 'StoreNotConfigured',
  Waiting: 'Waiting',
  Running: 'Running',
  Delayed: 'Delayed',
  Sound: 'Sound',
  Faulty: 'Faulty',
  StoreUnreachable: 'StoreUnreachable',
  StoreRefused: 'StoreRefused',
  FilesMissing: 'FilesMissing',
  FilesChanged: 'FilesChanged',
  TooLarge: 'TooLarge',
  Failed: 'Failed',
} as const;
export type ImportReason = (typeof ImportReason)[keyof typeof ImportReason];

/** Events about data files that are damaged or were. */
export const DataEvent = { mended: 'DataMended' } as const;

/** Events about volumes: of a database that is gone, and of one whose storage grows by itself. */
export const VolumeEvent = {
  grows: 'StorageGrows',
  retained: 'VolumeRetained',
  purged: 'VolumePurged',
  left: 'VolumeLeft',
} as const;
