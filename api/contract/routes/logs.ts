import { z } from 'zod';
import { access } from '../../model/access.ts';
import { logDays } from '../../model/log-line.ts';
import { answer, type RouteSpec } from '../route.ts';
import { cursor, time } from '../schemas/common.ts';
import {
  lineId,
  logFilter,
  logLimitMax,
  logLine,
  logLineExample,
  logLineList,
} from '../schemas/log-line.ts';

const logs = '/api/v1/databases/{databaseId}/logs';
const tag = 'Monitoring';
const limitDefault = 100;

export const logRoutes = {
  listLogLines: {
    method: 'GET',
    path: logs,
    tag,
    summary: 'Read the logs of a database’s containers',
    description: `Lines of the last ${logDays} days, as far as the bound of the database allows; the newest first unless \`order\` says otherwise. With \`after\`, lines in the order in which they were kept: a program that always goes on with \`page.after\` misses none, also those that came late.`,
    access: access.readDatabase,
    query: z.strictObject({
      since: time('Lines from this time on.').optional(),
      until: time('Lines before this time.').optional(),
      ...logFilter,
      order: z.enum(['desc', 'asc']).default('desc').describe('By time.'),
      after: lineId.describe(
        'Lines that were kept after the line with this ID, in that order; not with `cursor`.',
      ),
      limit: z
        .int()
        .min(1)
        .max(logLimitMax)
        .default(limitDefault)
        .describe('Maximum number of lines.'),
      cursor,
    }),
    responses: {
      200: answer('A page of lines.', logLineList, {
        data: [logLineExample],
        page: { limit: limitDefault, nextCursor: null, hasMore: false, after: logLineExample.id },
      }),
    },
    problems: ['invalid_cursor'],
  },
  streamLogLines: {
    method: 'GET',
    path: `${logs}/stream`,
    tag,
    summary: 'Follow the logs of a database’s containers',
    description:
      'Server-sent events `line`, each with a line as data and its ID as ID, from now on. A client that comes back with `Last-Event-ID`, as browsers do, gets the lines that were kept meanwhile.',
    access: access.readDatabase,
    query: z.strictObject(logFilter),
    responses: {
      200: {
        form: 'events',
        description: 'The stream.',
        schema: logLine,
        example: logLineExample,
      },
    },
    problems: [],
  },
} as const satisfies Record<string, RouteSpec>;
