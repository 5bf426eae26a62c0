/** Figures of a database: series over time, and the newest values. */
import { z } from 'zod';
import { metricFunctions, metricSeriesNames, metricUnits } from '../../model/metric-series.ts';
import { figureOperations } from '../../model/metric-figures.ts';
import { exampleId, exampleTime, time } from './common.ts';

const seriesName = z.enum(metricSeriesNames as [string, ...string[]]);
const unit = z.enum(metricUnits);
const fn = z.enum(metricFunctions);

const metricSeries = z
  .object({
    name: seriesName,
    unit,
    description: z.string(),
    labels: z.array(z.string()).describe('Names of the labels that tell its lines apart.'),
    functions: z.array(fn).describe('Functions that a query may name for it.'),
    defaultFunction: fn,
  })
  .meta({ id: 'MetricSeries' });

export const metricSeriesList = z
  .object({
    data: z.array(metricSeries),
    retention: z
      .array(
        z.object({
          stepSeconds: z.int().describe('Interval between the points that are kept.'),
          days: z.int().describe('Days for which they are kept, and the current one.'),
        }),
      )
      .describe('Kept resolutions, the finest first.'),
  })
  .meta({ id: 'MetricSeriesList' });

export const queryMetricsRequest = z
  .strictObject({
    series: z.array(seriesName).min(1).max(8).describe('Names of series.'),
    from: time('Begin.').optional().describe('Begin; an hour before the end when absent.'),
    to: time('End.').optional().describe('End; now when absent.'),
    stepSeconds: z
      .int()
      .min(15)
      .max(86_400)
      .optional()
      .describe(
        'Wanted interval between points. The answer has the actual one: there are never more than 300 points.',
      ),
    fn: fn
      .optional()
      .describe(
        'Function that makes a step’s point. A series without this function has its default. `last`: the newest value; `sum`: what happened in the step, of what is told a second; `rate`: the change a second since the step before, of amounts.',
      ),
    filters: z
      .array(z.strictObject({ key: z.string().max(64), value: z.string().max(64) }))
      .max(8)
      .default([])
      .describe('Only lines with these labels.'),
  })
  .meta({ id: 'QueryMetricsRequest' });

const line = z.object({
  name: seriesName,
  unit,
  fn,
  labels: z.record(z.string(), z.string()),
  points: z
    // Not a tuple: few programs that read the document support tuples.
    .array(z.array(z.number().nullable()).length(2))
    .describe(
      'Begin of the step in milliseconds since 1970, and the value; null where nothing is known.',
    ),
});

export const metricQueryAnswer = z
  .object({
    from: time('Begin of the first step.'),
    to: time('End of the last step.'),
    stepSeconds: z.int(),
    data: z.array(line).describe('A line that has no value in the whole span is left out.'),
  })
  .meta({ id: 'MetricQueryAnswer' });

const figure = z.number().nullable();
const used = z.object({ usedBytes: figure, limitBytes: figure });

export const databaseUsage = z
  .object({
    at: time('Time of the figures.'),
    cpuCores: figure.describe('Processors that all replicas use.'),
    cpuPromisedCores: figure.describe(
      'Requested processors of all replicas; they may also use free ones. Null: not known.',
    ),
    memory: used.describe('Figures of the replica that uses most.'),
    storage: used.describe('Figures of the replica that uses most.'),
    nodes: z.array(
      z.object({
        index: z.int(),
        up: z.boolean().describe('Whether it answered.'),
        leader: z.boolean().nullable(),
        zone: z
          .string()
          .nullable()
          .describe('Zone of its node; null if Kubernetes says none, as before version 1.35.'),
        commitLagOps: figure.describe('Operations that it is behind the most advanced replica.'),
        connections: figure,
        cpuCores: figure,
        memory: used,
        storage: used,
      }),
    ),
  })
  .meta({ id: 'DatabaseUsage' });

const forecast = z
  .object({
    fullInDays: z.number().describe('Days until the limit, at the pace of the last 7 days.'),
    perDayBytes: z.number(),
  })
  .nullable()
  .describe('Null: it does not grow, or there are figures of less than six hours.');

