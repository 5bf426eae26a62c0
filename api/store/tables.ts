/**
 * The tables in kysely's form: columns in camel case, UUIDs as text, bigint as text, times as Date. Only `api/store` and the
 * worker see rows; other code gets the records that the functions of this folder return.
 */
import type { ColumnType, Generated, JSONColumnType, Kysely } from 'kysely';
import type { EventOutcome } from '../model/event.ts';
import type { EventType } from '../model/event-types.ts';
import type { BillingTables } from './billing-tables.ts';

/** PostgreSQL sets it by default. */
type Time = ColumnType<Date, Date | undefined, Date>;
type MaybeTime = ColumnType<Date | null, Date | null | undefined, Date | null>;
/** Written as JSON text. */
type Json<T extends object> = JSONColumnType<T>;
type MaybeJson = ColumnType<object | null, string | null | undefined, string | null>;

export interface OrganizationsTable {
  id: string;
  slug: string;
  name: string;
  namespace: string;
  status: string;
  databasesMax: ColumnType<number | null, number | null | undefined, number | null>;
  auditRetentionDays: Generated<number>;
  maintenanceWindow: MaybeJson;
  suspendedAt: MaybeTime;
  suspensionReason: ColumnType<string | null, string | null | undefined, string | null>;
  version: Generated<number>;
  createdBy: Json<object>;
  createdAt: Time;
  updatedAt: Time;
  deletedAt: MaybeTime;
  purgeAt: MaybeTime;
  purgedAt: MaybeTime;
}

interface NamespaceDefaultsTable {
  organizationId: string;
  namespaceUid: string;
}

export interface SessionsTable {
  id: string;
  kind: Generated<string>;
  userId: string | null;
  tokenHash: Buffer | null;
  csrfHash: Buffer | null;
  bootstrapMac: Buffer | null;
  ip: string | null;
  userAgent: string | null;
  createdAt: Time;
  lastUsedAt: Time;
  expiresAt: ColumnType<Date, Date, Date>;
  endedAt: MaybeTime;
}

interface DeviceRequestsTable {
  deviceCodeHash: Buffer;
  userCode: string;
  ip: string | null;
  userAgent: string | null;
  createdAt: Time;
  expiresAt: ColumnType<Date, Date, Date>;
  polledAt: MaybeTime;
  intervalSeconds: number;
  decision: string | null;
  userId: string | null;
  bootstrapMac: Buffer | null;
}

interface UsedSignInsTable {
  stateHash: Buffer;
  expiresAt: ColumnType<Date, Date, Date>;
}

interface AccessTokensTable {
  tokenHash: Buffer;
  sessionId: string;
  expiresAt: ColumnType<Date, Date, Date>;
}

interface RefreshTokensTable {
  tokenHash: Buffer;
  sessionId: string;
  expiresAt: ColumnType<Date, Date, Date>;
  usedAt: MaybeTime;
}

export interface ApiKeysTable {
  renewedAt: MaybeTime;
  toldDays: number | null;
  id: string;
  organizationId: string;
  name: string;
  publicId: string;
  secretHash: Buffer;
  lastFour: string;
  databaseId: string | null;
  permissions: string[];
  ipAllowList: Generated<string[]>;
  expiresAt: MaybeTime;
  lastUsedAt: MaybeTime;
  lastUsedIp: string | null;
  lastUsedUserAgent: string | null;
  createdAt: Time;
  createdBy: Json<object>;
  revokedAt: MaybeTime;
  revokedBy: MaybeJson;
  rotatedFrom: string | null;
  rotationEndsAt: MaybeTime;
}

export interface DatabasesTable {
  id: string;
  organizationId: string;
  name: string;
  mode: string;
  status: string;
  statusReason: MaybeJson;
  health: Generated<string>;
  clusterId: string | null;
  deletionProtection: boolean;
  labels: Json<Record<string, string>>;
  observed: MaybeJson;
  kubernetesNamespace: string;
  kubernetesUid: string | null;
  adopted: Generated<boolean>;
  restoredFrom: MaybeJson;
  importedFrom: MaybeJson;
  maintenanceWindow: MaybeJson;
  version: Generated<number>;
  createdAt: Time;
  createdBy: Json<object>;
  updatedAt: Time;
  readyAt: MaybeTime;
  deletedAt: MaybeTime;
  purgeAt: MaybeTime;
  purgedAt: MaybeTime;
}

