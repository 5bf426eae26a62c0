/** Changes of a database's configuration. */
import { z } from 'zod';
import { changeStatuses, interruptions } from '../../model/configuration-change.ts';
import { actor, exampleId, exampleTime, id, reason, success, text, time } from './common.ts';
import { fieldChange } from './configuration.ts';
import { archivingWanted, databaseLabelKey } from './database.ts';
import { job, jobExample } from './job.ts';
import { windowTimes, windowTimesExample } from './maintenance-window.ts';

const days = 90;

const wanted = {
  clusterConfiguration: z
    .enum(['single', 'ha-3', 'ha-6'])
    .optional()
    .describe(
      'One, three or six replicas; a change of its own. The database goes on from its last backup: nobody can write for minutes, ID, name, keys and HTTP address stay, and native addresses change. Built-in engine only.',
    ),
  clusterSize: text(40, 'A size of the catalog.').optional(),
  selectedStorageGb: z
    .int()
    .min(1)
    .max(65_536)
    .optional()
    .describe('GiB of each replica. It grows; it never shrinks below what the volumes have.'),
  autogrow: z
    .strictObject({ limitGb: z.int().min(1).max(65_536) })
    .nullable()
    .optional()
    .describe('Storage grows by itself up to this size; null: it does not.'),
  continuousArchiving: archivingWanted
    .nullable()
    .optional()
    .describe(
      'Archives the log of a database of the built-in engine, so that it can be restored to any moment; null: no longer.',
    ),
  changeDataCapture: z
    .strictObject({ suspended: z.boolean() })
    .optional()
    .describe(
      'Whether all change streams of the database are suspended, at once and without an interruption. When resumed, each goes on where it was.',
    ),
  parameters: z
    .record(z.string().max(64), z.string().max(64).nullable())
    .optional()
    .describe('Each is set; null resets it to its default. The others stay (RFC 7396).'),
  engineVersion: text(32, 'A version of the database’s engine.').optional(),
  labels: z
    .record(databaseLabelKey, z.string().max(255).nullable())
    .optional()
    .describe('Each is added or replaced; null removes it.'),
  suspended: z.boolean().optional().describe('Whether the database is to be stopped.'),
  revision: z
    .int()
    .min(1)
    .max(2_147_483_647)
    .optional()
    .describe(
      'The configuration of this earlier revision, for a way back; the other members count on top of it. Storage stays.',
    ),
} as const;

const needsSomething = (body: object): boolean =>
  Object.entries(body).some(([member, value]) => member !== 'applyAt' && value !== undefined);

const applyAt = z
  .union([z.literal('now'), z.literal('maintenance_window'), z.iso.datetime()])
  .default('now')
  .describe(
    `\`now\`, \`maintenance_window\` (at once if the database’s window is open), or a time (RFC 3339, UTC) within ${days} days. While another change is applied, it waits.`,
  );

export const previewChangeRequest = z
  .strictObject({ ...wanted, applyAt })
  .refine(needsSomething, { error: 'changes nothing' })
  .meta({ id: 'PreviewChangeRequest' });

export const changeRequest = z
  .strictObject({
    ...wanted,
    applyAt,
  })
  .refine(needsSomething, { error: 'changes nothing' })
  .meta({ id: 'ChangeRequest' });

export const applyAtDaysMax = days;

export const impact = z
  .object({
    interruption: z
      .enum(interruptions)
      .describe(
        'How long requests wait: not noticeably, seconds, minutes, or until it is resumed.',
      ),
    longestWaitSeconds: z
      .int()
      .min(0)
      .nullable()
      .describe('Promised longest wait of a client; null while the database is stopped.'),
    rollingRestart: z.boolean().describe('Whether pods are replaced, one at a time.'),
    reversible: z.boolean().describe('Whether a later change can undo it completely.'),
    warnings: z
      .array(z.string())
      .describe(
        'What else follows from it. A change that has begun also names what came of it that nobody could say before.',
      ),
  })
  .meta({ id: 'ChangeImpact' });

const priceDelta = z
  .object({
    currency: z.string().regex(/^[A-Z]{3}$/),
    amount: z.string().regex(/^-?\d{1,15}\.\d{2}$/),
  })
  .nullable()
  .describe('Difference of the estimated monthly price; null without prices.');