export const currentMetrics = z
  .object({
    usage: databaseUsage.nullable().describe('Null: nothing was heard for a minute.'),
    requestsPerSecond: figure,
    transfersPerSecond: figure,
    requestP99Seconds: figure,
    gateway: z
      .object({
        answeredPerSecond: figure,
        failedPerSecond: figure,
        p99Seconds: figure,
      })
      .describe('Requests over HTTP.'),
    forecast: z.object({ memory: forecast, storage: forecast }),
  })
  .meta({ id: 'CurrentMetrics' });

export const currentMetricsAnswer = z
  .object({ current: currentMetrics })
  .meta({ id: 'CurrentMetricsAnswer' });

const markKinds = ['CHANGE', 'STATE', 'JOB', 'FAILOVER', 'RESTART', 'UPGRADE'] as const;

const metricMark = z
  .object({
    at: time('When it happened, or was seen.'),
    kind: z
      .enum(markKinds)
      .describe(
        '`CHANGE`: of the configuration. `STATE`: of the health. `JOB`: one ended, a backup for example.',
      ),
    replica: z.int().nullable().describe('The replica that it is about.'),
    text: z.string().describe('One line for people.'),
    eventId: z.string().nullable().describe('Its event in the audit log.'),
  })
  .meta({ id: 'MetricMark' });

export const metricMarkList = z
  .object({
    data: z.array(metricMark).describe('The newest first, at most 200 of a span.'),
    from: time('Begin of the span.'),
    to: time('End of the span.'),
  })
  .meta({ id: 'MetricMarkList' });

export const metricMarkExample: z.input<typeof metricMark> = {
  at: exampleTime,
  kind: 'FAILOVER',
  replica: 2,
  text: 'Replica 2 leads; before, replica 0 did.',
  eventId: null,
};

export const ledgerRequest = z
  .object({
    at: time('When it ended.'),
    operation: z.enum(figureOperations),
    code: z.string().nullable().describe('Code of the problem; null: it was answered.'),
    events: z.int().describe('Accounts or transfers that it was to create.'),
    durationMs: z.number().describe('Time within the service.'),
    ledgerMs: z.number().nullable().describe('Part of it in the engine; null: no answer came.'),
    requestId: z.string(),
    credentialId: z.string().describe('The key or session that sent it.'),
    standsFor: z
      .int()
      .describe('Requests that it stands for: more than one when there were too many to keep all.'),
  })
  .meta({ id: 'LedgerRequest' });

export const ledgerRequestExample: z.input<typeof ledgerRequest> = {
  at: exampleTime,
  operation: 'create_transfers',
  code: 'ledger_timeout',
  events: 8_189,
  durationMs: 10_000.4,
  ledgerMs: null,
  requestId: exampleId('req'),
  credentialId: exampleId('key'),
  standsFor: 1,
};

export const usageExample: z.input<typeof databaseUsage> = {
  at: exampleTime,
  cpuCores: 0.42,
  cpuPromisedCores: 0.5,
  memory: { usedBytes: 536_870_912, limitBytes: 2_147_483_648 },
  storage: { usedBytes: 1_073_741_824, limitBytes: 21_474_836_480 },
  nodes: [
    {
      index: 0,
      up: true,
      leader: true,
      zone: 'zone-a',
      commitLagOps: 0,
      connections: 3,
      cpuCores: 0.42,
      memory: { usedBytes: 536_870_912, limitBytes: 2_147_483_648 },
      storage: { usedBytes: 1_073_741_824, limitBytes: 21_474_836_480 },
    },
  ],
};

export const currentExample: z.input<typeof currentMetrics> = {
  usage: usageExample,
  requestsPerSecond: 118.2,
  transfersPerSecond: 90_412.5,
  requestP99Seconds: 0.0091,
  gateway: { answeredPerSecond: 12.1, failedPerSecond: 0, p99Seconds: 0.021 },
  forecast: { memory: null, storage: { fullInDays: 41.3, perDayBytes: 494_000_000 } },
};
