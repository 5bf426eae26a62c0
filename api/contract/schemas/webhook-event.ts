/** Bodies of webhooks: a schema and an example for the data of each event that is sent. */
import { z } from 'zod';
import { notArchivedWords } from '../../model/backup.ts';
import type { EventData, EventType } from '../../model/event-types.ts';
import { actor, exampleId, exampleTime, id, reason, time } from './common.ts';

interface Row<Type extends EventType> {
  readonly schema: z.ZodType;
  readonly example: EventData[Type];
}

const row = <const Schema extends z.ZodType, const Example extends z.input<Schema>>(
  schema: Schema,
  example: Example,
) => ({
  schema,
  example,
});

const organization = row(
  z.object({ organization: z.object({ id: id('org', 'Organization ID.'), name: z.string() }) }),
  { organization: { id: exampleId('org'), name: 'Acme' } },
);

const databaseFact = z.object({
  id: id('db', 'Database ID.'),
  name: z.string(),
  status: z.string(),
});
const jobFact = z.object({ id: id('job', 'Job ID.'), type: z.string(), status: z.string() });
const databaseData = z.object({
  database: databaseFact,
  job: jobFact.optional(),
  reason: reason.nullish(),
});
const createJob = (status: string) => ({ id: exampleId('job'), type: 'database.create', status });
const database = (status: string) =>
  row(databaseData, { database: { id: exampleId('db'), name: 'payments-prod', status } });
const troubledDatabase = row(databaseData, {
  database: { id: exampleId('db'), name: 'payments-prod', status: 'READY' },
  reason: { code: 'ReplicasMissing', message: '2 of 3 replicas serve.' },
});

/** `level`: of the condition CapacityLeft. */
const fillingDatabase = (level: 'NearLimit' | 'Full', message: string) =>
  row(databaseData, {
    database: { id: exampleId('db'), name: 'payments-prod', status: 'READY' },
    reason: { code: level, message },
  });

const jobData = z.object({
  job: jobFact,
  database: databaseFact.optional(),
  error: reason.optional(),
});
const job = (status: string) => row(jobData, { job: createJob(status) });

const changeData = z.object({
  database: databaseFact,
  change: z.object({ id: id('chg', 'Change ID.'), status: z.string() }),
  warnings: z
    .array(z.string())
    .optional()
    .describe('What came of the change that its preview did not say; absent if nothing.'),
  jobId: id('job', 'The job that applies it.').optional(),
  error: reason.optional(),
});
const change = (status: string) =>
  row(changeData, {
    database: { id: exampleId('db'), name: 'payments-prod', status: 'READY' },
    change: { id: exampleId('chg'), status },
    ...(status !== 'QUEUED' && { jobId: exampleId('job') }),
    ...(status === 'FAILED' && {
      error: { code: 'replica_failing', message: 'payments-prod-0: ImagePullBackOff.' },
    }),
  });

const updateData = z.object({
  database: databaseFact,
  engine: z.object({ name: z.string(), version: z.string().describe('The one that it runs.') }),
  update: z.object({
    version: z.string().describe('The version that the event is about.'),
    at: time('The date in the catalog.'),
    notBefore: time('Of a forced version: it is not applied before.').optional(),
    latest: time(
      'Time from which a forced version is also applied outside of the maintenance window; absent if it is not forced.',
    ).optional(),
  }),
});
const update = row(updateData, {
  database: { id: exampleId('db'), name: 'payments-prod', status: 'READY' },
  engine: { name: 'Builtin', version: '0.1.0' },
  update: { version: '0.2.0', at: exampleTime },
});

const backupData = z.object({
  database: databaseFact,
  backup: z.object({
    id: id('bkp', 'Backup ID.'),
    name: z.string(),
    type: z.string(),
    status: z.string(),
  }),
  error: reason.optional(),
});
const restoreData = backupData.extend({
  backup: backupData.shape.backup
    .optional()
    .describe('The backup with which it begins; absent if it begins with the log alone.'),
  restored: databaseFact.describe('The new database.'),
  moment: z
    .object({ targetOp: z.int().optional(), targetTimestamp: z.string().optional() })
    .optional()
    .describe('The moment up to which the log is replayed.'),
});
const backup = (status: string) =>
  row(backupData, {
    database: { id: exampleId('db'), name: 'payments-prod', status: 'READY' },
    backup: { id: exampleId('bkp'), name: 'before-migration', type: 'MANUAL', status },
    ...(status === 'FAILED' && {
      error: { code: 'StoreUnreachable', message: 'The store does not answer.' },
    }),
  });

