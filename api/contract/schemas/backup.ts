/** Backups of databases. */
import { z } from 'zod';
import {
  backupMethods,
  backupStatuses,
  backupTypes,
  verificationStatuses,
} from '../../model/backup.ts';
import { databaseStatuses } from '../../model/database-standing.ts';
import {
  actor,
  emptyPage,
  exampleId,
  exampleTime,
  id,
  listOf,
  reason,
  success,
  text,
  time,
} from './common.ts';
import { engineName } from './catalog.ts';
import {
  choiceId,
  databaseName,
  databaseWithJob,
  exampleChoices,
  restoringExample,
} from './database.ts';
import { job, jobExample } from './job.ts';

const retentionDaysMax = 365;

const backupName = text(63, 'Name for people; the time of the request when absent.');

export const createBackupRequest = z
  .strictObject({
    name: backupName.optional(),
    retentionDays: z
      .int()
      .min(1)
      .max(retentionDaysMax)
      .optional()
      .describe(
        'Days until it is removed; for good when absent. It stays longer while it is protected, the newest good one of its database, or being restored.',
      ),
    protected: z.boolean().default(false).describe('While true, nothing removes it.'),
    method: z
      .enum(backupMethods)
      .default('ROWS')
      .describe(
        "What is backed up. `ROWS`: the ledger. `FILES`: TigerBeetle's data files of all replicas as they are, of a suspended database.",
      ),
  })
  .meta({ id: 'CreateBackupRequest' });

export const updateBackupRequest = z
  .strictObject({
    name: backupName.optional(),
    protected: z.boolean().optional().describe('While true, nothing removes it.'),
  })
  .refine((body) => Object.keys(body).length > 0, { error: 'changes nothing' })
  .meta({ id: 'UpdateBackupRequest' });

const asBefore = 'That of the database that was backed up when absent.';

export const restoredEngine = {
  engine: engineName
    .optional()
    .describe(
      'Engine of the new database; the built-in one when absent, TigerBeetle of a backup of data files. A database of TigerBeetle is filled through its protocol, with imported rows: see `warnings`.',
    ),
  dropTimeouts: z
    .boolean()
    .optional()
    .describe(
      'Whether pending transfers may lose their timeouts, which imported ones do not have. Without it, TigerBeetle is not filled with a ledger that has open ones.',
    ),
};
interface Dropping {
  readonly engine?: string | undefined;
  readonly dropTimeouts?: boolean | undefined;
}
export const dropsWhereItCan = ({ engine, dropTimeouts }: Dropping): boolean =>
  dropTimeouts !== true || engine === 'TigerBeetle';
export const onlyTigerBeetle = {
  path: ['dropTimeouts'],
  error: 'The built-in engine keeps timeouts. Leave it out, or give engine TigerBeetle.',
};

export const restoreBackupRequest = z
  .strictObject({
    name: databaseName,
    provider: choiceId('A provider').optional().describe(asBefore),
    region: choiceId('A region of the provider').optional().describe(asBefore),
    clusterConfiguration: choiceId('A topology').optional().describe(asBefore),
    clusterSize: choiceId('A size').optional().describe(asBefore),
    storageTier: choiceId('A storage tier').optional().describe(asBefore),
    selectedStorageGb: z
      .int()
      .min(1)
      .max(1_048_576)
      .optional()
      .describe(`GiB of each replica. ${asBefore}`),
    ...restoredEngine,
    catalogVersion: text(64, 'Refuses the request when the catalog has changed since.').optional(),
  })
  .refine(dropsWhereItCan, onlyTigerBeetle)
  .meta({ id: 'RestoreBackupRequest' });

export const restoringDatabase = databaseWithJob
  .extend({
    warnings: z
      .array(z.string())
      .describe('The parts of the original ledger that the new database lacks.'),
  })
  .meta({ id: 'RestoringDatabase' });

const verification = z
  .object({
    status: z
      .enum(verificationStatuses)
      .describe('`UNKNOWN`: the test could not be made, and is made again.'),
    startedAt: time('When it began.').nullable(),
    completedAt: time('When it ended.').nullable(),
    seconds: z.number().nullable().describe('Duration of a test that passed, without the replay.'),
    replayedFrom: z
      .int()
      .min(0)
      .nullable()
      .describe(
        'The archived log after this operation was replayed up to the backup, and led to the same rows and state hash. Null: it was not replayed.',
      ),
    replaySeconds: z.number().nullable().describe('Duration of that replay.'),
    lastReplayedAt: time('When the log was last replayed up to the backup.').nullable(),
    rowsOnly: reason
      .nullable()
      .describe('Why the rows alone are tested, and no log is replayed. That is no damage.'),
    lastPassedAt: time('When a test last found the backup sound.').nullable(),
    message: z.string(),
  })
  .meta({ id: 'BackupVerification' });