export interface ProfilesTable {
  id: string;
  databaseId: string;
  revision: number;
  active: boolean;
  status: string;
  provider: string;
  region: string;
  clusterConfiguration: string;
  clusterSize: string;
  storageTier: string;
  selectedStorageGb: number;
  engine: string;
  engineVersion: string;
  parameters: Json<Record<string, string>>;
  autogrowLimitGb: ColumnType<number | null, number | null | undefined, number | null>;
  archiveRpoSeconds: ColumnType<number | null, number | null | undefined, number | null>;
  streamsSuspended: Generated<boolean>;
  suspended: Generated<boolean>;
  price: MaybeJson;
  actor: MaybeJson;
  error: MaybeJson;
  createdAt: Time;
  readyAt: MaybeTime;
  supersededAt: MaybeTime;
}

export interface JobsTable {
  id: string;
  organizationId: string;
  databaseId: string | null;
  type: string;
  status: string;
  input: Json<object>;
  progress: Json<object>;
  steps: Json<object[]>;
  attempt: Generated<number>;
  maxAttempts: number;
  failures: Generated<number>;
  timeoutMs: number;
  exclusive: Generated<boolean>;
  deadlineAt: ColumnType<Date, Date, Date>;
  cancellable: boolean;
  retryable: Generated<boolean>;
  error: MaybeJson;
  actor: Json<object>;
  requestId: string | null;
  dueAt: Time;
  woken: Generated<boolean>;
  leaseOwner: string | null;
  leaseToken: string | null;
  leaseUntil: MaybeTime;
  version: Generated<number>;
  createdAt: Time;
  startedAt: MaybeTime;
  finishedAt: MaybeTime;
  updatedAt: Time;
}

export interface BackupsTable {
  id: string;
  organizationId: string;
  databaseId: string;
  name: string;
  type: string;
  method: Generated<string>;
  status: string;
  statusReason: MaybeJson;
  protected: boolean;
  hold: MaybeJson;
  expiresAt: MaybeTime;
  schedule: ColumnType<string | null, string | null | undefined, string | null>;
  kubernetesNamespace: string;
  resourceName: string;
  kubernetesUid: ColumnType<string | null, string | null | undefined, string | null>;
  resourceVersion: ColumnType<string | null, string | null | undefined, string | null>;
  resourceGone: Generated<boolean>;
  removing: Generated<boolean>;
  jobId: ColumnType<string | null, string | null | undefined, string | null>;
  facts: MaybeJson;
  verification: MaybeJson;
  actor: Json<object>;
  version: Generated<number>;
  createdAt: Time;
  updatedAt: Time;
  startedAt: MaybeTime;
  completedAt: MaybeTime;
  removedAt: MaybeTime;
}

export interface ImportsTable {
  id: string;
  organizationId: string;
  status: string;
  replicaCount: number | null;
  partSizeBytes: number;
  rows: MaybeJson;
  report: MaybeJson;
  clusterId: string | null;
  databaseId: ColumnType<string | null, string | null | undefined, string | null>;
  createdBy: Json<object>;
  createdAt: Time;
  expiresAt: ColumnType<Date, Date, Date>;
  endedAt: MaybeTime;
  removeAt: MaybeTime;
  removals: Generated<number>;
}

interface ImportFilesTable {
  importId: string;
  replicaIndex: number;
  sizeBytes: string;
  head: MaybeJson;
  uploadId: ColumnType<string | null, string | null | undefined, string | null>;
  isWhole: Generated<boolean>;
}

interface ImportPartsTable {
  importId: string;
  replicaIndex: number;
  number: number;
  sha256: Buffer;
}

