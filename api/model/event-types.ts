/**
 * Events of an organization, by name. The audit log, notifications and webhooks read them. Types are never renamed; data only
 * gains properties.
 */
import type { Actor } from './actor.ts';

interface DatabaseFact {
  readonly id: string;
  readonly name: string;
  readonly status: string;
}

interface JobFact {
  readonly id: string;
  readonly type: string;
  readonly status: string;
}

interface ReasonFact {
  readonly code: string;
  readonly message: string;
}

interface ApiKeyFact {
  readonly id: string;
  readonly name: string;
  /** The visible part of the key. */
  readonly prefix: string;
}

interface WebhookEndpointFact {
  readonly id: string;
  readonly url: string;
}

interface ChangeStreamFact {
  readonly id: string;
  readonly state: string;
  readonly sink: { readonly type: string; readonly url: string };
}

interface MemberFact {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly role: string;
}

interface InvitationFact {
  readonly id: string;
  readonly email: string;
  readonly role: string;
}

interface AboutOrganization {
  readonly organization: { readonly id: string; readonly name: string };
}

interface AboutDatabase {
  readonly database: DatabaseFact;
  readonly job?: JobFact;
  readonly reason?: ReasonFact | null;
}

interface AboutChange {
  readonly database: DatabaseFact;
  readonly change: { readonly id: string; readonly status: string };
  /** What came of the change that its preview did not say. */
  readonly warnings?: readonly string[];
  readonly jobId?: string;
  readonly error?: ReasonFact;
}

/** `version`: the one that the database runs. `at`: the date that the catalog has. */
interface AboutEngineUpdate {
  readonly database: DatabaseFact;
  readonly engine: { readonly name: string; readonly version: string };
  /**
   * A forced version is not applied before `notBefore`. From `latest` on it is also applied outside of the maintenance window. Both are
   * absent if the version is not forced.
   */
  readonly update: {
    readonly version: string;
    readonly at: string;
    readonly notBefore?: string;
    readonly latest?: string;
  };
}

interface AboutBackup {
  readonly database: DatabaseFact;
  readonly backup: {
    readonly id: string;
    readonly name: string;
    readonly type: string;
    readonly status: string;
    /** SHA-256 of its record in the bucket, once it is made. */
    readonly recordSha256?: string;
  };
  readonly error?: ReasonFact;
}

interface AboutImport {
  readonly import: {
    readonly id: string;
    readonly status: string;
    readonly clusterId: string | null;
    /** Null for rows. */
    readonly replicaCount: number | null;
  };
  /** The database that begins with it. */
  readonly database?: DatabaseFact;
  readonly error?: ReasonFact;
}

/** `backup`: the one with which the new database begins; absent if it begins with the log alone. */
interface AboutRestore {
  readonly database: DatabaseFact;
  readonly backup?: AboutBackup['backup'];
  readonly restored: DatabaseFact;
  /** The moment up to which the log is replayed. */
  readonly moment?: { readonly targetOp?: number; readonly targetTimestamp?: string };
}

/** `backup` or `moment`: the state to which it goes back. `requestedBy`: the person who set it back. */
interface AboutReturn {
  readonly database: DatabaseFact;
  readonly backup?: AboutBackup['backup'];
  readonly moment?: AboutRestore['moment'];
  readonly change: AboutChange['change'];
  readonly jobId?: string;
  readonly requestedBy: Actor;
}

interface AboutBackupSchedule {
  readonly database: DatabaseFact;
  readonly backupSchedule: {
    readonly id: string;
    readonly name: string;
    readonly schedule: string;
    readonly timeZone: string;
  };
}

interface AboutChangeStream {
  readonly database: DatabaseFact;
  readonly changeStream: ChangeStreamFact;
}

interface AboutBilling {
  readonly status: string;
}

interface AboutJob {
  readonly job: JobFact;
  readonly database?: DatabaseFact;
  readonly error?: ReasonFact;
}