const holdReason = text(500, 'Why, such as the number of a case.');

export const holdBackupRequest = z
  .strictObject({ reason: holdReason })
  .meta({ id: 'HoldBackupRequest' });

const hold = z
  .object({
    reason: z.string(),
    by: z.string().describe('The author of the hold.'),
    at: time('Since when.')
      .nullable()
      .describe('Time from which it is held. Null: its resource names a time that does not exist.'),
  })
  .meta({ id: 'BackupHold' });

export const backup = z
  .object({
    id: id('bkp', 'Backup ID.'),
    databaseId: id('db', 'The database that was backed up.'),
    name: z.string(),
    type: z
      .enum(backupTypes)
      .describe(
        'Requested; made by a schedule; made before a change (of the version, the shape or the state); made when the replicas went, by a change or a deletion.',
      ),
    method: z
      .enum(backupMethods)
      .describe(
        "What it has: the rows of the ledger, or TigerBeetle's data files. Those have no `op`, `stateHash`, `accounts` and `transfers`.",
      ),
    status: z
      .enum(backupStatuses)
      .describe(
        'DELETED and EXPIRED ones cannot be restored any more; they are shown for 90 days.',
      ),
    statusReason: reason.nullable().describe('Why it failed, or what it waits for.'),
    protected: z.boolean().describe('While true, nothing removes it.'),
    hold: hold.nullable().describe('While it is held, nothing removes it. Null: nobody holds it.'),
    expiresAt: time('When it is removed.').nullable(),
    schedule: z.string().nullable().describe('Name of the schedule that made it.'),
    managed: z
      .boolean()
      .describe(
        'Whether Kubernetes has its resource. Without it, it can be restored as long as the store has it, and not be removed here.',
      ),
    archiveId: id('bkp', 'Its ID in the store, for a restore without this service.').nullable(),
    engineVersion: z.string().nullable().describe('Release of the engine that wrote the state.'),
    clusterId: z
      .string()
      .nullable()
      .describe('Cluster ID of the data files, which a database keeps that begins with them.'),
    files: z
      .array(
        z.object({
          sizeBytes: z.int().min(0),
          sha256: z.string().describe('SHA-256 of the file, in hexadecimal.'),
        }),
      )
      .nullable()
      .describe('The data files, by replica; null: it has rows.'),
    op: z.int().min(0).nullable().describe('The last operation that it contains.'),
    clusterTimestamp: z
      .string()
      .regex(/^\d{1,20}$/)
      .nullable()
      .describe('Timestamp of that operation in nanoseconds, by the clock of the cluster.'),
    stateHash: z.string().nullable(),
    accounts: z.int().min(0).nullable(),
    transfers: z.int().min(0).nullable(),
    sizeBytes: z.int().min(0).nullable().describe('Bytes of all rows, or of all files.'),
    storedBytes: z.int().min(0).nullable().describe('Bytes of the objects that hold them.'),
    newBytes: z
      .int()
      .min(0)
      .nullable()
      .describe('Bytes of those objects that no earlier backup had stored.'),
    encrypted: z
      .boolean()
      .nullable()
      .describe(
        'Whether all of it is encrypted before it is stored, under a key of the installation; null: not known, or not made.',
      ),
    archivedOps: z
      .int()
      .min(0)
      .nullable()
      .describe(
        'Operations at the end of the archived log that a last backup has added to it; null: it is no last backup of a single replica.',
      ),
    notArchived: z
      .object({
        fromOp: z.int().min(1).nullable().describe('Null: the end of the archive is not known.'),
        toOp: z.int().min(0).describe('The last operation of the backup.'),
      })
      .nullable()
      .describe(
        'Operations that a last backup has, and the archived log lacks: the database cannot be restored to a moment among them.',
      ),
    verification: verification.nullable().describe('The last test restore; null: there was none.'),
    restores: z
      .array(z.object({ databaseId: id('db', 'The database.'), status: z.enum(databaseStatuses) }))
      .describe('Databases that began with it.'),
    jobId: id('job', 'The job that makes it.')
      .nullable()
      .describe('Null if it was not requested over HTTP.'),
    actor,
    createdAt: time('When it was requested.'),
    startedAt: time('When it began.').nullable(),
    completedAt: time('When it succeeded or failed.').nullable(),
    removedAt: time('Since when it cannot be restored any more.').nullable(),
  })
  .meta({ id: 'Backup' });

