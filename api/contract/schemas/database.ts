/** Databases, their profiles, and the bodies that create and change them. */
import { z } from 'zod';
import { databaseHealths, databaseStatuses } from '../../model/database-standing.ts';
import { engine, topology } from './catalog.ts';
import {
  actor,
  decimal,
  exampleId,
  exampleTime,
  id,
  money,
  reason,
  success,
  text,
  time,
} from './common.ts';
import { jobExample, job } from './job.ts';
import { databaseUsage, usageExample } from './metrics.ts';
import { billing, provisioning } from './problem.ts';

/** Names that are routes of the dashboard. */
const reservedNames = ['new', 'settings', 'api', 'docs', 'admin', 'login', 'logout'];

export const databaseName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{1,38}[a-z0-9]$/, {
    error:
      'must have 3 to 40 characters: a lower-case letter first, then lower-case letters, digits and hyphens, no hyphen at the end',
  })
  .refine((name) => !reservedNames.includes(name), {
    error: `is reserved; so are ${reservedNames.join(', ')}`,
  })
  .describe(
    '3 to 40 characters: a letter, then letters, digits and hyphens, no hyphen at the end; all lower case. Unique in the organization.',
  );

export const databaseLabelKey = z
  .string()
  .regex(/^[A-Za-z0-9]([A-Za-z0-9._/-]{0,61}[A-Za-z0-9])?$/, {
    error:
      'must have 1 to 63 letters, digits, dots, slashes, hyphens and underscores, and begin and end with a letter or digit',
  });
const labels = z
  .record(databaseLabelKey, z.string().max(255))
  .refine((rows) => Object.keys(rows).length <= 16, { error: 'has more than 16 labels' })
  .describe('At most 16; keys of 1 to 63, values of 0 to 255 characters.');

const parameters = z
  .record(z.string().max(64), z.string().max(64))
  .describe('Engine parameters by name, as the catalog lists them.');

export const choiceId = (what: string) =>
  text(40, `${what} of the catalog; its default when absent.`);

export const archivingWanted = z.strictObject({
  rpoSeconds: z
    .int()
    .min(1)
    .max(300)
    .default(5)
    .describe('Time within which an operation is to be in the store.'),
});

export const createDatabaseRequest = z
  .strictObject({
    name: databaseName,
    mode: z
      .enum(['new', 'import'])
      .default('new')
      .describe('`new`: an empty cluster. `import`: it begins with the files of `importId`.'),
    importId: id('imp', 'The import, READY, of a database that begins with one.').optional(),
    provider: choiceId('A provider').optional(),
    region: choiceId('A region of the provider').optional(),
    clusterConfiguration: choiceId('A topology').optional(),
    clusterSize: choiceId('A size').optional(),
    storageTier: choiceId('A storage tier').optional(),
    selectedStorageGb: z
      .int()
      .min(1)
      .max(1_048_576)
      .optional()
      .describe('GiB of each replica; the catalog’s default when absent.'),
    engine: choiceId('An engine').optional(),
    engineVersion: choiceId('A version of the engine').optional(),
    parameters: parameters.optional(),
    continuousArchiving: archivingWanted
      .nullable()
      .optional()
      .describe(
        'Archives the log from the first operation, so that the database can be restored to any moment; of the built-in engine only. Null or absent: it is not archived.',
      ),
    labels: labels.optional(),
    deletionProtection: z
      .boolean()
      .optional()
      .describe('While true, deleting is refused. When absent: true with replicas, false without.'),
    catalogVersion: text(64, 'Refuses the request when the catalog has changed since.').optional(),
  })
  .refine(({ mode, importId }) => (mode === 'import') === (importId !== undefined), {
    error: 'is needed with mode import, and only with it',
    path: ['importId'],
  })
  .meta({ id: 'CreateDatabaseRequest' });

