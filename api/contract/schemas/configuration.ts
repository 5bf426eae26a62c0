/** The configuration of a database, its parameters, and its earlier revisions. */
import { z } from 'zod';
import { databaseStatuses } from '../../model/database-standing.ts';
import { engine } from './catalog.ts';
import { actor, exampleId, exampleTime, emptyPage, id, listOf, time } from './common.ts';
import {
  autogrow,
  capacity,
  capacityExample,
  changeDataCapture,
  choices,
  continuousArchiving,
  estimatedPrice,
  exampleChoices,
  priceExample,
  profile,
  profileExample,
} from './database.ts';

/** A field that a change alters. */
export const fieldChange = z
  .object({
    path: z.string().describe('JSON Pointer into the configuration.'),
    from: z.unknown(),
    to: z.unknown(),
  })
  .meta({ id: 'FieldChange' });

export const configuration = z
  .object({
    databaseId: id('db', 'Its database.'),
    revision: z.int().min(1).describe('The active profile’s.'),
    ...choices,
    autogrow,
    continuousArchiving,
    changeDataCapture,
    engine,
    engineVersion: z.string(),
    parameters: z.record(z.string(), z.string()).describe('Those that are set.'),
    labels: z.record(z.string(), z.string()),
    suspended: z.boolean().describe('Whether it is to be stopped.'),
    estimatedMonthlyPrice: estimatedPrice.nullable().describe('Null without prices.'),
    capacity,
  })
  .meta({ id: 'Configuration' });

export const readConfiguration = z.object({ configuration }).meta({ id: 'ConfigurationAnswer' });

const parameter = z
  .object({
    name: z.string(),
    description: z.string(),
    type: z.enum(['integer', 'bytes', 'boolean']),
    unit: z
      .string()
      .nullable()
      .describe('`bytes`: a whole number with KiB, MiB, GiB or TiB. Null: a plain value.'),
    value: z.string().nullable().describe('Null: it is not set, and the default applies.'),
    defaultValue: z.string().nullable().describe('Null: the engine decides by its size.'),
    min: z.int().nullable().describe('For `bytes`, in bytes.'),
    max: z.int().nullable().describe('For `bytes`, in bytes.'),
    restartRequired: z.boolean().describe('Whether a change replaces the pods, one at a time.'),
    immutable: z.boolean(),
  })
  .meta({ id: 'Parameter' });

export const parameterList = listOf(parameter).meta({ id: 'ParameterList' });

const profileRevision = profile
  .extend({
    status: z.enum([...databaseStatuses, 'SUPERSEDED']),
    supersededAt: time('When the next revision replaced it.').nullable(),
    actor: actor
      .nullable()
      .describe('The author; null in revisions from before this was recorded.'),
    diff: z
      .array(fieldChange)
      .describe('Differences from the previous revision; empty in the first one.'),
  })
  .meta({ id: 'ProfileRevision' });

export const profileRevisionList = listOf(profileRevision).meta({ id: 'ProfileRevisionList' });

export const configurationExample: z.input<typeof configuration> = {
  databaseId: exampleId('db'),
  revision: 1,
  ...exampleChoices,
  autogrow: null,
  continuousArchiving: { rpoSeconds: 5 },
  changeDataCapture: { suspended: false },
  engine: 'Builtin',
  engineVersion: '0.1.0',
  parameters: { limitConnections: '512' },
  labels: { team: 'payments' },
  suspended: false,
  estimatedMonthlyPrice: priceExample,
  capacity: capacityExample,
};

export const parametersExample: z.input<typeof parameterList> = {
  data: [
    {
      name: 'limitConnections',
      description: 'Client connections at a time; 256 when absent.',
      type: 'integer',
      unit: null,
      value: '512',
      defaultValue: null,
      min: 1,
      max: 65_535,
      restartRequired: true,
      immutable: false,
    },
  ],
  page: { ...emptyPage, limit: 100 },
};

export const profilesExample: z.input<typeof profileRevisionList> = {
  data: [
    {
      ...profileExample,
      id: exampleId('prf', '1'),
      revision: 2,
      clusterSize: 'lh-10',
      supersededAt: null,
      actor: { type: 'kubernetes', id: null, display: 'kubectl-edit' },
      diff: [{ path: '/clusterSize', from: 'lh-5', to: 'lh-10' }],
    },
    {
      ...profileExample,
      clusterSize: 'lh-5',
      active: false,
      status: 'SUPERSEDED',
      supersededAt: exampleTime,
      actor: { type: 'api_key', id: exampleId('key'), display: 'ci' },
      diff: [],
    },
  ],
  page: emptyPage,
};