export const backupList = listOf(backup)
  .extend({
    configured: z
      .boolean()
      .describe(
        'Whether the service has a store for backups. Without one, none can be made or restored.',
      ),
  })
  .meta({ id: 'BackupList' });
export const readBackup = z.object({ backup }).meta({ id: 'BackupAnswer' });
export const changedBackup = z.object({ success, backup }).meta({ id: 'ChangedBackup' });
export const acceptedBackup = z.object({ success, backup, job }).meta({ id: 'AcceptedBackup' });

export const backupExample: z.input<typeof backup> = {
  id: exampleId('bkp'),
  databaseId: exampleId('db'),
  name: 'before-migration',
  type: 'MANUAL',
  method: 'ROWS',
  status: 'SUCCEEDED',
  statusReason: null,
  protected: false,
  hold: null,
  expiresAt: '2026-12-21T02:03:04.567Z',
  schedule: null,
  managed: true,
  archiveId: exampleId('bkp', '1'),
  engineVersion: '0.17.9',
  clusterId: null,
  files: null,
  op: 126_004,
  clusterTimestamp: '1795372852090008189',
  stateHash: '5d41402abc4b2a76b9719d911017c592',
  accounts: 10_000,
  transfers: 1_000_000,
  sizeBytes: 146_000_000,
  storedBytes: 27_000_000,
  newBytes: 1_200_000,
  encrypted: true,
  archivedOps: null,
  notArchived: null,
  verification: {
    status: 'PASSED',
    startedAt: exampleTime,
    completedAt: exampleTime,
    seconds: 1.8,
    replayedFrom: 120_000,
    replaySeconds: 0.9,
    lastReplayedAt: exampleTime,
    rowsOnly: null,
    lastPassedAt: exampleTime,
    message: '1000000 transfers in 1.8 s',
  },
  restores: [],
  jobId: exampleId('job'),
  actor: { type: 'api_key', id: exampleId('key'), display: 'ci' },
  createdAt: exampleTime,
  startedAt: exampleTime,
  completedAt: exampleTime,
  removedAt: null,
};

export const holdExample = { reason: 'case 2026-117' } as const;

export const heldExample: z.input<typeof backup> = {
  ...backupExample,
  hold: { ...holdExample, by: 'ada@example.com', at: exampleTime },
};

export const backupListExample: z.input<typeof backupList> = {
  data: [backupExample],
  page: emptyPage,
  configured: true,
};

const queuedBackup: z.input<typeof backup> = {
  ...backupExample,
  status: 'QUEUED',
  archiveId: null,
  managed: false,
  engineVersion: null,
  op: null,
  clusterTimestamp: null,
  stateHash: null,
  accounts: null,
  transfers: null,
  sizeBytes: null,
  storedBytes: null,
  newBytes: null,
  encrypted: null,
  verification: null,
  startedAt: null,
  completedAt: null,
};

const jobOf = (type: string): z.input<typeof job> => ({
  ...jobExample,
  type,
  status: 'QUEUED',
  cancellable: false,
  startedAt: null,
});

export const requestedExample: z.input<typeof acceptedBackup> = {
  success: true,
  backup: queuedBackup,
  job: jobOf('backup.create'),
};

export const testingExample: z.input<typeof acceptedBackup> = {
  success: true,
  backup: backupExample,
  job: jobOf('backup.verify'),
};

export const removingExample: z.input<typeof acceptedBackup> = {
  success: true,
  backup: { ...backupExample, status: 'DELETING' },
  job: jobOf('backup.delete'),
};

export const restoreExample = {
  name: 'payments-again',
  clusterConfiguration: exampleChoices.clusterConfiguration,
} as const;

export const restoredExample: z.input<typeof restoringDatabase> = {
  ...restoringExample,
  job: { ...restoringExample.job, type: 'database.create' },
  warnings: [],
};