export const updateDatabaseRequest = z
  .strictObject({
    deletionProtection: z.boolean().optional(),
    labels: z
      .record(databaseLabelKey, z.string().max(255).nullable())
      .nullable()
      .optional()
      .describe(
        'Each label is added or replaced; null removes it, and null instead of the labels removes all (RFC 7396). At most 16 labels may remain.',
      ),
  })
  .refine((body) => Object.keys(body).length > 0, { error: 'changes nothing' })
  .meta({ id: 'UpdateDatabaseRequest' });

export const restoreDatabaseRequest = z
  .strictObject({
    name: databaseName
      .optional()
      .describe('A new name, if another database has taken the old one.'),
  })
  .meta({ id: 'RestoreDatabaseRequest' });

export const choices = {
  provider: z.string(),
  region: z.string(),
  clusterConfiguration: topology,
  clusterSize: z.string(),
  storageTier: z.string(),
  selectedStorageGb: z.int().describe('GiB of each replica.'),
};

export const autogrow = z
  .object({ limitGb: z.int().min(1).describe('GiB of each replica at most.') })
  .nullable()
  .describe('Whether storage grows by itself, by 20 % when 85 % are used; null: it does not.');

export const continuousArchiving = z
  .object({
    rpoSeconds: z.int().min(1).describe('Time within which an operation is to be in the store.'),
  })
  .nullable()
  .describe(
    'How its log is archived, so that it can be restored to any moment; null: it is not. `getRecoveryWindow` says how it stands.',
  );

export const changeDataCapture = z
  .object({ suspended: z.boolean().describe('Whether all its change streams are suspended.') })
  .describe('The switch for all its change streams.');

export const estimatedPrice = money
  .extend({ lines: z.array(z.object({ item: z.string(), amount: decimal })) })
  .meta({ id: 'EstimatedPrice' });

const held = z
  .object({
    transfersMax: z.int().describe('Transfers that each replica holds.'),
    accountsMax: z.int().describe('Accounts that it holds besides.'),
    limitedBy: z
      .enum(['memory', 'storage'])
      .describe(
        'The choice that limits the number of transfers: `clusterSize` or `selectedStorageGb`.',
      ),
  })
  .meta({ id: 'Capacity' });

export const capacity = held
  .nullable()
  .describe(
    'What it holds with this size and storage, with room to spare; null: not known of this engine.',
  );

export const database = z
  .object({
    id: id('db', 'Database ID.'),
    organizationId: id('org', 'Its organization.'),
    name: z.string(),
    clusterId: z
      .string()
      .nullable()
      .describe('Decimal, 128 bits; official clients connect with it. Null until it is known.'),
    mode: z.enum(['new', 'import']).describe('Whether it began with imported files.'),
    status: z
      .enum(databaseStatuses)
      .describe('Stage of its life. READY stays READY through changes and failures.'),
    statusReason: reason.nullable(),
    health: z.enum(databaseHealths).describe('Current health; UNKNOWN without a recent check.'),
    ...choices,
    nodeCount: z.int(),
    nodes: z.array(
      z.object({
        index: z.int(),
        ready: z.boolean(),
        status: z.string().describe('State of the replica, as in the resource’s `status.members`.'),
      }),
    ),
    engine: z.object({
      name: engine,
      version: z.string(),
      latestVersion: z
        .string()
        .nullable()
        .describe(
          'The newest version that it can be updated to now; if there is none, the default version of new databases.',
        ),
      updateAvailable: z
        .boolean()
        .describe(
          'Whether `latestVersion` is newer, can be chosen now, and can be reached by an upgrade.',
        ),
      forcedUpdate: z
        .object({
          version: z.string(),
          forcedAt: time('Time from which on it is due.'),
        })
        .nullable()
        .describe(
          'The version that the database gets in its first maintenance window after `forcedAt`, unless somebody upgrades it before. It has at least seven days from the announcement. Two weeks later the window is not awaited any more. While the database is stopped, nothing happens.',
        ),
    }),
    gateway: z
      .object({
        status: z.enum(['CONNECTED', 'CONNECTING', 'DISCONNECTED', 'UNKNOWN']),
        checkedAt: time('Time of the check.').nullable(),
        latencyMs: z.number().nullable(),
        lastError: z.string().nullable(),
      })
      .describe('Connection of the API process that answers.'),
    connection: z.object({
      identifier: z.string().describe('The name.'),
      httpUrl: z.string().describe('Path of the ledger operations, without the operation.'),
      addresses: z
        .array(z.string())
        .describe('Addresses of the replicas within the Kubernetes cluster.'),
      clusterId: z.string().nullable(),
    }),
    usage: databaseUsage
      .nullable()
      .describe('Its use, as measured in the last minute; null: unknown.'),
    estimatedMonthlyPrice: estimatedPrice.nullable().describe('Null without prices.'),
    limits: z.object({
      maxEventsPerBatch: z.int(),
      maxResults: z.int(),
      maxRequestBytes: z.int(),
    }),
    deletionProtection: z.boolean(),
    labels: z.record(z.string(), z.string()),
    activeProfileId: id('prf', 'Its active profile.'),
    activeJobId: id('job', 'The job that works on it.').nullable(),
    version: z.int().describe('Increases with each change; part of the ETag.'),
    createdAt: time('When it was accepted.'),
    createdBy: actor,
    updatedAt: time('When it last changed.'),
    readyAt: time('When it first served.').nullable(),
    deletedAt: time('When its deletion was accepted.').nullable(),
    purgeAt: time('Time until which it can be restored.').nullable(),
  })
  .meta({ id: 'Database' });