export interface BackupSchedulesTable {
  id: string;
  organizationId: string;
  databaseId: string;
  name: string;
  kubernetesNamespace: string;
  resourceVersion: string;
  spec: Json<object>;
  state: Json<object>;
  actor: Json<object>;
  version: Generated<number>;
  createdAt: Time;
  updatedAt: Time;
}

export interface ConfigurationChangesTable {
  id: string;
  organizationId: string;
  databaseId: string;
  status: string;
  origin: string;
  request: Json<object>;
  diff: Json<object[]>;
  impact: Json<object>;
  priceDelta: MaybeJson;
  applyAfter: MaybeTime;
  inWindow: Generated<boolean>;
  jobId: ColumnType<string | null, string | null | undefined, string | null>;
  generation: ColumnType<string | null, string | null | undefined, string | null>;
  previousRevision: number;
  profileRevision: ColumnType<number | null, number | null | undefined, number | null>;
  replaced: MaybeJson;
  progress: ColumnType<string | null, string | null | undefined, string | null>;
  error: MaybeJson;
  actor: Json<object>;
  requestId: string | null;
  version: Generated<number>;
  createdAt: Time;
  updatedAt: Time;
  startedAt: MaybeTime;
  finishedAt: MaybeTime;
}

interface EngineNoticesTable {
  databaseId: string;
  version: string;
  kind: string;
  at: Date;
  toldAt: Time;
  notBefore: Date | null;
  lookAt: Date | null;
}

interface EventHeadsTable {
  organizationId: string;
  sequence: string;
  hash: Buffer;
  keyedFrom: string | null;
  keyVersion: string | null;
  mac: Buffer | null;
}

interface EventBasesTable {
  organizationId: string;
  sequence: string;
  hash: Buffer;
  retentionDays: number;
  keyVersion: string;
  mac: Buffer;
}

interface EventProofsTable {
  organizationId: string;
  sequence: string;
  hash: Buffer;
  retentionDays: number;
  chosenAt: Date | null;
  keyVersion: string;
  mac: Buffer;
}

export interface EventsTable {
  id: string;
  organizationId: string;
  sequence: string;
  type: EventType;
  outcome: EventOutcome;
  occurredAt: ColumnType<Date, Date, never>;
  subjectType: string;
  subjectId: string | null;
  subjectDisplay: string;
  databaseId: string | null;
  actor: Json<object>;
  actorId: string | null;
  ip: string | null;
  userAgent: string | null;
  requestId: string | null;
  data: Json<object>;
  changes: Json<object[]>;
  previousHash: Buffer;
  hash: Buffer;
  keyVersion: string | null;
}

interface EventPositionsTable {
  consumer: string;
  organizationId: string;
  sequence: string;
}

export interface WebhookEndpointsTable {
  id: string;
  organizationId: string;
  url: string;
  description: string;
  eventTypes: string[];
  databaseId: string | null;
  status: string;
  disabledReason: string | null;
  sealedSecret: Buffer;
  previousSealedSecret: Buffer | null;
  previousSecretUntil: MaybeTime;
  testedAt: MaybeTime;
  dueAt: MaybeTime;
  throttledUntil: MaybeTime;
  failures: Generated<number>;
  failingSince: MaybeTime;
  failedAt: MaybeTime;
  leaseOwner: string | null;
  leaseToken: string | null;
  leaseUntil: MaybeTime;
  sealedBy: string | null;
  version: Generated<number>;
  createdAt: Time;
  createdBy: Json<object>;
  updatedAt: Time;
}

export interface ChangeStreamsTable {
  id: string;
  organizationId: string;
  databaseId: string;
  description: string;
  sinkType: string;
  url: string;
  sinkOptions: Json<object>;
  passwordSet: Generated<boolean>;
  sealedSecret: Buffer;
  sealedBy: string;
  previousSealedSecret: Buffer | null;
  previousSecretUntil: MaybeTime;
  state: Generated<string>;
  stateReason: string | null;
  suspended: Generated<boolean>;
  startedAfter: string;
  position: string;
  delivered: Generated<string>;
  sentBytes: Generated<string>;
  deliveredAt: MaybeTime;
  pendingFrom: string | null;
  failures: Generated<number>;
  failing: string | null;
  failingSince: MaybeTime;
  toldFailing: Generated<boolean>;
  lastError: MaybeJson;
  dueAt: MaybeTime;
  leaseOwner: string | null;
  leaseToken: string | null;
  leaseUntil: MaybeTime;
  version: Generated<number>;
  createdAt: Time;
  createdBy: Json<object>;
  updatedAt: Time;
}

