/** Moments that a database can be brought back to. */
import { z } from 'zod';
import { parseTime } from '../../../domain/moment.ts';
import {
  dropsWhereItCan,
  onlyTigerBeetle,
  restoreBackupRequest,
  restoredEngine,
} from './backup.ts';
import { exampleId, id, time } from './common.ts';
import { exampleChoices } from './database.ts';
import { moment } from './moment.ts';

const gap = z
  .object({
    after: moment.describe('The last moment before it.'),
    before: moment.describe('The first moment after it.'),
    operations: z
      .int()
      .min(0)
      .describe(
        'Operations that cannot be restored one by one. After a restore in place it counts ten million numbers that no operation has.',
      ),
  })
  .meta({ id: 'RecoveryGap' });

export const recoveryWindow = z
  .object({
    databaseId: id('db', 'The database.'),
    archiving: z
      .object({
        rpoSeconds: z.int().describe('Time within which an operation is to be in the store.'),
        healthy: z.boolean().nullable().describe('Null: not known at present.'),
        state: z
          .string()
          .nullable()
          .describe('Reason of the condition ContinuousArchiving, such as `Archiving`.'),
      })
      .nullable()
      .describe('How its log is archived; null: it is not, and only its backups can be restored.'),
    earliest: moment
      .nullable()
      .describe('The first moment that the log can bring back; `op` 0 is the empty ledger.'),
    latest: moment.nullable().describe('The last one. Later operations are on their way.'),
    gaps: z
      .array(gap)
      .describe(
        'Operations in between that cannot be restored, oldest first. Every other operation can be restored.',
      ),
  })
  .meta({ id: 'RecoveryWindow' });

export const readRecoveryWindow = z.object({ recoveryWindow }).meta({ id: 'RecoveryWindowAnswer' });

export const restoreTarget = {
  targetTime: z
    .string()
    .max(40)
    .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/, {
      error: 'Must be RFC 3339 with a zone, such as 2027-01-31T12:00:00Z.',
    })
    .refine((text) => parseTime(text) !== undefined, { error: 'There is no such day or time.' })
    .optional()
    .describe(
      'The last operation at or before this time: RFC 3339 with up to nine digits after the second.',
    ),
  targetTimestamp: z
    .string()
    .regex(/^\d{1,19}$/)
    .optional()
    .describe('The last operation at or before this timestamp, in nanoseconds since 1970.'),
  targetOp: z.int().min(1).optional().describe('This operation.'),
};
type Target = { readonly [Name in keyof typeof restoreTarget]?: unknown };
const namesOne = ({ targetTime, targetTimestamp, targetOp }: Target): boolean =>
  [targetTime, targetTimestamp, targetOp].filter((one) => one !== undefined).length === 1;
const oneOf = { error: 'Give one of targetTime, targetTimestamp and targetOp.' };

export const previewRestoreRequest = z
  .strictObject({ ...restoreTarget, ...restoredEngine })
  .refine(namesOne, oneOf)
  .refine(dropsWhereItCan, onlyTigerBeetle)
  .meta({ id: 'PreviewRestoreRequest' });

export const restoreToMomentRequest = z
  .strictObject({ ...restoreBackupRequest.shape, ...restoreTarget })
  .refine(namesOne, oneOf)
  .refine(dropsWhereItCan, onlyTigerBeetle)
  .meta({ id: 'RestoreToMomentRequest' });

export const notCarriedOver = [
  'API_KEYS',
  'BACKUP_SCHEDULES',
  'CHANGE_STREAMS',
  'CONTINUOUS_ARCHIVING',
  'LABELS',
] as const;