export const profile = z
  .object({
    id: id('prf', 'Profile ID.'),
    databaseId: id('db', 'Its database.'),
    revision: z.int().min(1),
    active: z.boolean(),
    status: z.enum(databaseStatuses),
    health: z.enum(databaseHealths),
    ...choices,
    autogrow,
    continuousArchiving,
    changeDataCapture,
    parameters: z.record(z.string(), z.string()),
    engine,
    engineVersion: z.string(),
    suspended: z.boolean().describe('Whether it is to be stopped.'),
    createdAt: time('When it was made.'),
    readyAt: time('When it first served.').nullable(),
  })
  .describe('One revision of the database’s configuration.')
  .meta({ id: 'Profile' });

export const createdDatabase = z
  .object({ success, database, profile, job, provisioning })
  .meta({ id: 'CreatedDatabase' });

export const databasePlan = z
  .object({
    success,
    dryRun: z.literal(true),
    plan: z.object({
      name: z.string(),
      ...choices,
      engine,
      engineVersion: z.string(),
      parameters: z.record(z.string(), z.string()),
      nodeCount: z.int(),
      continuousArchiving,
      deletionProtection: z.boolean(),
      estimatedMonthlyPrice: estimatedPrice.nullable(),
      capacity,
      catalogVersion: z.string(),
    }),
    billing: z
      .object({
        ready: z.boolean(),
        reason: billing.shape.reason.nullable().describe('Why it is not ready.'),
      })
      .describe('Not ready: the real request would answer 402.'),
  })
  .describe('The database that would be made. Nothing was made.')
  .meta({ id: 'DatabasePlan' });

export const readDatabase = z.object({ database, profile }).meta({ id: 'DatabaseWithProfile' });
export const changedDatabase = z
  .object({ success, database, profile })
  .meta({ id: 'ChangedDatabase' });
export const databaseWithJob = z
  .object({ success, database, profile, job })
  .meta({ id: 'DatabaseWithJob' });

export const exampleChoices = {
  provider: 'local',
  region: 'local-1',
  clusterConfiguration: 'single',
  clusterSize: 'lh-10',
  storageTier: 'network-ssd',
  selectedStorageGb: 20,
} as const;
const exampleClusterId = '126385720930470432897564901432759016843';

export const priceExample: z.input<typeof estimatedPrice> = {
  currency: 'USD',
  amount: '12.50',
  lines: [
    { item: '1 × lh-10', amount: '10.00' },
    { item: '1 × 20 GiB network-ssd', amount: '2.50' },
  ],
};

export const capacityExample: z.input<typeof capacity> = {
  transfersMax: 46_000_000,
  accountsMax: 2_000_000,
  limitedBy: 'memory',
};