/** `repeated`: so many attempts with the same reason followed the one that was written before; this record is the last of them. */
interface RefusedAttempt {
  readonly action: string;
  readonly code: string;
  readonly repeated?: number;
}

/** Data of each event type, besides its subject. */
export interface EventData {
  'organization.created': AboutOrganization;
  'organization.changed': AboutOrganization;
  /** `reason`: for the members of the organization. */
  'organization.suspended': AboutOrganization & { readonly reason?: string | null };
  'organization.resumed': AboutOrganization;
  /** `purgeAt`: until then it can be restored. */
  'organization.deleted': AboutOrganization & { readonly purgeAt?: string | null };
  'organization.restored': AboutOrganization;
  /** `retainedBackups`: number of backups that stay in the bucket. */
  'organization.purged': AboutOrganization & { readonly retainedBackups?: number };
  'session.opened': Record<string, never>;
  'session.closed': Record<string, never>;
  'session.token_reused': Record<string, never>;
  'access.denied': RefusedAttempt;
  'request.failed': RefusedAttempt;
  'database.created': AboutDatabase;
  'database.provisioning_started': AboutDatabase;
  'database.ready': AboutDatabase;
  'database.failed': AboutDatabase;
  'database.degraded': AboutDatabase;
  'database.unavailable': AboutDatabase;
  'database.recovered': AboutDatabase;
  'database.nearly_full': AboutDatabase;
  'database.full': AboutDatabase;
  'database.has_room': AboutDatabase;
  'database.suspended': AboutDatabase;
  'database.resumed': AboutDatabase;
  'database.adopted': AboutDatabase;
  'database.changed': AboutDatabase;
  'database.delete_requested': AboutDatabase;
  'database.deleted': AboutDatabase;
  'database.restore_requested': AboutDatabase;
  'database.restored': AboutDatabase;
  'database.restore_in_place_requested': AboutReturn;
  'database.restored_in_place': AboutReturn;
  'database.purged': AboutDatabase;
  /** `operations`: number of requests of each operation. */
  'database.connected': {
    readonly from: string;
    readonly until: string;
    readonly opened: number;
    readonly refused: number;
    readonly operations: Readonly<Record<string, number>>;
  };
  /** `events`: number of accounts or transfers in the request. `payloadSha256`: hash of the body as sent, in hexadecimal. */
  'database.ledger_written': {
    readonly operation: string;
    readonly events: number;
    readonly payloadSha256: string;
  };
  'configuration.change_queued': AboutChange;
  'configuration.change_started': AboutChange;
  'configuration.change_applied': AboutChange;
  'configuration.change_failed': AboutChange;
  'configuration.change_withdrawn': AboutChange;
  'engine.upgraded': AboutChange;
  'engine.update_available': AboutEngineUpdate;
  'engine.deprecation_announced': AboutEngineUpdate;
  'engine.update_announced': AboutEngineUpdate;
  'engine.update_failed': AboutEngineUpdate & { readonly error: ReasonFact };
  'backup.requested': AboutBackup;
  'backup.succeeded': AboutBackup;
  'backup.failed': AboutBackup;
  'backup.damaged': AboutBackup;
  'backup.log_incomplete': AboutBackup & { readonly reason: ReasonFact };
  'backup.changed': AboutBackup;
  'backup.held': AboutBackup;
  'backup.released': AboutBackup;
  'backup.test_requested': AboutBackup;
  'backup.restore_requested': AboutRestore;
  'backup.delete_requested': AboutBackup;
  'backup.deleted': AboutBackup;
  'backup.expired': AboutBackup;
  'backup_schedule.created': AboutBackupSchedule;
  'backup_schedule.changed': AboutBackupSchedule;
  'backup_schedule.deleted': AboutBackupSchedule;
  'import.created': AboutImport;
  'import.validated': AboutImport;
  'import.completed': AboutImport;
  'import.failed': AboutImport;
  'import.deleted': AboutImport;
  'import.expired': AboutImport;
  'job.succeeded': AboutJob;
  'job.failed': AboutJob;
  'job.cancel_requested': AboutJob;
  'job.canceled': AboutJob;
  'job.completed': AboutJob;
  'job.refused': AboutJob;
  'job.retried': AboutJob;
  'api_key.created': { readonly apiKey: ApiKeyFact };
  'api_key.rotated': { readonly apiKey: ApiKeyFact; readonly replacedBy: ApiKeyFact };
  'api_key.revoked': { readonly apiKey: ApiKeyFact };
  'api_key.renewed': { readonly apiKey: ApiKeyFact };
  'api_key.changed': { readonly apiKey: ApiKeyFact };
  /** `expiresAt`: RFC 3339. `days`: the expiry is at most so many days away. */
  'api_key.expiring': {
    readonly apiKey: ApiKeyFact;
    readonly expiresAt: string;
    readonly days: number;
  };
  'webhook.endpoint_created': { readonly endpoint: WebhookEndpointFact };
  'webhook.endpoint_changed': { readonly endpoint: WebhookEndpointFact };
  'webhook.endpoint_deleted': { readonly endpoint: WebhookEndpointFact };
  'webhook.endpoint_disabled': { readonly endpoint: WebhookEndpointFact; readonly reason: string };
  'webhook.endpoint_secret_shown': { readonly endpoint: WebhookEndpointFact };
  'webhook.endpoint_secret_rotated': { readonly endpoint: WebhookEndpointFact };
  'webhook.test': { readonly endpoint: WebhookEndpointFact };
  /** `count`: number of deliveries that are made again. */
  'webhook.deliveries_replayed': { readonly count: number };
  'change_stream.created': AboutChangeStream;
  'change_stream.changed': AboutChangeStream;
  'change_stream.deleted': AboutChangeStream;
  'change_stream.secret_shown': AboutChangeStream;
  'change_stream.secret_rotated': AboutChangeStream;
  'change_stream.stalled': AboutChangeStream & { readonly reason: ReasonFact };
  'change_stream.failed': AboutChangeStream & { readonly reason: ReasonFact };
  'change_stream.recovered': AboutChangeStream;
  'member.invited': { readonly invitation: InvitationFact };
  'member.invitation_revoked': { readonly invitation: InvitationFact };
  'member.joined': { readonly member: MemberFact };
  'member.role_changed': { readonly member: MemberFact };
  'member.removed': { readonly member: MemberFact };
  'billing.setup_required': { readonly reason: string };
  'billing.setup_completed': AboutBilling;
  'billing.payment_failed': AboutBilling;
  'billing.payment_method_removed': AboutBilling;
  'billing.suspended': AboutBilling;
  'billing.recovered': AboutBilling;
  'billing.saved_create_failed': { readonly name: string; readonly reason: ReasonFact };
  'billing.spend_limit_changed': Record<string, never>;
  'billing.spend_threshold_reached': {
    readonly percent: number;
    readonly currency: string;
    readonly accrued: string;
    readonly spendLimit: string;
  };
}
export type EventType = keyof EventData;

