/** Log lines of a database's containers. */
import { z } from 'zod';
import { logComponents, logSeverities } from '../../model/log-line.ts';
import { exampleTime, time } from './common.ts';

export const logLine = z
  .object({
    id: z
      .string()
      .regex(/^[1-9]\d{0,18}$/)
      .describe('Its place in the order in which lines were kept, for `after`.'),
    timestamp: time('When the container wrote it, by the clock of its node.'),
    severity: z.enum(logSeverities),
    component: z
      .enum(logComponents)
      .describe(
        '`agent`: the program beside the engine. `etcd`: the log of several replicas. `backup`: what makes, proves and removes backups.',
      ),
    node: z.int().nullable().describe('Index of the replica; null if it belongs to none.'),
    message: z.string(),
    attributes: z
      .record(z.string(), z.unknown())
      .describe(
        'Further fields of the line. Secrets are masked; contents of the ledger are never logged.',
      ),
  })
  .meta({ id: 'LogLine' });

export const logLimitMax = 500;

const page = z
  .object({
    limit: z.int().min(1).max(logLimitMax),
    nextCursor: z.string().nullable().describe('Null when there is no more, and with `after`.'),
    hasMore: z.boolean(),
    after: z
      .string()
      .regex(/^(0|[1-9]\d{0,18})$/)
      .describe('Value of `after` for lines that are kept later.'),
  })
  .meta({ id: 'LogPage' });

export const logLineList = z.object({ data: z.array(logLine), page }).meta({ id: 'LogLineList' });

export const logLineExample = {
  id: '48213',
  timestamp: exampleTime,
  severity: 'WARN',
  component: 'engine',
  node: 1,
  message: 'connection closed because of an invalid message',
  attributes: { remote: '10.0.3.17:51822' },
} as const;

/** Filters that the list and the stream share. */
export const logFilter = {
  severity: z.enum(logSeverities).optional().describe('Lines of this severity and above.'),
  component: z
    .array(z.enum(logComponents))
    .min(1)
    .optional()
    .describe('One or several, with commas.'),
  node: z.int().min(0).max(5).optional().describe('Lines of the replica with this index.'),
  search: z
    .string()
    // oxlint-disable-next-line eslint/no-control-regex -- PostgreSQL's text holds no NUL, and a line no control character
    .regex(/^[^\u0000-\u001f]{1,200}$/)
    .optional()
    .describe(
      'Text in the message or the attributes, also as `name=value`, in upper or lower case.',
    ),
};

export const lineId = z
  .string()
  .regex(/^(0|[1-9]\d{0,17})$/)
  .optional();