export const databaseExample: z.input<typeof database> = {
  id: exampleId('db'),
  organizationId: exampleId('org'),
  name: 'payments-prod',
  clusterId: exampleClusterId,
  mode: 'new',
  status: 'READY',
  statusReason: null,
  health: 'HEALTHY',
  ...exampleChoices,
  nodeCount: 1,
  nodes: [{ index: 0, ready: true, status: 'Ready' }],
  engine: {
    name: 'Builtin',
    version: '0.1.0',
    latestVersion: '0.1.0',
    updateAvailable: false,
    forcedUpdate: null,
  },
  gateway: { status: 'CONNECTED', checkedAt: exampleTime, latencyMs: 1.8, lastError: null },
  usage: usageExample,
  connection: {
    identifier: 'payments-prod',
    httpUrl: `http://localhost:8080/api/v1/databases/${exampleId('db')}/tb`,
    addresses: ['10.43.0.12:3001'],
    clusterId: exampleClusterId,
  },
  estimatedMonthlyPrice: priceExample,
  limits: { maxEventsPerBatch: 8_189, maxResults: 8_189, maxRequestBytes: 8_388_608 },
  deletionProtection: false,
  labels: { team: 'payments' },
  activeProfileId: exampleId('prf'),
  activeJobId: null,
  version: 3,
  createdAt: exampleTime,
  createdBy: { type: 'api_key', id: exampleId('key'), display: 'ci' },
  updatedAt: exampleTime,
  readyAt: exampleTime,
  deletedAt: null,
  purgeAt: null,
};

export const profileExample: z.input<typeof profile> = {
  id: exampleId('prf'),
  databaseId: exampleId('db'),
  revision: 1,
  active: true,
  status: 'READY',
  health: 'HEALTHY',
  ...exampleChoices,
  autogrow: null,
  continuousArchiving: null,
  changeDataCapture: { suspended: false },
  parameters: {},
  engine: 'Builtin',
  engineVersion: '0.1.0',
  suspended: false,
  createdAt: exampleTime,
  readyAt: exampleTime,
};

const unready = { status: 'PROVISIONING', health: 'UNKNOWN', readyAt: null } as const;

export const createdExample: z.input<typeof createdDatabase> = {
  success: true,
  database: {
    ...databaseExample,
    ...unready,
    clusterId: null,
    nodes: [],
    gateway: { status: 'UNKNOWN', checkedAt: null, latencyMs: null, lastError: null },
    usage: null,
    connection: { ...databaseExample.connection, addresses: [], clusterId: null },
    activeJobId: exampleId('job'),
    version: 1,
  },
  profile: { ...profileExample, ...unready },
  job: jobExample,
  provisioning: {
    status: 'QUEUED',
    started: true,
    message: 'Provisioning is queued. It usually takes less than a minute.',
    estimatedSeconds: 60,
  },
};

export const planExample: z.input<typeof databasePlan> = {
  success: true,
  dryRun: true,
  plan: {
    name: 'payments-prod',
    ...exampleChoices,
    engine: 'Builtin',
    engineVersion: '0.1.0',
    parameters: {},
    nodeCount: 1,
    continuousArchiving: null,
    deletionProtection: false,
    estimatedMonthlyPrice: priceExample,
    capacity: capacityExample,
    catalogVersion: '5f0c2d1e.1',
  },
  billing: { ready: true, reason: null },
};

export const deletingExample: z.input<typeof databaseWithJob> = {
  success: true,
  database: {
    ...databaseExample,
    status: 'DELETING',
    activeJobId: exampleId('job'),
    deletedAt: exampleTime,
    purgeAt: '2026-11-28T02:03:04.567Z',
  },
  profile: { ...profileExample, status: 'DELETING' },
  job: { ...jobExample, type: 'database.delete' },
};

export const restoringExample: z.input<typeof databaseWithJob> = {
  success: true,
  database: createdExample.database,
  profile: createdExample.profile,
  job: { ...jobExample, type: 'database.restore_deleted' },
};