const returnData = z.object({
  database: databaseFact,
  backup: backupData.shape.backup
    .optional()
    .describe('The backup to whose state it goes back; absent if it is a moment.'),
  moment: restoreData.shape.moment.describe('The moment to which it goes back.'),
  change: changeData.shape.change,
  jobId: changeData.shape.jobId,
  requestedBy: actor.describe('The person who set it back.'),
});
const returned = (status: string) =>
  row(returnData, {
    database: { id: exampleId('db'), name: 'payments-prod', status: 'READY' },
    moment: { targetTimestamp: '1795372850000000000' },
    change: { id: exampleId('chg'), status },
    jobId: exampleId('job'),
    requestedBy: { type: 'user', id: exampleId('usr'), display: 'Anna Example' },
  });

const importData = z.object({
  import: z.object({
    id: id('imp', 'Import ID.'),
    status: z.string(),
    clusterId: z.string().nullable(),
    replicaCount: z.int().nullable().describe('Null for rows.'),
  }),
  database: databaseFact.optional().describe('The database that begins with it.'),
  error: reason.optional(),
});
const imported = (status: string) =>
  row(importData, {
    import: { id: exampleId('imp'), status, clusterId: '77', replicaCount: 1 },
    ...(status === 'USED' && {
      database: { id: exampleId('db'), name: 'payments-moved', status: 'READY' },
    }),
  });

const backupSchedule = row(
  z.object({
    database: databaseFact,
    backupSchedule: z.object({
      id: id('bks', 'Schedule ID.'),
      name: z.string(),
      schedule: z.string().describe('Five fields of cron.'),
      timeZone: z.string(),
    }),
  }),
  {
    database: { id: exampleId('db'), name: 'payments-prod', status: 'READY' },
    backupSchedule: {
      id: exampleId('bks'),
      name: 'payments-prod-scheduled',
      schedule: '0 3 * * *',
      timeZone: 'Europe/Vienna',
    },
  },
);

const apiKeyFact = z.object({
  id: id('key', 'Key ID.'),
  name: z.string(),
  prefix: z.string().describe('The visible part of the key.'),
});
const keyExample = { id: exampleId('key'), name: 'ci', prefix: 'lhk_AbCdEfGhIjKl' };
const apiKey = row(z.object({ apiKey: apiKeyFact }), { apiKey: keyExample });

const endpointFact = z.object({ id: id('whe', 'Endpoint ID.'), url: z.string() });
const endpointExample = { id: exampleId('whe'), url: 'https://hooks.example.com/ledgerhouse' };
const endpoint = row(z.object({ endpoint: endpointFact }), { endpoint: endpointExample });

const streamData = z.object({
  database: databaseFact,
  changeStream: z.object({
    id: id('chs', 'Stream ID.'),
    state: z.string(),
    sink: z.object({
      type: z.string(),
      url: z.string().describe('Without path and query, which may be secret.'),
    }),
  }),
});
const stream = (state: string) =>
  row(streamData, {
    database: { id: exampleId('db'), name: 'payments-prod', status: 'READY' },
    changeStream: {
      id: exampleId('chs'),
      state,
      sink: { type: 'WEBHOOK', url: 'https://hooks.example.com/•••' },
    },
  });
const troubledStream = (state: string) =>
  row(streamData.extend({ reason }), {
    ...stream(state).example,
    reason: { code: 'HTTP_ERROR', message: 'The receiver answered 500.' },
  });

const member = row(
  z.object({
    member: z.object({
      id: id('mem', 'Member ID.'),
      userId: id('usr', 'User ID.'),
      name: z.string(),
      role: z.string(),
    }),
  }),
  {
    member: {
      id: exampleId('mem'),
      userId: exampleId('usr'),
      name: 'Anna Example',
      role: 'developer',
    },
  },
);
const invitation = row(
  z.object({
    invitation: z.object({
      id: id('inv', 'Invitation ID.'),
      email: z.string(),
      role: z.string(),
    }),
  }),
  { invitation: { id: exampleId('inv'), email: 'anna@example.com', role: 'developer' } },
);
const billing = (status: string) => row(z.object({ status: z.string() }), { status });
const nothing = row(z.object({}), {});