interface EventTypeRow {
  readonly description: string;
  /** Whether the event is sent to webhooks. Other events appear in the audit log only. */
  readonly webhook: boolean;
}

const sent = (description: string): EventTypeRow => ({ description, webhook: true });
const audited = (description: string): EventTypeRow => ({ description, webhook: false });

export const eventTypes: Readonly<Record<EventType, EventTypeRow>> = {
  'organization.created': sent('An organization was created.'),
  'organization.changed': sent('Name or quota of an organization were changed.'),
  'organization.suspended': sent(
    'An organization was suspended: it can be read, and its databases run on.',
  ),
  'organization.resumed': sent('The suspension of an organization ended.'),
  'organization.deleted': audited('An organization was deleted; it can be restored for a week.'),
  'organization.restored': sent('A deleted organization was restored.'),
  'organization.purged': audited('A deleted organization can no longer be restored.'),
  'session.opened': audited('Somebody signed in.'),
  'session.closed': audited('Somebody signed out, or ended a session elsewhere.'),
  'session.token_reused': audited('A used refresh token was sent again; the session was ended.'),
  'access.denied': audited('A valid credential lacked the right for a request.'),
  'request.failed': audited('A request that would have changed something was refused.'),
  'database.created': sent('The creation of a database was requested and queued.'),
  'database.provisioning_started': sent('Work on a new database began.'),
  'database.ready': sent('A database serves for the first time.'),
  'database.failed': sent('A database could not be created.'),
  'database.degraded': sent('A database serves, but not all of its parts are healthy.'),
  'database.unavailable': sent('A database does not serve.'),
  'database.recovered': sent('A database is healthy again.'),
  'database.nearly_full': sent('Nine tenths of a limit of a database are used.'),
  'database.full': sent('A database is full: it answers queries and takes no new records.'),
  'database.has_room': sent('A database that was full, or nearly, has room again.'),
  'database.suspended': sent('A database was stopped; its data stays.'),
  'database.resumed': sent('A stopped database serves again.'),
  'database.adopted': sent('A database that was applied directly to the cluster was found.'),
  'database.changed': sent(
    'Labels, protection or the configuration of a database were changed, over HTTP or in Kubernetes.',
  ),
  'database.delete_requested': sent(
    'The deletion of a database was requested; it can be restored until it is purged.',
  ),
  'database.deleted': sent('A database was deleted; its volumes stay until it is purged.'),
  'database.restore_requested': sent('The restoration of a deleted database was requested.'),
  'database.restored': sent('A deleted database serves again.'),
  'database.restore_in_place_requested': sent(
    'A database is to go back to an earlier state of its ledger; until its replicas stop, the job can be cancelled.',
  ),
  'database.restored_in_place': sent(
    'A database went back to an earlier state of its ledger. A last backup keeps what it has lost.',
  ),
  'database.purged': sent('A deleted database can no longer be restored.'),
  'database.connected': audited(
    'Somebody used a database through tunnels; the sums of a minute, for one credential.',
  ),
  'database.ledger_written': audited(
    'A person sent accounts or transfers to a ledger; the result of each is in the ledger.',
  ),
  'configuration.change_queued': sent(
    'A change of a database’s configuration waits, or more was added to it.',
  ),
  'configuration.change_started': sent('A change of a database’s configuration is being applied.'),
  'configuration.change_applied': sent('A change of a database’s configuration was applied.'),
  'configuration.change_failed': sent('A change of a database’s configuration failed.'),
  'configuration.change_withdrawn': sent(
    'A change of a database’s configuration was withdrawn before it began.',
  ),
  'engine.upgraded': sent('A database runs another version of its engine.'),
  'engine.update_available': sent('A database can be updated to a newer version of its engine.'),
  'engine.deprecation_announced': sent(
    'The version of its engine that a database runs will be deprecated, or is.',
  ),
  'engine.update_announced': sent(
    'A database will get a newer version of its engine in a maintenance window.',
  ),
  'engine.update_failed': sent(
    'A database could not get the newer version of its engine in its maintenance window; it is tried again in the next one.',
  ),
  'backup.requested': sent('A backup of a database was requested.'),
  'backup.succeeded': sent('A backup of a database was made.'),
  'backup.failed': sent('A backup of a database could not be made.'),
  'backup.damaged': sent('A test restore found a backup damaged.'),
  'backup.log_incomplete': sent(
    'The last operations before a last backup could not be added to the archived log: a database cannot be restored to a moment among them.',
  ),
  'backup.changed': sent('Name or protection of a backup were changed.'),
  'backup.held': sent('A backup is held: nothing removes it.'),
  'backup.released': sent('A backup is no longer held.'),
  'backup.test_requested': sent('A test restore of a backup was requested.'),
  'backup.restore_requested': sent(
    'A new database is begun with a backup, or as another one was at a moment.',
  ),
  'backup.delete_requested': sent('The removal of a backup was requested.'),
  'backup.deleted': sent('A backup was removed as requested; it cannot be restored any more.'),
  'backup.expired': sent('A backup was removed because its time was over.'),
  'backup_schedule.created': sent('A schedule of backups was made.'),
  'backup_schedule.changed': sent('A schedule of backups was changed.'),
  'backup_schedule.deleted': sent('A schedule of backups was deleted; its backups stay.'),
  'import.created': sent('The upload of files for a new database was begun.'),
  'import.validated': sent('All files of an import are there and belong together.'),
  'import.completed': sent('A database serves that began with imported files.'),
  'import.failed': sent(
    'The files of an import do not belong together, or a database could not be made of them.',
  ),
  'import.deleted': sent('An import was deleted; its files are removed.'),
  'import.expired': sent('An import was not used in time; its files are removed.'),
  'job.succeeded': sent('A job succeeded.'),
  'job.failed': sent('A job failed.'),
  'job.cancel_requested': sent('The cancellation of a job was requested.'),
  'job.canceled': sent('A job was cancelled.'),
  'job.completed': sent('The provider completed a job that waited for it.'),
  'job.refused': sent('The provider refused a job that waited for it.'),
  'job.retried': sent('A failed job is retried.'),
  'api_key.created': sent('An API key was created.'),
  'api_key.rotated': sent('An API key was replaced by another.'),
  'api_key.revoked': sent('An API key was revoked.'),
  'api_key.renewed': sent('An API key got another expiry.'),
  'api_key.changed': sent('The name or the address list of an API key was changed.'),
  'api_key.expiring': sent('An API key expires in a week, or in a day.'),
  'webhook.endpoint_created': sent('A webhook endpoint was added.'),
  'webhook.endpoint_changed': sent('A webhook endpoint was changed.'),
  'webhook.endpoint_deleted': sent('A webhook endpoint was removed.'),
  'webhook.endpoint_disabled': sent(
    'A webhook endpoint was disabled because its receiver failed for five days, or said that it is gone.',
  ),
  'webhook.endpoint_secret_shown': audited('Somebody read the secret of a webhook endpoint.'),
  'webhook.endpoint_secret_rotated': sent('A webhook endpoint got another secret.'),
  'webhook.test': sent('Somebody tests a webhook endpoint; only that endpoint gets it.'),
  'webhook.deliveries_replayed': audited('Deliveries of webhooks are made again.'),
  'change_stream.created': sent('A change stream was made.'),
  'change_stream.changed': sent('A change stream was changed, paused or resumed.'),
  'change_stream.deleted': sent('A change stream was deleted.'),
  'change_stream.secret_shown': audited('Somebody read the secret of a change stream.'),
  'change_stream.secret_rotated': sent('A change stream got another secret.'),
  'change_stream.stalled': sent(
    'A change stream has delivered nothing for five minutes although it should; it is tried again.',
  ),
  'change_stream.failed': sent(
    'A change stream stopped: its sink failed for a day, or said that it is gone.',
  ),
  'change_stream.recovered': sent('A change stream that was stalled or failed delivers again.'),
  'member.invited': sent('Somebody was invited, or the invitation was sent again.'),
  'member.invitation_revoked': audited('An invitation was revoked.'),
  'member.joined': sent('Somebody accepted an invitation.'),
  'member.role_changed': sent('A member got another role, or other databases.'),
  'member.removed': sent('A member was removed, or left.'),
  'billing.setup_required': sent('A database was requested before billing was set up.'),
  'billing.setup_completed': sent('Billing was set up; requested databases are created.'),
  'billing.payment_failed': sent('A payment failed; it will be tried again.'),
  'billing.payment_method_removed': sent('The payment method was removed.'),
  'billing.suspended': sent(
    'Payments have failed for good; databases are suspended and keep their data.',
  ),
  'billing.recovered': sent('A payment succeeded; databases run again.'),
  'billing.saved_create_failed': sent(
    'A database that was requested before billing was set up could not be created.',
  ),
  'billing.spend_limit_changed': sent('The spend limit was changed.'),
  'billing.spend_threshold_reached': sent(
    'Half, most or all of the spend limit of a month is used.',
  ),
};
