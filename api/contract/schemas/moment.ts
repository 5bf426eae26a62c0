/** An operation of a database and its time. */
import { z } from 'zod';

export const moment = z
  .object({
    op: z.int().min(0).describe('Number of the operation.'),
    timestamp: z
      .string()
      .regex(/^\d{1,20}$/)
      .describe('Its timestamp in nanoseconds since 1970, by the clock of the cluster.'),
    time: z.string().describe('The same as RFC 3339, UTC, nanoseconds.'),
  })
  .meta({ id: 'Moment' });