const restorePreview = z
  .object({
    databaseId: id('db', 'The database whose moment it is.'),
    op: z
      .int()
      .min(0)
      .nullable()
      .describe(
        'The operation that is reached. Null: the last one at or before `atOrBefore`; its number could not be asked (see `moment`), and is `begins.op` to `begins.op + operationsMax`.',
      ),
    moment: moment
      .nullable()
      .describe(
        'The same operation with its time, as the archiver beside the database reads it in the log. Null: it could not be asked, such as while the database is suspended.',
      ),
    lastTransfer: z
      .object({
        id: z.string().describe('Its ID, a decimal.'),
        timestamp: moment.shape.timestamp,
        time: moment.shape.time,
      })
      .nullable()
      .describe(
        'The last transfer that the new database will have. Null: there is none, the database could not be asked, or it is an imported one, whose timestamp does not say when it came.',
      ),
    atOrBefore: z
      .object({ timestamp: moment.shape.timestamp, time: moment.shape.time })
      .nullable()
      .describe('No later operation is restored. Null: an operation was asked for.'),
    backup: z
      .object({
        id: id('bkp', 'Backup ID.'),
        name: z.string(),
        sizeBytes: z.int().min(0),
        storedBytes: z.int().min(0).describe('Bytes that are fetched.'),
        verifiedAt: time('When a test last restored it.').nullable(),
        verifiedSeconds: z.number().nullable().describe('Duration of its last test restore.'),
      })
      .nullable()
      .describe(
        'The backup that it begins with. Null: the empty ledger, or a backup that is not listed.',
      ),
    begins: moment.describe('The state with which it begins.'),
    operationsMax: z
      .int()
      .min(0)
      .describe(
        'Operations of the log that are replayed; the most possible ones while `op` is null.',
      ),
    operationsLater: z
      .int()
      .min(0)
      .nullable()
      .describe('Archived operations that the new database will lack; null while `op` is null.'),
    notCarriedOver: z
      .array(z.enum(notCarriedOver))
      .describe('Settings that the new database lacks; set them up again if you need them.'),
    warnings: z
      .array(z.string())
      .describe('The parts of the original ledger that the new database lacks.'),
  })
  .meta({ id: 'RestorePreview' });

export const previewedRestore = z
  .object({ preview: restorePreview })
  .meta({ id: 'RestorePreviewAnswer' });

const earliest = {
  op: 0,
  timestamp: '0',
  time: '1970-01-01T00:00:00.000000000Z',
};
const latest = {
  op: 131_220,
  timestamp: '1795372999000000017',
  time: '2026-11-22T18:43:19.000000017Z',
};

export const recoveryWindowExample: z.input<typeof recoveryWindow> = {
  databaseId: exampleId('db'),
  archiving: { rpoSeconds: 5, healthy: true, state: 'Archiving' },
  earliest,
  latest,
  gaps: [],
};

export const restorePreviewExample: z.input<typeof restorePreview> = {
  databaseId: exampleId('db'),
  op: 130_101,
  moment: {
    op: 130_101,
    timestamp: '1795372900499200131',
    time: '2026-11-22T18:41:40.499200131Z',
  },
  lastTransfer: {
    id: '2141',
    timestamp: '1795372900499200131',
    time: '2026-11-22T18:41:40.499200131Z',
  },
  atOrBefore: { timestamp: '1795372900500000000', time: '2026-11-22T18:41:40.500000000Z' },
  backup: {
    id: exampleId('bkp'),
    name: 'nightly',
    sizeBytes: 146_000_000,
    storedBytes: 27_000_000,
    verifiedAt: '2026-11-21T02:03:04.567Z',
    verifiedSeconds: 1.8,
  },
  begins: {
    op: 126_004,
    timestamp: '1795372852090008189',
    time: '2026-11-22T18:40:52.090008189Z',
  },
  operationsMax: 4_097,
  operationsLater: 1_119,
  notCarriedOver: [...notCarriedOver],
  warnings: [],
};

export const restoreToMomentExample = {
  name: 'payments-again',
  targetTime: '2026-11-22T18:41:40.5Z',
  clusterConfiguration: exampleChoices.clusterConfiguration,
} as const;
