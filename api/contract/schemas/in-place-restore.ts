/** A database goes back to an earlier state of its own ledger. */
import { z } from 'zod';
import { change, changeExample, impact } from './change.ts';
import { exampleId, id, success } from './common.ts';
import { fieldChange } from './configuration.ts';
import { job, jobExample } from './job.ts';
import { moment } from './moment.ts';
import { restoreTarget } from './recovery.ts';

const origin = {
  backupId: id('bkp', 'This backup of the database.').optional(),
  ...restoreTarget,
};
const namesOne = (body: { readonly [Name in keyof typeof origin]?: unknown }): boolean =>
  [body.backupId, body.targetTime, body.targetTimestamp, body.targetOp].filter(
    (one) => one !== undefined,
  ).length === 1;
const oneOf = { error: 'Give one of backupId, targetTime, targetTimestamp and targetOp.' };

export const previewInPlaceRestoreRequest = z
  .strictObject(origin)
  .refine(namesOne, oneOf)
  .meta({ id: 'PreviewInPlaceRestoreRequest' });

export const inPlaceRestoreRequest = z
  .strictObject({
    ...origin,
    confirmName: z
      .string()
      .max(63)
      .describe("The database's name, as a confirmation that this database goes back."),
  })
  .refine(namesOne, oneOf)
  .meta({ id: 'InPlaceRestoreRequest' });

export const inPlaceRestorePreview = z
  .object({
    success,
    preview: z.object({
      databaseId: id('db', 'The database.'),
      moment: moment
        .nullable()
        .describe(
          'The last operation that it will have. Null: it could not be asked; the restore finds it in the log.',
        ),
      later: z
        .object({
          transfers: z.int().min(0),
          accounts: z.int().min(0),
          countedMax: z.int().describe('No more of each are counted: there may be more then.'),
        })
        .nullable()
        .describe(
          'What the database has and will not have any more, of what is there now. Null: the ledger could not be asked.',
        ),
      diff: z.array(fieldChange),
      impact,
    }),
  })
  .meta({ id: 'InPlaceRestorePreview' });

export const acceptedInPlaceRestore = z
  .object({ success, change, job })
  .meta({ id: 'AcceptedInPlaceRestore' });

const diff = [
  { path: '/restoredTo', from: null, to: { targetTimestamp: '1795372900500000000' } },
  { path: '/changeDataCapture', from: { suspended: false }, to: { suspended: true } },
];
const minutes: z.input<typeof impact> = {
  interruption: 'MINUTES',
  longestWaitSeconds: 4_500,
  rollingRestart: false,
  reversible: true,
  warnings: [],
};

export const inPlaceRestorePreviewExample: z.input<typeof inPlaceRestorePreview> = {
  success: true,
  preview: {
    databaseId: exampleId('db'),
    moment: {
      op: 130_101,
      timestamp: '1795372900499200131',
      time: '2026-11-22T18:41:40.499200131Z',
    },
    later: { transfers: 412, accounts: 0, countedMax: 8_189 },
    diff,
    impact: minutes,
  },
};

export const acceptedInPlaceRestoreExample: z.input<typeof acceptedInPlaceRestore> = {
  success: true,
  change: { ...changeExample, diff, impact: minutes, priceDelta: null, progress: null },
  job: { ...jobExample, type: 'database.change' },
};