export const change = z
  .object({
    id: id('chg', 'Change ID.'),
    databaseId: id('db', 'Its database.'),
    status: z.enum(changeStatuses),
    origin: z
      .enum(['api', 'kubernetes'])
      .describe('`kubernetes`: made in the cluster, and only followed here.'),
    diff: z.array(fieldChange),
    impact,
    priceDelta,
    applyAt: z
      .union([z.literal('now'), time('Not before then.')])
      .describe('`now`: as soon as nothing else is applied.'),
    inMaintenanceWindow: z
      .boolean()
      .describe(
        'It begins only while the maintenance window is open; `applyAt` is when the one that it waits for begins.',
      ),
    jobId: id('job', 'The job that applies it.').nullable(),
    previousRevision: z
      .int()
      .min(1)
      .describe(
        'The revision to ask for to take it back; of another cluster configuration, ask for the earlier one instead.',
      ),
    profileRevision: z.int().min(1).nullable().describe('The revision that it made.'),
    progress: z.string().nullable().describe('The last progress.'),
    error: z
      .object({
        code: z.string(),
        message: z.string(),
        state: z.string().describe('State that it left.'),
        nextSteps: z.array(z.string()),
      })
      .nullable(),
    actor,
    createdAt: time('When it was accepted.'),
    startedAt: time('When it was begun.').nullable(),
    appliedAt: time('When the database matched the request.').nullable(),
    finishedAt: time('When it ended in any way.').nullable(),
  })
  .meta({ id: 'Change' });

export const changePreview = z
  .object({
    success,
    preview: z.object({
      diff: z.array(fieldChange),
      impact,
      priceDelta,
      applies: z
        .enum(['NOW', 'AFTER_OTHER_WORK', 'LATER'])
        .describe(
          'Whether a request would begin at once. `LATER`: not before `applyAt`, or its maintenance window.',
        ),
      joins: id(
        'chg',
        'The waiting change that a request would join. The difference, the impact and the price are those of both together.',
      ).nullable(),
      nextMaintenanceWindow: windowTimes.describe('The window that is open, or the next one.'),
      refusal: reason
        .nullable()
        .describe(
          'The problem that the request would get now although the change is possible: billing, quota, a suspended organization.',
        ),
    }),
  })
  .describe('The difference that the change would make; nothing was changed.')
  .meta({ id: 'ChangePreview' });

export const acceptedChange = z
  .object({ success, change, job: job.nullable().describe('Null while the change waits.') })
  .meta({ id: 'AcceptedChange' });

export const readChange = z.object({ change }).meta({ id: 'ChangeAnswer' });
export const withdrawnChange = z.object({ success, change }).meta({ id: 'WithdrawnChange' });
export const begunChange = z.object({ success, change }).meta({ id: 'BegunChange' });

const resized = [{ path: '/clusterSize', from: 'lh-5', to: 'lh-10' }];
const seconds: z.input<typeof impact> = {
  interruption: 'SECONDS',
  longestWaitSeconds: 20,
  rollingRestart: true,
  reversible: true,
  warnings: [],
};

export const changeExample: z.input<typeof change> = {
  id: exampleId('chg'),
  databaseId: exampleId('db'),
  status: 'APPLYING',
  origin: 'api',
  diff: resized,
  impact: seconds,
  priceDelta: { currency: 'USD', amount: '10.00' },
  applyAt: 'now',
  inMaintenanceWindow: false,
  jobId: exampleId('job'),
  previousRevision: 1,
  profileRevision: 2,
  progress: 'Replica 1 of 3 on lh-10; 0 done.',
  error: null,
  actor: { type: 'api_key', id: exampleId('key'), display: 'ci' },
  createdAt: exampleTime,
  startedAt: exampleTime,
  appliedAt: null,
  finishedAt: null,
};

export const queuedExample: z.input<typeof change> = {
  ...changeExample,
  status: 'QUEUED',
  applyAt: '2026-11-22T01:00:00.000Z',
  inMaintenanceWindow: true,
  jobId: null,
  profileRevision: null,
  progress: null,
  startedAt: null,
};

export const previewExample: z.input<typeof changePreview> = {
  success: true,
  preview: {
    diff: resized,
    impact: seconds,
    priceDelta: { currency: 'USD', amount: '10.00' },
    applies: 'NOW',
    joins: null,
    nextMaintenanceWindow: windowTimesExample,
    refusal: null,
  },
};

export const acceptedExample: z.input<typeof acceptedChange> = {
  success: true,
  change: changeExample,
  job: { ...jobExample, type: 'database.change' },
};

const switched = (to: boolean): z.input<typeof acceptedChange> => ({
  ...acceptedExample,
  change: {
    ...changeExample,
    diff: [{ path: '/suspended', from: !to, to }],
    impact: {
      interruption: to ? 'UNTIL_RESUMED' : 'NONE',
      longestWaitSeconds: to ? null : 0,
      rollingRestart: false,
      reversible: true,
      warnings: [],
    },
    priceDelta: { currency: 'USD', amount: to ? '-10.00' : '10.00' },
    progress: null,
  },
});
export const suspendingExample = switched(true);
export const resumingExample = switched(false);