export interface SavedQueriesTable {
  id: string;
  organizationId: string;
  databaseId: string;
  name: string;
  operation: string;
  filters: Json<object>;
  version: Generated<number>;
  createdAt: Time;
  createdBy: Json<object>;
  updatedAt: Time;
}

export interface WebhookDeliveriesTable {
  id: string;
  organizationId: string;
  endpointId: string;
  eventId: string;
  eventType: string;
  databaseId: string | null;
  status: Generated<string>;
  attemptCount: Generated<number>;
  schedulePosition: Generated<number>;
  replayGeneration: Generated<number>;
  manual: Generated<boolean>;
  nextAttemptAt: MaybeTime;
  lastAttemptAt: MaybeTime;
  lastStatusCode: number | null;
  lastError: string | null;
  createdAt: Time;
}

interface WebhookAttemptsTable {
  deliveryId: string;
  number: number;
  trigger: string;
  outcome: string;
  requestHeaders: Json<Record<string, string>>;
  statusCode: number | null;
  error: string | null;
  responseExcerpt: string | null;
  startedAt: ColumnType<Date, Date, never>;
  durationMs: number;
}

export interface ConnectionChecksTable {
  id: string;
  organizationId: string;
  databaseId: string;
  language: string | null;
  accountId: string;
  createdAt: Time;
  createdBy: Json<object>;
  expiresAt: ColumnType<Date, Date, Date>;
  observed: MaybeJson;
  troubles: ColumnType<object[], string | undefined, string>;
}

interface IdempotencyKeysTable {
  principal: string;
  key: string;
  requestHash: Buffer;
  token: string | null;
  leaseUntil: MaybeTime;
  sealedAnswer: Buffer | null;
  createdAt: Time;
  expiresAt: ColumnType<Date, Date, Date>;
}

export interface UsersTable {
  id: string;
  email: string | null;
  emailVerified: boolean;
  name: string;
  createdAt: Time;
  updatedAt: Time;
}

interface IdentitiesTable {
  issuer: string;
  subject: string;
  userId: string;
  createdAt: Time;
}

export interface MembershipsTable {
  id: string;
  organizationId: string;
  userId: string;
  role: string;
  databaseIds: string[] | null;
  version: Generated<number>;
  createdAt: Time;
  updatedAt: Time;
}

export interface InvitationsTable {
  id: string;
  organizationId: string;
  email: string;
  role: string;
  databaseIds: string[] | null;
  tokenHash: Buffer;
  createdAt: Time;
  createdBy: Json<object>;
  sentAt: Time;
  expiresAt: ColumnType<Date, Date, Date>;
  acceptedAt: MaybeTime;
  acceptedBy: string | null;
  revokedAt: MaybeTime;
}

interface MailsTable {
  id: string;
  recipient: string;
  sealedContent: Buffer | null;
  createdAt: Time;
  dueAt: Time;
  attempts: Generated<number>;
  sentAt: MaybeTime;
  givenUpAt: MaybeTime;
}

interface WorkersTable {
  id: string;
  version: string;
  problem: string | null;
  startedAt: Time;
  seenAt: Time;
  stoppedAt: MaybeTime;
}

export interface NotificationSettingsTable {
  organizationId: string;
  person: string;
  readThrough: Generated<string>;
  mutedKinds: Generated<string[]>;
  mutedDatabases: Generated<string[]>;
  mailKinds: Generated<string[] | null>;
  digestKinds: Generated<string[]>;
  digestThrough: Generated<string>;
  digestDueAt: MaybeTime;
  mailDay: Generated<string | null>;
  mailsOfDay: Generated<number>;
}

