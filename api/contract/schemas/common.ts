/** Building blocks of schemas: IDs, times, money, lists. */
import { z } from 'zod';

/** TypeID: the prefix, and 128 bits in 26 digits. */
export const id = (prefix: string, what: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`))
    .describe(what);

export const time = (what: string) =>
  z.iso.datetime({ precision: 3 }).describe(`${what} RFC 3339, UTC, milliseconds.`);

export const text = (max: number, what: string) => z.string().min(1).max(max).describe(what);

export const decimal = z.string().regex(/^\d{1,15}\.\d{2}$/);

export const money = z
  .object({
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/)
      .describe('ISO 4217.'),
    amount: decimal,
  })
  .meta({ id: 'Money' });

/** An amount to the millionth, so that the parts of a sum add up to it; it may be below nothing. */
export const exactMoney = z
  .object({
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/)
      .describe('ISO 4217.'),
    amount: z.string().regex(/^-?\d{1,15}\.\d{2,6}$/),
  })
  .meta({ id: 'ExactMoney' });

export const success = z.literal(true);

/** A reason with a code for programs and a message for people. */
export const reason = z.object({ code: z.string(), message: z.string() }).meta({ id: 'Reason' });

/** The author of an action. */
export const actor = z
  .object({
    type: z
      .enum(['user', 'api_key', 'system', 'kubernetes'])
      .describe('`kubernetes`: somebody who wrote to the resource in the cluster.'),
    id: z.string().nullable(),
    display: z.string(),
  })
  .meta({ id: 'Actor' });

const page = z
  .object({
    limit: z.int().min(1).max(100),
    nextCursor: z.string().nullable().describe('Null when there is no more.'),
    hasMore: z.boolean(),
  })
  .meta({ id: 'Page' });

export const listOf = <Row extends z.ZodType>(row: Row) => z.object({ data: z.array(row), page });

export const limit = z.int().min(1).max(100).default(50).describe('Maximum number of rows.');
export const cursor = z
  .string()
  .min(1)
  .max(1024)
  .optional()
  .describe('`page.nextCursor` of the previous page; valid for 24 hours.');

export const exampleTime = '2026-11-21T02:03:04.567Z';
export const emptyPage = { limit: 50, nextCursor: null, hasMore: false };

/** An ID for examples, always the same for the same letter. */
export const exampleId = (prefix: string, last = '0') =>
  `${prefix}_01jd8f3zk5e0v9t3m2q6r8w4x${last}`;