/** Null: the event stays in the audit log. A new type of event does not compile until it is listed here. */
export const eventDataRows: { readonly [Type in EventType]: Row<Type> | null } = {
  'organization.created': organization,
  'organization.changed': organization,
  'organization.suspended': row(
    organization.schema.extend({ reason: z.string().nullish().describe('For members.') }),
    { ...organization.example, reason: 'An invoice is open.' },
  ),
  'organization.resumed': organization,
  'organization.deleted': null,
  'organization.restored': organization,
  'organization.purged': null,
  'session.opened': null,
  'session.closed': null,
  'session.token_reused': null,
  'access.denied': null,
  'request.failed': null,
  'database.created': row(databaseData, {
    database: { id: exampleId('db'), name: 'payments-prod', status: 'PROVISIONING' },
    job: createJob('QUEUED'),
  }),
  'database.provisioning_started': database('PROVISIONING'),
  'database.ready': database('READY'),
  'database.failed': database('FAILED'),
  'database.degraded': troubledDatabase,
  'database.unavailable': troubledDatabase,
  'database.recovered': database('READY'),
  'database.nearly_full': fillingDatabase(
    'NearLimit',
    'storage of payments-prod-0: 90 % of 20 GiB are used; before it is full, raise spec.storage.sizeGb',
  ),
  'database.full': fillingDatabase(
    'Full',
    'storage of payments-prod-0: 100 % of 20 GiB are used; new records are refused. To go on, raise spec.storage.sizeGb',
  ),
  'database.has_room': database('READY'),
  'database.suspended': database('SUSPENDED'),
  'database.resumed': database('READY'),
  'database.adopted': database('READY'),
  'database.changed': database('READY'),
  'database.delete_requested': database('DELETING'),
  'database.deleted': database('DELETED'),
  'database.restore_requested': database('PROVISIONING'),
  'database.restored': database('READY'),
  'database.restore_in_place_requested': returned('APPLYING'),
  'database.restored_in_place': returned('APPLIED'),
  'database.purged': database('DELETED'),
  'database.connected': null,
  'database.ledger_written': null,
  'configuration.change_queued': change('QUEUED'),
  'configuration.change_started': change('APPLYING'),
  'configuration.change_applied': change('APPLIED'),
  'configuration.change_failed': change('FAILED'),
  'configuration.change_withdrawn': change('CANCELED'),
  'engine.upgraded': change('APPLIED'),
  'engine.update_available': update,
  'engine.deprecation_announced': row(updateData, {
    ...update.example,
    update: { version: '0.1.0', at: exampleTime },
  }),
  'engine.update_announced': row(updateData, {
    ...update.example,
    update: { version: '0.2.0', at: exampleTime, notBefore: exampleTime, latest: exampleTime },
  }),
  'engine.update_failed': row(updateData.extend({ error: reason }), {
    ...update.example,
    error: { code: 'replica_failing', message: 'payments-prod-0: ImagePullBackOff.' },
  }),
  'backup.requested': backup('QUEUED'),
  'backup.succeeded': backup('SUCCEEDED'),
  'backup.failed': backup('FAILED'),
  'backup.damaged': backup('SUCCEEDED'),
  'backup.log_incomplete': row(backupData.extend({ reason }), {
    ...backup('SUCCEEDED').example,
    reason: {
      code: 'log_not_archived',
      message: notArchivedWords({ fromOp: 125_990, toOp: 126_004 }),
    },
  }),
  'backup.changed': backup('SUCCEEDED'),
  'backup.held': backup('SUCCEEDED'),
  'backup.released': backup('SUCCEEDED'),
  'backup.test_requested': backup('SUCCEEDED'),
  'backup.restore_requested': row(restoreData, {
    ...backup('SUCCEEDED').example,
    restored: { id: exampleId('db', '1'), name: 'payments-again', status: 'PROVISIONING' },
  }),
  'backup.delete_requested': backup('DELETING'),
  'backup.deleted': backup('DELETED'),
  'backup.expired': backup('EXPIRED'),
  'backup_schedule.created': backupSchedule,
  'backup_schedule.changed': backupSchedule,
  'backup_schedule.deleted': backupSchedule,
  'import.created': imported('UPLOADING'),
  'import.validated': imported('READY'),
  'import.completed': imported('USED'),
  'import.failed': row(importData, {
    ...imported('UPLOADING').example,
    error: { code: 'state_differs', message: 'File 2: its state is op 61, not op 60.' },
  }),
  'import.deleted': imported('UPLOADING'),
  'import.expired': imported('EXPIRED'),
  'job.succeeded': job('SUCCEEDED'),
  'job.failed': row(jobData, {
    job: createJob('FAILED'),
    error: { code: 'job_deadline_exceeded', message: 'The job did not end within 30 minutes.' },
  }),
  'job.cancel_requested': job('CANCELING'),
  'job.canceled': job('CANCELED'),
  'job.completed': job('QUEUED'),
  'job.refused': job('QUEUED'),
  'job.retried': job('QUEUED'),
  'api_key.created': apiKey,
  'api_key.rotated': row(z.object({ apiKey: apiKeyFact, replacedBy: apiKeyFact }), {
    apiKey: keyExample,
    replacedBy: { ...keyExample, id: exampleId('key', '1') },
  }),
  'api_key.revoked': apiKey,
  'api_key.renewed': apiKey,
  'api_key.changed': apiKey,
  'api_key.expiring': row(
    z.object({ apiKey: apiKeyFact, expiresAt: z.iso.datetime(), days: z.int() }),
    { apiKey: keyExample, expiresAt: exampleTime, days: 7 },
  ),
  'webhook.endpoint_created': endpoint,
  'webhook.endpoint_changed': endpoint,
  'webhook.endpoint_deleted': endpoint,
  'webhook.endpoint_disabled': row(z.object({ endpoint: endpointFact, reason: z.string() }), {
    endpoint: endpointExample,
    reason: 'Every attempt of the last 5 days failed.',
  }),
  'webhook.endpoint_secret_shown': null,
  'webhook.endpoint_secret_rotated': endpoint,
  'webhook.test': endpoint,
  'webhook.deliveries_replayed': null,
  'change_stream.created': stream('RUNNING'),
  'change_stream.changed': stream('PAUSED'),
  'change_stream.deleted': stream('PAUSED'),
  'change_stream.secret_shown': null,
  'change_stream.secret_rotated': stream('RUNNING'),
  'change_stream.stalled': troubledStream('RETRYING'),
  'change_stream.failed': troubledStream('FAILED'),
  'change_stream.recovered': stream('RUNNING'),
  'member.invited': invitation,
  'member.invitation_revoked': null,
  'member.joined': member,
  'member.role_changed': member,
  'member.removed': member,
  'billing.setup_required': row(z.object({ reason: z.string() }), { reason: 'SETUP_REQUIRED' }),
  'billing.setup_completed': billing('READY'),
  'billing.payment_failed': billing('PAST_DUE'),
  'billing.payment_method_removed': billing('SETUP_REQUIRED'),
  'billing.suspended': billing('SUSPENDED'),
  'billing.recovered': billing('READY'),
  'billing.saved_create_failed': row(z.object({ name: z.string(), reason }), {
    name: 'payments-prod',
    reason: { code: 'quota_exceeded', message: 'The organization has 50 databases.' },
  }),
  'billing.spend_limit_changed': nothing,
  'billing.spend_threshold_reached': row(
    z.object({
      percent: z.int(),
      currency: z.string(),
      accrued: z.string(),
      spendLimit: z.string(),
    }),
    { percent: 80, currency: 'EUR', accrued: '80.00', spendLimit: '100.00' },
  ),
};

/** Schema of the whole body of an event's webhook. */
export const webhookBodySchema = (type: EventType, data: z.ZodType) =>
  z.object({
    id: id('evt', 'Event ID, the same as in the audit log and in `webhook-id`.'),
    type: z.literal(type),
    timestamp: time('When it happened.'),
    apiVersion: z.literal('v1'),
    organizationId: id('org', 'Where it happened.'),
    databaseId: id('db', 'The database of the event.').nullable(),
    sequence: z
      .string()
      .regex(/^\d{1,19}$/)
      .describe('Goes up within the organization: the order of events, however they arrive.'),
    actor,
    data,
  });

export const webhookBodyExample = (type: EventType, data: unknown) => ({
  id: exampleId('evt'),
  type,
  timestamp: exampleTime,
  apiVersion: 'v1',
  organizationId: exampleId('org'),
  databaseId: type.startsWith('database.') || type.startsWith('job.') ? exampleId('db') : null,
  sequence: '184467',
  actor: { type: 'system', id: null, display: 'worker' },
  data,
});