interface MetricSamplesTable {
  at: ColumnType<Date, Date, never>;
  databaseId: string;
  source: string;
  readings: (number | null)[];
  latencies: (number | null)[] | null;
  failures: ColumnType<(number | null)[] | null, (number | null)[] | null | undefined, never>;
}

/** Samples of ten minutes; its figures are bytes (api/store/packed-figures.ts). */
interface MetricPacksTable {
  at: ColumnType<Date, Date, never>;
  databaseId: string;
  source: string;
  packedReadings: Buffer | null;
  packedLatencies: Buffer | null;
  packedFailures: Buffer | null;
}

/** A roll-up of samples. */
interface MetricRollupTable extends MetricSamplesTable {
  lowest: (number | null)[];
  highest: (number | null)[];
  samples: number | null;
  known: number[] | null;
}

interface MetricRollupsTable {
  kind: string;
  doneUntil: ColumnType<Date, Date, Date>;
}

interface MetricShardsTable {
  shard: number;
  leaseOwner: string | null;
  leaseUntil: MaybeTime;
}

interface MetricMarksTable {
  id: Generated<string>;
  at: ColumnType<Date, Date, never>;
  databaseId: string;
  kind: string;
  replica: number | null;
  detail: string;
}

interface RemarkableRequestsTable {
  id: Generated<string>;
  at: ColumnType<Date, Date, never>;
  databaseId: string;
  operation: string;
  code: string | null;
  events: number;
  durationMs: number;
  ledgerMs: number | null;
  requestId: string;
  credentialId: string;
  standsFor: number;
}

interface LogLinesTable {
  id: Generated<string>;
  at: ColumnType<Date, Date, never>;
  databaseId: string;
  severity: number;
  component: string;
  node: number | null;
  message: string;
  attributes: string;
  bytes: number;
}

interface LogSourcesTable {
  databaseId: string;
  pod: string;
  container: string;
  place: Generated<string>;
  seenAt: Time;
}

interface LogVolumesTable {
  databaseId: string;
  day: string;
  bytes: string;
}

export interface Tables extends BillingTables {
  metricSamples: MetricSamplesTable;
  metricPacks: MetricPacksTable;
  metricMinutes: MetricRollupTable;
  metricTens: MetricRollupTable;
  metricRollups: MetricRollupsTable;
  metricShards: MetricShardsTable;
  metricMarks: MetricMarksTable;
  remarkableRequests: RemarkableRequestsTable;
  logLines: LogLinesTable;
  logSources: LogSourcesTable;
  logVolumes: LogVolumesTable;
  users: UsersTable;
  identities: IdentitiesTable;
  memberships: MembershipsTable;
  invitations: InvitationsTable;
  mails: MailsTable;
  organizations: OrganizationsTable;
  namespaceDefaults: NamespaceDefaultsTable;
  sessions: SessionsTable;
  deviceRequests: DeviceRequestsTable;
  usedSignIns: UsedSignInsTable;
  accessTokens: AccessTokensTable;
  refreshTokens: RefreshTokensTable;
  apiKeys: ApiKeysTable;
  databases: DatabasesTable;
  profiles: ProfilesTable;
  jobs: JobsTable;
  configurationChanges: ConfigurationChangesTable;
  backups: BackupsTable;
  backupSchedules: BackupSchedulesTable;
  imports: ImportsTable;
  importFiles: ImportFilesTable;
  importParts: ImportPartsTable;
  engineNotices: EngineNoticesTable;
  eventHeads: EventHeadsTable;
  eventBases: EventBasesTable;
  eventProofs: EventProofsTable;
  events: EventsTable;
  eventPositions: EventPositionsTable;
  webhookEndpoints: WebhookEndpointsTable;
  webhookDeliveries: WebhookDeliveriesTable;
  changeStreams: ChangeStreamsTable;
  savedQueries: SavedQueriesTable;
  webhookAttempts: WebhookAttemptsTable;
  connectionChecks: ConnectionChecksTable;
  notificationSettings: NotificationSettingsTable;
  idempotencyKeys: IdempotencyKeysTable;
  workers: WorkersTable;
}

/** Argument of functions in this folder that only read: the store, or a change in progress. */
export type Reader = Kysely<Tables>;
