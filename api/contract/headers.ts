/** Headers of answers, as the document describes them. */
const header = (
  description: string,
  schema: Readonly<Record<string, unknown>> = { type: 'string' },
) => ({
  description,
  schema,
});

export const headers = {
  'X-Request-Id': header('Names this request in our logs; yours, where you sent a fitting one.'),
  ETag: header('Changes whenever the answer does.'),
  Location: header('Where it is.'),
  Link: header('The job, with rel="monitor".'),
  'Retry-After': header('Seconds.', { type: 'integer', minimum: 0 }),
  'Set-Cookie': header('The session.'),
  'Server-Timing': header('Milliseconds in the ledger and in the gateway.'),
  'Page-Has-More': header('`true` or `false`, where the answer is CSV: whether more rows follow.'),
  'Page-Next': header(
    'The filter with which the next rows come, as JSON, where the answer is CSV.',
  ),
  'WWW-Authenticate': header('Bearer.'),
} as const;
